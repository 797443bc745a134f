package cctest

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Puppet is a controller under the control of a test. It records the calls of its methods. The zero
// Puppet lets a flow send at line rate without a window.
type Puppet struct {
	Info  transport.FlowInfo
	Acks  []transport.Ack // without telemetry
	Times []unit.Time     // times of Acks
	Lost  []transport.Loss

	W unit.Bytes // 0 means no limit
	R unit.Rate  // 0 means line rate

	OnStart func(p *Puppet)
	// OnAckDo may set W and R. OnAck returns the result of OnAckDo, or false if OnAckDo is nil.
	OnAckDo  func(p *Puppet, now unit.Time, a *transport.Ack) bool
	OnLossDo func(p *Puppet, l transport.Loss)
}

var _ transport.Controller = (*Puppet)(nil)

func (p *Puppet) Start(_ unit.Time, f transport.FlowInfo) {
	p.Info = f
	if p.OnStart != nil {
		p.OnStart(p)
	}
}

func (p *Puppet) OnAck(now unit.Time, a *transport.Ack) bool {
	x := *a
	x.Hops = nil
	p.Acks, p.Times = append(p.Acks, x), append(p.Times, now)
	return p.OnAckDo != nil && p.OnAckDo(p, now, a)
}

func (p *Puppet) OnLoss(_ unit.Time, l transport.Loss) {
	p.Lost = append(p.Lost, l)
	if p.OnLossDo != nil {
		p.OnLossDo(p, l)
	}
}

func (p *Puppet) Window() unit.Bytes {
	if p.W == 0 {
		return 1 << 50
	}
	return p.W
}

func (p *Puppet) Rate() unit.Rate {
	if p.R == 0 {
		return p.Info.LineRate
	}
	return p.R
}

// Puppets makes a factory that returns the given puppets in the order in which flows start.
func Puppets(p ...*Puppet) func(*netsim.Network) transport.Factory {
	return func(*netsim.Network) transport.Factory {
		next := 0
		return func() transport.Controller {
			next++
			return p[next-1]
		}
	}
}
