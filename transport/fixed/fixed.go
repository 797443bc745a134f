// Package fixed has no congestion control. It uses a constant window and a constant rate, to
// examine a network or a telemetry system in isolation.
package fixed

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of the constant window and rate in a scenario.
type Params struct {
	// Bytes in flight, or "none".
	Window unit.Limit `yaml:"window" default:"none" range:">0B" draw:"none|20KB|1KB|300KB"`
	// Pacing rate; auto: the rate of the fastest link, so that every host sends at its own rate.
	Rate unit.Rate `yaml:"rate" default:"auto" range:">0bps" draw:"100Gbps|7Gbps|333Mbps"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	transport.Choose(c, "rate", &p.Rate, s.Fastest, "the fastest link")
}

// Needs requires senders that pace; otherwise the rate would have no effect.
func (*Params) Needs() transport.Needs { return transport.Needs{Pacing: transport.Paced} }

// New makes the controllers of a run.
func (p *Params) New(*transport.Setting) (transport.Factory, error) {
	if p.Window <= 0 || p.Rate <= 0 {
		return nil, fmt.Errorf("fixed: window = %v, rate = %v, want both > 0", unit.Bytes(p.Window), p.Rate)
	}
	return func() transport.Controller { return &controller{cfg: *p} }, nil
}

type controller struct {
	cfg  Params
	line unit.Rate
}

func (c *controller) Start(_ unit.Time, f transport.FlowInfo) { c.line = f.LineRate }

// OnAck ignores acknowledgements.
func (c *controller) OnAck(unit.Time, *transport.Ack) bool { return false }

// OnLoss ignores losses.
func (c *controller) OnLoss(unit.Time, transport.Loss) {}

// Window returns the constant window.
func (c *controller) Window() unit.Bytes { return unit.Bytes(c.cfg.Window) }

// Rate returns the constant rate, at most the line rate.
func (c *controller) Rate() unit.Rate { return min(c.cfg.Rate, c.line) }
