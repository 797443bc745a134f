// Command mypintlab is pintlab with the congestion control gentle: a window that keeps the round-trip time a little
// above the base RTT.
package main

import (
	"os"

	"pintlab/experiments/pintlab"
	"pintlab/experiments/protocols"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

func main() {
	set := protocols.Standard()
	set.AddControl(new(Params), "gentle", "Gentle", "a window that keeps the round-trip time a little above the "+
		"base RTT")
	os.Exit(pintlab.Main(set))
}

// Params are the keys of gentle under cc.
type Params struct {
	// Queueing delay that gentle accepts.
	Delay unit.Time `yaml:"delay" default:"4us" range:">0s <=1s"`
	// Share of the window that a cut takes.
	Cut float64 `yaml:"cut" default:"0.3" range:">0 <1"`
}

func (*Params) Needs() transport.Needs { return transport.Needs{} }

func (p *Params) New(*transport.Setting) (transport.Factory, error) {
	return func() transport.Controller { return &sender{Params: *p} }, nil
}

type sender struct {
	Params
	flow   transport.FlowInfo
	window float64   // bytes
	last   unit.Time // cut
}

func (s *sender) Start(now unit.Time, f transport.FlowInfo) {
	*s = sender{Params: s.Params, flow: f, window: float64(f.PathRate.In(f.BaseRTT) + f.Segment), last: now}
}

func (s *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	switch {
	case a.HasRTT && a.RTT <= s.flow.BaseRTT+s.Delay:
		s.window += float64(float64(s.flow.Segment) * float64(a.Acked) / s.window)
	case a.HasRTT && now-s.last >= a.RTT:
		s.shrink(now)
	}
	return a.HasRTT
}

func (s *sender) OnLoss(now unit.Time, _ transport.Loss) { s.shrink(now) }

func (s *sender) shrink(now unit.Time) {
	s.window, s.last = max(float64(s.window*(1-s.Cut)), float64(s.flow.Segment)), now
}

func (s *sender) Window() unit.Bytes { return unit.Bytes(s.window) }
func (s *sender) Rate() unit.Rate    { return s.flow.LineRate }
