package sketchint

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// pair is a flow at a switch.
type pair struct {
	flow uint64
	hop  uint16
}

// truth is the exact counterpart of a group.
type truth struct {
	sizes    map[uint64]uint64
	hops     map[pair]total
	inflated map[pair]bool
}

// total contains the number of packets of a flow at a switch, the sum of their latencies in ns, and the hop number of
// the switch on the path of the last packet.
type total struct {
	n, sum uint64
	hop    int
}

func newTruth() *truth {
	return &truth{map[uint64]uint64{}, map[pair]total{}, map[pair]bool{}}
}

func (t *truth) insert(flow uint64, l layer, inflation uint64) {
	t.sizes[flow]++
	for i := range l.hops() {
		id, latency := l.record(i)
		p := pair{flow, id}
		x := t.hops[p]
		if x.n > 0 && uint64(latency)*x.n > inflation*x.sum {
			t.inflated[p] = true
		}
		t.hops[p] = total{x.n + 1, x.sum + uint64(latency), i}
	}
}

// pairs returns the keys of the hops in ascending order.
func (t *truth) pairs() []pair {
	return slices.SortedFunc(maps.Keys(t.hops), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.flow, b.flow), cmp.Compare(a.hop, b.hop))
	})
}

// score counts the reported items and the true items, over agents and periods.
type score struct{ hits, reported, real int64 }

func (s *score) add(reported, real map[pair]bool) {
	s.reported += int64(len(reported))
	s.real += int64(len(real))
	for p := range reported {
		if real[p] {
			s.hits++
		}
	}
}

func (s *score) f1() float64 { return 2 * float64(s.hits) / float64(s.reported+s.real) }

// evaluation compares the results of the tasks with the truth, over agents and periods.
type evaluation struct {
	hitters, changes, inflated score
	latency                    float64 // sum of the relative errors
	latencies                  int64   // flows at switches
	missing                    int64   // number of these without an estimate
}

func (e *evaluation) are() float64 {
	if e.latencies == 0 {
		return math.NaN()
	}
	return e.latency / float64(e.latencies)
}

// add evaluates the group of one agent and period. before and its truth are nil in the first period of the run.
func (e *evaluation) add(p *Params, g, before *group, t, truthBefore *truth) {
	e.hitters.add(setOf(g.hitters(uint64(p.Hitter)), func(h hitter) pair { return h.at }), t.hitters(uint64(p.Hitter)))
	if before != nil {
		e.changes.add(setOf(g.changes(before, uint64(p.Change)), func(c change) pair { return c.at }),
			t.changes(truthBefore, uint64(p.Change)))
	}
	e.inflated.add(setOf(g.sources[:len(g.inflated.Flows())], func(p pair) pair { return p }), t.inflated)
	for _, x := range t.pairs() {
		real := float64(t.hops[x].sum) / float64(t.hops[x].n)
		estimate, ok := g.meanLatency(x.flow, x.hop, t.hops[x].hop)
		if !ok {
			e.missing++
		}
		e.latency += math.Abs(estimate-real) / real
		e.latencies++
	}
}

// hitters returns the heavy hitters at each switch.
func (t *truth) hitters(least uint64) map[pair]bool {
	set := map[pair]bool{}
	for x := range t.hops {
		if t.sizes[x.flow] >= least {
			set[x] = true
		}
	}
	return set
}

// changes returns the heavy changes since the previous period, at each switch.
func (t *truth) changes(before *truth, least uint64) map[pair]bool {
	set := map[pair]bool{}
	for _, hops := range []map[pair]total{t.hops, before.hops} {
		for x := range hops {
			a, b := before.sizes[x.flow], t.sizes[x.flow]
			if max(a, b)-min(a, b) >= least {
				set[x] = true
			}
		}
	}
	return set
}

func setOf[T any](list []T, at func(T) pair) map[pair]bool {
	set := make(map[pair]bool, len(list))
	for _, x := range list {
		set[at(x)] = true
	}
	return set
}
