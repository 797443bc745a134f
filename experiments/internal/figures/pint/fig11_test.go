package pint

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/plots/report"
)

func TestFig11Smoke(t *testing.T) {
	rows := figuretest.Golden[queryRow](t, "fig11", fig11Columns...)
	view := figuretest.View(t, &Fig11, rows, fig11Columns...)
	figuretest.NoneFails(t, view.Findings())
	// The decoder that knows the network never knows fewer paths, because it reads the same digests and has more
	// information.
	for _, w := range []string{pint.Hadoop.Name, pint.Web.Name} {
		a := *figure.Find(rows,
			func(r *queryRow) bool { return r.Table == known && r.Workload == w && r.Scheme == armCombined })
		for _, r := range rows {
			if r.Table == known && r.Workload == w && r.Scheme == armTopology && r.From == a.From && r.To == a.To &&
				r.Value < a.Value {
				t.Errorf("%s: %v of the flows known to the decoder that knows the network, %v to the other", w, r.Value,
					a.Value)
			}
		}
	}
	if list := view.Compared(); len(list) != 11 {
		t.Errorf("%d numbers compared with the paper's, want 11", len(list))
	}
}

func TestFig11CheckFails(t *testing.T) {
	var rows []queryRow
	add := func(table, scheme string, value float64, quantile float64) {
		r := rowOfQuery(table, pint.Hadoop.Name, scheme, "x",
			stats.Number{Value: value, Lo: value - 0.01, Hi: value + 0.01})
		r.Quantile = quantile
		rows = append(rows, r)
	}
	for _, share := range []float64{25, 50, 95, 100} {
		add(changes, combined.Name, 1.5, math.NaN())
		rows[len(rows)-1].Share = share
	}
	for _, e := range append(slices.Clone(errorsOf), latencyError{measure: ofSwitches}) {
		for _, scheme := range []string{difference, armLatency} {
			add(latencies, scheme, 0.4, 0.5)
			rows[len(rows)-1].Measure = e.measure
		}
	}
	for _, decoder := range []string{"published code", "our decoder"} {
		add(halves, decoder, 1.1, math.NaN())
	}
	add(paths, armCombined, 20, math.NaN())
	add(paths, armPath, 10, math.NaN())
	add(paths, armTopology, 30, math.NaN())
	view := figuretest.View(t, &Fig11, rows, fig11Columns...)
	for i, f := range view.Findings() {
		if f.Outcome != figure.Fails {
			t.Errorf("%d: %v, want it to fail", i, f)
		}
	}
	for _, c := range view.Compared() {
		if c.Outcome != report.Deviates {
			t.Errorf("%+v, want it to deviate", c)
		}
	}
}

// The errors of buckets from the same seeds may be correlated. Therefore the interval of the average is as wide as
// the intervals of the buckets.
func TestSlowerTakesErrorsAsCorrelated(t *testing.T) {
	rows := slices.Repeat([]queryRow{{Table: changes}}, 2)
	rows[0].Sized = stats.Sized{Share: 50, Number: stats.Number{Value: 1.0, Lo: 0.9, Hi: 1.1}}
	rows[1].Sized = stats.Sized{Share: 100, Number: stats.Number{Value: 1.2, Lo: 1.1, Hi: 1.3}}
	if m := slower(rows, 0, 100); math.Abs(m.Value-10) > 1e-9 || math.Abs(m.Lo) > 1e-9 || math.Abs(m.Hi-20) > 1e-9 {
		t.Errorf("%+v, want 10 %% (0 to 20 %%)", m)
	}
	if m := slower(nil, 0, 100); !m.Missing() {
		t.Errorf("no buckets give %+v", m)
	}
}

// The main reading follows the words of the paper: the errors of medians cover all latencies, and are compared in
// percentage points. The floor of 100 ns belongs to another reading.
func TestFloorIsAReading(t *testing.T) {
	rows := figuretest.Golden[queryRow](t, "fig11", fig11Columns...)
	plain := medianError(rows, difference, errorsOf[0].measure)
	n := 0
	for _, c := range figuretest.View(t, &Fig11, rows, fig11Columns...).Compared() {
		if c.Published != 0.7 {
			continue
		}
		n++
		if own := c.Reading == ""; own != (c.Ours == 100*plain.Value) {
			t.Errorf("%s: %v, in the paper's own words: %v", c.What(), c.Ours, own)
		}
	}
	if n != 6 {
		t.Errorf("%d rows of the latencies, want 6", n)
	}
}

// With another seed, the program reproduces the stored measurements that explain the deviation. The tolerance is at
// least four standard errors.
func TestFig11Known(t *testing.T) {
	g, err := schema.Default[topo.PINTFatTree]().Build()
	if err != nil {
		t.Fatal(err)
	}
	job := &study.Job{Campaign: campaign.Options{Workers: 2, Quiet: true, Messages: io.Discard}}
	for _, s := range figure.StoredOf("pint/fig11", "bits of the path", files) {
		q := pint.PathQuestion{Methods: []string{"pint"}, Hops: []int{5}, Tau: 0.5, D: 5,
			Trials: pint.Trials{Seed: 7, Runs: 500}}
		if _, err := fmt.Sscanf(s.Quantity, "%d×(b=%d)", &q.Instances, &q.Bits); err != nil {
			t.Fatalf("%s: %v", s.Quantity, err)
		}
		if strings.HasSuffix(s.Quantity, ", true path's switches only") {
			q.Methods = []string{"true-path"}
		}
		a, err := pint.Ask(t.Context(), job, "fat320", g, q)
		if err != nil {
			t.Fatal(err)
		}
		if r := a.Rows[0]; math.Abs(r.Mean-s.Value) > 2*(float64(r.Half)+s.Half) {
			t.Errorf("%s: %.2f ± %.2f packets, known.csv has %.2f ± %.2f", s.Quantity, r.Mean, r.Half, s.Value, s.Half)
		}
	}
}
