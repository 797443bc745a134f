package pint

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// According to §2, at 70 % load goodput is proportional to 100 % − 70 %·1.032 with 48 B, and to 100 % − 70 %·1.072
// with 108 B. The model divides both by 30 %, the value without telemetry.
func TestModelOfSection2(t *testing.T) {
	want := map[[2]int]float64{{70, 0}: 1, {70, 48}: 0.2776 / 0.3, {70, 108}: 0.2496 / 0.3, {30, 108}: 0.6784 / 0.7}
	for _, r := range model() {
		w, ok := want[[2]int{r.Load, r.Overhead}]
		if ok && math.Abs(r.Value-w) > 1e-12 {
			t.Errorf("%d B at %d %%: %v, want %v", r.Overhead, r.Load, r.Value, w)
		}
		delete(want, [2]int{r.Load, r.Overhead})
	}
	if len(want) > 0 {
		t.Errorf("the model has no rows for %v", want)
	}
}

// According to §2, "overheads correspond to a 5-hop topology, with one to five different INT values collected at each
// hop". So an overhead is 8 B plus 4 B for each value and hop.
func TestOverheadsOfSection2(t *testing.T) {
	for values := range 5 {
		if got, want := Bytes[values+1], 8+4*5*(values+1); got != want {
			t.Errorf("%d values: %d B, want %d B", values+1, got, want)
		}
	}
	for _, b := range Bytes {
		sc, err := point{bytes: b, load: 70, arrival: overheadMs, variant: standard}.entry().Spec(1).Scenario()
		if err != nil {
			t.Fatal(err)
		}
		if got := int(sc.Telemetry.Overhead()); got != b {
			t.Errorf("a run with %d B has %d B", b, got)
		}
		// The IP packet stays at 1500 B. It consists of 20 B of IP, 20 B of TCP, telemetry and payload.
		if got := int(sc.Transport.FullPayload(sc.Telemetry.Overhead())); got != 1500-40-b {
			t.Errorf("with %d B there are %d B of payload, want %d B", b, got, 1500-40-b)
		}
	}
}

// own returns a row of the figure with an interval of ±half.
func own(load, overhead int, value, half float64) overheadRow {
	return overheadRow{Table: Overhead, Source: ours, Load: load, Overhead: overhead,
		Number: stats.Number{Value: value, Lo: value - half, Hi: value + half, Seeds: 3}}
}

