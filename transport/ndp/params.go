package ndp

import (
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of NDP in a scenario.
type Params struct {
	// Packets that a flow sends before the receiver has requested any (30 in the NDP paper, §6); 0:
	// the bandwidth-delay product of its path and half of the queues of its switches (our choice).
	Initial int `yaml:"initial_window" default:"0" range:">=0 <=1000000" draw:"0..60"`
	// Senders exclude paths on which more packets are trimmed or lost than on others (NDP paper,
	// §3.2.3). Needs network.balancing permute.
	PathPenalty bool `yaml:"path_penalty" default:"false"`
	// ACKs and NACKs before a path is judged (our choice; csg-htsim, the simulator of the NDP
	// paper's authors, needs more than 100, and among them more than 10 ACKs).
	PathAnswers int `yaml:"path_answers" when:"path_penalty=true" default:"16" range:">=1 <=128" draw:"1..16"`
	// NACKs per ACK above which a path may be excluded (as in csg-htsim).
	PathRatio float64 `yaml:"path_ratio" when:"path_penalty=true" default:"0.3" range:">=0 <=1e6" draw:"0.3|0"`
	// A path is excluded only if its ratio also exceeds this multiple of the ratio of all paths (as
	// in csg-htsim).
	PathExcess float64 `yaml:"path_excess" when:"path_penalty=true" default:"1.25" range:">=1 <=1e6" draw:"1.25|1"`
	// Length of an exclusion, in packets on each other path. The length doubles when the path is
	// excluded again (our choice).
	PathRounds int `yaml:"path_rounds" when:"path_penalty=true" default:"32" range:">=1 <=4096" draw:"1..40"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

func (p *Params) Penalty() *route.Penalty {
	if !p.PathPenalty {
		return nil
	}
	return &route.Penalty{Answers: p.PathAnswers, Ratio: p.PathRatio, Excess: p.PathExcess, Rounds: p.PathRounds}
}

func (p *Params) Recovery(s *transport.Setting) transport.Recovery {
	return Hosts{ByClass: s.ByClass, Avoid: p.Penalty()}
}

// Receivers implements transport.Receiving.
func (*Params) Receivers() transport.Receivers {
	return transport.Receivers{Answers: answers, Trimming: true, Ask: true}
}

// answers counts an ACK or NACK and a PULL for each packet.
func answers(packets int64, _ unit.Bytes) int64 { return 2 * packets }

// Needs requires unpaced senders that permute their paths.
func (*Params) Needs() transport.Needs {
	return transport.Needs{Pacing: transport.Unpaced, Balancing: "permute"}
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	return func() transport.Controller { return &sender{first: p.Initial, queue: s.Queue} }, nil
}

// sender sets the first window of a flow. Receivers control the rest of the flow.
type sender struct {
	first  int
	queue  unit.Bytes // longest queue of data at a port
	window unit.Bytes
	line   unit.Rate
}

// Start sets the first window.
func (s *sender) Start(_ unit.Time, f transport.FlowInfo) {
	packets := unit.Bytes(s.first)
	if packets == 0 {
		wire := f.PathRate.In(f.BaseRTT) + unit.Bytes(f.Hops)*s.queue/2
		packets = max(1, (wire+f.Packet-1)/f.Packet)
	}
	s.window, s.line = packets*f.Segment, f.LineRate
}

// OnAck ignores acknowledgements.
func (*sender) OnAck(unit.Time, *transport.Ack) bool { return false }

// OnLoss ignores losses.
func (*sender) OnLoss(unit.Time, transport.Loss) {}

// Window returns the first window.
func (s *sender) Window() unit.Bytes { return s.window }

func (s *sender) Rate() unit.Rate { return s.line }
