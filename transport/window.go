package transport

import (
	"math/bits"

	"pintlab/netsim/unit"
)

// NoWindow is a window that limits no flow.
const NoWindow unit.Bytes = 1 << 60

// WindowRule states how the window follows from the rate, for a controller that computes rates.
type WindowRule uint8

// The window rules.
const (
	windowless WindowRule = iota // only the rate limits a flow
	Scaled                       // the window follows the rate: rate times the base RTT
	constant                     // the window at line rate
)

// RateWindow configures the window of a controller that computes rates.
type RateWindow struct {
	Rule WindowRule
	BDP  unit.Bytes // the window at line rate; 0: rate times base RTT of the flow's path
	RTT  unit.Time  // the window at line rate is at most line rate times RTT; 0: no such limit
}

// Rated is embedded by controllers that compute a rate from marks or delays. The window follows
// from the rate. Losses change nothing, because in a lossless network marks and delays come first.
type Rated struct {
	Limit RateWindow
	Flow  FlowInfo
	Pace  unit.Rate  // at most the line rate
	full  unit.Bytes // window at line rate
}

// Begin returns the state of a flow that starts at line rate.
func (r *Rated) Begin(f FlowInfo) Rated {
	full := r.Limit.BDP
	if full == 0 {
		full = max(1, f.PathRate.In(f.BaseRTT))
	} else if r.Limit.RTT > 0 {
		full = max(1, min(full, f.LineRate.In(r.Limit.RTT)))
	}
	return Rated{Limit: r.Limit, Flow: f, Pace: f.LineRate, full: full}
}

// OnLoss ignores losses.
func (*Rated) OnLoss(unit.Time, Loss) {}

// Window returns the window at the current rate.
func (r *Rated) Window() unit.Bytes { return r.Limit.Rule.Window(r.full, r.Pace, r.Flow.LineRate) }

// Rate returns the current rate.
func (r *Rated) Rate() unit.Rate { return r.Pace }

// Window returns the window at a rate. full is the window at line rate, at least a byte.
func (r WindowRule) Window(full unit.Bytes, rate, line unit.Rate) unit.Bytes {
	switch r {
	case Scaled:
		hi, lo := bits.Mul64(uint64(full), uint64(rate))
		w, _ := bits.Div64(hi, lo, uint64(line)) // fits: the rate is at most the line rate
		return max(1, unit.Bytes(w))
	case constant:
		return full
	}
	return NoWindow
}
