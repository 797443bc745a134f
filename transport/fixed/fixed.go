// Package fixed is no congestion control: a constant window and a constant rate,
// to see a network or a telemetry system alone.
package fixed

import (
	"fmt"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Config holds the window and the rate of every flow.
type Config struct {
	Window unit.Bytes // > 0
	Rate   unit.Rate  // > 0; the line rate if that is less
}

// New makes controllers with the given window and rate.
func New(c Config) (transport.Factory, error) {
	if c.Window <= 0 || c.Rate <= 0 {
		return nil, fmt.Errorf("fixed: window = %v, rate = %v, want both > 0", c.Window, c.Rate)
	}
	return func() transport.Controller { return &controller{cfg: c} }, nil
}

type controller struct {
	cfg  Config
	line unit.Rate
}

// Start notes the line rate.
func (c *controller) Start(_ unit.Time, f transport.FlowInfo) { c.line = f.LineRate }

// OnAck changes nothing.
func (c *controller) OnAck(unit.Time, *transport.Ack) bool { return false }

// OnLoss changes nothing.
func (c *controller) OnLoss(unit.Time, transport.Loss) {}

// Window is the constant window.
func (c *controller) Window() unit.Bytes { return c.cfg.Window }

// Rate is the constant rate, at most the line rate.
func (c *controller) Rate() unit.Rate { return min(c.cfg.Rate, c.line) }
