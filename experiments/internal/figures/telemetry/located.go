package telemetry

import (
	"cmp"
	"context"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// located describes how well a system locates silent faults. Precision and recall count victims. Victims are flows
// that suffer from a fault, or whose packets have left their path.
type located struct {
	// share of correct names among the victims that name a culprit; NaN if no victim names a culprit
	Precision float64 `col:"fault precision"`
	Recall    float64 `col:"fault recall"` // share of the victims that name the correct culprit
	F1        float64 `col:"fault F1"`
	Found     float64 `col:"faults located"` // share of the faults that at least one victim names correctly
	// time from a fault to the first correct name, as a median over the located faults; NaN for all kinds together,
	// because systems locate different kinds
	After float64 `col:"fault after" unit:"s"`
}

// faultFlows is the workload of the runs with faults.
const faultFlows = "flows of 200 KB"

// everyKind is the kind of fault in rows with means over all kinds.
const everyKind = "all"

// faultSketches configures SketchINT for 16 hosts at 10 Gb/s. Periods are as long as LightGuardian's intervals in the
// contest. Flows with at least 50 packets in a period are heavy.
var faultSketches = sketchSite{period: 4 * unit.Millisecond, rate: 10 * unit.Gbps, agents: 16, heavy: 50}

// located makes the rows about faults. All systems observe the same runs and cost nothing, so that they observe the
// same packets of the same flows, on the same paths and with the same faults.
func (c *comparison) located(ctx context.Context, j *figure.Job, z setup) ([]systemRow, error) {
	var asked []string // names
	var views []guard.System
	var monitors []string
	for _, x := range c.systems {
		for _, f := range x.faults {
			at := guard.First(f.view)
			if f.monitor != "" {
				m := setting{}.fill(f.monitor, x.knob)
				if at.Monitor = slices.Index(monitors, m); at.Monitor < 0 {
					at.Monitor = len(monitors)
					monitors = append(monitors, m)
				}
			}
			asked, views = append(asked, cmp.Or(f.name, x.name)), append(views, at)
		}
	}
	if len(monitors) == 0 { // the scenario needs a monitor; fridges do not change packets
		monitors = []string{"{kind: rtt}"}
	}
	seeds := j.SeedList(z.faults.seeds)
	runs, err := z.faults.ask(ctx, j, seeds, guard.Question{Unnoticed: true}, views, monitors...)
	if err != nil {
		return nil, err
	}
	var rows []systemRow
	for i, name := range asked {
		var all faultTally
		for k, kind := range kinds {
			var of faultTally
			for _, run := range runs[k] {
				of.add(run[i])
			}
			rows = append(rows, of.row(name, kind, len(seeds)))
			all.join(&of)
		}
		rows = append(rows, all.row(name, everyKind, len(seeds)))
	}
	return rows, nil
}

// faultTally collects the results of a system over several runs.
type faultTally struct {
	tally
	of []located // for each run, or for each kind
}

// add adds the answer of one run.
func (t *faultTally) add(a *guard.Answer) {
	l := columns.Blank[located]()
	if a.Named > 0 {
		l.Precision = a.Precision
	}
	if a.Afflicted > 0 {
		l.Recall, l.F1 = a.Recall, a.F1
	}
	t.of = append(t.of, l)
	t.tally.add(a)
}

// join adds the mean over the runs of a kind of fault. It omits the time until faults are located. Otherwise, a
// system that only locates faults with immediate symptoms would have the shortest mean time.
func (t *faultTally) join(of *faultTally) {
	l := of.mean()
	l.After = math.NaN()
	t.of = append(t.of, l)
	t.faults += of.faults
	t.found += of.found
	t.victims += of.victims
}

// mean returns the mean over the runs or kinds, and the median of the times.
func (t *faultTally) mean() located {
	l := mean(t.of)
	l.Found, l.After = share(t.found, t.faults), quantile(t.after, 0.5)
	return l
}

// row returns the row of a system. Flows of this row is the number of victims.
func (t *faultTally) row(name, kind string, seeds int) systemRow {
	r := columns.Blank[systemRow]()
	r.Table, r.Fault, r.Control, r.Workload, r.Load, r.System = byFault, kind, hpcc.name, faultFlows, 40, name
	r.located, r.Flows, r.Seeds = t.mean(), t.victims, seeds
	return r
}
