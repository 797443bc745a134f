package workloads

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Poisson starts flows on every host at random instants, each to a random other host. The gaps between a host's flows
// are exponential. Their mean follows from Load, the share of the host's link rate that the payload uses.
type Poisson struct {
	Sizes Sizes
	// Load is payload bits over link rate, for each host: 0 < Load <= 1.
	Load float64
	// Flows start in [Start, Start+Duration).
	Start, Duration unit.Time
	// Busy is the share of a host's usable link rate that its flows take: 0 <= Busy < 1. The usable rate is what the
	// congestion control allows. Busy determines how many flows are active when the source begins (see
	// Workload.Unmeasured). 0 means no active flows.
	Busy float64
}

func checkBusy(busy float64) error {
	if !(busy >= 0 && busy <= 0.999) {
		return fmt.Errorf("busy %v, want 0 <= busy <= 0.999", busy)
	}
	return nil
}

func (p Poisson) validate() error {
	var errs []error
	if err := checkSizes(p.Sizes); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, checkLoad(p.Load), checkWindow(p.Start, p.Duration), checkBusy(p.Busy))
	return errors.Join(errs...)
}

// checkLoad returns an error unless the load is possible. NaN is not possible.
func checkLoad(load float64) error {
	if !(load > 0 && load <= 1) {
		return fmt.Errorf("load %v, want 0 < load <= 1", load)
	}
	return nil
}

func (p Poisson) open(at site) ([]process, error) {
	errs := rules.Broken{p.validate()}
	errs.If(len(at.hosts) < 2, "%s, want at least 2", number.Count(len(at.hosts), "host"))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	processes := make([]process, len(at.hosts))
	for i, h := range at.hosts {
		id := uint64(h.Node)
		processes[i] = &poissonHost{
			clock: clock{
				now:    p.Start,
				end:    p.Start + p.Duration,
				gap:    meanGap(p.Sizes.Mean(), p.Load, h.Rate),
				random: at.stream("gaps", id),
			},
			sizes: p.Sizes,
			hosts: at.hosts,
			self:  i,
			dst:   at.stream("destinations", id),
			size:  at.stream("sizes", id),
		}
	}
	return processes, nil
}

// meanGap returns the mean time in picoseconds between flows of the given mean size in bytes that use the
// given share of a link: size·8 / (load·rate).
func meanGap(size, load float64, rate unit.Rate) float64 {
	bits := size * 8
	perSecond := float64(load * float64(rate))
	return float64(bits/perSecond) * float64(unit.Second)
}

// poissonHost generates the flows of one host.
type poissonHost struct {
	clock
	sizes     Sizes
	hosts     []Host
	self      int // index in hosts
	dst, size *rand.Rand
}

func (p *poissonHost) next(f *Flow) bool {
	at, ok := p.tick()
	if !ok {
		return false
	}
	f.Start = at
	f.Src = p.hosts[p.self].Node
	f.Dst = other(p.hosts, p.self, p.dst.Uint64())
	f.Size = Draw(p.sizes, p.size)
	return true
}

// other maps a random word to a uniformly random host other than hosts[self].
func other(hosts []Host, self int, word uint64) topo.NodeID {
	i := int(below(word, uint64(len(hosts)-1)))
	if i >= self {
		i++
	}
	return hosts[i].Node
}
