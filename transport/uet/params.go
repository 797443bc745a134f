package uet

import (
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of Ultra Ethernet in a scenario. § refers to the description MODEL.md of
// uet-htsim, which is kept next to the recorded runs. The defaults are the values of uet-htsim.
type Params struct {
	// What limits a flow: the sender's window (NSCC), credit of the receiver (RCCC), both, or a
	// constant window.
	Control string `yaml:"control" default:"nscc" oneof:"nscc|rccc|both|constant"`
	// First window, in packets of the largest size; 0: max_window. With control constant this is
	// the window (§2).
	Initial int `yaml:"initial_window" default:"0" range:">=0 <=100000" draw:"0..40"`
	// Initial base RTT of flows; it falls to the smallest RTT that they measure. auto: the largest
	// base RTT of the network (§1, RTT0).
	BaseRTT unit.Time `yaml:"base_rtt" default:"auto" range:">0s <=1s"`
	// Flows begin with the base RTT of their own path instead of base_rtt (§5).
	OwnRTT bool `yaml:"path_base_rtt" default:"false"`
	// NACKs also lower the base RTT (§12).
	NackRTT bool `yaml:"nack_base_rtt" default:"true"`
	// Largest window, and largest credit of RCCC, in bandwidth-delay products (§2).
	MaxWindow float64 `yaml:"max_window" default:"1.5" range:">=0.1 <=100" draw:"1.5|1"`
	// Bytes by which receivers reduce the window, in 1/128 of the received bytes: ACK_CC of the UE
	// 1.0 specification, which uet-htsim never sets (§10).
	Penalty int `yaml:"receiver_penalty" when:"control=nscc|both" default:"0" range:">=0 <=127" draw:"0|16"`
	// Received bytes after which the receiver sends an ACK; the receiver counts them with 16 bits (§4).
	Threshold unit.Bytes `yaml:"sack_threshold" default:"16384B" range:">=1B <=1MB" draw:"16384B|1B|65536B"`

	// Target queueing delay of NSCC; auto: 0.75 base_rtt, or base_rtt if switches drop instead of
	// trimming (§6.1).
	Target unit.Time `yaml:"target_delay" when:"control=nscc|both" default:"auto" range:">0s <=1s"`
	// Bandwidth-delay product of the network to which the gains of NSCC refer (§6.1: 100 Gb/s and
	// 12 µs).
	RefBDP unit.Bytes `yaml:"reference_bdp" when:"control=nscc|both" default:"150000B" range:">=1B"`
	// RTT of that network.
	RefRTT unit.Time `yaml:"reference_rtt" when:"control=nscc|both" default:"12us" range:">0s <=1s"`
	// Gain of the proportional increase, in packets (§6.1: alpha).
	Proportional float64 `yaml:"proportional_gain" when:"control=nscc|both" default:"4" range:">=0 <=1000" draw:"4|1"`
	// Gain of the fair increase, in packets (§6.1: fi).
	Fair float64 `yaml:"fair_gain" when:"control=nscc|both" default:"5" range:">=0 <=1000" draw:"5|1"`
	// Gain of the increase per adjust period, in packets (§6.1: eta).
	Eta float64 `yaml:"eta" when:"control=nscc|both" default:"0.15" range:">=0 <=1000" draw:"0.15|1"`
	// Gain of the fast increase, per byte (§6.1: fi_scale).
	Fast float64 `yaml:"fast_gain" when:"control=nscc|both" default:"0.25" range:">=0 <=100" draw:"0.25|1"`
	// Queueing delay below which the fast increase is active (§6.3).
	FastDelay unit.Time `yaml:"fast_delay" when:"control=nscc|both" default:"1us" range:">=0s <=1s"`
	// Gain of the multiplicative decrease (§6.1: gamma).
	Gamma float64 `yaml:"gamma" when:"control=nscc|both" default:"0.8" range:">=0 <=1" draw:"0.8|0.5"`
	// Smallest share of the window that remains after a decrease (§6.1).
	Least float64 `yaml:"max_decrease" when:"control=nscc|both" default:"0.5" range:">=0 <=1" draw:"0.5|0.8"`
	// Weight of a sample in the average delay (§6.2).
	Weight            float64 `yaml:"delay_weight" when:"control=nscc|both" default:"0.0125" range:">0 <=1" draw:"0.0125|0.1"`
	transport.Pooling `when:"control=nscc|both"`
	// Packets after which pending increases are added to the window (§6.1: adjust bytes).
	Adjust int `yaml:"adjust_packets" when:"control=nscc|both" default:"8" range:">=1 <=1000" draw:"8|1"`
	// Quick adapt acts if fewer bytes than max_window / 2^qa_gate arrived in its period (§6.4) and
	// congestion is heavy (qa_delay).
	Gate int `yaml:"qa_gate" when:"control=nscc|both" default:"3" range:">=0 <=20" draw:"3|0"`
	// Congestion is heavy if the queueing delay exceeds this many target delays, or if a packet was
	// trimmed or lost (§6.1).
	QADelay float64 `yaml:"qa_delay" when:"control=nscc|both" default:"4" range:">=0 <=1000" draw:"4|1"`

	// Bytes that a PULL of RCCC requests (§7: 64 quanta).
	Pull unit.Bytes `yaml:"pull" when:"control=rccc|both" default:"16384B" range:">=256B <=1MB" draw:"16384B|4096B"`
	// Share of the rate of its link at which a receiver pulls (§7).
	PullShare float64 `yaml:"pull_share" when:"control=rccc|both" default:"0.99" range:">=0.01 <=1" draw:"0.99|0.9"`
	// Receivers add a flow to the list of idle flows each time its demand is met, like uet-htsim,
	// which never removes the flow. So the flow gets unnecessary PULLs (§7). false: receivers add
	// the flow once.
	StalePulls bool `yaml:"stale_pulls" when:"control=rccc|both" default:"false"`

	// SLEEK: senders also detect losses by packets that overtake others, and by probes. It is for
	// switches that drop (§9).
	Sleek bool `yaml:"sleek" when:"control=nscc|both" default:"false"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

// credits reports whether receivers limit a flow.
func (p *Params) credits() bool { return p.Control == "rccc" || p.Control == "both" }

// adapts reports whether the window of the sender reacts to congestion.
func (p *Params) adapts() bool { return p.Control == "nscc" || p.Control == "both" }

// windows reports whether senders have a window.
func (p *Params) windows() bool { return p.Control != "rccc" }

// Needs requires unpaced senders, marks, and entropy values.
func (*Params) Needs() transport.Needs {
	return transport.Needs{Pacing: transport.Unpaced, Balancing: "mixed", Marking: true}
}

func (p *Params) Receivers() transport.Receivers {
	brings := []string{
		"network.trimming.queue=auto", "network.trimming.header_queue=auto", "network.trimming.return_to_sender=false",
		"network.trimming.count_sending=true",
		"network.scheduling.kind=strict",
	}
	if p.credits() {
		brings = append(brings, "network.ecn.at_hosts=false")
	}
	return transport.Receivers{Answers: p.answers, Trimming: true, Brings: brings}
}

// answers counts the ACKs of the first and the last packet, one ACK after every Threshold bytes, and the PULLs (§4).
func (p *Params) answers(packets int64, wire unit.Bytes) int64 {
	n := min(packets, 2)
	if p.Threshold <= mostCounted {
		n += min(packets-n, int64(wire/p.Threshold))
	}
	if p.credits() {
		n += int64((wire + p.Pull - 1) / p.Pull)
	}
	return n
}

func (p *Params) Recovery(*transport.Setting) transport.Recovery { return &Hosts{*p} }

// Constants of the timeout (§1).
const (
	timeoutBase   = 15 * unit.Microsecond
	timeoutQueues = 6
)

func (p *Params) Timeout(s *transport.Setting) (unit.Time, string) {
	return timeoutBase + s.HostRate.TxTime(timeoutQueues*s.Queue),
		"15 µs and 6 times network.trimming.queue at the rate of the slowest host"
}

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "base_rtt", &p.BaseRTT, rtt, "largest base RTT")
	target, from := p.BaseRTT*3/4, "0.75 cc.base_rtt"
	if s.Drops {
		target, from = p.BaseRTT, "cc.base_rtt, because switches do not trim"
	}
	transport.Choose(c, "target_delay", &p.Target, max(1, target), from)
}

// Marking implements transport.Marker. The thresholds are 0.2 and 0.8 of the bandwidth-delay
// product, in whole packets (§1).
func (p *Params) Marking(s *transport.Setting) transport.Marking {
	packets := s.BDPPackets()
	at := func(fifths unit.Bytes) unit.Bytes { return (fifths*packets + 4) / 5 * s.Packet }
	return transport.Marking{Min: at(1), Max: at(4), PMax: 1,
		From: "0.2 and 0.8 of the largest bandwidth-delay product"}
}

// New makes the controllers of a run.
func (p *Params) New(*transport.Setting) (transport.Factory, error) {
	return func() transport.Controller { return &sender{Params: p, pool: p.Pool()} }, nil
}
