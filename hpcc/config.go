package hpcc

import (
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Form says which quantity Algorithm 1 updates.
type Form uint8

// The forms of the algorithm.
const (
	Window Form = iota // the HPCC paper: a window, and the rate W/T
	Rate               // the public simulator: a rate, and the window from it
)

// Config holds the parameters, named after the HPCC paper's symbols. Params makes one.
type Config struct {
	Form     Form
	Eta      float64    // η, target utilisation, 0 < η <= 1
	MaxStage int        // >= 0; 0 divides at every update
	WAI      unit.Bytes // W_AI >= 0, of Form Window
	T        unit.Time  // base RTT, > 0; PathRTT takes its place
	PathRTT  bool       // T is the base RTT of the flow's own path

	// Fields of Form Rate.
	RAI     unit.Rate  // additive increase per update, >= 0
	MinRate unit.Rate  // > 0
	BDP     unit.Bytes // window at line rate; 0: line rate times T. PathRTT takes its place
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(!(c.Eta > 0 && c.Eta <= 1), "eta = %v, want 0 < eta <= 1", c.Eta) // this way round, NaN fails too
	errs.If(c.MaxStage < 0, "max_stage = %d, want >= 0", c.MaxStage)
	errs.If(c.T <= 0 && !c.PathRTT || c.T != 0 && c.PathRTT, "t = %v, want > 0, or 0 with the RTT of the path", c.T)
	switch c.Form {
	case Window:
		errs.If(c.WAI < 0, "w_ai = %d bytes, want >= 0", c.WAI)
	case Rate:
		errs.If(c.RAI < 0 || c.MinRate <= 0, "r_ai = %v, min_rate = %v, want r_ai >= 0 and min_rate > 0", c.RAI, c.MinRate)
		errs.If(c.BDP < 0 || c.BDP != 0 && c.PathRTT, "bdp = %v, want >= 0, and 0 with the RTT of the path", c.BDP)
	default:
		errs.If(true, "form = %d, want Window or Rate", c.Form)
	}
	return errs.Err("hpcc: bad config")
}

// Gauge tells the utilisation of the busiest link on a flow's path.
type Gauge interface {
	// Start is called when a flow starts, and must reset all state. t is the base RTT, and
	// bdp is the product of line rate and t.
	Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes)
	// Utilisation is called once for each ACK. fresh is false if the ACK carries no
	// feedback; first is true if it only begins a measurement; then u is undefined, and the
	// next update waits for a round trip.
	Utilisation(now unit.Time, a *transport.Ack) (u float64, first, fresh bool)
}

// New makes controllers with the given parameters; gauge makes the gauge of each.
func New(c Config, gauge func() Gauge) (transport.Factory, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return func() transport.Controller { return &Sender{cfg: c, gauge: gauge()} }, nil
}
