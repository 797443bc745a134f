package telemetry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/hash"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Routes compares how soon PINT, DLINT, PLINT and CLINT show that the path of a flow has changed, on the same
// packets. It also shows how many of the reported paths the flow has never taken. INT shows each path with the first
// packet.
//
// According to the authors of DLINT and PLINT, PLINT notices changes sooner than DLINT and PINT. They do not publish
// how they count. Therefore Routes has two variants of DLINT: one notices a change by the first ID that does not fit
// the path, and the other by a whole path.
var Routes = figure.Spec[reroutes]{
	Name: "telemetry/routes", Files: files,
	Columns: routesColumns,
	Scales: map[figure.Scale]reroutes{
		figure.Smoke: {links: 1, seeds: 1}, figure.Laptop: {links: 16, seeds: 5}, figure.Paper: {links: 16, seeds: 20},
	},
	Measure: measureRoutes, Tables: routesTables, Draw: drawRoutes,
}.Figure()

var routesColumns = columns.View{"traffic=table", "case", "scheme", "quantity", "unit", "value", "lo", "hi", "seeds"}

// reroutes contains the settings of a scale: the number of links of each kind that fail and recover, one after the
// other, and the number of seeds.
type reroutes struct{ links, seeds int }

func (z reroutes) String() string {
	return fmt.Sprintf("%s of each kind down for a time, %s", figure.Count(z.links, "link"),
		figure.Count(z.seeds, "seed"))
}

// followed describes a group of flows whose paths change.
type followed struct {
	name   string
	window string    // of each flow
	flows  int       // of each host
	period unit.Time // from one failed link to the next
	lossy  bool      // links between edge and aggregation switches lose packets
}

// followeds lists the groups of flows, by the number of packets in flight. With 1 packet in flight, a packet arrives
// before the next packet is sent, as in the experiment of the authors of DLINT and PLINT.
var followeds = []followed{
	{"1 in flight", "1000B", 4, 4 * unit.Millisecond, false},
	{"16 in flight", "16KB", 1, 600 * unit.Microsecond, false},
	{"1 in flight, 1 % lost", "1000B", 4, 4 * unit.Millisecond, true},
	{"16 in flight, 1 % lost", "16KB", 1, 600 * unit.Microsecond, true},
}

// pathSystems lists the systems. PINT's digests are computed outside the packets. There is a run for each number of
// PINT's instances. Monitors cost nothing, so that the packets of these runs are the same.
var pathSystems = []struct {
	name, monitor string
	instances     int // of PINT
}{
	{"INT", "{kind: int}", 0}, {"PINT, 8 bits", "", 1}, {"PINT, 2×8 bits", "", 2}, {"DLINT", "{kind: dlint}", 0},
	{"DLINT, whole paths", "{kind: dlint, change: path}", 0}, {"PLINT", "{kind: plint}", 0},
	{"CLINT", "{kind: clint, install: 10us}", 0},
}

// routesText describes a fat tree without congestion. After a change of path, packets on the old path and packets on
// the new path overtake each other only for a short time.
const routesText = `name: routes
seed: %d
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 40Gbps}
workload: [%s]
transport: {rto_min: 100us, rto_initial: 100us}
cc: {kind: fixed, window: %s}
telemetry: {kind: none}
run: {monitor_cost: none, until: %v}
faults: [%s]
monitors: [%s]
`

