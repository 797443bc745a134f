package study

import (
	"io"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
)

// Jobs are compared by their own times, although their flows start at different times with each control. Entries of the
// workload are measured separately. A job without exposed communication has no ratio.
func TestJobs(t *testing.T) {
	sources, err := sim.Sources(open(t, "training"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Study{Seeds: []uint64{1}, Measures: []Measure{
		JobTime("time"), JobExposed("exposed"), CollectiveTime("collective", nil),
		CollectiveTime("data", &sources[0].Kinds[1]), BusBandwidth("bus", nil), FlowByFlow("flow by flow"),
		ofJob("none", func(*jobRecord) (float64, int) { return 0, 1 }),
	}}
	for _, control := range []string{"hpcc", "dcqcn"} {
		for i := range sources {
			e := Cell{Case: sources[i].Name, Scheme: control, X: math.NaN(), Base: "training",
				Set: []string{"cc.kind=" + control}, Source: &sources[i]}
			if control == "dcqcn" {
				e.Against = []string{"hpcc"}
			}
			p.Cells = append(p.Cells, e)
		}
	}
	j := &Job{Scale: Smoke, Campaign: campaign.Options{
		Dir: t.TempDir(), Workers: 1, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
	rows, err := p.Measure(t.Context(), j, All("", ""))
	if err != nil {
		t.Fatal(err)
	}
	run := func(of string, q string) float64 { return One(rows, of, "hpcc", q).Value }
	// The numbers come from pintlab run training. Of its 72 collectives, 8 belong to the data parallel groups.
	for _, c := range []struct {
		of, quantity string
		want         float64
	}{
		{"training", "time", 12169.29e-6}, {"training", "exposed", 10669.29e-6}, {"training", "data", 1311.00e-6},
		{"training", "collective", (64*348.51e-6 + 8*1311.00e-6) / 72},
		{"training", "bus", (64*36.14e9 + 8*25.87e9) / 72},
		{"collective", "time", 5640.27e-6}, {"collective", "collective", 2962.67e-6}, {"collective", "bus", 19.09e9},
	} {
		if got := run(c.of, c.quantity); math.Abs(got/c.want-1) > 1e-3 {
			t.Errorf("%s of %s: %v, want %v", c.quantity, c.of, got, c.want)
		}
	}
	for _, of := range []string{"training", "collective"} {
		for _, q := range []string{"time", "flow by flow"} {
			if list := Pick(rows, of, "dcqcn", "hpcc", q); len(list) != 1 || !(list[0].Value > 0) {
				t.Errorf("%s of %s against hpcc: %v", q, of, list)
			}
		}
		if list := Pick(rows, of, "dcqcn", "hpcc", "none"); len(list) != 0 {
			t.Errorf("ratio of 0: %v", list)
		}
	}
	if n := Pick(rows, "training", "dcqcn", "hpcc", "flow by flow")[0].Flows +
		Pick(rows, "collective", "dcqcn", "hpcc", "flow by flow")[0].Flows; n != 576 {
		t.Errorf("%d flows of both jobs, want 576", n)
	}
}

func open(t *testing.T, base string) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}
