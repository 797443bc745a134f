package workloads

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Poisson starts flows on every host at random instants, each to a random other
// host: the gaps between a host's flows are exponential, with the mean at which the
// payload makes up the share Load of the host's link rate.
type Poisson struct {
	Sizes Sizes
	// Load is payload bits over link rate, for each host: 0 < Load, and at most 1
	// unless Overload says that more is meant.
	Load     float64
	Overload bool
	// Flows start in [Start, Start+Duration).
	Start, Duration unit.Time
}

func (p Poisson) validate() error {
	var errs []error
	if err := checkSizes(p.Sizes); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, checkLoad(p.Load, p.Overload), checkWindow(p.Start, p.Duration))
	return errors.Join(errs...)
}

// checkLoad refuses what is not a possible load; NaN is none.
func checkLoad(load float64, overload bool) error {
	switch {
	case overload && !(load > 0 && load <= maxOverload):
		return fmt.Errorf("load %v, want 0 < load <= %d", load, maxOverload)
	case !overload && !(load > 0 && load <= 1):
		return fmt.Errorf("load %v, want 0 < load <= 1 (more only with overload set)", load)
	}
	return nil
}

// maxOverload keeps a slip of the keyboard from making a list without end.
const maxOverload = 1000

func (p Poisson) open(at site) ([]process, error) {
	errs := []error{p.validate()}
	if len(at.hosts) < 2 {
		errs = append(errs, fmt.Errorf("%d hosts, want at least 2", len(at.hosts)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	processes := make([]process, len(at.hosts))
	for i, h := range at.hosts {
		id := uint64(h.Node)
		processes[i] = &poissonHost{
			sizes:   p.Sizes,
			hosts:   at.hosts,
			self:    i,
			now:     p.Start,
			end:     p.Start + p.Duration,
			meanGap: meanGap(p.Sizes.Mean(), p.Load, h.Rate),
			gap:     at.stream("gaps", id),
			dst:     at.stream("destinations", id),
			size:    at.stream("sizes", id),
		}
	}
	return processes, nil
}

// meanGap is the mean time in picoseconds between flows of the given mean size in
// bytes that make up the given share of a link: size·8 / (load·rate).
func meanGap(size, load float64, rate unit.Rate) float64 {
	bits := size * 8
	perSecond := float64(load * float64(rate))
	return float64(bits/perSecond) * float64(unit.Second)
}

// poissonHost is the arrivals of one host.
type poissonHost struct {
	sizes          Sizes
	hosts          []Host
	self           int
	now, end       unit.Time
	meanGap        float64 // picoseconds
	gap, dst, size *rand.Rand
}

func (p *poissonHost) next(f *Flow) bool {
	gap := float64(p.meanGap * exponential(p.gap.Uint64()))
	if gap >= float64(p.end-p.now) {
		p.now = p.end
		return false
	}
	p.now += unit.Time(gap + 0.5) // to the nearest picosecond
	if p.now >= p.end {
		return false
	}
	f.Start = p.now
	f.Src = p.hosts[p.self].Node
	f.Dst = other(p.hosts, p.self, p.dst.Uint64())
	f.Size = Draw(p.sizes, p.size)
	return true
}

// other is a uniformly random host that is not hosts[self], from one random word.
func other(hosts []Host, self int, word uint64) topo.NodeID {
	i := int(below(word, uint64(len(hosts)-1)))
	if i >= self {
		i++
	}
	return hosts[i].Node
}
