package lightguardian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Fault is the kind of fault to locate.
type Fault string

// The faults.
const (
	Blackhole Fault = "blackhole"
	Loop      Fault = "loop"
	Jitter    Fault = "jitter"
)

// Thresholds are the values of P/L to try.
var Thresholds = map[Fault][]float64{Blackhole: {0.1, 0.3, 0.5}, Loop: {2, 4, 8}, Jitter: {2, 2.5, 3}}

// LocateScale contains the settings of a scale.
type LocateScale struct {
	Share int // divides the LightGuardian paper's packets, flows and buckets
	Seeds int
}

// LocateScales are the scales of all figures.
var LocateScales = map[study.Scale]LocateScale{study.Smoke: {200, 2}, study.Laptop: {10, 5}, study.Paper: {1, 10}}

func (z LocateScale) String() string {
	return fmt.Sprintf("%d packets in a fat tree of 16 hosts, %s", packetsOfRun/z.Share, number.Count(z.Seeds, "seed"))
}

// packetsOfRun is the number of packets at the LightGuardian paper's scale; the map has the number of flows by fault.
const packetsOfRun = 10_000_000

var flows = map[Fault]int{Blackhole: 100_000, Loop: 100_000, Jitter: 10_000}

// The number of arrays in a sketch, and the bytes of a cell.
const arrays, cell = 3, 4

// Bucket is the size of a bucket over all arrays, in bytes.
const Bucket = arrays * cell

// widths lists the numbers of buckets in an array, at the LightGuardian paper's scale.
var widths = map[Fault][]int{
	Blackhole: {1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16},
	Loop:      {1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16},
	Jitter:    {1 << 10, 1700, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16},
}

// Code is the variant that measures as the published code does. Each of the other variants differs from Code in one
// respect.
const (
	Code       = "published code"
	equalSizes = "published code, flows of equal size"
	ownLoops   = "published code, each loop at a place of its own"
	allTimes   = "published code, all times between packets"
)

// Variants lists the ways to measure as the published code does.
var Variants = map[Fault][]string{Blackhole: {Code, equalSizes}, Loop: {Code, ownLoops, equalSizes},
	Jitter: {Code, allTimes}}

// longest limits the times between packets that Code counts. It is the time in which a flow sends a thousand packets.
// The published code omits times of 10 s and more, and its flows send a packet every 10 ms.
const longest = 8 * unit.Millisecond

// equal returns the size of all flows of the variant equalSizes, in packets.
func equal(f Fault) float64 { return float64(packetsOfRun / flows[f]) }

// In the published code, a loop affects a tenth of the flows, and each of their packets circulates ten times.
const looping, rounds = 0.1, 10

// coded lists the numbers of buckets for which the LightGuardian paper prints results. All variants are measured with
// the first number, and Code is also measured with the others.
var coded = map[Fault][]int{Blackhole: {1 << 16, 1 << 15}, Loop: {1 << 16}, Jitter: {1 << 12, 1700, 1 << 15, 1 << 16}}

// Memory returns the memory of a switch at which all variants are measured, at the LightGuardian paper's scale.
func (f Fault) Memory() int { return Bucket * coded[f][0] }

// replayed is a variant with a number of buckets.
type replayed struct {
	variant string
	buckets int
}

// replays returns the measurements that are made as in the published code.
func replays(f Fault) (list []replayed) {
	for _, v := range Variants[f] {
		list = append(list, replayed{v, coded[f][0]})
	}
	for _, w := range coded[f][1:] {
		list = append(list, replayed{Code, w})
	}
	return list
}

// Row is a line of rows.csv: one threshold with one memory.
type Row struct {
	Fault     string  `col:"fault"`
	Threshold float64 `col:"threshold"`
	Measured  string  `col:"measured"` // Code or another variant; "" for the measurement that the paper describes
	// memory of the cells that are read, at the LightGuardian paper's scale; 0: exact counters
	Memory int `col:"memory" unit:"B"`
	// The scores are means over the seeds, with 95 % intervals.
	F1        stats.Number `col:"f1,f1_lo,f1_hi"`
	Precision stats.Number `col:"precision,precision_lo,precision_hi"`
	Recall    stats.Number `col:"recall,recall_lo,recall_hi"`
	Instances int          `col:"instances"` // smallest number in a seed
	Flows     int          `col:"flows"`     // smallest number in a seed
	Seeds     int          `col:"seeds"`
}

// located contains the results of a seed: scores by threshold and memory, and the number of flows.
type located struct {
	scores [][]diagnose.Score
	flows  int
	faults string
}

