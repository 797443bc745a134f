package trace

import (
	"math"
	"sync"
)

// template holds what is known about paths of a given length before the first packet.
type template struct {
	layers [][]uint64 // bit sets of the possible states at each hop
	bits   float64    // log2 of the number of walks
	loops  float64    // log2 of the number of walks per simple path, an estimate
}

// memory holds values that a map computes once, when they are first needed.
type memory struct {
	mu        sync.Mutex
	templates map[int]*template

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

// borrow lends working memory, and giveBack takes it back.
func (m *Map) borrow() *scratch {
	if s, ok := m.memory.scratch.Get().(*scratch); ok {
		return s
	}
	return newScratch(m)
}

func (m *Map) giveBack(s *scratch) { m.memory.scratch.Put(s) }

// template returns the template of paths of this length.
func (m *Map) template(hops int) *template {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	if tp := m.memory.templates[hops]; tp != nil {
		return tp
	}
	tp := &template{bits: math.Inf(-1)}
	if hops <= m.Len() {
		s := m.borrow()
		defer m.giveBack(s)
		layers := make([][]uint64, hops) // all states of the right length, including dead ends
		for j := range layers {
			layers[j] = m.layer(j)
		}
		if s.sweep(m, layers, nil) {
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
		m.memory.templates = map[int]*template{}
	}
	m.memory.templates[hops] = tp
	return tp
}
