package show

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// A sampled run without values over time has a sentence instead of drawings, alone and together with other runs.
func TestNothingToShow(t *testing.T) {
	const (
		star = "name: x\ntopology: {kind: star, hosts: 4}\ncc: {kind: fixed}\ntelemetry: {kind: none}\nrun: " +
			"{sampling: {enabled: true, nodes: [all]}}\n"
		racks = star + "workload: [{kind: racks, matrix: web, rack_hosts: 2, sizes: fixed, size: 1000B, load: " +
			"0.0001, duration: 1us}]\n"
		short = star + "workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1MB}]}]\n"
		late  = star + "workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB, start: 1001us}]}]\n"
	)
	good := ran(t, short)
	for _, x := range []struct{ text, set, want string }{
		{racks, "seed=1", "no time series: there was one sample, at 0s"},
		{short, "run.sampling.from=1s", "no time series: the run had ended at …, before the first sample, at 1s"},
		{late, "run.sampling={series: flows, period: 1ms, to: 5ms, from: 500us}", "no time series: no flow was under " +
			"way at any of the 2 samples"},
	} {
		dir := ran(t, x.text, x.set)
		alone, err := SeriesSection(nil, []string{dir})
		if err != nil || len(alone.Text) != 1 || !errtest.Says(errors.New(alone.Text[0]), x.want) ||
			len(alone.Figures)+len(alone.Tables) > 0 {
			t.Errorf("%s: %+v, %v", x.set, alone, err)
		}
		v, err := OpenSeries(dir, SeriesOptions{})
		if err != nil || v.Notes[len(v.Notes)-1] != alone.Text[0] {
			t.Fatalf("%s: %q, %v", x.set, v.Notes, err)
		}
		rows, err := v.Rows()
		if err != nil || rows.SaveCSV(filepath.Join(t.TempDir(), "rows.csv")) != nil {
			t.Errorf("%s: %v", x.set, err)
		}
		if _, err := WriteTrace(io.Discard, dir, SeriesOptions{}); err != nil {
			t.Errorf("%s: %v", x.set, err)
		}
		both, err := SeriesSection(nil, []string{dir, good})
		if err != nil || len(both.Text) != 1 || !strings.HasSuffix(both.Text[0], alone.Text[0]) ||
			len(both.Figures) == 0 {
			t.Errorf("%s, next to another run: %+v, %v", x.set, both, err)
		}
		if _, err := OpenSeries(dir, SeriesOptions{Flows: []string{"3"}}); err == nil ||
			err.Error() != "--flow 3 matches nothing in the series, which has no rows" {
			t.Errorf("%s: a flow: %v", x.set, err)
		}
	}
}

// Runs that are shown together have the shortest of their intervals, rounded up to a multiple of both periods.
func TestCommonInterval(t *testing.T) {
	view := func(spacing, interval, to unit.Time) *Series {
		return &Series{Looks: 9, spacing: spacing, interval: interval, to: to}
	}
	for _, x := range []struct {
		a, b *Series
		want unit.Time
	}{
		{view(10*us, 120*us, 6000*us), view(10*us, 320*us, 16000*us), 120 * us},
		{view(20*us, 120*us, 6000*us), view(50*us, 350*us, 16000*us), 200 * us},
		{view(20*us, 120*us, 6000*us), view(7*us, 7*us, 100*us), 0}, // 140 us are longer than the second run
		{view(10*us, 120*us, 6000*us), &Series{Looks: 1, spacing: 7 * us}, 120 * us},
		{view(10*us, 500*us, 6000*us), view(10*us, 400*us, 400*us), 400 * us},
	} {
		s := &Several{Views: []*Series{x.a, x.b}}
		if got := s.commonInterval(); got != x.want {
			t.Errorf("%v of %v and %v of %v: %v, want %v", x.a.interval, x.a.to, x.b.interval, x.b.to, got, x.want)
		}
	}
}

