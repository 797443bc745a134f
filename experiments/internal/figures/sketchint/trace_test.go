package sketchint

import (
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
)

func TestTraceSmoke(t *testing.T) {
	rows := figuretest.Golden[TraceRow](t, "trace")
	figuretest.NoneFails(t, figuretest.View(t, &Trace, rows).Findings())
	for _, of := range byTrace(rows) {
		if len(of) != len(rows)/8 {
			t.Errorf("%d numbers of a trace: %+v", len(of), of[0])
		}
	}
}

// The default trace is the first, the plainest trace is the second, and no trace occurs twice.
func TestTraces(t *testing.T) {
	for scale, want := range map[figure.Scale]int{figure.Smoke: 8, figure.Laptop: 8, figure.Paper: 28} {
		list := traceScales[scale].traces()
		seen := map[[3]float64]bool{}
		for _, s := range list {
			seen[[3]float64{s.Singles, s.Skew, s.Lifetime}] = true
		}
		if plain := list[1]; len(list) != want || len(seen) != want || list[0] != traceScales[scale].trace() ||
			plain.Singles != 0 || plain.Skew != 1 || plain.Lifetime != 0 {
			t.Errorf("%s: %d traces, %d differ, want %d: %+v", scale, len(list), len(seen), want, list[:2])
		}
	}
}

// There are two printed numbers; ours must be from 4 to 6. The default trace meets one of them, the plainest trace
// meets none, and a third trace meets both.
func TestFit(t *testing.T) {
	row := func(singles float64, values ...float64) (list []TraceRow) {
		for _, v := range values {
			list = append(list, TraceRow{Singles: singles, Task: "are", Printed: 5, From: 4, To: 6, Ours: v})
		}
		return list
	}
	rows := append(append(row(0.5, 4, 7), row(0, 3.9, 6.1)...), row(0.6, 5, 6)...)
	got := fit(rows)
	if figuretest.Outcomes(got) != "holds found" || !strings.HasPrefix(got[0].Detail, "1 of 2 and 0") ||
		!strings.HasPrefix(got[1].Detail, "singles 0.6, ") {
		t.Errorf("%v", got)
	}
	if got = fit(append(row(0.5, 3), row(0, 5)...)); got[0].Outcome != figure.Fails {
		t.Errorf("%v", got[0])
	}
}
