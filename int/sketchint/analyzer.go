package sketchint

import (
	"cmp"
	"slices"

	"pintlab/int/sketch/heavy"
)

// hitter is a heavy flow at a switch, with its number of packets.
type hitter struct {
	at      pair
	packets uint64
}

// hitters returns the per-switch heavy hitters that an agent has seen: the flows of its table, once for
// each switch of their paths (§V-B).
func (g *group) hitters(threshold uint64) []hitter {
	var list []hitter
	for i, f := range g.flows.Flows() {
		if f.Estimate < threshold {
			continue
		}
		for _, id := range g.path(i) {
			list = append(list, hitter{pair{f.Key, id}, f.Estimate})
		}
	}
	slices.SortFunc(list, func(a, b hitter) int {
		return cmp.Or(cmp.Compare(a.at.hop, b.at.hop), cmp.Compare(b.packets, a.packets),
			cmp.Compare(a.at.flow, b.at.flow))
	})
	return list
}

// change is a heavy change at a switch.
type change struct {
	at            pair
	before, after uint64
}

// changes returns the per-switch heavy changes from one period to the next. If the estimates of a flow of either
// table differ by at least the threshold, the flow counts at each switch of its paths in both periods.
func (g *group) changes(before *group, threshold uint64) []change {
	paths := map[uint64]map[uint16]bool{}
	var candidates []uint64
	for _, x := range []*group{before, g} {
		for i, f := range x.flows.Flows() {
			candidates = append(candidates, f.Key)
			if paths[f.Key] == nil {
				paths[f.Key] = map[uint16]bool{}
			}
			for _, id := range x.path(i) {
				paths[f.Key][id] = true
			}
		}
	}
	var list []change
	for _, c := range heavy.Changes(candidates, before.size, g.size, threshold) {
		for id := range paths[c.Key] {
			list = append(list, change{pair{c.Key, id}, c.Before, c.After})
		}
	}
	slices.SortFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at.hop, b.at.hop), cmp.Compare(a.at.flow, b.at.flow))
	})
	return list
}
