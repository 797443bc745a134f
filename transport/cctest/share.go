package cctest

import (
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Contest holds the goodputs of long flows to one receiver in an interval.
type Contest struct {
	Rates []float64  // goodput of each flow, bit/s
	Jain  float64    // fairness index of the rates (1: all equal)
	Total float64    // bit/s
	Queue unit.Bytes // longest queue at the receiver's link
	Drops int64      // drops since the start of the run
}

// Share runs endless flows from hosts 0, 1, … to the last host of a star. Flow i starts at i·gap.
// It measures in the interval [from, to). The lab's graph must be the star.
func (l Lab) Share(tb netsimtest.TB, flows int, gap, from, to unit.Time) Contest {
	tb.Helper()
	hosts := l.Graph.Hosts()
	receiver := hosts[len(hosts)-1]
	var longest unit.Bytes
	watching, taps := false, l.Taps
	l.Taps = func(n *netsim.Network) (list []netsim.Tap) {
		if taps != nil {
			list = taps(n)
		}
		last := n.Home(receiver) ^ 1
		return append(list, tap(func(h *netsim.Hop) {
			if watching && h.Port == last {
				longest = max(longest, h.Queue)
			}
		}))
	}
	var list []transport.Flow
	for i := range flows {
		f := Flow(hosts[i], receiver, 1<<40)
		f.Start = unit.Time(i) * gap
		list = append(list, f)
	}
	r := l.Start(tb, list...)
	acked := func() map[int32]unit.Bytes {
		m := map[int32]unit.Bytes{}
		r.Stack.Inspect(func(s transport.FlowState) { m[s.Number] = s.Acked })
		return m
	}
	r.Engine.Run(from)
	before := acked()
	watching = true
	r.Engine.Run(to)
	after := acked()
	c := Contest{Queue: longest, Drops: r.Engine.Counters().Dropped}
	squares := 0.0
	for i := range flows {
		rate := float64(after[int32(i)]-before[int32(i)]) * 8 / (to - from).Seconds()
		c.Rates = append(c.Rates, rate)
		c.Total += rate
		squares += rate * rate
	}
	c.Jain = c.Total * c.Total / float64(flows) / squares
	return c
}

type tap func(*netsim.Hop)

func (t tap) Dequeue(h *netsim.Hop) { t(h) }
