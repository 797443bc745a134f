// Package cc contains the figures that compare congestion controls, loss recovery and load balancing.
package cc

import (
	"context"
	"embed"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

//go:embed */figure.md */claims.csv fridge/known.csv
var files embed.FS

// Balancing compares ways to spread traffic over equal paths of a fat tree (LetFlow, NSDI 2017). It measures them
// with all links, and with a failed link between an aggregation switch and a core switch. With the failed link, some
// paths seem equal to a switch, but are not.
//
// TCP is DCTCP with SACK, and with RACK-TLP if packets are sprayed. RDMA is IRN. If packets are sprayed, a gap counts
// as a loss only after 64 later packets.
var Balancing = figure.Spec[balancingScale]{
	Name:    "cc/balancing",
	Files:   files,
	Columns: figure.ByCase,
	Scales:  balancingScales,
	Measure: balancingMeasure,
	Tables:  balancingTables,
	Draw:    balancingDraw,
}.Figure()

// The schemes. Each is compared with ECMP under the same transport.
var (
	tcpECMP   = dctcp("ECMP", "kind: ecmp", "sack")
	tcpWCMP   = dctcp("weighted ECMP", "kind: wcmp", "sack")
	letflow   = dctcp("LetFlow", "kind: letflow", "sack")
	spray     = dctcp("random spraying, RACK-TLP", "kind: spray", "rack")
	rounds    = dctcp("round robin, RACK-TLP", "kind: spray, choice: round-robin", "rack")
	misplaced = dctcp("random spraying, NewReno", "kind: spray", "newreno")

	rdmaECMP    = irn("ECMP", "kind: ecmp", 3)
	rdmaWCMP    = irn("weighted ECMP", "kind: wcmp", 3)
	rdmaLetflow = irn("LetFlow", "kind: letflow", 3)
	rdmaSpray   = irn("random spraying", "kind: spray", 64)
	rdmaRounds  = irn("round robin", "kind: spray, choice: round-robin", 64)
	rdmaHasty   = irn("random spraying, 3 packets are a loss", "kind: spray", 3)
)

// transport is a transport with its schemes. Schemes are compared only within a transport.
type transport struct {
	name    string
	schemes []study.Scheme
}

var transports = []transport{
	{"DCTCP", []study.Scheme{tcpECMP, tcpWCMP, letflow, spray, rounds, misplaced}},
	{"IRN", []study.Scheme{rdmaECMP, rdmaWCMP, rdmaLetflow, rdmaSpray, rdmaRounds, rdmaHasty}},
}

func dctcp(name, balancing, recovery string) study.Scheme {
	return study.Scheme{Name: name, Set: []string{
		"cc.kind=dctcp", "transport.kind=" + recovery, "network.balancing={" + balancing + "}",
		"network.ecn={enabled: true, kmin: 100KB, kmax: 100KB, pmax: 1, at_rate: 10Gbps}",
	}}
}

func irn(name, balancing string, duplicates int) study.Scheme {
	return study.Scheme{Name: name, Set: slices.Concat(figure.IRN, []string{
		"cc.kind=fixed", "cc.rate=100Gbps", "transport.kind=irn", fmt.Sprintf("transport.dup_acks=%d", duplicates),
		"network.balancing={" + balancing + "}",
	})}
}

type network struct {
	name string
	set  []string
}

// The networks. Node 24 is the first aggregation switch, 32 the first core switch.
var (
	whole  = network{name: "all links"}
	broken = network{name: "a failed link", set: []string{"faults=[{kind: link-down, a: 24, b: 32, at: 0s}]"}}
)

// caseOf names a case.
func caseOf(t transport, n network) string { return t.name + ", " + n.name }

const load = 0.6

// The quantities.
const (
	mean  = "mean slowdown"
	p50   = "p50 slowdown"
	p95   = "p95 slowdown"
	p99   = "p99 slowdown"
	again = "share of packets sent again"
)

var balancingQuantities = []study.Measure{
	study.MeanSlowdown(mean),
	study.Slowdown(p50, 0.50, 0, math.MaxInt64),
	study.Slowdown(p95, 0.95, 0, math.MaxInt64),
	study.Slowdown(p99, 0.99, 0, math.MaxInt64),
	study.SentAgain(again),
}

// balancingScale holds the settings of a scale.
type balancingScale struct {
	Seeds   int
	Arrival unit.Time
}

func (z balancingScale) String() string {
	return fmt.Sprintf("%s, %s of two transports, arrivals for %v", figure.Count(z.Seeds, "seed"),
		figure.Count(len(transports[0].schemes), "scheme"), z.Arrival)
}

var balancingScales = map[figure.Scale]balancingScale{
	figure.Smoke:  {Seeds: 1, Arrival: 2 * unit.Millisecond},
	figure.Laptop: {Seeds: 5, Arrival: 30 * unit.Millisecond},
	figure.Paper:  {Seeds: 10, Arrival: 1000 * unit.Millisecond},
}

func balancingMeasure(ctx context.Context, j *figure.Job, z balancingScale) ([]study.Row, error) {
	var entries []study.Cell
	for _, t := range transports {
		for _, n := range []network{whole, broken} {
			for i, s := range t.schemes {
				set := append([]string{
					"name=balancing", "topology={kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}",
					fmt.Sprintf("workload=[{kind: poisson, sizes: websearch, load: %v, duration: %v}]", load,
						z.Arrival),
					"telemetry.kind=none", "network.pfc.enabled=false", "network.port_limit=400KB",
				}, s.Set...)
				e := study.Cell{Case: caseOf(t, n), Scheme: s.Name, X: math.NaN(), Base: "fat320-web",
					Set: append(set, n.set...)}
				if i > 0 {
					e.Against = []string{t.schemes[0].Name}
				}
				entries = append(entries, e)
			}
		}
	}
	p := study.Study{Cells: entries, Seeds: j.SeedList(z.Seeds), Measures: balancingQuantities}
	j.Setting("network", "", "fat tree of 16 hosts, 10 Gb/s and 1 µs per link, at most 400 KB in a port")
	j.Setting("traffic", "LetFlow §5", "web search, Poisson arrivals at %s of the host links", number.Share(load))
	j.Setting("failure", "",
		"the link from the first aggregation to the first core switch, from the start on; routes avoid it")
	j.Setting("LetFlow", "", "a flow may change its path after a pause of 100 µs")
	j.Footnote(
		"16-host fat tree at 10 Gb/s, web search, load %s, %s, arrivals for %v, then until all flows have "+
			"finished; bars: 95 %% intervals over the seeds",
		number.Share(load), figure.Count(len(p.Seeds), "seed"), z.Arrival)
	return p.Measure(ctx, j, study.All("", ""))
}

func balancingTables(rows []study.Row) []figure.Table {
	return []figure.Table{figure.Lines("slowdown", figure.BySchemes(rows),
		figure.Case("transport and network"), figure.Scheme("balancer"), figure.Value("mean slowdown", "", mean),
		figure.Value("p50", "", p50),
		figure.Value("p95", "", p95), figure.Value("p99", "", p99), figure.Value("sent again", "%", again),
		figure.Change("mean against ECMP", mean),
		figure.Flows("flows", mean))}
}

func balancingDraw(rows []study.Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for _, t := range transports {
		of := figure.Pick(rows,
			func(r *study.Row) bool { return r.Case == caseOf(t, whole) || r.Case == caseOf(t, broken) })
		f := plots.Figure{Title: t.name + ": slowdown by balancer", Width: plots.PageWidth, Columns: 2}
		for _, q := range []struct{ quantity, label string }{{mean, "Mean slowdown"}, {p99, "p99 slowdown"}} {
			f.Panels = append(f.Panels, figure.Bars(of, q.quantity, figure.Linear(q.label, "")))
		}
		list = append(list, figure.Drawing{Name: map[string]string{"DCTCP": "dctcp", "IRN": "irn"}[t.name],
			Caption: "balancers", Plot: f})
	}
	return list, nil
}
