package congestion

import (
	"io"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
)

// By hand, at 70 % load: 1000 B of payload take 1090 B with INT and an ACK of 88 B,
// 1116 B and 114 B with standard INT, 1049 B and 60 B with PINT.
func TestResidual(t *testing.T) {
	for _, c := range []struct {
		scheme Scheme
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

// §2: 42 B in HPCC's own format is 4.2 % of 1000 B, standard INT 6.8 %; §6.1: one
// byte of PINT, on every packet whatever p.
func TestOverheads(t *testing.T) {
	for _, c := range []struct {
		scheme Scheme
		want   unit.Bytes
		p      float64
	}{{INT, 42, 0}, {StandardINT, 68, 0}, {PINT, 1, 1}, {Share(16), 1, 1. / 16}, {Share(256), 1, 1. / 256}} {
		for _, w := range []Workload{Web, Hadoop} {
			sc, err := Case{Workload: w, Scheme: c.scheme, Load: 50, Arrival: unit.Millisecond, Seed: 3}.Spec().Scenario()
			if err != nil {
				t.Fatal(err)
			}
			var share float64
			if p, ok := sc.Telemetry.Params.(*deploy.Params); ok {
				share = p.P
			}
			if got := sc.Telemetry.Overhead(); got != c.want || share != c.p || sc.Workload[0].Traffic().Offered() != 0.5 || sc.Seed != 3 {
				t.Errorf("%s: %d B, p = %v, load %v, seed %d; want %d B, p = %v", c.scheme.Name, got, share, sc.Workload[0].Traffic().Offered(), sc.Seed, c.want, c.p)
			}
		}
	}
}

func job(t *testing.T) *figure.Job {
	return &figure.Job{Scale: figure.Smoke, Seed: 1, Campaign: campaign.Options{
		Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
}

// INT and PINT have the same flows on the same paths; what is measured of the long
// flows is what their records say.
func TestPairs(t *testing.T) {
	a := Case{Workload: Web, Scheme: INT, Load: 70, Arrival: 60 * unit.Microsecond, Seed: 1}
	b := a
	b.Scheme = PINT
	runs, err := Simulate(t.Context(), job(t), []Case{a, b})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := runs.Flows(b)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := runs.Flows(a)
	if err != nil {
		t.Fatal(err)
	}
	fct := map[int64]unit.Time{}
	for r := range theirs.All() {
		fct[r.ID] = r.FCT
	}
	var goodput, gain float64
	n := 0
	for r := range ours.All() {
		base, ok := fct[r.ID]
		if !ok {
			t.Fatalf("flow %d is in one run only", r.ID)
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
	long, err := runs.Long(b, []uint64{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	over, err := runs.Gain(b, a, []uint64{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  *stats.PerSeed
		want float64
	}{{"goodput", long, goodput}, {"gain", over, gain}} {
		if m, err := c.got.Mean(); err != nil || m.Flows != n || math.Abs(m.Value*float64(n)/c.want-1) > 1e-12 {
			t.Errorf("%s: %+v, %v; want %v of %d flows", c.name, m, err, c.want/float64(n), n)
		}
	}
	c := b
	c.Seed = 9
	if _, err := runs.Flows(c); err == nil || err.Error() != "PINT, web search 70 %, 60us, seed 9 is not among the simulations" {
		t.Errorf("error %v", err)
	}
}

// Sections cut the arrivals into equal windows, without a gap; several seeds need none.
func TestSections(t *testing.T) {
	c := Scale{Sections: 4}.Case(Web, PINT, 70, 200*unit.Millisecond)
	all := c.sections([]uint64{1}, 0)
	if len(all) != 4 || all[0].From != 0 || all[3].To != c.Arrival {
		t.Fatalf("%v", all)
	}
	for i, w := range all[1:] {
		if w.From != all[i].To || w.To-w.From != 50*unit.Millisecond {
			t.Errorf("%v after %v", w, all[i])
		}
	}
	if late := c.sections([]uint64{1}, c.Arrival/2); len(late) != 2 || late[0] != all[2] {
		t.Errorf("second half: %v", late)
	}
	if several := c.sections([]uint64{1, 2}, 0); several != nil {
		t.Errorf("with two seeds: %v", several)
	}
}
