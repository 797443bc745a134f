package sketchint

import (
	"cmp"
	"math"
	"slices"
)

// pair is a flow at a switch.
type pair struct {
	flow uint64
	hop  uint16
}

// truth holds the exact counterpart of a group.
type truth struct {
	sizes    map[uint64]uint64
	hops     map[pair]total
	inflated map[pair]bool
}

// total holds the number of packets of a flow at a switch, and the sum of their latencies
// in ns.
type total struct{ n, sum uint64 }

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
		t.hops[p] = total{x.n + 1, x.sum + uint64(latency)}
	}
}

// pairs returns the keys of the hops in ascending order.
func (t *truth) pairs() []pair {
	list := make([]pair, 0, len(t.hops))
	for p := range t.hops {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Or(cmp.Compare(a.flow, b.flow), cmp.Compare(a.hop, b.hop)) })
	return list
}

// score counts what was found and what there was, over agents and periods.
type score struct{ hits, reported, real int64 }

func (s *score) add(found, is map[pair]bool) {
	s.reported += int64(len(found))
	s.real += int64(len(is))
	for p := range found {
		if is[p] {
			s.hits++
		}
	}
}

func (s *score) f1() float64 { return 2 * float64(s.hits) / float64(s.reported+s.real) }

// errors holds the errors of the tasks, over agents and periods.
type errors struct {
	hitters, changes, inflated score
	latency                    float64 // sum of the relative errors
	latencies                  int64   // flows at switches
	untold                     int64   // of these, those without an estimate
}

func (e *errors) are() float64 {
	if e.latencies == 0 {
		return math.NaN()
	}
	return e.latency / float64(e.latencies)
}

// hold compares the estimates of one agent and period with the truth. before is nil in the
// first period.
func (e *errors) hold(p *Params, g, before *group, t, tBefore *truth) {
	is := map[pair]bool{}
	changed := map[pair]bool{}
	for x := range t.hops {
		if t.sizes[x.flow] >= uint64(p.Hitter) {
			is[x] = true
		}
	}
	found := map[pair]bool{}
	for _, h := range g.hitters(uint64(p.Hitter)) {
		found[h.at] = true
	}
	e.hitters.add(found, is)
	if before != nil {
		for _, hops := range []map[pair]total{t.hops, tBefore.hops} {
			for x := range hops {
				a, b := tBefore.sizes[x.flow], t.sizes[x.flow]
				if max(a, b)-min(a, b) >= uint64(p.Change) {
					changed[x] = true
				}
			}
		}
		found = map[pair]bool{}
		for _, c := range g.changes(before, uint64(p.Change)) {
			found[c.at] = true
		}
		e.changes.add(found, changed)
	}
	found = map[pair]bool{}
	for i := range g.inflated.Flows() {
		found[pair{g.sources[i].flow, g.sources[i].hop}] = true
	}
	e.inflated.add(found, t.inflated)
	for _, x := range t.pairs() {
		real := float64(t.hops[x].sum) / float64(t.hops[x].n)
		est, ok := g.meanLatency(x.flow, x.hop)
		if !ok {
			e.untold++
		}
		e.latency += math.Abs(est-real) / real
		e.latencies++
	}
}
