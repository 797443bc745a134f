// Package estimate predicts the completion times of a scenario's flows link by link, by the method of
// Parsimon (Zhao et al., NSDI 2023). A small simulation on our own engine represents each directed link
// that flows cross. The delay of a flow is then combined from its delays on the links of its path. The
// package differs from Parsimon:
//
//   - each flow has an individual delay on each link, unless links are clustered;
//   - a delay is the additional time that a flow takes, compared with the flow alone under the same congestion
//     control;
//   - the delays of a long flow are not added as if they occurred one after the other (see combine).
package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Simulate runs a scenario, or estimates it if estimate.enabled is set.
func Simulate(ctx context.Context, sc scenario.Scenario, o sim.Options) (*sim.Result, error) {
	switch {
	case !sc.Estimate.Enabled:
		return sim.Run(ctx, sc, o)
	case o.Bounds, o.Tap != nil, o.Sink != nil, o.Receive != nil, o.Ready != nil, o.Report != nil, o.Trace != nil:
		return nil, errors.New("estimate.enabled = true: an estimate has no packets to watch")
	}
	e, err := Run(ctx, sc, o.Spill, o.Progress)
	if err != nil {
		return nil, err
	}
	return e.Result, nil
}

// Estimate is the result of an estimate.
type Estimate struct {
	*sim.Result
	*Work
}

// Work is an estimate that is divided into simulations of links. The simulated links have numbers from 0 on, in
// descending order of their bytes.
type Work struct {
	network *network
	links   []netsim.PortID // links that flows cross
	by      []netsim.PortID // for each link, the link that is simulated in its place
	todo    []netsim.PortID // links to simulate, by number
	alone   []alone
	waited  [][]unit.Time // delays of the flows on each simulated link, in order
	pools   []pool        // delays by kind of link, if links are clustered
	began   time.Time
	Start   float64 // seconds that Prepare took
}

// Link is the result of simulating one link.
type Link struct {
	Number             int
	PacketHops, Events int64
	Delays             []unit.Time // delays of the link's flows, in order
}

// Prepare divides the estimate of a scenario into simulations of links.
func Prepare(ctx context.Context, sc scenario.Scenario) (*Work, error) {
	w := &Work{began: time.Now()}
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
	w.network, w.links = n, n.loaded()
	if n.shapes() {
		if err := n.keep(ctx, w.links); err != nil {
			return nil, err
		}
	}
	w.by = n.cluster(w.links)
	for _, p := range w.links {
		if w.by[p] == p {
			w.todo = append(w.todo, p)
		}
	}
	w.Start = time.Since(w.began).Seconds()
	return w, nil
}

// Links returns the number of links that are simulated.
func (w *Work) Links() int { return len(w.todo) }

// Hosts returns the number of hosts of the network.
func (w *Work) Hosts() int { return len(w.network.Graph.Hosts()) }

// Hops returns the number of packet-hops that a simulation of the whole network would take without retransmissions.
func (w *Work) Hops() int64 { return w.network.hops }

// Speed is the number of packet-hops that simulations of links process per core second. We measured 13.6 M for HPCC and
// 18.2 M for DCTCP on an idle machine, and about half as many on a busy one.
const Speed = 12e6

// kept is the memory that a stored flow uses, in bytes, for its path, delays, packets and record.
const kept = 512

// Need returns the memory that the simulation of a link needs in addition to the network, in bytes, and its duration
// in core seconds.
func (w *Work) Need(number int) (memory int64, seconds float64) {
	p := w.todo[number]
	return kept * int64(w.network.crossed[p]), float64(w.network.foreseen[p]) / Speed
}

