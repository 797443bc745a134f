package timely

import (
	"fmt"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of TIMELY in a scenario. The defaults are the papers' (SIGCOMM 2015
// §5, CoNEXT 2016 §4.3), and for variant ns3 the published simulator's at 100 Gb/s.
type Params struct {
	// As the TIMELY paper says, with the patch of CoNEXT 2016, or as the published simulator does.
	Variant string `yaml:"variant" default:"paper" oneof:"paper|patched|ns3"`
	// Round-trip times of the host's own time stamps, or those that its switch tells it
	// (telemetry.kind: fridge).
	Signal string `yaml:"signal" default:"host" oneof:"host|switch"`
	// α, weight of the newest difference of round-trip times.
	Alpha float64 `yaml:"alpha" default:"0.875" range:">0 <=1"`
	// β, multiplicative decrease.
	Beta float64 `yaml:"beta" default:"0.8; variant=patched: 0.008" range:">0 <1"`
	// T_low, round-trip time below which the rate rises.
	Low unit.Time `yaml:"t_low" default:"50us" range:">=0s"`
	// T_high, round-trip time above which the rate falls.
	High unit.Time `yaml:"t_high" default:"500us" range:">0s"`
	// minRTT, by which the gradient is normalised.
	MinRTT unit.Time `yaml:"min_rtt" default:"20us" range:">=1ns"`
	// RTT_ref, round-trip time at which the rate stays.
	Reference unit.Time `yaml:"rtt_ref" when:"variant=patched" default:"50us" range:">=1ns"`
	// Acknowledged bytes for an update.
	Segment unit.Bytes `yaml:"segment" when:"variant=paper|patched" default:"16KB" range:">=1B"`
	// N, updates in a row without a decrease after which the increase is hyper increase.
	HyperAfter int `yaml:"hyper_after" when:"variant=paper|ns3" default:"5" range:">=0 <=1000"`
	// δ, additive increase of the rate.
	RateAI unit.Rate `yaml:"rate_ai" default:"10Mbps; variant=ns3: 100Mbps" range:">=0bps"`
	// Hyper increase; that of the TIMELY paper is 5 δ.
	RateHAI unit.Rate `yaml:"rate_hai" when:"variant=ns3" default:"500Mbps" range:">=0bps"`
	// Smallest rate; the largest is the NIC's.
	MinRate unit.Rate `yaml:"min_rate" default:"10Mbps; variant=ns3: 1Gbps" range:">0bps"`
	// Bytes in flight: no limit, rate times base RTT, or line rate times base RTT.
	Window string `yaml:"window" default:"none" oneof:"none|scaled|constant"`
	// Base RTT of the window: the largest of the network, or the flow's own.
	RTT string `yaml:"rtt" when:"window=scaled|constant" default:"max" oneof:"max|path"`
}

// Otherwise is part of telemetry.Variable.
func (*Params) Otherwise(q telemetry.Quantity) (key, value string) {
	return transport.SignalKey(q)
}

// Needs is the RDMA-like transport, senders that pace, and the signal.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{Loss: transport.RDMALoss, Pacing: transport.Paced, Feedback: transport.SignalNeeds(p.Signal)}
	if p.Variant == "ns3" {
		n.NextPacket, n.Pacing = true, transport.AnyPacing
	}
	return n
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if err := s.CheckMinRate(p.MinRate); err != nil {
		return nil, err
	}
	if p.Low > p.High {
		return nil, fmt.Errorf("cc.t_low = %v: want at most cc.t_high = %v: between them the rate would have to rise and to fall", p.Low, p.High)
	}
	trips, err := s.RoundTrips(p.Signal)
	if err != nil {
		return nil, fmt.Errorf("cc.signal = %s: %w", p.Signal, err)
	}
	c := config{
		trips: trips,
		alpha: p.Alpha, beta: p.Beta, low: p.Low, high: p.High, minRTT: p.MinRTT, rateAI: p.RateAI, minRate: p.MinRate,
		hyperAfter: p.HyperAfter, window: s.Window(p.Window, p.RTT),
		hyper: p.RateHAI, segment: p.Segment, patched: p.Variant == "patched", reference: p.Reference,
	}
	if p.Variant == "ns3" {
		return func() transport.Controller { return &roundSender{cfg: c} }, nil
	}
	return func() transport.Controller { return &segmentSender{cfg: c} }, nil
}
