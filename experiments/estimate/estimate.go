// Package estimate predicts the completion times of a scenario's flows link by link. Each directed link that flows cross
// becomes a small simulation on our own engine, and the delays that a flow has on the links of its path are put
// together: the method of Parsimon (Zhao et al., NSDI 2023). It differs from the paper in that
//
//   - flows get their own delays on each link, unless links are clustered;
//   - a delay is what a flow takes longer than alone under the same congestion control;
//   - the delays of a long flow are not added as if they came one after the other (see combine).
package estimate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/parallel"
	"pintlab/internal/rng"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Simulate runs a scenario, or estimates it if it says so.
func Simulate(ctx context.Context, sc scenario.Scenario, o sim.Options) (*sim.Result, error) {
	switch {
	case !sc.Estimate.Enabled:
		return sim.Run(ctx, sc, o)
	case o.Bounds || o.Tap != nil || o.Sink != nil || o.Receive != nil || o.Ready != nil || o.Report != nil || o.Trace != nil:
		return nil, errors.New("estimate.enabled = true: an estimate has no packets to watch")
	}
	e, err := Run(ctx, sc, o.Progress)
	if err != nil {
		return nil, err
	}
	return e.Result, nil
}

// Estimate is the result of an estimate.
type Estimate struct {
	*sim.Result
	network *network
	alone   []alone
	by      []netsim.PortID // which link is simulated for a link
	samples []samples       // by link
}

// Run estimates a scenario. It calls progress now and then, never twice at the same time. Link simulations
// run side by side, as many as the scenario has workers.
func Run(ctx context.Context, sc scenario.Scenario, progress func(sim.Progress)) (*Estimate, error) {
	began := time.Now()
	if !sc.Estimate.Enabled {
		return nil, errors.New("estimate.enabled: false: want true for an estimate")
	}
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	n, err := takeApart(ctx, sc)
	if err != nil {
		return nil, err
	}
	n.Scenario.Estimate = sc.Estimate
	e := &Estimate{network: n, samples: make([]samples, len(n.on)), alone: make([]alone, len(n.kinds))}
	links := n.loaded()
	e.by = n.cluster(links)
	var counters netsim.Counters
	if err := e.simulate(ctx, links, max(1, sc.Run.Workers), &counters, progress); err != nil {
		return nil, err
	}
	flows := &store.Flows{}
	ended := unit.Time(0)
	for f := range n.flows {
		if f%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := e.record(int32(f))
		if r.Outcome == store.Estimated {
			ended = max(ended, r.Start+r.FCT)
		}
		flows.Append(r)
	}
	simulated := 0
	for _, p := range links {
		if e.by[p] == p {
			simulated++
		}
	}
	notes := []string{fmt.Sprintf("estimated from simulations of single links: %d of the %d links with flows were simulated; completion times are put together from delays on the links", simulated, len(links))}
	if more := float64(counters.PacketHops) / float64(max(1, n.hops)); more > 1 {
		notes = append(notes, fmt.Sprintf("this took %.1f times the packet-hops that simulating the whole network (pintlab run) takes if no packet is sent again", more))
	}
	if sc.Network.PFC.Enabled {
		notes = append(notes, "an estimate has no pauses: a queue that PFC would spread over switches stays at its link")
	}
	e.Result, err = n.Result(sc, flows, counters, ended, began, notes)
	return e, err
}

// Hosts returns how many hosts the network has.
func (e *Estimate) Hosts() int { return len(e.network.Graph.Hosts()) }

// Hops returns how many packet-hops a simulation of the whole network takes if no packet is sent again.
func (e *Estimate) Hops() int64 { return e.network.hops }

