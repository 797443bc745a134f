package workloads

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"

	"pintlab/netsim/unit"
)

// Unmeasured traffic keeps a run at its load before and after the flows that count: what
// is under way when a Poisson source begins, and what arrives after its end. It has random
// streams and source ports of its own, so that the flows that count are the same with it
// and without.

// UnmeasuredPort is the destination port of unmeasured flows, so that no other flow has
// the same five-tuple.
const UnmeasuredPort = 300

// FirstUnmeasured is where the IDs of unmeasured flows begin; those of all others are
// below.
const FirstUnmeasured = 1 << 30

// Unmeasured opens the traffic that surrounds that of w on the given hosts: flows under
// way for each Poisson part whose Busy is above 0 and, if onward, arrivals of each Poisson
// part that go on for ever after its end.
func (w Workload) Unmeasured(hosts []Host, onward bool) (*Stream, error) {
	if err := checkHosts(hosts); err != nil {
		return nil, err
	}
	s := newStream()
	var errs []error
	for _, p := range w.Parts {
		g, ok := p.Generator.(Poisson)
		if !ok {
			continue
		}
		on, err := pick(hosts, p.On)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		blank := Flow{Priority: p.Priority, DstPort: UnmeasuredPort}
		if g.Busy > 0 {
			before, err := g.underWay(site{w.Seed, p.Name + ".under-way", on})
			errs = append(errs, err)
			for _, x := range before {
				s.add(x, blank)
			}
		}
		if onward {
			end := g.Start + g.Duration
			g.Start, g.Duration = end, unit.Never-end-1
			after, err := g.open(site{w.Seed, p.Name + ".onward", on})
			errs = append(errs, err)
			for _, x := range after {
				s.add(x, blank)
			}
		}
	}
	return s, errors.Join(errs...)
}

// underWay returns the flows that hosts are sending when the source begins, as egalitarian
// processor sharing has them in its steady state (M/G/1): n flows with probability
// (1−Busy)·Busyⁿ, each with a residual size of its own.
func (p Poisson) underWay(at site) ([]process, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	left := newResiduals(p.Sizes)
	processes := make([]process, len(at.hosts))
	for i, h := range at.hosts {
		id := uint64(h.Node)
		// One word of each host decides how many: a busier network has the same flows
		// and more.
		word := float64(at.stream("count", id).Uint64()>>11) / (1 << 53)
		processes[i] = &residue{
			start: p.Start, left: geometric(word, p.Busy), sizes: left, hosts: at.hosts, self: i,
			dst: at.stream("destinations", id), size: at.stream("sizes", id),
		}
	}
	return processes, nil
}

// geometric returns the n with P(N >= n) = busyⁿ that belongs to a uniform u in [0, 1).
func geometric(u, busy float64) int {
	n := 0
	for beyond := busy; u < beyond && n < mostUnderWay; beyond *= busy {
		n++
	}
	return n
}

// mostUnderWay ends the tail of the number of flows of a host; 0.999^10000 is 5·10⁻⁵.
const mostUnderWay = 10000

// residue holds the flows that one host has under way.
type residue struct {
	start     unit.Time
	left      int
	sizes     *residuals
	hosts     []Host
	self      int
	dst, size *rand.Rand
}

func (r *residue) next(f *Flow) bool {
	if r.left == 0 {
		return false
	}
	r.left--
	f.Start = r.start
	f.Src = r.hosts[r.self].Node
	f.Dst = other(r.hosts, r.self, r.dst.Uint64())
	f.Size = r.sizes.draw(r.size)
	return true
}

// residuals draws what is left of a flow that is under way: the density is
// (1−F(x))/E[S], that of a uniform share of a flow chosen by its size.
type residuals struct {
	sizes Sizes
	upTo  []float64 // of each cell of quantiles, sum of the largest sizes up to it
}

// cells is in how many parts the quantiles are cut. Sizes within a part are much alike,
// so that few draws are rejected, also where sizes range over many orders of magnitude.
const cells = 1 << 12

func newResiduals(s Sizes) *residuals {
	r := &residuals{sizes: s, upTo: make([]float64, cells)}
	sum := 0.0
	for i := range r.upTo {
		sum += float64(r.largest(i))
		r.upTo[i] = sum
	}
	return r
}

func (r *residuals) largest(cell int) unit.Bytes {
	if cell == cells-1 {
		return r.sizes.Size(math.MaxUint64)
	}
	return r.sizes.Size(uint64(cell+1)*(1<<52) - 1)
}

func (r *residuals) draw(random *rand.Rand) unit.Bytes {
	for {
		cell := sort.SearchFloat64s(r.upTo, random.Float64()*r.upTo[cells-1])
		cell = min(cell, cells-1)
		most := uint64(r.largest(cell))
		size := uint64(r.sizes.Size(uint64(cell)*(1<<52) + random.Uint64()>>12))
		if below(random.Uint64(), most) < size {
			return unit.Bytes(1 + below(random.Uint64(), size))
		}
	}
}