// Locate makes the rows of a fault.
func Locate(ctx context.Context, j *study.Job, z LocateScale, f Fault) ([]Row, error) {
	if err := j.Fixed("seed", "faults", "topology.", "workload."); err != nil {
		return nil, err
	}
	memories := append([]int{0}, widths[f]...)
	first := len(memories) // as in the published code
	for _, r := range replays(f) {
		memories = append(memories, r.buckets)
	}
	c := study.Cell{Label: string(f), Work: func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
		sc, err := z.scenario(j, f, seed)
		if err != nil {
			return nil, err
		}
		x, err := watch(ctx, sc, f, z.Share, study.Report(show))
		if err != nil {
			return nil, err
		}
		l := located{flows: x.result.Flows.Len(), faults: x.faults()}
		for _, threshold := range Thresholds[f] {
			var list []diagnose.Score
			for m := range memories {
				if m >= first {
					list = append(list, x.code(m-first, threshold))
				} else {
					list = append(list, x.score(m, threshold))
				}
			}
			l.scores = append(l.scores, list)
		}
		return l, nil
	}}
	s := study.Study{Cells: []study.Cell{c}, Seeds: j.SeedList(z.Seeds), Alone: true}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	seeds := study.Made[located](results, c)
	j.Setting("faults, "+string(f), "LightGuardian §8.3.1", "%s", seeds[0].faults)
	instances := math.MaxInt
	var rows []Row
	for t, threshold := range Thresholds[f] {
		for m, w := range memories {
			r := Row{Fault: string(f), Threshold: threshold, Memory: Bucket * w, Seeds: len(seeds)}
			if m >= first {
				r.Measured = replays(f)[m-first].variant
			}
			var f1, precision, recall stats.PerSeed
			for _, l := range seeds {
				score := l.scores[t][m]
				f1.Add(score.F1(), l.flows)
				precision.Add(score.Precision(), score.Reported)
				recall.Add(score.Recall(), score.True)
				if m < first {
					instances = min(instances, score.True)
				}
			}
			var errs [3]error
			r.F1, errs[0] = f1.Share()
			r.Precision, errs[1] = precision.Share()
			r.Recall, errs[2] = recall.Share()
			if err := errors.Join(errs[:]...); err != nil {
				return nil, err
			}
			r.Flows = r.F1.Flows
			rows = append(rows, r)
		}
	}
	for i := range rows {
		rows[i].Instances = instances
	}
	return rows, nil
}

// traffic is a scenario in which flows are so slow that only pacing determines the times between their packets.
// Receivers keep packets that arrive out of order. Packets are retransmitted only after a timeout, which ends the flow.
const traffic = `name: locate
seed: %d
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 400Gbps, link_delay: 1us}
workload: [{kind: poisson, sizes: uniform, min_size: 1KB, max_size: %dKB, load: 0.2, duration: %v}]
network: {pfc: {enabled: false}}
transport: {kind: newreno, dup_acks: 100, pacing: true, ack_every: 64, ack_delay: 100us,
  rto_min: 20ms, rto_initial: 20ms, rto_max: 40ms, max_retries: 0}
cc: {kind: fixed, window: none, rate: 1Gbps}
telemetry: {kind: none}
faults:
`

func (z LocateScale) scenario(j *study.Job, f Fault, seed uint64) (scenario.Scenario, error) {
	n := flows[f] / z.Share
	most := 2*packetsOfRun/flows[f] - 1 // sizes are uniform from 1 to this many packets of a thousand bytes
	// 16 hosts offer 20 % of 10 Gb/s each.
	seconds := float64(n) * float64(most+1) / 2 * 8e3 / (16 * 0.2 * 10e9)
	text := fmt.Sprintf(traffic, seed, most, unit.Time(seconds*1e6)*unit.Microsecond)
	g, err := scenario.Parse([]byte(text[:len(text)-len("faults:\n")]), "locate")
	if err != nil {
		return g, err
	}
	graph, err := g.Topology.Generator().Build()
	if err != nil {
		return g, err
	}
	var fabric []string
	for _, l := range graph.Links {
		if min(int(l.A), int(l.B)) >= len(graph.Hosts()) {
			fabric = append(fabric, fmt.Sprintf("a: %d, b: %d", l.A, l.B))
		}
	}
	order := hash.Stream(seed, "figures/lightguardian/locate/"+string(f)).Perm(len(fabric))
	for i := range map[Fault]int{Blackhole: 2, Loop: 1, Jitter: 2}[f] {
		kind := map[Fault]string{Blackhole: "blackhole", Loop: "loop", Jitter: "jitter, rate: 10Gbps, delay: 200us"}[f]
		text += fmt.Sprintf("  - {kind: %s, %s, at: 0s}\n", kind, fabric[order[i]])
	}
	return j.Scenario(scenario.Parse([]byte(text), "locate"))
}

