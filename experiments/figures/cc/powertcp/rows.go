package powertcp

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv.
type Row struct {
	// "slowdown": the 95th percentile of a bucket of flows; "change": its ratio to that of
	// Against; "goodput": of flows above 10 MB, b/s, and "gain" its ratio.
	Table   string  `col:"table"`
	Scheme  string  `col:"scheme"`
	Against string  `col:"against"`
	Arrival float64 `col:"arrivals" unit:"ms"` // length of the arrival window
	stats.Measured
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	goodputs  = "goodput"
	gains     = "gain"
)

// power is a scheme with PowerTCP.
func power(name string, set ...string) congestion.Scheme {
	return congestion.Scheme{Name: name, Set: append([]string{"cc.kind=powertcp"}, set...)}
}

// The schemes.
var (
	hpccINT  = congestion.Scheme{Name: "HPCC, INT"}
	hpccPINT = congestion.Scheme{Name: "HPCC, PINT", Ending: "-pint"}
	withINT  = power("PowerTCP, INT")
	float    = power("PowerTCP, PINT", "telemetry.kind=pint", "telemetry.plan=powertcp")
	fixed    = power("PowerTCP, PINT in integers", "telemetry.kind=pint", "telemetry.plan=powertcp", "telemetry.arithmetic=fixed")
	theta    = power("θ-PowerTCP", "cc.power=theta", "telemetry.kind=none")

	schemes = []congestion.Scheme{hpccINT, hpccPINT, withINT, float, fixed, theta}
)

// pairs are what is compared flow size by flow size.
var pairs = [][2]congestion.Scheme{{hpccPINT, hpccINT}, {float, withINT}, {fixed, float}, {theta, withINT}, {withINT, hpccINT}, {float, hpccPINT}}

// load of the figure, %.
const load = 50

// Scale is what is run at a scale; the last arrival window is the figure.
type Scale struct {
	Seeds, Buckets int
	Windows        []unit.Time
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, arrivals for up to %v (web search)", figure.Count(z.Seeds, "seed"), z.Windows[len(z.Windows)-1])
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {Seeds: 1, Buckets: 5, Windows: []unit.Time{30 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 10, Windows: []unit.Time{ms / 2, ms}},
	figure.Paper:  {Seeds: 3, Buckets: 20, Windows: []unit.Time{100 * ms, 200 * ms}},
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	seeds := j.SeedList(z.Seeds)
	of := func(s congestion.Scheme, arrival unit.Time) congestion.Case {
		return congestion.Case{Workload: congestion.Web, Scheme: s, Load: load, Arrival: arrival}
	}
	var cases []congestion.Case
	for _, seed := range seeds {
		for _, arrival := range z.Windows {
			for _, s := range schemes {
				c := of(s, arrival)
				c.Seed = seed
				cases = append(cases, c)
			}
		}
	}
	runs, err := congestion.Simulate(ctx, j, cases)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Setting("PowerTCP", "NSDI 2022 §3.3", "γ = 0.9, β for 10 flows of a server, τ = the largest base RTT of the network")
	j.Setting("PINT of PowerTCP", "", "8 bits, codes 3.3 %% apart from 1/16 to 246; while a queue drains, a wait for arrivals counts as T/8 at most")
	j.Footnote("320-server fat tree, web search, load %d %%, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals over the seeds",
		load, figure.Count(len(seeds), "seed"), z.Windows[len(z.Windows)-1])
	var rows []Row
	for _, arrival := range z.Windows {
		add := func(table string, s congestion.Scheme, against string, list ...stats.Measured) {
			for _, m := range list {
				rows = append(rows, Row{Table: table, Scheme: s.Name, Against: against, Arrival: 1e3 * arrival.Seconds(), Measured: m})
			}
		}
		curves, goodput := map[string][]stats.Measured{}, map[string]*stats.PerSeed{}
		for _, s := range schemes {
			if curves[s.Name], err = runs.Curve(of(s, arrival), seeds, z.Buckets); err != nil {
				return nil, err
			}
			add(slowdowns, s, "", curves[s.Name]...)
			if goodput[s.Name], err = runs.Long(of(s, arrival), seeds, 0); err != nil {
				return nil, err
			}
			if goodput[s.Name].Flows() == 0 {
				continue // the window is too short for a long flow
			}
			mean, err := goodput[s.Name].Mean()
			if err != nil {
				return nil, err
			}
			add(goodputs, s, "", mean)
		}
		for _, p := range pairs {
			over, err := stats.Over(curves[p[0].Name], curves[p[1].Name])
			if err != nil {
				return nil, fmt.Errorf("%s against %s: %w", p[0].Name, p[1].Name, err)
			}
			add(changes, p[0], p[1].Name, over...)
			if goodput[p[0].Name].Flows() == 0 {
				continue
			}
			gain, err := goodput[p[0].Name].Over(goodput[p[1].Name])
			if err != nil {
				return nil, fmt.Errorf("%s against %s: %w", p[0].Name, p[1].Name, err)
			}
			add(gains, p[0], p[1].Name, gain)
		}
	}
	return rows, nil
}

// full keeps the rows of the longest runs.
func full(rows []Row) []Row {
	return congestion.Full(rows, func(r *Row) (string, float64) { return congestion.Web.Name, r.Arrival })
}

// of are the rows of a table for a pair of schemes; against may be the zero Scheme.
func of(rows []Row, table string, s, against congestion.Scheme) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.Table == table && r.Scheme == s.Name && r.Against == against.Name })
}
