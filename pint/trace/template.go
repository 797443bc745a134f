package trace

import (
	"math"
	"sync"
)

// template holds what is known of a path of a given length before the first packet.
type template struct {
	layers [][]uint64 // bit sets: states that can be at each hop
	bits   float64    // log2 of the number of walks
	loops  float64    // log2 of how many walks there are for each simple path, an estimate
}

type templateKey struct {
	hops     int
	shortest bool
}

// memory holds what a map computes once, when it is first needed.
type memory struct {
	mu        sync.Mutex
	templates map[templateKey]*template

	distanceOnce sync.Once
	distance     [][]int16

	scratch sync.Pool
}

// allDistances returns the hop counts between all switches.
func (m *Map) allDistances() [][]int16 {
	m.memory.distanceOnce.Do(func() {
		for s := range m.switches {
			m.memory.distance = append(m.memory.distance, m.distances(int32(s)))
		}
	})
	return m.memory.distance
}

// borrow returns working memory; giveBack returns it.
func (m *Map) borrow() *scratch {
	if s, ok := m.memory.scratch.Get().(*scratch); ok {
		return s
	}
	return newScratch(m)
}

func (m *Map) giveBack(s *scratch) { m.memory.scratch.Put(s) }

// template returns the template of paths of some length, shortest ones or all.
func (m *Map) template(hops int, shortest bool) *template {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	key := templateKey{hops, shortest}
	if tp := m.memory.templates[key]; tp != nil {
		return tp
	}
	tp := &template{bits: math.Inf(-1)}
	if hops <= m.Len() {
		s := m.borrow()
		defer m.giveBack(s)
		if s.sweep(m, m.possible(hops, shortest), nil) {
			tp.bits = s.bits
			tp.loops = s.loops(m)
			for j := range hops {
				set := make([]uint64, m.words())
				for _, a := range s.layer(j) {
					set[a>>6] |= 1 << (a & 63)
				}
				tp.layers = append(tp.layers, set)
			}
		}
	}
	if m.memory.templates == nil {
		m.memory.templates = map[templateKey]*template{}
	}
	m.memory.templates[key] = tp
	return tp
}

// possible returns the states that can be at each hop, before dead ends are removed: all of
// the right length, or those that end where a shortest path of that length can be.
func (m *Map) possible(hops int, shortest bool) [][]uint64 {
	layers := make([][]uint64, hops)
	for j := range layers {
		layers[j] = m.layer(j)
	}
	if shortest {
		on := m.shortest(hops)
		for j, layer := range layers {
			for state, sw := range m.head {
				if !on[j][sw] {
					layer[state>>6] &^= 1 << (state & 63)
				}
			}
		}
	}
	return layers
}

// shortest returns the switches that can be at each hop of a shortest path of the given
// number of hops.
func (m *Map) shortest(hops int) [][]bool {
	on := make([][]bool, hops)
	for j := range on {
		on[j] = make([]bool, m.Len())
	}
	for s, from := range m.allDistances() {
		for e, d := range from {
			if int(d) != hops-1 || e < s { // both directions at once
				continue
			}
			to := m.allDistances()[e]
			for sw := range to {
				if int(from[sw]+to[sw]) == hops-1 {
					on[from[sw]][sw] = true
					on[to[sw]][sw] = true
				}
			}
		}
	}
	return on
}
