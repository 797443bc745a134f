package pint

import (
	"io"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
)

// Computed by hand, at 70 % load. For 1000 B of payload, the packet has 1090 B with INT, 1116 B with standard INT and
// 1049 B with PINT. The ACK has 88 B, 114 B and 60 B.
func TestResidual(t *testing.T) {
	for _, c := range []struct {
		scheme study.Scheme
		want   float64
	}{
		{INT, 1 - 0.7*1.178},
		{StandardINT, 1 - 0.7*1.230},
		{PINT, 1 - 0.7*1.109},
		{Share(16), 1 - 0.7*1.109},
	} {
		if got := Residual(70, c.scheme); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.scheme.Name, got, c.want)
		}
	}
}

// §2: 42 B in HPCC's format are 4.2 % of 1000 B, and standard INT adds 6.8 %. §6.1: PINT adds one byte to every packet,
// for any p.
func TestOverheads(t *testing.T) {
	for _, c := range []struct {
		scheme study.Scheme
		want   unit.Bytes
		p      float64
	}{{INT, 42, 0}, {StandardINT, 68, 0}, {PINT, 1, 1}, {Share(16), 1, 1. / 16}, {Share(256), 1, 1. / 256}} {
		for _, w := range []Workload{Web, Hadoop} {
			sc, err := Case{Workload: w, Scheme: c.scheme, Load: 50,
				Arrival: unit.Millisecond}.Cell().Spec(3).Scenario()
			if err != nil {
				t.Fatal(err)
			}
			var share float64
			if p, ok := sc.Telemetry.Params.(*deploy.Params); ok {
				share = p.P
			}
			if got := sc.Telemetry.Overhead(); got != c.want || share != c.p ||
				sc.Workload[0].Traffic().Offered() != 0.5 || sc.Seed != 3 {
				t.Errorf("%s: %d B, p = %v, load %v, seed %d; want %d B, p = %v",
					c.scheme.Name, got, share, sc.Workload[0].Traffic().Offered(), sc.Seed, c.want, c.p)
			}
		}
	}
}

func inDir(t *testing.T) *study.Job {
	return &study.Job{Scale: study.Smoke, Seed: 1, Campaign: campaign.Options{
		Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
}

// Runs with INT and with PINT have the same flows on the same paths. The measures of long flows agree with the flow
// records.
func TestPairs(t *testing.T) {
	base := Case{Workload: Web, Scheme: INT, Load: 70, Arrival: 60 * unit.Microsecond}.Cell()
	pint := Case{Workload: Web, Scheme: PINT, Load: 70, Arrival: 60 * unit.Microsecond}.Cell()
	p := study.Study{
		Cells: []study.Cell{base, pint}, Seeds: []uint64{1},
		Measures: []study.Measure{study.Goodput("goodput"), study.FlowByFlow("gain")},
	}
	results, err := Run(t.Context(), inDir(t), &p)
	if err != nil {
		t.Fatal(err)
	}
	read := func(e study.Cell) *store.Flows {
		trials, err := results.Trials(e)
		if err != nil {
			t.Fatal(err)
		}
		return trials[0].Flows
	}
	ours, theirs := read(pint), read(base)
	fct := map[int64]unit.Time{}
	for r := range theirs.All() {
		fct[r.ID] = r.FCT
	}
	var goodput, gain float64
	n := 0
	for r := range ours.All() {
		base, ok := fct[r.ID]
		if !ok {
			t.Fatalf("flow %d occurs in only one of the runs", r.ID)
		}
		if r.Size > Long {
			goodput += 8 * float64(r.Size) / r.FCT.Seconds()
			gain += base.Ratio(r.FCT)
			n++
		}
	}
	if n == 0 {
		t.Fatal("no long flow: the test shows nothing")
	}
	rows, err := results.Rows(func(r *study.Rows) {
		r.Add("", pint, "", "goodput")
		r.Add("", pint, base.Scheme, "gain")
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{goodput, gain} {
		// The two sums add values in different orders, so allow for rounding.
		if r := rows[i]; r.Flows != n || math.Abs(r.Value*float64(n)/want-1) > 1e-12 {
			t.Errorf("%+v, want %v of %d flows", r, want/float64(n), n)
		}
	}
}

func TestStored(t *testing.T) {
	if _, err := Stored(); err != nil {
		t.Fatal(err)
	}
	if a := Agreement(); !strings.Contains(a,
		"5 ms by −5.2 points of gain at most (over INT at 70 % load), at 1/20 ") ||
		!strings.Contains(a, "10 ms by +10.6 points of gain at most (over standard INT at 70 % load), at 1/10 ") {
		t.Errorf("%s", a)
	}
}
