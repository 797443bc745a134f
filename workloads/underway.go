package workloads

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"

	"pintlab/netsim/unit"
)

// Unmeasured traffic keeps a run at its load before and after the measured flows: flows active when a
// Poisson source begins, and arrivals after its end. It uses separate random streams and source ports, so
// the measured flows do not change with it.

// unmeasuredPort is the destination port of unmeasured flows, so that no other flow has the same 5-tuple.
const unmeasuredPort = 300

// FirstUnmeasured is the first ID of unmeasured flows; measured flows have lower IDs.
const FirstUnmeasured = 1 << 30

// Unmeasured opens the traffic around the flows of w on the given hosts: active flows for each Poisson part
// whose Busy is above 0 and, if onward is set, endless arrivals of each Poisson part after its end.
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
		blank := Flow{Priority: p.Priority, DstPort: unmeasuredPort}
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

// underWay returns the flows that are active when the source begins, according to the steady state of
// egalitarian processor sharing (M/G/1): n flows with probability (1−Busy)·Busyⁿ, each with an independent
// residual size.
func (p Poisson) underWay(at site) ([]process, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	left := newResiduals(p.Sizes)
	processes := make([]process, len(at.hosts))
	for i, h := range at.hosts {
		id := uint64(h.Node)
		// One random word of each host determines the number, so a busier network has the same flows and additional
		// flows.
		word := float64(at.stream("count", id).Uint64()>>11) / (1 << 53)
		processes[i] = &residue{
			start: p.Start, left: geometric(word, p.Busy), sizes: left, hosts: at.hosts, self: i,
			dst: at.stream("destinations", id), size: at.stream("sizes", id),
		}
	}
	return processes, nil
}

// geometric maps a uniform u in [0, 1) to a geometric random number N with P(N >= n) = busyⁿ.
func geometric(u, busy float64) int {
	n := 0
	for beyond := busy; u < beyond && n < mostUnderWay; beyond *= busy {
		n++
	}
	return n
}

// mostUnderWay truncates the number of flows of a host; 0.999^10000 is 5·10⁻⁵.
const mostUnderWay = 10000

// residue generates the flows that are active at one host at the start.
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

// residuals draws the residual size of an active flow. Its density is (1−F(x))/E[S]: choose a flow with
// probability proportional to its size, and take a uniformly random share of it.
type residuals struct {
	sizes Sizes
	upTo  []float64 // cumulative sum of the largest sizes of the cells
}

// cells is the number of equal ranges of quantiles. Sizes within a range are similar, so few draws are
// rejected even if sizes differ by orders of magnitude.
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