// watched is a run with the sketches of all switches.
type watched struct {
	sim      *sim.Simulation
	result   *sim.Result
	fault    Fault
	exact    *diagnose.Exact
	sketches [][]*sumax.Sketch // by memory and node; nil for hosts
	replayed [][]*sumax.Sketch // by index in replays and by node
	asked    []asked           // each flow with its path
}

// asked is a flow and its path.
type asked struct {
	key  uint64
	sent uint64
	path []netsim.NodeID
	true int // hop of the flow's first instance, or -1
	more int // hop of the flow's second instance, or -1
	loop int // with ownLoops, the hop of the loop; otherwise 0
}

// forever is an interval that is longer than any run.
const forever = 1000 * unit.Second

func watch(
	ctx context.Context, sc scenario.Scenario, f Fault, share int, progress func(sim.Progress),
) (*watched, error) {
	x := &watched{fault: f}
	o := sim.Options{Progress: progress, Tap: func(s *sim.Simulation) (netsim.Tap, error) {
		nodes := len(s.Graph.Nodes)
		x.sim, x.exact = s, diagnose.NewExact(nodes, forever,
			[diagnose.Cells - 1]unit.Time{unit.Never, unit.Never, unit.Never})
		sizes := widths[f]
		if f == Jitter {
			sizes = slices.Concat(sizes, coded[f]) // also the widths of Code
		}
		for i, w := range sizes {
			x.sketches = append(x.sketches, make([]*sumax.Sketch, nodes))
			for _, at := range s.Graph.Switches() {
				// Switches place flows independently.
				var err error
				if x.sketches[i][at], err = sumax.New(arrays, max(1, w/share),
					hash.Stream(sc.Seed, "figures/lightguardian/sketch", uint64(at)).Uint64()); err != nil {
					return nil, err
				}
				if i >= len(widths[f]) {
					x.sketches[i][at].Longest = uint32(longest/clock) - 1
				}
			}
		}
		return x, nil
	}}
	var err error
	if x.result, err = sim.Run(ctx, sc, o); err != nil && !errors.Is(err, sim.ErrStalled) {
		return nil, err
	}
	x.ask()
	return x, x.replay(share)
}

// replay fills sketches as the published code does: it inserts all packets of a flow at a switch before the packets of
// the next flow. For jitter, the sketches must see packets in the order in which they were sent.
func (x *watched) replay(share int) error {
	if x.fault == Jitter {
		sizes := widths[Jitter]
		for _, r := range replays(Jitter) {
			at := slices.Index(sizes, r.buckets)
			if r.variant == Code {
				at = len(sizes) + slices.Index(coded[Jitter], r.buckets)
			}
			x.replayed = append(x.replayed, x.sketches[at])
		}
		return nil
	}
	seed := x.sim.Scenario.Seed
	for _, r := range replays(x.fault) {
		variant := r.variant
		sketches := make([]*sumax.Sketch, len(x.sim.Graph.Nodes))
		for _, at := range x.sim.Graph.Switches() {
			var err error
			if sketches[at], err = sumax.New(arrays, max(1, r.buckets/share),
				hash.Stream(seed, "figures/lightguardian/replay", uint64(at)).Uint64()); err != nil {
				return err
			}
		}
		for i := range x.asked {
			a := &x.asked[i]
			if r := hash.Stream(seed, "figures/lightguardian/loops", a.key); len(a.path) >= 3 && r.Float64() < looping {
				a.loop = 1 + r.IntN(len(a.path)-2)
			}
			for hop, at := range a.path {
				n := x.exact.Row(0, at, a.key).Packets
				switch {
				case variant == equalSizes:
					n = uint64(float64(n) * equal(x.fault) / float64(a.sent))
				case variant == ownLoops && a.loop > 0 && (hop == a.loop || hop == a.loop+1):
					n = a.sent * (rounds + 1)
				case variant == ownLoops:
					n = a.sent
				}
				for range n {
					sketches[at].Record(a.key, 1, 1)
				}
			}
		}
		x.replayed = append(x.replayed, sketches)
	}
	return nil
}

