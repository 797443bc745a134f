package transport

import (
	"math/bits"

	"pintlab/netsim/unit"
)

// NoWindow is a window that limits no flow.
const NoWindow unit.Bytes = 1 << 60

// WindowRule says what window goes with the rate of a controller that computes rates.
type WindowRule uint8

// The rules.
const (
	Windowless WindowRule = iota // only the rate limits a flow
	Scaled                       // the window follows the rate: rate times the base RTT
	Constant                     // the window is that of the line rate
)

// RateWindow is the window of a controller that computes rates.
type RateWindow struct {
	Rule WindowRule
	BDP  unit.Bytes // the window at line rate; 0: rate times base RTT of the flow's own path
}

// Full returns the window of a flow at line rate.
func (w RateWindow) Full(f FlowInfo) unit.Bytes {
	if w.BDP > 0 {
		return w.BDP
	}
	return max(1, f.PathRate.In(f.BaseRTT))
}

// Window returns the window at a rate. full is the window at line rate, at least a byte.
func (r WindowRule) Window(full unit.Bytes, rate, line unit.Rate) unit.Bytes {
	switch r {
	case Scaled:
		hi, lo := bits.Mul64(uint64(full), uint64(rate))
		w, _ := bits.Div64(hi, lo, uint64(line)) // fits: the rate is at most the line's
		return max(1, unit.Bytes(w))
	case Constant:
		return full
	}
	return NoWindow
}
