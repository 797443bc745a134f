package estimate

import (
	"cmp"
	"math"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// quantiles is the number of quantiles by which the distributions of two links are compared.
const quantiles = 100

// kind is the properties that links of one cluster must share.
type kind struct {
	line
	from, to int // distances of the link's ends from the nearest host, in links
}

// levels returns the distance of each node from the nearest host, in links.
func (n *network) levels() []int {
	level := make([]int, len(n.Graph.Nodes))
	var queue []topo.NodeID
	for i, x := range n.Graph.Nodes {
		level[i] = -1
		if x.Kind == topo.Host {
			level[i] = 0
			queue = append(queue, topo.NodeID(i))
		}
	}
	adjacency := n.Graph.Adjacency()
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, arc := range adjacency.Of(at) {
			if level[arc.Peer] < 0 {
				level[arc.Peer] = level[at] + 1
				queue = append(queue, arc.Peer)
			}
		}
	}
	return level
}

// cluster returns for each link the one that is simulated in its place, which may be the link itself. It
// orders links of each kind by load. The least loaded remaining link and all links similar to it form a
// cluster, whose middle is simulated.
func (n *network) cluster(links []netsim.PortID) []netsim.PortID {
	e := &n.Scenario.Estimate
	by := make([]netsim.PortID, len(n.on))
	for _, p := range links {
		by[p] = p
	}
	if !e.Clusters {
		return by
	}
	level := n.levels()
	at := map[kind][]netsim.PortID{}
	var order []kind
	load := make([]float64, len(n.on))
	for _, p := range links {
		from, to := n.Net.PortEnds(p)
		x := kind{n.line(p), level[from], level[to]}
		if at[x] == nil {
			order = append(order, x)
		}
		at[x] = append(at[x], p)
		load[p] = n.took(p).Seconds()
	}
	for _, x := range order {
		list := at[x]
		slices.SortFunc(list, func(a, b netsim.PortID) int { return cmp.Or(cmp.Compare(load[a], load[b]), cmp.Compare(a, b)) })
		for len(list) > 0 {
			end := len(list)
			if e.Load != scenario.Any {
				most := load[list[0]] * (1 + 2*float64(e.Load))
				end = 1
				for end < len(list) && load[list[end]] <= most {
					end++
				}
			}
			middle := n.middle(list[:end])
			shape := n.shape(middle)
			var far []netsim.PortID
			for _, p := range list[:end] {
				if p == middle || shape.close(n.shape(p), e) {
					by[p] = middle
				} else {
					far = append(far, p)
				}
			}
			list = append(far, list[end:]...)
		}
	}
	return by
}

// middle returns the link that carries the median flow of some links. The median link is less suitable:
// with short windows, most links have few flows, and these rarely meet others, whereas most flows are on
// busy links.
func (n *network) middle(links []netsim.PortID) netsim.PortID {
	all, before := 0, 0
	for _, p := range links {
		all += int(n.crossed[p])
	}
	for _, p := range links {
		if before += int(n.crossed[p]); 2*before >= all {
			return p
		}
	}
	return links[len(links)-1]
}

// shapes reports whether links are compared by their flows.
func (n *network) shapes() bool {
	e := &n.Scenario.Estimate
	return e.Clusters && (e.Sizes != scenario.Any || e.Gaps != scenario.Any)
}

// shape is the quantiles of the flow sizes of a link and of the times between its flows; empty if they are
// not compared.
type shape struct{ sizes, gaps []float64 }

func (n *network) shape(p netsim.PortID) (s shape) {
	if !n.shapes() {
		return s
	}
	on := n.on[p]
	for i, f := range on {
		s.sizes = append(s.sizes, float64(n.flows[f].size))
		if i > 0 {
			s.gaps = append(s.gaps, float64(n.flows[f].start-n.flows[on[i-1]].start))
		}
	}
	return shape{quantilesOf(s.sizes), quantilesOf(s.gaps)}
}

func quantilesOf(list []float64) []float64 {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	q := make([]float64, quantiles)
	for i := range q {
		q[i] = list[(2*i+1)*len(list)/(2*quantiles)]
	}
	return q
}

func (s shape) close(o shape, e *scenario.Estimate) bool {
	return within(s.sizes, o.sizes, e.Sizes) && within(s.gaps, o.gaps, e.Gaps)
}

// within reports whether the weighted mean absolute percentage error of b relative to a is at most a
// tolerance.
func within(a, b []float64, most scenario.Tolerance) bool {
	if most == scenario.Any || len(a) != len(b) {
		return most == scenario.Any
	}
	off, sum := 0.0, 0.0
	for i := range a {
		off += math.Abs(a[i] - b[i])
		sum += a[i]
	}
	return off <= float64(float64(most)*sum)
}

// samples are the delays of the flows of a simulated link.
type samples struct {
	delays []unit.Time  // of the link's flows, in order
	bySize []int32      // indices of these flows by size; nil unless other links use the samples
	sizes  []unit.Bytes // sizes of the flows in bySize, ascending
}

// samples returns the delays of a link, sorted by size if other links share them.
func (n *network) samples(p netsim.PortID, delays []unit.Time, shared bool) samples {
	s := samples{delays: delays}
	if shared {
		s.bySize = make([]int32, len(delays))
		for i := range s.bySize {
			s.bySize[i] = int32(i)
		}
		slices.SortStableFunc(s.bySize, func(a, b int32) int { return int(n.flows[n.on[p][a]].size - n.flows[n.on[p][b]].size) })
		for _, i := range s.bySize {
			s.sizes = append(s.sizes, n.flows[n.on[p][i]].size)
		}
	}
	return s
}

// alike is the number of flows of similar size from which a sample is drawn.
const alike = 100

// draw returns the delay of one of the link's flows of similar size, scaled by the number of packets. x in
// [0, 1) selects the flow.
func (n *network) draw(s *samples, size unit.Bytes, x float64) unit.Time {
	lo, _ := slices.BinarySearch(s.sizes, size)
	hi, _ := slices.BinarySearch(s.sizes, size+1) // include all flows of the same size, because the first of them found the network empty
	for i, more := (lo+hi)/2, true; more && hi-lo < alike; {
		below, above := lo > 0 && 2*s.sizes[lo-1] >= size, hi < len(s.sizes) && s.sizes[hi] <= 2*size
		switch {
		case below && (!above || i-lo <= hi-i):
			lo--
		case above:
			hi++
		default:
			more = false
		}
	}
	if lo == hi { // no flow is similar: use the nearest
		lo = max(0, lo-1)
		hi = lo + 1
	}
	i := lo + int(x*float64(hi-lo))
	return unit.Time(float64(s.delays[s.bySize[i]]) * (float64(n.packets(size)) / float64(n.packets(s.sizes[i]))))
}