// code scores a replay as the published code does, by flow. It considers the first switch at which a flow is reported,
// and omits paths of one switch. A flow has jitter if its exact counters are above the threshold. To be found, it must
// be reported at the same switch by the sketch. For jitter, flows with fewer than three packets are omitted.
func (x *watched) code(replay int, threshold float64) (s diagnose.Score) {
	name := replays(x.fault)[replay].variant
	for i := range x.asked {
		a := &x.asked[i]
		if len(a.path) < 2 || x.fault == Jitter && x.exact.Row(0, a.path[0], a.key).Packets < 3 {
			continue
		}
		first := func(of func(at netsim.NodeID) float64) int {
			last := of(a.path[0])
			if x.fault == Loop && name != ownLoops { // in the published code, a switch precedes each loop
				last = float64(a.sent)
				if name == equalSizes {
					last = equal(x.fault)
				}
			}
			for hop, at := range a.path {
				p := of(at)
				ratio := p / last
				if last = p; x.fault == Blackhole && ratio < threshold || x.fault != Blackhole && ratio > threshold {
					return hop + 1
				}
			}
			return 0
		}
		found := first(func(at netsim.NodeID) float64 {
			q := x.replayed[replay][at].Query(a.key)
			if x.fault == Jitter {
				return float64(q.Interval)
			}
			return float64(q.Size)
		})
		truth := 0
		if x.fault == Jitter {
			truth = first(func(at netsim.NodeID) float64 { return x.number(0, at, a.key) })
		} else if name == ownLoops && a.loop > 0 || name != ownLoops && a.true >= 0 {
			truth = max(found, 1) // at whichever switch
		}
		if truth > 0 {
			s.True++
		}
		if found > 0 {
			s.Reported++
			if found == truth {
				s.Right++
				s.Found++
			}
		}
	}
	return s
}

// Dequeue implements netsim.Tap: every switch counts data packets.
func (x *watched) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind != netsim.Data {
		return
	}
	x.exact.Dequeue(h)
	key, now := h.FlowKey(), uint32(h.Packet.At/clock)+1
	for _, s := range x.sketches {
		s[h.Switch].Record(key, 1, now)
	}
}

// clock is the unit of arrival times in sketches. Its 32 bits cover 42 s.
const clock = 10 * unit.Nanosecond

// ask finds the path of each flow, and the places of faults on it.
func (x *watched) ask() {
	var ports []netsim.PortID
	for f := range x.result.Flows.All() {
		flow := transport.Flow{Number: int32(f.ID), Src: netsim.NodeID(f.Src), Dst: netsim.NodeID(f.Dst),
			SrcPort: f.SrcPort, DstPort: f.DstPort}
		ports = flow.Path(ports[:0], x.sim.Routes)
		a := asked{key: transport.FlowKey(x.sim.Scenario.Seed, flow.Number), sent: uint64(f.Packets), true: -1,
			more: -1}
		for i, p := range ports[1:] {
			at, to := x.sim.Net.PortEnds(p)
			a.path = append(a.path, at)
			if !x.faulty(int(at), int(to)) {
				continue
			}
			hop := i + 1 // the switch behind the link
			if x.fault == Loop {
				hop = i
			}
			if a.true < 0 {
				a.true = hop
			} else if x.fault == Jitter {
				a.more = hop
			}
		}
		x.asked = append(x.asked, a)
	}
}

func (x *watched) faulty(a, b int) bool {
	return slices.ContainsFunc(x.sim.Scenario.Faults, func(f scenario.Fault) bool {
		return f.A == a && f.B == b || f.A == b && f.B == a
	})
}

func (x *watched) faults() string {
	return strings.Join(lists.Map(x.sim.Scenario.Faults, func(f scenario.Fault) string {
		return fmt.Sprintf("%s of the link between switches %d and %d", f.Kind, f.A, f.B)
	}), ", ")
}

// number returns the value of a switch for a flow: the number of its packets or, for jitter, the longest time between
// two packets. Memory 0 selects the exact counters.
func (x *watched) number(memory int, at netsim.NodeID, key uint64) float64 {
	if memory == 0 {
		r := x.exact.Row(0, at, key)
		if x.fault == Jitter {
			return float64(r.Longest)
		}
		return float64(r.Packets)
	}
	q := x.sketches[memory-1][at].Query(key)
	if x.fault == Jitter {
		return float64(q.Interval)
	}
	return float64(q.Size)
}

// score compares what a threshold reports with the truth.
func (x *watched) score(memory int, threshold float64) (s diagnose.Score) {
	for i := range x.asked {
		a := &x.asked[i]
		for _, hop := range []int{a.true, a.more} {
			if hop >= 0 {
				s.True++
			}
		}
		last := float64(a.sent)
		for hop, at := range a.path {
			p, l := x.number(memory, at, a.key), last
			last = p
			if hop == 0 && x.fault != Loop || l == 0 {
				continue
			}
			if ratio := p / l; x.fault == Blackhole && ratio >= threshold ||
				x.fault != Blackhole && ratio <= threshold {
				continue
			}
			s.Reported++
			if hop == a.true || hop == a.more {
				s.Right++
				s.Found++
			}
		}
	}
	return s
}