// TestOverheadCheck tests the verdicts for rows that agree with the paper, for rows that show the opposite, for
// noise, and for goodput that follows a model.
func TestOverheadCheck(t *testing.T) {
	outcomes := func(f figure.Figure, rows ...overheadRow) string {
		return figuretest.Outcomes(figuretest.View(t, &f, rows, overheadColumns...).Findings())
	}
	for _, c := range []struct {
		name string
		got  string
		want string
	}{
		{"as printed", outcomes(Fig1, own(30, 48, 1.02, 0.01), own(30, 108, 1.05, 0.01), own(70, 48, 1.10, 0.02),
			own(70, 108, 1.25, 0.02)), "holds holds holds holds"},
		{"noise", outcomes(Fig1, own(30, 48, 1.02, 0.5), own(30, 108, 1.05, 0.5), own(70, 48, 1.10, 0.5),
			own(70, 108, 1.25, 0.5)), "undecided undecided undecided undecided"},
		{"the opposite", outcomes(Fig1, own(30, 48, 0.98, 0.01), own(30, 108, 0.95, 0.01), own(70, 48, 0.90, 0.02),
			own(70, 108, 0.80, 0.02)), "fails fails fails fails"},
		{"goodput as printed",
			outcomes(Fig2, append(model(), own(30, 48, 0.98, 0.01), own(30, 108, 0.96, 0.005),
				own(70, 48, 0.90, 0.02), own(70, 108, 0.80, 0.02))...),
			"holds holds fails undecided holds undecided holds holds"},
		{"goodput as modelled",
			outcomes(Fig2, append(model(), own(30, 48, 0.986, 0.01), own(30, 108, 0.97, 0.01),
				own(70, 48, 0.92, 0.01), own(70, 108, 0.83, 0.01))...),
			"undecided holds fails fails holds holds holds holds"},
		{"goodput as modelled, with own bytes",
			outcomes(Fig2, append(model(), own(30, 0, 1, 0), own(30, 48, 0.95, 0.01), own(30, 108, 0.90, 0.01),
				own(70, 48, 0.90, 0.01), own(70, 108, 0.77, 0.01))...),
			"holds holds holds holds deviates deviates holds holds"},
		{"goodput in proportion to the bytes",
			outcomes(Fig2, append(model(), own(30, 48, 0.97, 0.001), own(30, 108, 0.94, 0.001),
				own(70, 48, 0.97, 0.001), own(70, 108, 0.94, 0.001))...),
			"holds holds fails fails deviates deviates undecided fails"},
		{"goodput without a model", outcomes(Fig2, own(30, 48, 0.98, 0.01), own(30, 108, 0.96, 0.005),
			own(70, 48, 0.90, 0.02), own(70, 108, 0.80, 0.02)),
			"holds holds undecided undecided undecided undecided holds holds"},
		{"one load", outcomes(Fig1, own(70, 48, 1.10, 0.02), own(70, 108, 1.25, 0.02)),
			"undecided holds undecided holds"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	list := figuretest.View(t, &Fig1, []overheadRow{own(70, 48, 1.09, 0.01), own(70, 108, 1.15, 0.02)},
		overheadColumns...).Compared()
	want := []report.Mark{report.Holds, report.Deviates}
	if len(list) != len(want) {
		t.Fatalf("%d comparisons, want %d", len(list), len(want))
	}
	for i, c := range list {
		if c.Outcome != want[i] {
			t.Errorf("%s: %q, want %q", c.Quantity, c.Outcome, want[i])
		}
	}
	if c := list[0]; math.Abs(c.Published-10) > 1e-9 || math.Abs(c.Ours-9) > 1e-9 || math.Abs(c.Lo-8) > 1e-9 {
		t.Errorf("%+v, want 10 %% compared with 9 %% (8 to 10)", c)
	}
}

// §2: "The theoretical goodput degradation should be around 10.1 % when increasing the header overhead from 48B to
// 108B". The test divides 0.8 ± 0.01 by 0.9 ± 0.01. The interval of the ratio combines the most distant ends of the
// two intervals.
func TestCompareOverheads(t *testing.T) {
	over := func(rows ...overheadRow) report.Compared {
		return figuretest.View(t, &Fig2, rows, overheadColumns...).Compared()[2]
	}
	if c := over(own(70, 48, 0.90, 0.01), own(70, 108, 0.80, 0.01)); c.Outcome != report.Undecided ||
		math.Abs(c.Ours+11.11) > 0.01 ||
		math.Abs(c.Lo+13.19) > 0.01 || math.Abs(c.Hi+8.99) > 0.01 {
		t.Errorf("%+v, want −11.11 %% (−13.19 to −8.99), compared with −10.1 %%", c)
	}
	if c := over(); c.Outcome != report.Unmeasured {
		t.Errorf("without rows: %+v", c)
	}
}

// Runs that differ only in overhead or variant have the same flows.
func TestPairsHaveTheSameFlows(t *testing.T) {
	type workload struct {
		load int
		at   string
		seed uint64
	}
	of := map[workload]string{}
	for _, p := range points(overheadScales[figure.Smoke]) {
		for seed := range uint64(2) {
			sc, err := p.entry().Spec(seed).Scenario()
			if err != nil {
				t.Fatal(err)
			}
			key := workload{p.load, p.arrival.String(), seed}
			text := string(sc.YAML())
			text = text[strings.Index(text, "workload:"):strings.Index(text, "network:")]
			if first, ok := of[key]; ok && first != text {
				t.Errorf("%+v: workloads differ:\n%s\n%s", key, first, text)
			}
			of[key] = text
			if sc.Seed != seed {
				t.Errorf("%+v has the seed %d", p, sc.Seed)
			}
		}
	}
}
