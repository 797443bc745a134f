package dcqcn

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of DCQCN in a scenario. The defaults of variant paper are the
// paper's (§5 and Fig. 14), but for R_HAI, which it does not give: ten times R_AI, as in
// QCN. Those of variant ns3 are the published simulator's at 100 Gb/s.
type Params struct {
	// As the DCQCN paper says, or as the published simulator does.
	Variant string `yaml:"variant" default:"paper" oneof:"paper|ns3"`
	// g, gain of alpha.
	Gain float64 `yaml:"gain" default:"0.00390625" range:">0 <1"`
	// N, least time between two CNPs of a flow.
	CNPInterval unit.Time `yaml:"cnp_interval" when:"variant=paper" default:"50us" range:">=0s"`
	// K, time without a CNP after which alpha falls (paper), or between its moves (ns3).
	AlphaTimer unit.Time `yaml:"alpha_timer" default:"55us; variant=ns3: 1us" range:">=1ns"`
	// Time between two looks for marks, each of which may cut the rate.
	CutInterval unit.Time `yaml:"cut_interval" when:"variant=ns3" default:"4us" range:">=1ns"`
	// T, time between two increases.
	Timer unit.Time `yaml:"timer" default:"55us; variant=ns3: 300us" range:">=1ns"`
	// B, bytes between two increases.
	ByteCounter unit.Bytes `yaml:"byte_counter" when:"variant=paper" default:"10MB" range:">=1000B"`
	// F, steps of fast recovery.
	Recovery int `yaml:"recovery" default:"5; variant=ns3: 1" range:">=0 <=1000"`
	// R_AI, additive increase of the target.
	RateAI unit.Rate `yaml:"rate_ai" default:"40Mbps; variant=ns3: 20Mbps" range:">=0bps"`
	// R_HAI, hyper increase of the target.
	RateHAI unit.Rate `yaml:"rate_hai" default:"400Mbps; variant=ns3: 200Mbps" range:">=0bps"`
	// Smallest rate; the largest is the NIC's.
	MinRate unit.Rate `yaml:"min_rate" default:"10Mbps; variant=ns3: 1Gbps" range:">0bps"`
	// Every cut lowers the target, not only one after an increase.
	ClampTarget bool `yaml:"clamp_target" when:"variant=ns3" default:"false"`
	// Bytes in flight: no limit, rate times base RTT, or line rate times base RTT.
	Window string `yaml:"window" default:"none" oneof:"none|scaled|constant"`
	// Base RTT of the window: the largest of the network, or the flow's own.
	RTT string `yaml:"rtt" when:"window=scaled|constant" default:"max" oneof:"max|path"`
}

// Needs is marks, the RDMA-like transport and senders that pace.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{Loss: transport.RDMALoss, Pacing: transport.Paced, Marking: true}
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
	window := s.Window(p.Window, p.RTT)
	if p.Variant == "ns3" {
		c := polledConfig{
			gain: p.Gain, alphaTimer: p.AlphaTimer, cutInterval: p.CutInterval, timer: p.Timer, recovery: p.Recovery,
			rateAI: p.RateAI, rateHAI: p.RateHAI, minRate: p.MinRate, clampTarget: p.ClampTarget, window: window,
		}
		return func() transport.Controller { return &polled{cfg: c} }, nil
	}
	c := config{
		gain: p.Gain, cnp: p.CNPInterval, alpha: p.AlphaTimer, timer: p.Timer, counter: p.ByteCounter, recovery: p.Recovery,
		rateAI: p.RateAI, rateHAI: p.RateHAI, minRate: p.MinRate, window: window,
	}
	return func() transport.Controller { return &sender{cfg: c} }, nil
}
