package show

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/plots"
)

// text is a ring of three hosts at one switch. Rank 1 computes longer than the others.
const text = `name: ring
topology: {kind: star, hosts: 4}
workload: [{kind: collective, ranks: 3, first: 1, size: 30KB, compute: 10us, straggler: 1, delay: 5us}]
`

// read runs a scenario with each set of changes.
func read(t *testing.T, text string, sets ...string) (*jobView, []*campaign.Run) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var specs []campaign.Spec
	var names []string
	for _, s := range sets {
		names = append(names, "ring, "+strings.ReplaceAll(s, " ", ", "))
		specs = append(specs, campaign.Spec{Label: s, Base: path, Set: strings.Fields(s)})
	}
	runs,
		err := campaign.Execute(t.Context(), specs, campaign.Options{Dir: t.TempDir(), Workers: 1, Quiet: true,
		Messages: io.Discard, Line: func(w ...string) string { return strings.Join(w, " ") }})
	if err != nil {
		t.Fatal(err)
	}
	v, err := readJobs(runs, names)
	if err != nil {
		t.Fatal(err)
	}
	return v, runs
}

// Lanes show computations with their durations. They show messages from the end of the computation of their rank.
func TestTimeline(t *testing.T) {
	v, _ := read(t, text, "seed=1")
	list, notes := v.drawings()
	if len(list) != 3 || len(notes) != 0 {
		t.Fatalf("%d drawings, notes %q", len(list), notes)
	}
	p := list[0].Plot.Panels[0]
	if got := fmt.Sprint(p.Y.Categories); got != "[rank 2, host 3 rank 1, host 2 rank 0, host 1]" {
		t.Error(got)
	}
	stretches := func(s plots.Series, at float64) (list []span) {
		for i := 0; i < len(s.X); i += 3 {
			if s.Y[i] < at && s.Y[i+1] > at {
				list = append(list, span{s.X[i], s.X[i+1]})
			}
		}
		return list
	}
	work, ring := p.Series[0], p.Series[1]
	for rank, us := range []float64{10, 15, 10} {
		at := float64(2 - rank)
		if got := stretches(work, at+0.22); len(got) != 1 || got[0].from != 0 || math.Abs(got[0].to-us*1e-6) > 1e-12 {
			t.Errorf("rank %d computes in %v, want %v us", rank, got, us)
		}
		if got := stretches(ring, at-0.22); len(got) == 0 || math.Abs(got[0].from-10e-6) > 1e-12 {
			t.Errorf("rank %d has messages in %v", rank, got)
		}
	}
	if err := list[0].Plot.Validate(); err != nil {
		t.Error(err)
	}
}

// The tables show times and rates in the units of their heads.
func TestJobTables(t *testing.T) {
	v := &jobView{jobs: []jobRow{
		{Group: "job", Time: 0.01217, Exposed: 0.01067, Queued: 2.76e-5},
		{Group: "allreduce", Bytes: 4e6, Time: 0.002963, Alg: 1.09e10, Bus: 1.98e10},
	}}
	want := []map[string]string{
		{"time (ms)": "12.2", "exposed (ms)": "10.7", "longest wait (µs)": "27.6"},
		{"bytes (B)": "4,000,000", "time (ms)": "2.96", "algorithm bandwidth (Gb/s)": "10.9",
			"bus bandwidth (Gb/s)": "19.8"},
	}
	for i, table := range v.tables() {
		made, err := table.Plain()
		if err != nil {
			t.Fatal(err)
		}
		for k, head := range made.Heads() {
			if w, ok := want[i][head]; ok && made.Cells()[0][k] != w {
				t.Errorf("%s: %s, want %s", head, made.Cells()[0][k], w)
			}
			delete(want[i], head)
		}
		if len(want[i]) > 0 {
			t.Errorf("heads %q, want also %v", made.Heads(), want[i])
		}
	}
}

