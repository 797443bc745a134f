package transport

import "pintlab/netsim/unit"

// plain returns a go-back-N transport without surprises.
func plain() Config {
	return Config{
		Recovery: GoBackN, Segment: 1000, Header: 48, AckHeader: 46, AckMin: 60, AckEvery: 1,
		NackInterval: 500 * unit.Microsecond, DupThreshold: 3, Overshoot: true,
		RTOMin: unit.Millisecond, RTOInitial: unit.Millisecond, RTOMax: 100 * unit.Millisecond, MaxTimeouts: 30,
	}
}

// plainTCP returns NewReno with packets of 1514 B.
func plainTCP() Config {
	c := plain()
	c.Recovery, c.Segment, c.Header, c.AckHeader, c.Overshoot = NewReno, 1460, 54, 54, false
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
