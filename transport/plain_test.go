package transport

import "pintlab/netsim/unit"

// Recoveries are GoBackN, NewReno, Reno and Tahoe of package recovery, which imports this one: an external test sets
// them.
var Recoveries [4]Recovery

// plain returns a go-back-N transport without surprises.
func plain() Config {
	return Config{
		Recovery: Recoveries[0], Segment: 1000, Header: 48, AckHeader: 46, AckMin: 60, AckEvery: 1,
		NackInterval: 500 * unit.Microsecond, DupThreshold: 3, Overshoot: true,
		RTOMin: unit.Millisecond, RTOInitial: unit.Millisecond, RTOMax: 100 * unit.Millisecond, MaxTimeouts: 30,
	}
}

// plainTCP returns NewReno with packets of 1514 B.
func plainTCP() Config {
	c := plain()
	c.Recovery, c.Segment, c.Header, c.AckHeader, c.Overshoot = Recoveries[1], 1460, 54, 54, false
	return c
}

// oneByOne is a Source that reads a slice.
type oneByOne struct{ flows []Flow }

// Next implements Source.
func (l *oneByOne) Next(f *Flow) bool {
	if len(l.flows) == 0 {
		return false
	}
	*f, l.flows = l.flows[0], l.flows[1:]
	return true
}