// Runs that differ in the size of a collective share a line. Runs of another control have a separate line.
func TestBandwidthBySize(t *testing.T) {
	v, _ := read(t, text, "cc.kind=hpcc workload.0.size=3KB", "cc.kind=hpcc workload.0.size=300KB",
		"cc.kind=dctcp workload.0.size=300KB")
	d, lines := v.bandwidth()
	if lines != 2 {
		t.Fatalf("%d lines", lines)
	}
	var got []string
	for _, s := range d.Plot.Panels[0].Series {
		got = append(got, fmt.Sprint(s.Name, s.X))
		if !slices.IsSorted(s.Y) {
			t.Errorf("%v", s.Y)
		}
	}
	slices.Sort(got)
	if d.Plot.Footnote != "Bars: smallest and largest value" {
		t.Errorf("footnote %q, but the bars are not intervals", d.Plot.Footnote)
	}
	if want := []string{"ring, cc.kind=dctcp, allreduce of 3, workload.0[300000]", "ring, cc.kind=hpcc, " +
		"allreduce of 3, workload.0[3000 300000]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Messages of one group do not cover messages of another group: each group has a separate height, below the
// computations.
func TestTimelineOfGroups(t *testing.T) {
	v, _ := read(t, `name: groups
topology: {kind: star, hosts: 8}
workload: [{kind: training, data: 2, tensor: 2, pipeline: 2, compute: 1us}]
`, "seed=1")
	list, _ := v.drawings()
	series := list[0].Plot.Panels[0].Series
	var names []string
	for _, s := range series {
		names = append(names, s.Name)
	}
	if want := []string{compute, "tensor allreduce", "pipeline", "data allreduce"}; !slices.Equal(names, want) {
		t.Fatalf("groups %q, want %q", names, want)
	}
	for i, a := range series {
		for _, b := range series[:i] {
			aLow, aHigh := a.Y[0]-math.Floor(a.Y[0]+0.5), a.Y[1]-math.Floor(a.Y[1]+0.5)
			bLow, bHigh := b.Y[0]-math.Floor(b.Y[0]+0.5), b.Y[1]-math.Floor(b.Y[1]+0.5)
			if !(aLow < aHigh && bLow < bHigh) || aLow < bHigh-1e-9 && bLow < aHigh-1e-9 {
				t.Errorf("%s from %v to %v, %s from %v to %v", a.Name, aLow, aHigh, b.Name, bLow, bHigh)
			}
		}
	}
}

// The drawing reports how many lines of bus bandwidth it omits because there is no room.
func TestBandwidthOfMany(t *testing.T) {
	v := &jobView{runs: []string{"a"}}
	for i := range mostLines + 2 {
		v.jobs = append(v.jobs, jobRow{Run: "a", Job: fmt.Sprint("job ", i), Group: "allreduce", Ranks: 4, Bytes: 1e6,
			Time: 1, Alg: 1e9, Bus: 1e9})
	}
	list, notes := v.drawings()
	if len(list) != 1 || len(list[0].Plot.Panels[0].Series) != mostLines ||
		fmt.Sprint(notes) != "[18 lines of bus bandwidth: the first 16 are drawn.]" {
		t.Errorf("%d drawings, notes %q", len(list), notes)
	}
}

// The heat map of links has a row for each leaf, names spines if all leaves have the same, and shows the degraded link.
func TestLinks(t *testing.T) {
	v, _ := read(t, `name: rail
topology: {kind: rail, servers: 4, rails: 2, spines: 2, degraded: 1}
workload: [{kind: collective, operation: alltoall, ranks: 8, size: 100KB}]
`, "seed=1")
	list, _ := v.drawings()
	panels := list[len(list)-1].Plot.Panels
	if len(panels) != 4 ||
		fmt.Sprint(panels[2].X.Categories, panels[2].Y.Categories) != "[spine0 spine1] [leaf1 leaf0]" ||
		len(panels[0].Heat.Z[0]) != 4 {
		t.Fatalf("%+v", panels)
	}
	for i, z := range panels[2].Heat.Z {
		for k, use := range z {
			if slow := i == 1 && k == 0; !(use > 0 && use <= 100) || slow != (use == max(use, panels[2].Heat.Z[1][0])) {
				t.Errorf("link %d of row %d: %v %%", k, i, use)
			}
		}
	}
}

// A file that the run did not write is refused, and a run without jobs has nothing to show.
func TestDamage(t *testing.T) {
	_, runs := read(t, text, "seed=1")
	file := filepath.Join(runs[0].Dir, sim.TasksFile)
	if err := os.WriteFile(file, []byte("job,task\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readJobs(runs, []string{"ring"})
	if !errtest.Says(err, "… tasks.csv is not the file that the run wrote …") {
		t.Error(err)
	}
	if v, _ := read(t, "name: a\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: alltoall, size: 1KB}]\n",
		"seed=1"); v != nil {
		t.Errorf("%+v", v)
	}
}
