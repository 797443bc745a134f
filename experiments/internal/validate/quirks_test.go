package validate

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// A flow of 1000 B is sent between hosts of one switch, over links of 100 Gb/s and 1 us. Our ideal time is 2·83.84 +
// 2·4.8 + 4000 = 4177.28 ns. The published simulator's standalone time is 4160 (the base RTT with one payload per link)
// + 83 (1048 B, rounded down) = 4243 ns. So with only run.ideal_fct = ns3, the slowdown changes by 4177.28/4243 - 1 =
// -1.549 %, and the completion time does not change.
func TestIdealFCTQuirkByHand(t *testing.T) {
	const ours, ns3 = 4177.28, 4160 + 83
	one := func(ideal float64) map[int64]quirkFlow {
		return map[int64]quirkFlow{7: {size: 1000, fct: 4_257_280, slowdown: 4257.28 / ideal}}
	}
	c := changeOf(one(ours), one(ns3))
	if want := 100 * (ours/ns3 - 1); math.Abs(c.Mean-want) > 1e-9 || math.Abs(c.P95-want) > 1e-9 || c.Same != 100 ||
		c.Short != 0 || !math.IsNaN(c.Long) {
		t.Errorf("change %+v, want %v %%", c, want)
	}
}

// Each flow of one run is compared with the same flow of the other run. Short and long flows have separate results.
func TestChangeOf(t *testing.T) {
	before := map[int64]quirkFlow{
		1: {size: 1000, fct: 10, slowdown: 1}, 2: {size: 150 * unit.KB, fct: 10, slowdown: 2},
		3: {size: 1 * unit.MB, fct: 10, slowdown: 3}, 4: {size: 1*unit.MB + 1, fct: 10, slowdown: 4},
		5: {size: 1, fct: 1, slowdown: 9},
	}
	after := map[int64]quirkFlow{
		1: {size: 1000, fct: 20, slowdown: 2}, 2: {size: 150 * unit.KB, fct: 5, slowdown: 1},
		3: {size: 1 * unit.MB, fct: 10, slowdown: 3}, 4: {size: 1*unit.MB + 1, fct: 11, slowdown: 4.4},
	}
	got := changeOf(before, after)
	// The means are 2.5 and 2.6, the medians (rank 2 of 4) are 2 and 2, and the largest values are 4 and 4.4. The
	// times of the two short flows change by the factors 2 and 0.5, so their geometric mean is √(2·0.5) = 1.
	want := change{Same: 25, Mean: 4, P50: 0, P95: 10, Short: 0, Long: 10}
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	if !near(got.Same, want.Same) || !near(got.Mean, want.Mean) || !near(got.P50, want.P50) ||
		!near(got.P95, want.P95) || !near(got.Short, want.Short) || !near(got.Long, want.Long) {
		t.Errorf("change %+v, want %+v", got, want)
	}
	if c := changeOf(before, nil); !math.IsNaN(c.Mean) {
		t.Errorf("change of nothing: %+v", c)
	}
}

// On a star that carries only one flow at a time, memory, PFC, ECMP and loss recovery have no effect.
func TestQuirksOfASoloStar(t *testing.T) {
	cases, err := Find(filepath.Join(recordedCases, "solo-star"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := MeasureQuirks(t.Context(), cases, Options{Seeds: 2, Workers: 2, Quiet: true, Messages: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	idle := []string{"network.buffer=32MiB", "network.pfc.headroom=3-delays", "network.pfc.frame=43B",
		"network.ecmp.hash=murmur", "network.ecmp.order=descending",
		"transport.timer=false", "transport.duplicates=ignore"}
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		seen[r.Case+" "+r.Quirk] = true
		if r.Side == fromDefault && r.Seeds != 2 || r.Side == fromArtifact && r.Seeds != 1 {
			t.Errorf("%s %s %s: %d seeds", r.Case, r.Side, r.Quirk, r.Seeds)
		}
		if slices.Contains(idle, r.Quirk) && !r.idle() {
			t.Errorf("%s %s %s changes something: %+v", r.Case, r.Side, r.Quirk, r)
		}
		switch r.Quirk {
		case "network.serialisation=floor-ns":
			if r.Same[0] != 0 || r.Side == fromDefault && r.Short[0] >= 0 || r.Side == fromArtifact && r.Short[0] <= 0 {
				t.Errorf("flooring makes every flow faster, but: %+v", r)
			}
		case "run.ideal_fct=ns3":
			if r.Same[0] != 100 || r.Short[0] != 0 || r.Mean[0] == 0 {
				t.Errorf("the ideal changes slowdowns only, but: %+v", r)
			}
		}
	}
	for _, want := range []string{
		"solo-star/hpcc telemetry.precision=wire", "solo-star/pint1 telemetry.wire_bytes=2B",
		"solo-star/pint1 telemetry.arithmetic=ns3-log",
	} {
		if !seen[want] {
			t.Errorf("no row for %s", want)
		}
	}
	if seen["solo-star/hpcc telemetry.wire_bytes=2B"] {
		t.Error("a quirk of PINT is said to change HPCC with INT")
	}

	var text strings.Builder
	if err := WriteQuirks(&text, rows); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); strings.Count(s, "solo-star/") != 2 ||
		!strings.Contains(s, "No flow changes, in any seed: default + network.buffer=32MiB") {
		t.Errorf("the tables are\n%s", s)
	}
	table, err := QuirkTable(rows)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), QuirksFile)
	if err := table.SaveCSV(path); err != nil {
		t.Fatal(err)
	}
	if back, err := plots.LoadCSV(path); err != nil || back.Len() != len(rows) {
		t.Errorf("read again: %v, %v", back, err)
	}
	rows[0].Long = effect{columns.Number(math.NaN()), columns.Number(math.NaN())} // there are no such flows
	if data, err := json.Marshal(QuirkDocument{File: path, Rows: rows}); err != nil ||
		!strings.Contains(string(data), `"fct_short_percent":[`) ||
		!strings.Contains(string(data), `"fct_long_percent":[null,null]`) {
		t.Errorf("JSON %s, %v", data, err)
	}
}
