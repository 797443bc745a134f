package workloads

import (
	"errors"
	"math/rand/v2"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Permutation starts one flow on every host at the instant Start. The destinations are a uniformly random
// permutation of the hosts without fixed points.
type Permutation struct {
	Sizes Sizes
	Start unit.Time
}

func (g Permutation) open(at site) ([]process, error) {
	if err := checkOneShot(g.Sizes, g.Start, at.hosts); err != nil {
		return nil, err
	}
	return []process{&permutation{
		Permutation: g,
		hosts:       at.hosts,
		to:          derangement(len(at.hosts), at.stream("permutation")),
		size:        at.stream("sizes"),
	}}, nil
}

// checkOneShot performs the checks that Permutation and AllToAll share.
func checkOneShot(sizes Sizes, start unit.Time, hosts []Host) error {
	errs := rules.Broken{checkSizes(sizes), checkStart(start)}
	errs.If(len(hosts) < 2, "%s, want at least 2", number.Count(len(hosts), "host"))
	return errors.Join(errs...)
}

// derangement returns a uniformly random permutation of 0 … n-1 without fixed points, for n >= 2. It shuffles until
// there are no fixed points, e times on average.
func derangement(n int, r *rand.Rand) []int {
	to := lists.Indices(n)
	for {
		fixed := false
		for i := n - 1; i >= 0; i-- {
			j := int(below(r.Uint64(), uint64(i+1)))
			to[i], to[j] = to[j], to[i]
			fixed = fixed || to[i] == i // later steps do not move to[i]
		}
		if !fixed {
			return to
		}
	}
}

type permutation struct {
	Permutation
	hosts []Host
	to    []int
	i     int // index of the next sender
	size  *rand.Rand
}

func (p *permutation) next(f *Flow) bool {
	if p.i == len(p.hosts) {
		return false
	}
	f.Start = p.Start
	f.Src, f.Dst = p.hosts[p.i].Node, p.hosts[p.to[p.i]].Node
	f.Size = Draw(p.Sizes, p.size)
	p.i++
	return true
}

// AllToAll starts one flow from every host to every other host, all at once. With n hosts, in step k = 1 … n-1 host i
// sends to host (i+k) mod n, so each step is a permutation.
type AllToAll struct {
	Sizes Sizes
	Start unit.Time
}

func (g AllToAll) open(at site) ([]process, error) {
	if err := checkOneShot(g.Sizes, g.Start, at.hosts); err != nil {
		return nil, err
	}
	return []process{&allToAll{AllToAll: g, hosts: at.hosts, step: 1, size: at.stream("sizes")}}, nil
}

type allToAll struct {
	AllToAll
	hosts []Host
	step  int // 1 … n-1
	i     int // index of the next sender in this step
	size  *rand.Rand
}

func (p *allToAll) next(f *Flow) bool {
	n := len(p.hosts)
	if p.i == n {
		p.i = 0
		p.step++
	}
	if p.step == n {
		return false
	}
	f.Start = p.Start
	f.Src, f.Dst = p.hosts[p.i].Node, p.hosts[(p.i+p.step)%n].Node
	f.Size = Draw(p.Sizes, p.size)
	p.i++
	return true
}
