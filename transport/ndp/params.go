package ndp

import (
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of NDP in a scenario.
type Params struct {
	// Packets that a flow sends before the receiver has asked for any (30 in the NDP paper, §6); 0:
	// the bandwidth-delay product of its path and half of the queues of its switches (ours).
	Initial int `yaml:"initial_window" default:"0" range:">=0 <=1000000" draw:"0..60"`
	// Senders leave paths out on which more packets are trimmed or lost than on others (NDP paper,
	// §3.2.3). Needs network.balancing permute.
	PathPenalty bool `yaml:"path_penalty" default:"false"`
	// ACKs and NACKs before a path is judged (ours; the simulator of the NDP paper's authors wants more than 100, and more than 10 ACKs).
	PathAnswers int `yaml:"path_answers" when:"path_penalty=true" default:"16" range:">=1 <=128" draw:"1..16"`
	// Least NACKs for an ACK of a path that is left out (as in that simulator).
	PathRatio float64 `yaml:"path_ratio" when:"path_penalty=true" default:"0.3" range:">=0 <=1e6" draw:"0.3|0"`
	// And how many times the ratio of all paths (as in that simulator).
	PathExcess float64 `yaml:"path_excess" when:"path_penalty=true" default:"1.25" range:">=1 <=1e6" draw:"1.25|1"`
	// For how many packets of each other path it is left out, twice as many the next time (ours).
	PathRounds int `yaml:"path_rounds" when:"path_penalty=true" default:"32" range:">=1 <=4096" draw:"1..40"`
}

func (p *Params) Penalty() *route.Penalty {
	if !p.PathPenalty {
		return nil
	}
	return &route.Penalty{Answers: p.PathAnswers, Ratio: p.PathRatio, Excess: p.PathExcess, Rounds: p.PathRounds}
}

func (p *Params) Recovery(s *transport.Setting) transport.Recovery {
	return Hosts{ByClass: s.ByClass, Avoid: p.Penalty()}
}

// Receivers implements transport.Receiving: they send an ACK or NACK and a PULL for each packet.
func (*Params) Receivers() transport.Receivers {
	return transport.Receivers{Packets: 2, Trimming: true, Ask: true}
}

// Needs returns senders that do not pace, and that permute their paths.
func (*Params) Needs() transport.Needs {
	return transport.Needs{Pacing: transport.Unpaced, Balancing: "permute"}
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	return func() transport.Controller { return &sender{first: p.Initial, queue: s.Queue} }, nil
}

// sender holds what NDP decides about a flow: its first window. Receivers decide the rest.
type sender struct {
	first  int
	queue  unit.Bytes // of data at a port
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

// OnAck changes nothing.
func (*sender) OnAck(unit.Time, *transport.Ack) bool { return false }

// OnLoss changes nothing.
func (*sender) OnLoss(unit.Time, transport.Loss) {}

// Window returns the first window.
func (s *sender) Window() unit.Bytes { return s.window }

func (s *sender) Rate() unit.Rate { return s.line }
