package balancing

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv.
type Row = contest.Row

// scheme is a balancer with a transport.
type scheme struct {
	name string
	set  []string
}

// The schemes. ecmp of each transport is what the others are compared with.
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

// transport is the schemes of one transport.
type transport struct {
	name    string
	schemes []scheme
}

var transports = []transport{
	{"DCTCP", []scheme{tcpECMP, tcpWCMP, letflow, spray, rounds, misplaced}},
	{"IRN", []scheme{rdmaECMP, rdmaWCMP, rdmaLetflow, rdmaSpray, rdmaRounds, rdmaHasty}},
}

func dctcp(name, balancing, recovery string) scheme {
	return scheme{name, []string{
		"cc.kind=dctcp", "transport.kind=" + recovery, "network.balancing={" + balancing + "}",
		"network.ecn={enabled: true, kmin: 100KB, kmax: 100KB, pmax: 1, at_rate: 10Gbps}",
	}}
}

func irn(name, balancing string, duplicates int) scheme {
	return scheme{name, []string{
		"cc.kind=fixed", "transport.kind=irn", fmt.Sprintf("transport.dup_acks=%d", duplicates), "network.balancing={" + balancing + "}",
	}}
}

// network is a state of the network.
type network struct {
	name string
	set  []string
}

// The networks. Node 24 is the first aggregation switch, 32 the first core switch.
var (
	whole  = network{name: "all links"}
	broken = network{name: "a failed link", set: []string{"faults=[{kind: link-down, a: 24, b: 32, at: 0s}]"}}
)

// caseOf is the name of a case.
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

var quantities = []contest.Quantity{
	contest.MeanSlowdown(mean),
	contest.Slowdown(p50, 0.50, 0, math.MaxInt64),
	contest.Slowdown(p95, 0.95, 0, math.MaxInt64),
	contest.Slowdown(p99, 0.99, 0, math.MaxInt64),
	contest.Number(again, false, func(t *contest.Trial) (float64, int, error) {
		sent, resent := t.Packets()
		return resent / sent, t.Flows.Len(), nil
	}),
}

// Scale is what is run at a scale.
type Scale struct {
	Seeds   int
	Arrival unit.Time
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, %s of two transports, arrivals for %v", figure.Count(z.Seeds, "seed"), figure.Count(len(transports[0].schemes), "scheme"), z.Arrival)
}

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {Seeds: 1, Arrival: 2 * unit.Millisecond},
	figure.Laptop: {Seeds: 5, Arrival: 30 * unit.Millisecond},
	figure.Paper:  {Seeds: 10, Arrival: 1000 * unit.Millisecond},
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	var entries []contest.Entry
	for _, t := range transports {
		for _, n := range []network{whole, broken} {
			for i, s := range t.schemes {
				set := append([]string{
					"name=balancing", "topology={kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}",
					fmt.Sprintf("workload=[{kind: poisson, sizes: websearch, load: %v, duration: %v}]", load, z.Arrival),
					"telemetry.kind=none", "network.pfc.enabled=false", "network.port_limit=400KB",
				}, s.set...)
				e := contest.Entry{Case: caseOf(t, n), Scheme: s.name, X: math.NaN(), Base: "fat320-web", Set: append(set, n.set...)}
				if i > 0 {
					e.Against = []string{t.schemes[0].name}
				}
				entries = append(entries, e)
			}
		}
	}
	seeds := j.SeedList(z.Seeds)
	j.Setting("network", "", "fat tree of 16 hosts, 10 Gb/s and 1 us per link, at most 400 KB in a port")
	j.Setting("traffic", "LetFlow §5", "web search, Poisson arrivals at %.0f %% of the host links", 100*load)
	j.Setting("failure", "", "the link from the first aggregation to the first core switch, from the start on; routes avoid it")
	j.Setting("LetFlow", "", "a flow may change its path after a pause of 100 us")
	j.Footnote("16-host fat tree at 10 Gb/s, web search, load %.0f %%, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals over the seeds",
		100*load, figure.Count(len(seeds), "seed"), z.Arrival)
	return contest.Measure(ctx, j, entries, seeds, quantities)
}
