package sidebyside

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/telemetry/faults"
	"pintlab/experiments/measure/answers"
	"pintlab/experiments/measure/guard"
	"pintlab/experiments/study"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Located is which silent faults a system locates. Precision and recall count victims: flows that suffer from a fault,
// or whose packets have left their path.
type Located struct {
	// share of the victims that name a culprit, which name the right one; NaN: none names any
	Precision float64 `col:"fault precision"`
	Recall    float64 `col:"fault recall"` // share of the victims that name the right one
	F1        float64 `col:"fault F1"`
	Found     float64 `col:"faults located"` // share of the faults that one victim or more names rightly
	// from a fault to the first right name, median over those located; of all kinds NaN, since systems locate different
	// ones
	After float64 `col:"fault after" unit:"s"`
}

// faultFlows is the workload of the runs with faults.
const faultFlows = "flows of 200 KB"

// everyKind is the row of the means over the kinds of faults.
const everyKind = "all"

// faultRuns describes the runs with faults: how long flows arrive, and how many seeds. Each run has one fault.
type faultRuns struct {
	faults.Span
	seeds int
}

// faultSketches are those of SketchINT for 16 hosts at 10 Gb/s: periods as long as LightGuardian's intervals there, and
// flows of 100 packets are heavy.
var faultSketches = sketchSite{period: 4 * unit.Millisecond, rate: 10 * unit.Gbps, agents: 16, heavy: 50}

// located makes the rows of the faults: all systems watch the same runs at no cost, so that they see the same packets
// of the same flows on the same paths with the same faults.
func (c *comparison) located(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
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
	if len(monitors) == 0 { // the scenario wants one; fridges change no packet
		monitors = []string{"{kind: rtt}"}
	}
	seeds := j.SeedList(z.faults.seeds)
	show := j.Progress(len(seeds) * len(faults.Kinds))
	defer show.Close()
	runs := make([][]*guard.Answer, len(seeds)*len(faults.Kinds))
	if err := lists.Each(ctx, j.Campaign.Workers, len(runs), func(ctx context.Context, i int) error {
		kind, seed := faults.Kinds[i/len(seeds)], seeds[i%len(seeds)]
		sc, err := faults.Scenario(kind, seed, z.faults.Span, monitors...)
		if err != nil {
			return err
		}
		q := faults.Question(sc, z.faults.Span)
		q.Unnoticed = true
		task := show.Begin(fmt.Sprintf("%s, seed %d", kind, seed))
		defer task.End()
		runs[i], err = guard.Compare(ctx, q, views, study.Report(task))
		return err
	}); err != nil {
		return nil, err
	}
	var rows []Row
	for i, name := range asked {
		var all faultTally
		for k, kind := range faults.Kinds {
			var of faultTally
			for _, run := range runs[k*len(seeds):][:len(seeds)] {
				of.add(run[i])
			}
			rows = append(rows, of.row(name, kind, len(seeds)))
			all.join(&of)
		}
		rows = append(rows, all.row(name, everyKind, len(seeds)))
	}
	return rows, nil
}

// faultTally adds up the runs of a system.
type faultTally struct {
	of            []Located // of each run, or of each kind
	after         []float64 // of faults that are located, in runs
	faults, found int
	victims       int
}

// add counts the answer of one run.
func (t *faultTally) add(a *guard.Answer) {
	l := mean[Located](nil)
	if a.Named > 0 {
		l.Precision = a.Precision
	}
	if a.Afflicted > 0 {
		l.Recall, l.F1 = a.Recall, a.F1
	}
	t.of = append(t.of, l)
	t.victims += a.Afflicted
	for _, f := range a.Faults {
		if f.Victims == 0 {
			continue
		}
		t.faults++
		if f.Found > 0 {
			t.found++
			t.after = append(t.after, float64(f.After))
		}
	}
}

// join adds the mean over the runs of a kind of fault. It leaves out the times: a system that locates only the faults
// that show at once would have the shortest mean.
func (t *faultTally) join(of *faultTally) {
	l := of.located()
	l.After = math.NaN()
	t.of = append(t.of, l)
	t.faults += of.faults
	t.found += of.found
	t.victims += of.victims
}

func (t *faultTally) located() Located {
	l := mean(t.of)
	l.Found = math.NaN()
	if slices.Sort(t.after); len(t.after) > 0 {
		l.After = stat.Quantile(0.5, stat.Empirical, t.after, nil)
	}
	if t.faults > 0 {
		l.Found = float64(t.found) / float64(t.faults)
	}
	return l
}

// row returns the row of a system. Its Flows counts the victims.
func (t *faultTally) row(name, kind string, seeds int) Row {
	return Row{
		Table: byFault, Fault: kind, Control: hpcc.name, Workload: faultFlows, Load: 40, Budget: math.NaN(),
		System: name,
		Costs:  mean[answers.Costs](nil), Switch: mean[Switch](nil), Traffic: mean[Traffic](nil),
		Answers: mean[answers.Answers](nil),
		Located: t.located(), Flows: t.victims, Seeds: seeds,
	}
}
