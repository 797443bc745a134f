package ndp

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of NDP in a scenario.
type Params struct {
	// Packets that a flow sends before the receiver has asked for any (30 in the NDP paper, §6); 0:
	// the bandwidth-delay product of its path and half of the queues of its switches (ours).
	Initial int `yaml:"initial_window" default:"0" range:">=0 <=1000000"`
}

// Needs is hosts that pull, which do not pace.
func (*Params) Needs() transport.Needs {
	return transport.Needs{Loss: transport.PulledLoss, Pacing: transport.Unpaced}
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	return func() transport.Controller { return &sender{first: p.Initial, queue: s.Queue} }, nil
}

// sender is what NDP decides about a flow: its first window. Receivers decide the rest.
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

// Window is the first window.
func (s *sender) Window() unit.Bytes { return s.window }

// Rate is the line rate.
func (s *sender) Rate() unit.Rate { return s.line }
