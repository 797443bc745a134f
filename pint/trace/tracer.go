package trace

import (
	"fmt"
	"math"
	"sync"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// DefaultEffort is the default of Options.Effort.
const DefaultEffort = 1 << 20

// Options say what else the collector knows and how hard it searches.
type Options struct {
	// ShortestPaths promises that packets follow a shortest path between its two end
	// switches (any of them; the ends are not known). A path that breaks the promise is
	// reported as inconsistent.
	ShortestPaths bool

	// Effort bounds a search: the number of partial paths it may list. It decides when
	// a path is found, never whether the answer is right. 0 is DefaultEffort, some ten
	// milliseconds for the rare worst search.
	Effort int

	eager bool // search after every packet: for tests of exactness
}

// maxEffort keeps list positions within 32 bits.
const maxEffort = 1 << 26

// Tracer makes the decoders of one network and one code. It is safe for concurrent use.
type Tracer struct {
	m    *Map
	code *coding.Code
	opt  Options

	mu        sync.Mutex
	templates map[int]*template
	distance  [][]int16 // between all switches, if ShortestPaths
	scratch   sync.Pool
}

// template is what is known of a path of a given length before the first packet.
type template struct {
	layers [][]uint64 // bit sets: states that can be at each hop
	bits   float64    // log2 of the number of walks
	loops  float64    // log2 of how many walks there are for each simple path, an estimate
}

// NewTracer checks that the code fits the map. A code of mode coding.Linear or
// coding.Full needs switch IDs of at most its ValueBits.
func NewTracer(m *Map, code *coding.Code, o Options) (*Tracer, error) {
	if err := code.CheckValues(m.values); err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	if o.Effort < 0 || o.Effort > maxEffort {
		return nil, fmt.Errorf("tracing: effort = %d, want 0 (default) to %d", o.Effort, maxEffort)
	}
	if o.Effort == 0 {
		o.Effort = DefaultEffort
	}
	t := &Tracer{m: m, code: code, opt: o, templates: map[int]*template{}}
	t.scratch.New = func() any { return newScratch(m) }
	if o.ShortestPaths {
		for s := range m.switches {
			t.distance = append(t.distance, m.distances(int32(s)))
		}
	}
	return t, nil
}

// Decoder is a decoder for one flow whose packets pass the given number of switches,
// which the collector knows from the TTL. It is an error if the network has no such
// path, as far as that can be seen without a search.
func (t *Tracer) Decoder(hops int) (*Decoder, error) {
	if hops < 1 || hops > global.MaxHops {
		return nil, fmt.Errorf("path of %d switches: want 1 to %d", hops, global.MaxHops)
	}
	tp := t.template(hops)
	if math.IsInf(tp.bits, -1) {
		return nil, fmt.Errorf("path of %d switches: the network of %d switches has none", hops, t.m.Len())
	}
	d := &Decoder{t: t, hops: hops, start: tp}
	d.Reset()
	return d, nil
}

func (t *Tracer) template(hops int) *template {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tp := t.templates[hops]; tp != nil {
		return tp
	}
	tp := &template{bits: math.Inf(-1)}
	if hops <= t.m.Len() {
		layers := t.possible(hops)
		s := t.scratch.Get().(*scratch)
		if s.sweep(t.m, layers, nil) {
			tp.bits = s.bits
			tp.loops = s.loops(t.m)
			for j := range hops {
				set := make([]uint64, t.m.words())
				for _, a := range s.layer(j) {
					set[a>>6] |= 1 << (a & 63)
				}
				tp.layers = append(tp.layers, set)
			}
		}
		t.scratch.Put(s)
	}
	t.templates[hops] = tp
	return tp
}

// possible is the states that can be at each hop, before dead ends are removed: all of
// the right length, or with ShortestPaths those that end where such a path can be.
func (t *Tracer) possible(hops int) [][]uint64 {
	m := t.m
	layers := make([][]uint64, hops)
	for j := range layers {
		layers[j] = m.layer(j)
	}
	if t.opt.ShortestPaths {
		on := t.shortest(hops)
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

// shortest says which switches can be at each hop of a shortest path of the given
// number of hops.
func (t *Tracer) shortest(hops int) [][]bool {
	on := make([][]bool, hops)
	for j := range on {
		on[j] = make([]bool, t.m.Len())
	}
	for s, from := range t.distance {
		for e, d := range from {
			if int(d) != hops-1 || e < s { // both directions at once
				continue
			}
			to := t.distance[e]
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