// scenario returns the network in which links fail one after the other, one in each period. A link fails at a random
// time, and recovers after about half a period.
func (f *followed) scenario(links int, seed uint64) (scenario.Scenario, error) {
	r := hash.Stream(seed, "figures/telemetry/routes")
	failing, losing := fabric(toCore, r)[:links], fabric(toAggregation, r)
	if !f.lossy {
		failing = append(failing, losing[:links]...)
		r.Shuffle(len(failing), func(i, j int) { failing[i], failing[j] = failing[j], failing[i] })
	}
	var faults []string
	for i, l := range failing {
		at := f.period*unit.Time(i+1) + unit.Time(r.Int64N(int64(f.period/4)))
		until := at + f.period/2 + unit.Time(r.Int64N(int64(f.period/8)))
		faults = append(faults, fmt.Sprintf("{kind: link-down, %s, at: %v, until: %v}", l, at, until))
	}
	if f.lossy {
		for _, l := range losing {
			faults = append(faults, fmt.Sprintf("{kind: drop, %s, probability: 0.005, at: 0s}", l))
		}
	}
	var monitors []string
	for _, t := range pathSystems {
		if t.monitor != "" {
			monitors = append(monitors, t.monitor)
		}
	}
	return scenario.Parse(fmt.Appendf(nil, routesText, seed,
		strings.Join(slices.Repeat([]string{"{kind: permutation, size: 1GB}"}, f.flows), ", "), f.window,
		f.period*unit.Time(len(failing)+2), strings.Join(faults, ", "), strings.Join(monitors, ", ")), "routes")
}

