package estimate

import (
	"context"
	"fmt"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// alone contains the time that flows on one kind of path take beyond their ideal time in an idle network, by flow
// size. The reason for this time is that a control may start slowly, or leave a part of the link unused.
type alone struct {
	sizes []unit.Bytes
	extra []unit.Time
}

// at returns the time for a size, interpolated between the measured sizes. Beyond the largest measured size, it
// extrapolates from the two largest.
func (a *alone) at(size unit.Bytes) unit.Time {
	i, ok := slices.BinarySearch(a.sizes, size)
	switch {
	case ok || i == 0:
		return a.extra[i]
	case i == len(a.sizes):
		i--
	}
	if i == 0 {
		return a.extra[0]
	}
	x := float64(size-a.sizes[i-1]) / float64(a.sizes[i]-a.sizes[i-1])
	return max(0, a.extra[i-1]+unit.Time(float64(a.extra[i]-a.extra[i-1])*x))
}

// steps lists the measured sizes from each power of two to the next, in eighths of the lower power.
var steps = []unit.Bytes{8, 10, 12, 14}

// mostAlone is the size of the largest flow that is measured alone, in bandwidth-delay products. Larger flows have
// reached a steady state.
const mostAlone = 64

// measureAlone runs flows of increasing sizes on a path, one after the other. The path represents all paths of its
// kind.
func (n *network) measureAlone(ctx context.Context, path []netsim.PortID, largest unit.Bytes) (a alone, err error) {
	g := &topo.Graph{}
	rtt := unit.Time(0)
	slowest := n.Net.PortRate(path[0])
	for i := range len(path) + 1 {
		kind := topo.Switch
		if i == 0 || i == len(path) {
			kind = topo.Host
		}
		g.Nodes = append(g.Nodes, topo.Node{Kind: kind})
	}
	for i, p := range path {
		l := n.line(p)
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(i), B: topo.NodeID(i + 1), Rate: l.rate, Delay: l.delay})
		rtt += 2 * n.wait(path[i:i+1], true)
		slowest = min(slowest, l.rate)
	}
	largest = min(largest, max(1, mostAlone*slowest.In(rtt)))
	part := &sim.Part{Graph: g, Whole: n.Setting}
	at := unit.Time(0)
	for octave := unit.Bytes(16); a.sizes == nil || a.sizes[len(a.sizes)-1] < largest; octave *= 2 {
		for _, s := range steps {
			size := min(largest, octave*s)
			if len(a.sizes) > 0 && size == a.sizes[len(a.sizes)-1] {
				break
			}
			a.sizes = append(a.sizes, size)
			part.Flows = append(part.Flows, workloads.Flow{
				Src: 0, Dst: topo.NodeID(len(path)), Size: size, Start: at,
				Priority: workloads.DefaultPriority, DstPort: workloads.BackgroundPort,
			})
			part.Hops = append(part.Hops, uint8(len(path)-1))
			at += 20*slowest.TxTime(size) + 100*rtt + 10*unit.Millisecond
		}
	}
	r, err := sim.Run(ctx, n.part, sim.Options{Part: part})
	if err != nil {
		return a, fmt.Errorf("flows alone: %w", err)
	}
	a.extra = make([]unit.Time, len(a.sizes))
	for r := range r.Flows.All() {
		if r.Outcome != store.Finished {
			return a, fmt.Errorf("a flow of %v is %v although it is alone in the network: an estimate needs flows "+
				"that finish", r.Size, r.Outcome)
		}
		a.extra[r.ID] = max(0, r.FCT-r.Ideal)
	}
	return a, nil
}