// simulate runs the simulations of links and of flows alone.
func (e *Estimate) simulate(ctx context.Context, links []netsim.PortID, workers int, counters *netsim.Counters, progress func(sim.Progress)) error {
	n := e.network
	var todo []netsim.PortID
	shared := map[netsim.PortID]bool{}
	now := sim.Progress{Until: unit.Never}
	for _, p := range links {
		if e.by[p] != p {
			shared[e.by[p]] = true
			continue
		}
		todo = append(todo, p)
		now.Bytes += n.data[p]
		now.Foreseen += n.foreseen(p)
	}
	now.Links = len(todo)
	if progress != nil {
		progress(now)
	}
	var mu sync.Mutex
	report := func(c netsim.Counters, links int, bytes int64) {
		mu.Lock()
		defer mu.Unlock()
		counters.PacketHops += c.PacketHops
		counters.Events += c.Events
		now.LinksDone += links
		now.Acked += bytes
		now.Counters = *counters
		if progress != nil {
			progress(now)
		}
	}
	largest := unit.Bytes(1)
	for i := range n.flows {
		largest = max(largest, n.flows[i].size)
	}
	if err := parallel.Each(ctx, workers, len(n.kinds), func(ctx context.Context, i int) (err error) {
		e.alone[i], err = n.measureAlone(ctx, n.kinds[i], largest)
		return err
	}); err != nil {
		return err
	}
	return parallel.Each(ctx, workers, len(todo), func(ctx context.Context, i int) error {
		p := todo[i]
		delays, c, err := n.delays(ctx, p, e.alone)
		if err != nil {
			return err
		}
		s := samples{delays: delays}
		if shared[p] {
			s.bySize = make([]int32, len(delays))
			for i := range s.bySize {
				s.bySize[i] = int32(i)
			}
			slices.SortStableFunc(s.bySize, func(a, b int32) int { return int(n.flows[n.on[p][a]].size - n.flows[n.on[p][b]].size) })
		}
		e.samples[p] = s
		report(c, 1, n.data[p])
		return nil
	})
}

// delays appends what a flow waits on each link of its path. On links that were not simulated it is a sample.
func (e *Estimate) delays(list []unit.Time, f int32) []unit.Time {
	n := e.network
	draw := rng.New(n.Scenario.Seed, "estimate", uint64(f))
	for _, p := range n.path(f) {
		by := e.by[p]
		if by == p {
			i, _ := slices.BinarySearch(n.on[p], f)
			list = append(list, e.samples[p].delays[i])
			continue
		}
		list = append(list, n.draw(by, &e.samples[by], n.flows[f].size, draw.Float64()))
	}
	return list
}

// record returns the record of a flow.
func (e *Estimate) record(f int32) store.FlowRecord {
	n := e.network
	x := &n.flows[f]
	var room [16]unit.Time
	r := store.FlowRecord{
		ID: int64(f), Src: int32(x.src), Dst: int32(x.dst), SrcPort: x.srcPort, DstPort: x.dstPort, Outcome: store.Estimated, Hops: uint8(x.links - 1),
		Size: x.size, Start: x.start, Ideal: x.ideal,
		Packets: store.Unknown, Retransmitted: store.Unknown, Timeouts: store.Unknown,
	}
	if x.incast {
		r.Class = 1
	}
	r.FCT = x.ideal + e.alone[x.kind].at(x.size) + n.yielded(f) + n.combine(f, e.delays(room[:0], f))
	if x.start+r.FCT > n.End {
		r.Outcome, r.FCT = store.Unfinished, unit.Never
	}
	return r
}

// yielded returns the time that acknowledgements of others take from a flow: their share of the link that has the
// least left for it, unless its path is slower anyhow.
func (n *network) yielded(f int32) unit.Time {
	path := n.path(f)
	rate, left := n.Net.PortRate(path[0]), n.rates[path[0]]
	for _, p := range path[1:] {
		rate, left = min(rate, n.Net.PortRate(p)), min(left, n.rates[p])
	}
	return max(0, left.TxTime(n.flows[f].size)-rate.TxTime(n.flows[f].size))
}
