package chamelemon

import (
	"cmp"
	"math"
	"slices"

	"pintlab/int/sketch/fermat"
	"pintlab/int/sketch/mrac"
)

// loss contains the lost packets of a flow in an epoch, as the controller decodes them.
type loss struct {
	flow    uint64
	packets int64
	sampled bool // whether the flow is in LL
}

// decode reads a copy of the sketches of all switches.
func (m *Monitor) decode(copied int, s *setting) (v *view, found []loss) {
	v = &view{}
	var busiest *sketches
	for i := range m.sums {
		m.sums[i] = m.emptied(m.sums[i], s.widths[i])
	}
	for i := range m.edges {
		x := m.edges[i].copies[copied]
		if x == nil {
			continue
		}
		flows, ok := x.in[heavy].Decode()
		v.failed[heavy] = v.failed[heavy] || !ok
		if n := counted(x.in[heavy]); busiest == nil || n > v.flows[heavy] {
			busiest, v.flows[heavy] = x, n
		}
		for flow, n := range flows {
			m.sums[heavyLoss].Insert(flow, uint64(max(n, 0))) // sums do not depend on the order
		}
		for i, sum := range m.sums {
			if sum != nil {
				join(sum, x.in[i], x.out[i])
			}
		}
	}
	v.sizes = func() []mrac.Point {
		if busiest == nil {
			return nil
		}
		return busiest.sizes.Distribution(rounds)
	}
	if v.failed[heavyLoss] = v.failed[heavy]; v.failed[heavy] {
		return v, nil
	}
	for i, sum := range m.sums {
		if sum == nil {
			continue
		}
		flows, ok := sum.Decode()
		if v.failed[i], v.flows[i] = !ok, counted(sum); !ok {
			continue
		}
		for flow, n := range flows {
			if n > 0 {
				found = append(found, loss{flow, n, part(i) == light})
			}
		}
	}
	slices.SortFunc(found, func(a, b loss) int {
		if c := cmp.Compare(a.flow, b.flow); c != 0 || a.sampled == b.sampled {
			return c
		} else if a.sampled {
			return -1
		}
		return 1
	})
	if s.ill {
		for _, x := range found {
			v.victims = append(v.victims, victim{m.size(copied, x.flow), x.sampled})
		}
	}
	return v, found
}

// rounds of MRAC.
const rounds = 5

// join adds the sketches of packets that have entered at a switch and subtracts the sketches of packets that have left.
func join(sum, in, out *fermat.Sketch) {
	if err := cmp.Or(sum.Merge(in), sum.Subtract(out)); err != nil {
		panic(err) // emptied returns sketches of the same shape for all switches
	}
}

// counted returns the number of flows in a sketch: the decoded flows or, if decoding fails, an estimate by linear
// counting. Linear counting needs an empty bucket. If no bucket is empty, there are far too many flows for the sketch.
func counted(s *fermat.Sketch) float64 {
	w := float64(s.Width())
	n, _ := s.Cardinality()
	return min(n, w*max(math.Log(w)+1, 2*load))
}

// size returns the estimated size of a flow at its first switch, or 0 if it is unknown.
func (m *Monitor) size(copied int, flow uint64) uint64 {
	for i := range m.edges {
		if _, known := m.edges[i].names[flow]; known && m.edges[i].copies[copied] != nil {
			n, _ := m.edges[i].copies[copied].sizes.Estimate(flow)
			return n
		}
	}
	return 0
}
