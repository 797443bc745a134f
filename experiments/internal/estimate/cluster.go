package estimate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// quantiles is the number of quantiles at which two links' distributions of flow sizes, and of times between flows,
// are compared.
const quantiles = 100

// kind contains the properties that all links of a cluster share.
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

// cluster returns, for each link, the link that is simulated in its place, which may be the link itself. cluster
// sorts the links of each kind by load. It takes the links whose load is similar to the least load, and chooses their
// middle link to be simulated. The cluster consists of this link and the taken links whose shape is similar.
// cluster repeats this with the remaining links.
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
	n.place = make([]int32, len(n.on))
	for k, x := range order {
		list := at[x]
		for _, p := range list {
			n.place[p] = int32(k)
		}
		slices.SortFunc(list, func(a, b netsim.PortID) int {
			return cmp.Or(cmp.Compare(load[a], load[b]), cmp.Compare(a, b))
		})
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

// middle returns the link that carries the median flow of some links. The link with the median load would be less
// suitable: with short windows, most links have few flows, which rarely meet other flows, but most flows are on busy
// links.
func (n *network) middle(links []netsim.PortID) netsim.PortID {
	all, before := n.crossings(links), 0
	for _, p := range links {
		if before += int(n.crossed[p]); 2*before >= all {
			return p
		}
	}
	return links[len(links)-1]
}

// shapes reports whether links are compared by the sizes and the start times of their flows.
func (n *network) shapes() bool {
	e := &n.Scenario.Estimate
	return e.Clusters && (e.Sizes != scenario.Any || e.Gaps != scenario.Any)
}

// shape contains quantiles of the flow sizes of a link, and of the times between its flows. The shape is empty if
// links are compared by neither.
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

// within reports whether b differs from a by at most the tolerance `most`. The difference is the weighted mean
// absolute percentage error.
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

// pool contains the delays of all flows on the simulated links of one kind.
type pool struct {
	delays map[traits][]float64 // delay per packet, in ps
	all    []float64
	near   map[traits][]float64 // results of like, by traits
}

// traits contains the numbers that determine the delay of a flow on a link: the size of the flow, and the bytes of
// other flows on the link. The load of the link does not determine the delay. A link with one flow and a link with
// two flows of half the size have equal loads, but flows wait only on the second link.
type traits struct {
	size   int // octave
	others int // half octave of the bytes of other flows; an octave is divided at 1.5 times its start
}

// traits returns the traits of a flow on a link. It adds one packet to the bytes of other flows, because there may be
// no other flows.
func (n *network) traits(p netsim.PortID, size unit.Bytes) traits {
	own := int64(size) + n.packets(size)*int64(n.Data-n.Setting.Payload)
	others := uint64(n.data[p] - own + int64(n.Data))
	octave := bits.Len64(others)
	return traits{bits.Len64(uint64(size)), 2*octave + int(others>>(octave-2)&1)}
}

// pools returns the delays of flows on simulated links, by kind of link.
func (n *network) pools(links []netsim.PortID, delays [][]unit.Time) []pool {
	list := make([]pool, 1+slices.Max(n.place))
	for _, p := range links {
		q := &list[n.place[p]]
		if q.delays == nil {
			*q = pool{delays: map[traits][]float64{}, near: map[traits][]float64{}}
		}
		for i, f := range n.on[p] {
			size := n.flows[f].size
			each := float64(delays[p][i]) / float64(n.packets(size))
			x := n.traits(p, size)
			q.delays[x], q.all = append(q.delays[x], each), append(q.all, each)
		}
	}
	return list
}

// A sample is drawn from at least `fewest` flows, if so many are similar. If fewer flows have the same traits, flows
// whose traits differ by one step are added, then flows whose traits differ by two steps. If this does not suffice,
// the bytes of other flows may differ by up to `reach` steps.
const fewest, reach = 3, 8

// like returns the delays per packet of flows with similar traits, or of all flows if no flow is similar.
func (q *pool) like(x traits) []float64 {
	if list, ok := q.near[x]; ok {
		return list
	}
	var list []float64
	for r := 0; r <= reach && len(list) < fewest; r++ {
		list = nil
		for i := -min(r, 2); i <= min(r, 2); i++ {
			for j := -r; j <= r; j++ {
				list = append(list, q.delays[traits{x.size + i, x.others + j}]...)
			}
		}
	}
	if len(list) == 0 {
		list = q.all
	}
	q.near[x] = list
	return list
}

// draw returns the delay of a flow on a link that was not simulated: the delay of a similar flow, scaled
// by the number of packets. x in [0, 1) selects the flow.
func (w *Work) draw(p netsim.PortID, size unit.Bytes, x float64) unit.Time {
	n := w.network
	list := w.pools[n.place[p]].like(n.traits(p, size))
	return unit.Time(list[int(x*float64(len(list)))] * float64(n.packets(size)))
}
