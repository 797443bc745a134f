package hpcc

import (
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Form is the quantity that Algorithm 1 updates.
type Form uint8

// The forms of the algorithm.
const (
	Window Form = iota // HPCC paper: a window; the rate is W/T
	Rate               // published simulator: a rate; the window follows from it
)

// Config holds the parameters, named like the symbols of the HPCC paper. Params makes a Config for a run.
type Config struct {
	Form     Form
	Eta      float64    // η, target utilisation, 0 < η <= 1
	MaxStage int        // >= 0; 0 divides at every update
	WAI      unit.Bytes // W_AI >= 0, of Form Window
	T        unit.Time  // base RTT, > 0; must be 0 with PathRTT
	PathRTT  bool       // T is the base RTT of the flow's path
	ByTime   bool       // as at a receiver, W^c moves once per T instead of once per round trip
	Probes   bool       // each answer to a probe carries U and moves W^c; other ACKs are ignored

	// Fields of Form Rate.
	RAI     unit.Rate  // additive increase per update, >= 0
	MinRate unit.Rate  // > 0
	BDP     unit.Bytes // window at line rate; 0 means line rate times T; must be 0 with PathRTT
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(!(c.Eta > 0 && c.Eta <= 1), "eta = %v, want 0 < eta <= 1", c.Eta) // this form also rejects NaN
	errs.If(c.MaxStage < 0, "max_stage = %d, want >= 0", c.MaxStage)
	errs.If(c.T <= 0 && !c.PathRTT || c.T != 0 && c.PathRTT, "t = %v, want > 0, or 0 if HPCC uses the RTT of each "+
		"path", c.T)
	switch c.Form {
	case Window:
		errs.If(c.WAI < 0, "w_ai = %d bytes, want >= 0", c.WAI)
	case Rate:
		errs.If(c.RAI < 0 || c.MinRate <= 0, "r_ai = %v, min_rate = %v, want r_ai >= 0 and min_rate > 0",
			c.RAI, c.MinRate)
		errs.If(c.BDP < 0 || c.BDP != 0 && c.PathRTT, "bdp = %v, want >= 0, and 0 if HPCC uses the RTT of each "+
			"path", c.BDP)
	default:
		errs.If(true, "form = %d, want Window or Rate", c.Form)
	}
	return errs.Err("hpcc: bad config")
}

// Gauge measures the utilisation of the busiest link on a flow's path.
type Gauge interface {
	// Start is called when a flow starts and must reset all state. t is the base RTT. bdp is the
	// product of line rate and t.
	Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes)
	// Utilisation is called once for each ACK. fresh is false if the ACK has no feedback. first is
	// true if the ACK only starts a measurement; u is then undefined, and the next update waits for
	// a round trip.
	Utilisation(now unit.Time, a *transport.Ack) (u float64, first, fresh bool)
}

// New returns a factory of controllers with these parameters. The factory calls gauge once for each controller.
func New(c Config, gauge func() Gauge) (transport.Factory, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return func() transport.Controller {
		s := &Sender{cfg: c, gauge: gauge()}
		if g, ok := s.gauge.(*pooled); ok {
			g.of = s
		}
		return s
	}, nil
}