// fabric returns the 16 links between two layers of switches, in random order.
func fabric(link func(pod, i, j int) string, r *rand.Rand) (list []string) {
	for n := range 16 {
		list = append(list, link(n/4, n/2%2, n%2))
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// The quantities. The first five have a case for each number of changed switches (changedOf). The others cover all
// packets.
const (
	noticedShare = "share of the changes noticed"
	untilNoticed = "packets until a change is noticed"
	noticed99    = "packets until a change is noticed, p99"
	noticedTime  = "time until a change is noticed"
	untilKnown   = "packets until the new path is known"
	wrongShare   = "share of wrong paths"
	misled       = "share of flows with a wrong path"
	falseAlarms  = "false alarms for each change"
	onPackets    = "bytes on a packet, at most"

	allPackets = "all packets"
)

// changedOf names the case in which a path changes n of its 5 switches.
func changedOf(n int) string { return fmt.Sprintf("%d of 5 switches", n) }

func measureRoutes(ctx context.Context, j *figure.Job, z reroutes) ([]study.Row, error) {
	if err := j.Fixed("seed", "faults", "topology.", "monitors.", "run."); err != nil {
		return nil, err
	}
	p := study.Study{Seeds: j.SeedList(z.seeds)}
	for _, f := range followeds {
		p.Cells = append(p.Cells, study.Cell{
			Label: f.name, Rows: f.rows(),
			Work: func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
				sc, err := j.Scenario(f.scenario(z.links, seed))
				if err != nil {
					return nil, err
				}
				return f.measure(ctx, sc, study.Report(show))
			},
		})
	}
	for _, t := range pathSystems {
		if t.monitor != "" {
			j.Setting(t.name, "", "%s", t.monitor)
		}
	}
	j.Setting("PINT", "PINT §4.2", "τ = 0.5, p = 0.1, one instance or two of 8 bits")
	j.Footnote("fat tree of 16 hosts, %v; changes between paths of 5 switches whose old path the system knew; bars: "+
		"95 %% intervals over the seeds", z)
	return p.Measure(ctx, j, study.All("", ""))
}

// rows returns the rows of the flows without numbers.
func (f *followed) rows() (list []study.Row) {
	add := func(of string, quantities ...string) {
		for _, t := range pathSystems {
			for _, q := range quantities {
				r := study.None()
				r.Table, r.Case, r.Scheme, r.Quantity = f.name, of, t.name, q
				switch q {
				case noticedTime:
					r.Unit = plots.InSeconds
				case onPackets:
					r.Unit = plots.InBytes
				}
				list = append(list, r)
			}
		}
	}
	for _, n := range f.changed() {
		add(changedOf(n), noticedShare, untilNoticed, noticed99, noticedTime, untilKnown)
	}
	add(allPackets, wrongShare, misled, falseAlarms, onPackets)
	return list
}

// changed returns the possible numbers of changed switches: 1 if only the core switch changes, and 3 if both
// aggregation switches also change.
func (f *followed) changed() []int {
	if f.lossy {
		return []int{1}
	}
	return []int{1, 3}
}

// measure runs the scenario for each number of PINT's instances, and returns the numbers in the order of f.rows.
func (f *followed) measure(ctx context.Context, sc scenario.Scenario, show study.Progress) (list []float64, err error) {
	of := map[string]*pint.RouteAnswer{}
	index := map[string]int{} // position of a system in an answer
	for _, t := range pathSystems {
		if t.monitor != "" {
			index[t.name] = len(index) + 1
			continue
		}
		q := pint.RouteQuestion{Bits: 8, Instances: t.instances, Tau: 0.5, P: 0.1, Checksum: 8}
		if of[t.name], err = q.Ask(ctx, sc, show); err != nil {
			return nil, err
		}
	}
	answer := func(name string) (*pint.RouteAnswer, *pint.PathSystem) {
		a := of[name]
		if a == nil {
			a = of[pathSystems[1].name]
		}
		return a, &a.Systems[index[name]]
	}
	for _, n := range f.changed() {
		for _, t := range pathSystems {
			a, x := answer(t.name)
			r := figure.Find(a.Reroutings, func(r *pint.Rerouting) bool {
				return r.Hops == 5 && r.Changed == n && r.System == x.System
			})
			if r == nil {
				r = &pint.Rerouting{}
			}
			list = append(list, share(r.Noticed, r.Known), some(r.Mean), some(float64(r.P99)), 1e-6*r.Time,
				some(r.After))
			if r.Noticed == 0 {
				list[len(list)-2] = math.NaN()
			}
		}
	}
	for _, t := range pathSystems {
		a, x := answer(t.name)
		changes := 0
		for _, r := range a.Reroutings {
			if r.System == x.System {
				changes += r.Changes
			}
		}
		list = append(list, share(x.Wrong, x.Paths), share(x.Flows, a.Flows), share(x.Alarms, changes), x.Bytes)
	}
	return list, nil
}

// some converts 0 to NaN, because a mean is 0 if there are no numbers.
func some(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

func routesTables(rows []study.Row) []figure.Table {
	traffic := figure.Text("flows", func(l figure.Line) string { return l[0].Table })
	lines := func(pick func(r *study.Row) bool) []figure.Line {
		return figure.By(figure.Pick(rows, pick), func(r *study.Row) string {
			return r.Table + "\n" + r.Case + "\n" + r.Scheme
		})
	}
	return []figure.Table{
		figure.Lines("changes", lines(func(r *study.Row) bool { return r.Case != allPackets }), traffic,
			figure.Case("change"), figure.Scheme("system"), figure.Value("noticed", "%", noticedShare),
			figure.Value("after", "", untilNoticed), figure.Value("p99", "", noticed99),
			figure.Value("time", "us", noticedTime), figure.Value("new path known", "", untilKnown)),
		figure.Lines("paths", lines(func(r *study.Row) bool { return r.Case == allPackets }), traffic,
			figure.Scheme("system"), figure.Value("on a packet (B)", "", onPackets),
			figure.Value("wrong paths", "%", wrongShare),
			figure.Value("flows with one", "%", misled), figure.Value("false alarms", "", falseAlarms)),
	}
}

func drawRoutes(rows []study.Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Changes of path", Columns: 2}
	for _, x := range [][2]string{{untilNoticed, "Packets until noticed"}, {untilKnown, "Packets until known"}} {
		for _, t := range followeds[:2] {
			of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == t.name && r.Case != allPackets })
			p := figure.Bars(of, x[0], figure.Linear(x[1], ""))
			p.Title = "Packets in flight: " + strings.TrimSuffix(t.name, " in flight")
			f.Panels = append(f.Panels, p)
		}
	}
	byTraffic := figure.Pick(rows, func(r *study.Row) bool { return r.Case == allPackets })
	for i := range byTraffic {
		byTraffic[i].Case = byTraffic[i].Table
	}
	return []figure.Drawing{
		{Name: "routes", Caption: "routes", Plot: f},
		{Name: "wrong", Caption: "wrong", Plot: plots.Figure{Title: "Paths that the flows have never taken",
			Width: plots.PageWidth, Columns: 1,
			Panels: []plots.Panel{figure.Bars(byTraffic, wrongShare, figure.Linear("Share of the paths", ""))}}},
	}, nil
}