// Missing returns the numbers of the links that are not in done.
func (w *Work) Missing(done []Link) (numbers []int) {
	is := map[int]bool{}
	for _, l := range done {
		is[l.Number] = true
	}
	for i := range w.todo {
		if !is[i] {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// Run estimates a scenario. The number of links that it simulates concurrently is the scenario's number of workers.
// It calls progress at the start and when a link is done, never concurrently. For spill, see Finish.
func Run(ctx context.Context, sc scenario.Scenario, spill string, progress func(sim.Progress)) (*Estimate, error) {
	w, err := Prepare(ctx, sc)
	if err != nil {
		return nil, err
	}
	return w.Finish(ctx, sc, nil, spill, progress)
}

// Finish simulates the links that are not in done, and returns the estimate. If there are many flows, Finish moves
// their records to a file below the directory spill. If spill is "", the records stay in memory.
func (w *Work) Finish(
	ctx context.Context, sc scenario.Scenario, done []Link, spill string, progress func(sim.Progress),
) (*Estimate, error) {
	n := w.network
	for _, l := range done {
		if l.Number < 0 || l.Number >= len(w.todo) {
			return nil, fmt.Errorf("there is a result for link %d, want links 0 to %d", l.Number, len(w.todo)-1)
		}
	}
	numbers := w.Missing(done)
	if err := n.keep(ctx, w.todo); err != nil {
		return nil, err
	}
	links, err := w.simulate(ctx, numbers, max(1, sc.Run.Workers), progress)
	if err != nil {
		return nil, err
	}
	w.waited = make([][]unit.Time, len(n.on))
	var counters netsim.Counters
	for _, l := range slices.Concat(done, links) {
		p := w.todo[l.Number]
		if len(l.Delays) != len(n.on[p]) {
			return nil, fmt.Errorf("link %d has delays of %d flows, want %d", l.Number, len(l.Delays), len(n.on[p]))
		}
		counters.PacketHops += l.PacketHops
		counters.Events += l.Events
		w.waited[p] = l.Delays
	}
	if sc.Estimate.Clusters {
		w.pools = n.pools(w.todo, w.waited)
	}
	e := &Estimate{Work: w}
	flows := &store.Flows{}
	flows.Spill(spill)
	ended := unit.Time(0)
	err = n.each(ctx, func(x *flow, path, _ []netsim.PortID) error {
		r := w.record(x, path)
		if r.Outcome == store.Estimated {
			ended = max(ended, r.Start+r.FCT)
		}
		flows.Append(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	notes := []string{
		fmt.Sprintf("estimated from simulations of single links: %d of the %d links with flows were simulated; "+
			"completion times are put together from delays on the links", len(w.todo), len(w.links)),
	}
	if more := float64(counters.PacketHops) / float64(max(1, n.hops)); more > 1 {
		notes = append(notes, fmt.Sprintf("this took %.1f times as many packet-hops as a simulation of the whole "+
			"network (pintlab run) without retransmissions", more))
	}
	if sc.Network.PFC.Enabled {
		notes = append(notes,
			"an estimate has no pause frames: a queue that PFC would spread over several switches stays at its link")
	}
	e.Result, err = n.Result(sc, flows, counters, ended, w.began, notes)
	return e, err
}

// Simulate simulates some links, at most workers of them at a time.
func (w *Work) Simulate(ctx context.Context, numbers []int, workers int, progress func(sim.Progress)) ([]Link, error) {
	ports := lists.Map(numbers, func(i int) netsim.PortID { return w.todo[i] })
	if err := w.network.keep(ctx, ports); err != nil {
		return nil, err
	}
	return w.simulate(ctx, numbers, workers, progress)
}

// simulate simulates links whose flows are already stored. It also simulates flows alone on each kind of path.
func (w *Work) simulate(ctx context.Context, numbers []int, workers int, progress func(sim.Progress)) ([]Link, error) {
	n := w.network
	now := sim.Progress{Until: unit.Never, Links: len(numbers)}
	for _, i := range numbers {
		now.Bytes += n.data[w.todo[i]]
		now.Foreseen += n.foreseen[w.todo[i]]
	}
	if progress != nil {
		progress(now)
	}
	w.alone = make([]alone, len(n.kinds))
	if err := lists.Each(ctx, workers, len(n.kinds), func(ctx context.Context, i int) (err error) {
		w.alone[i], err = n.measureAlone(ctx, n.kinds[i], n.largest)
		return err
	}); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	links := make([]Link, len(numbers))
	return links, lists.Each(ctx, workers, len(numbers), func(ctx context.Context, i int) error {
		p := w.todo[numbers[i]]
		delays, c, err := n.delays(ctx, p, w.alone)
		if err != nil {
			return err
		}
		links[i] = Link{numbers[i], c.PacketHops, c.Events, delays}
		mu.Lock()
		defer mu.Unlock()
		now.Counters.PacketHops += c.PacketHops
		now.Counters.Events += c.Events
		now.LinksDone++
		now.Acked += n.data[p]
		if progress != nil {
			progress(now)
		}
		return nil
	})
}

// delays appends the delay of a flow on each link of its path. If a link was not simulated, the delay is a sample
// (see draw).
func (w *Work) delays(list []unit.Time, x *flow, path []netsim.PortID) []unit.Time {
	n := w.network
	draw := hash.Stream(n.Scenario.Seed, "estimate", uint64(x.id))
	for _, p := range path {
		if w.by[p] == p {
			i, _ := slices.BinarySearchFunc(n.on[p], x.id, func(f, id int32) int {
				return cmp.Compare(n.flows[f].id, id)
			})
			list = append(list, w.waited[p][i])
			continue
		}
		list = append(list, w.draw(p, x.size, draw.Float64()))
	}
	return list
}

// record returns the estimated record of a flow.
func (w *Work) record(x *flow, path []netsim.PortID) store.FlowRecord {
	n := w.network
	var room [16]unit.Time
	r := store.FlowRecord{
		ID: int64(x.id), Src: int32(x.src), Dst: int32(x.dst), SrcPort: x.srcPort, DstPort: x.dstPort,
		Outcome: store.Estimated, Hops: uint8(x.links - 1),
		Size: x.size, Start: x.start, Ideal: x.ideal,
		Packets: store.Unknown, Retransmitted: store.Unknown, Timeouts: store.Unknown,
	}
	if x.incast {
		r.Class = 1
	}
	r.FCT = x.ideal + w.alone[x.kind].at(x.size) + n.yielded(x.size, path) +
		n.combine(x.size, w.delays(room[:0], x, path))
	if x.start+r.FCT > n.End {
		r.Outcome, r.FCT = store.Unfinished, unit.Never
	}
	return r
}

// yielded returns the additional time that a flow needs because the acknowledgements of other flows use a part of the
// links on its path. This is the transmission time of the flow at the lowest rate that acknowledgements leave on the
// path, minus the time at the lowest rate of the path's links.
func (n *network) yielded(size unit.Bytes, path []netsim.PortID) unit.Time {
	rate, left := n.Net.PortRate(path[0]), n.rates[path[0]]
	for _, p := range path[1:] {
		rate, left = min(rate, n.Net.PortRate(p)), min(left, n.rates[p])
	}
	return max(0, left.TxTime(size)-rate.TxTime(size))
}