// Two controls with the same incast share a drawing. The drawing shows the same port for both runs, with one line for
// each run and the layer names of the topology.
func TestSeveralSeries(t *testing.T) {
	var specs []campaign.Spec
	for _, cc := range []string{"hpcc", "timely"} {
		specs = append(specs, campaign.Spec{Label: cc, Base: "perm128", Set: []string{
			"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, " +
				"fabric_rate: 100Gbps}",
			"workload=[{kind: incast, senders: 4, receiver: 0, size: 200KB}]", "cc.kind=" + cc,
			"run.sampling={enabled: true, nodes: [all], series: both, period: 1us}",
		}})
	}
	specs = append(specs, campaign.Spec{Label: "plain", Base: "two-flows"})
	runs, err := campaign.Execute(t.Context(), specs, campaign.Options{
		Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSeveral([]string{runs[0].Dir, runs[1].Dir}, SeriesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.Views[0], s.Views[1]; a.interval != b.interval || a.to == b.to ||
		!strings.HasSuffix(s.footnote(), ", intervals of "+seconds(a.interval)) {
		t.Errorf("intervals %v and %v of runs until %v and %v: %s", a.interval, b.interval, a.to, b.to, s.footnote())
	}
	found := map[string]bool{}
	for _, d := range s.Drawings() {
		found[d.Name] = true
		for _, p := range d.Plot.Panels {
			if len(p.Series) == 0 || !strings.HasSuffix(p.Series[0].Name, "HPCC, INT") &&
				!strings.HasSuffix(p.Series[0].Name, "TIMELY") {
				t.Errorf("%s: %+v", d.Name, p.Series)
			}
		}
		if d.Name == "series-ports" &&
			(len(d.Plot.Panels[0].Series) != 2 ||
				!strings.HasSuffix(d.Plot.Title, " of port leaf0 to h0 (leaf-host)")) {
			t.Errorf("%d lines in %q", len(d.Plot.Panels[0].Series), d.Plot.Title)
		}
		if err := plots.Save(&d.Plot, filepath.Join(t.TempDir(), d.Name+".svg")); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	if !found["series-ports"] || !found["series-queue-cdf"] || !found["series-fairness"] {
		t.Errorf("drawings %v", found)
	}
	tables, err := s.Tables()
	if err != nil || len(tables) != 2 || tables[0].Table.Len() != 2*4 {
		t.Errorf("tables %+v, %v; want four layers of two runs", tables, err)
	}
	rows, err := s.Rows()
	if err != nil || rows.Columns()[0].Name != "run" {
		t.Errorf("rows %v, %v", rows.Columns(), err)
	}
	if _, err := OpenSeveral([]string{runs[0].Dir, runs[0].Dir}, SeriesOptions{}); err == nil ||
		!strings.Contains(err.Error(), "are the same run") {
		t.Errorf("the same run twice: %v", err)
	}
	// With more runs than colours, there are only tables, which explain why.
	many := &Several{Views: slices.Repeat(s.Views[:1], 17)}
	if tables, err = many.Tables(); err != nil || len(many.Drawings()) > 0 ||
		!strings.Contains(tables[0].Caption, "17 runs: more than the 16 that a drawing can distinguish") {
		t.Errorf("%d drawings of 17 runs, %+v, %v", len(many.Drawings()), tables, err)
	}
	if many.Views = many.Views[:16]; len(many.Drawings()) != len(s.Drawings()) {
		t.Errorf("%d drawings of 16 runs, %d of two", len(many.Drawings()), len(s.Drawings()))
	}
	// The report has this chapter only for sampled runs.
	for _, c := range []struct {
		dirs    []string
		figures int
	}{{[]string{runs[2].Dir}, 0}, {[]string{runs[2].Dir, runs[0].Dir}, 1}, {[]string{runs[0].Dir, runs[1].Dir}, 1}} {
		x, err := SeriesSection(nil, c.dirs)
		if err != nil || (x != nil) != (c.figures > 0) || x != nil && len(x.Figures) < 3 {
			t.Errorf("%q: %+v, %v", c.dirs, x, err)
		}
	}
}
