package compare

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
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// mine writes a small scenario and returns its path.
func mine(t *testing.T, name, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".yaml")
	text := "name: " + name + "\ntopology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: " +
		"100Gbps, fabric_rate: 100Gbps}\n" +
		"workload:\n  - {kind: poisson, sizes: websearch, load: 0.5, duration: 100us}\n" + more
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// If a scheme finishes no flow in some size bucket, it has no curve by size. The other parts of the comparison still
// work.
func TestOpenBucket(t *testing.T) {
	for open, want := range map[int]int{3: buckets, 4: 0} {
		var points []stats.Point
		for i := range 4 * buckets {
			p := stats.Point{ID: int64(i), Size: unit.Bytes(1000 + i), Slowdown: 2}
			if i < open {
				p.Slowdown = math.NaN()
			}
			points = append(points, p)
		}
		if list, err := slowdowns.Of([]*study.Trial{{Points: points}}); err != nil || len(list) != want {
			t.Errorf("%d of %d flows open: %d buckets, %v; want %d", open, len(points), len(list), err, want)
		}
	}
}

// titled returns the title of a telemetry system.
func titled(system string) string { return protocols.Standard().Telemetry.Title(system) }

// everyControl returns the titles of the schemes of all controls, with the telemetry that they read.
func everyControl(t *testing.T) (schemes []string) {
	for _, k := range protocols.Standard().Controls.Kinds {
		sc, err := scenario.Open(mine(t, "mine", ""), "cc.kind="+k.Name)
		if err != nil {
			t.Fatal(err)
		}
		scheme := k.Title
		if len(sc.CC.Control().Needs().Feedback) > 0 {
			scheme += ", INT"
		}
		schemes = append(schemes, scheme)
	}
	return schemes
}

// The schemes are all different combinations of the named parts. A control that reads no telemetry makes only one
// scheme.
func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		n    Networks
		more string
		want []string // schemes
	}{
		{Networks{Controls: []string{"hpcc", "dcqcn", "swift"}}, "telemetry: {kind: pint}\n",
			[]string{"HPCC, PINT", "DCQCN", "Swift"}},
		{Networks{Systems: []string{"int", "pint", "csig", "free"}}, "",
			[]string{"HPCC, INT", "HPCC, PINT", "HPCC, CSIG", "HPCC, free INT"}},
		{Networks{Controls: []string{"hpcc", "powertcp", "reno"}, Systems: []string{"pint", "int"}}, "",
			[]string{"HPCC, PINT", "HPCC, INT", "PowerTCP, PINT", "PowerTCP, INT", "Reno"}},
		{Networks{Balancers: []string{"ecmp", "letflow"}}, "cc: {kind: dctcp}\n",
			[]string{"DCTCP, ECMP", "DCTCP, LetFlow"}},
		{Networks{Controls: []string{"powertcp", "theta-powertcp", "nscc", "rccc"}}, "telemetry: {kind: pint}\n",
			[]string{"PowerTCP, PINT", "θ-PowerTCP", "NSCC", "RCCC"}},
		{Networks{Controls: protocols.Standard().Controls.Names()}, "", everyControl(t)},
		{Networks{Controls: []string{"swift"}, Systems: []string{"none", "bytes"}}, "",
			[]string{"Swift, " + titled("none"), "Swift, " + titled("bytes")}},
		{Networks{Controls: []string{"dctcp", "swift"}, Systems: []string{"bytes"}}, "",
			[]string{"DCTCP, " + titled("bytes"), "Swift, " + titled("bytes")}},
	} {
		g, err := c.n.group(mine(t, "mine", c.more), "")
		if err != nil {
			t.Errorf("%+v: %v", c.n, err)
			continue
		}
		var got []string
		for _, e := range g.entries {
			got = append(got, e.Scheme)
			sc, err := e.Spec(1).Scenario()
			if err != nil {
				t.Fatalf("%s: %v", e.Scheme, err)
			}
			if strings.HasSuffix(e.Scheme, titled("bytes")) != (sc.Telemetry.Kind == "bytes") {
				t.Errorf("%s runs with telemetry.kind = %s", e.Scheme, sc.Telemetry.Kind)
			}
		}
		if !slices.Equal(got, c.want) || len(g.pairs) != len(got)-1 || g.pairs[0] != [2]string{got[1], got[0]} {
			t.Errorf("%+v: schemes %q, pairs %q; want %q", c.n, got, g.pairs, c.want)
		}
	}
	path := mine(t, "mine", "")
	for _, c := range []struct {
		want string
		n    Networks
	}{
		{`--cc "powertcp-pint": with a scenario, --telemetry selects the telemetry: ` +
			"want --cc powertcp --telemetry int,pint",
			Networks{Controls: []string{"hpcc", "powertcp-pint"}}},
		{"…mine.yaml: Ultra Ethernet and NSCC are the same in this scenario",
			Networks{Controls: []string{"uet", "nscc"}}},
		{`--cc "bbr": want one of reno, hpcc, …`,
			Networks{Controls: []string{"hpcc", "bbr"}}},
		{`--cc "hpc": want one of reno, hpcc, … theta-powertcp; did you mean "hpcc"?`,
			Networks{Controls: []string{"hpc", "reno"}}},
		{`--telemetry "pint-8": want one of none, … free; did you mean "pint"?`,
			Networks{Systems: []string{"pint-8"}}},
		{`--balancing "ecmp" occurs twice`,
			Networks{Balancers: []string{"ecmp", "ecmp"}}},
		{"want at least two schemes: … --cc, …",
			Networks{Controls: []string{"dcqcn"}, Systems: []string{"bytes"}}},
		{`… telemetry.kind: "int": is not read with cc.kind = dcqcn …`,
			Networks{Controls: []string{"dcqcn", "swift"}, Systems: []string{"int", "pint"}}},
		{"…mine.yaml with …telemetry.kind=none: … want int or …",
			Networks{Controls: []string{"hpcc"}, Systems: []string{"int", "none"}}},
	} {
		c.n.Bases = []string{path}
		if _, _, err := c.n.Figure(); !errtest.Says(err, c.want) {
			t.Errorf("%+v: %v, want %s", c.n, err, c.want)
		}
	}
	n := Networks{Bases: []string{path, mine(t, "mine", "")}, Controls: []string{"hpcc", "swift"}}
	if _, _, err := n.Figure(); !errtest.Says(err, "… another scenario also has the name mine") {
		t.Errorf("two scenarios of one name: %v", err)
	}
}

// Flows of the same size are not divided into buckets. The drawing shows mean completion times instead.
func TestFewSizes(t *testing.T) {
	var points []stats.Point
	for i := range 128 {
		points = append(points, stats.Point{ID: int64(i), Size: 10 * unit.MB, Slowdown: 1 + float64(i)/128})
	}
	if list, err := slowdowns.Of([]*study.Trial{{Points: points}}); list != nil || err != nil {
		t.Errorf("%d buckets of one size, %v", len(list), err)
	}
	drawings, err := draw(rowsOf("perm128", 4, 0.9, 2, 0.02))
	if err != nil || len(drawings) != 1 || drawings[0].Name != "fct" {
		t.Errorf("%d drawings, %v; want mean completion times alone", len(drawings), err)
	}
}

// The caption of curves names the cases that have none.
func TestCasesWithoutCurves(t *testing.T) {
	rows := append(rowsOf("load 0.3", 4, 0.9, 2, 0.02), rowsOf("load 0.8", 4, 0.9, 2, 0.02)...)
	for _, scheme := range []string{"HPCC, INT", "Reno"} {
		for i := range 2 {
			n := float64(i + 1)
			rows = append(rows, study.Row{Table: bySize, Case: "load 0.8", Scheme: scheme, Quantity: p95,
				Sized: stats.Sized{Size: 1000 * n, Share: 50 * n, Number: stats.Alone(2)}})
		}
	}
	drawings, err := draw(rows)
	const want = " Not shown, because of too few finished flows or too few sizes for 10 points: load 0.3. A change " +
		"compares runs with the same seed, so it can be significant although the intervals of two schemes overlap."
	if err != nil || drawings[0].Name != "slowdown" || !strings.HasSuffix(drawings[0].Caption, want) {
		t.Errorf("%+v, %v, want a caption that ends with %q", drawings[0], err, want)
	}
}

// Each entry of the workload is a case. A job has separate measures, and the last case has the counters of the whole
// network. With a single entry there is only one case.
func TestBySource(t *testing.T) {
	cases := func(base string) (list []string) {
		n := Networks{Controls: []string{"hpcc", "dcqcn"}}
		g, err := n.group(base, "")
		if err != nil {
			t.Fatal(err)
		}
		sc, err := g.entries[0].Spec(1).Scenario()
		if err != nil {
			t.Fatal(err)
		}
		parts, err := g.bySource(sc)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			first, last := p.measured[0].Name, p.measured[len(p.measured)-1].Name
			list = append(list, fmt.Sprintf("%s: %s to %s, %d curves, ends by %q", p.name, first, last, p.curves,
				p.settling))
			if p.runs != g.name || p.entries[1].Case != p.name {
				t.Errorf("%s: runs of %s, entry %+v", p.name, p.runs, p.entries[1])
			}
		}
		return list
	}
	for base, want := range map[string][]string{
		mine(t, "mine", ""): {`mine: mean FCT to pause frames, 1 curves, ends by ["mean FCT" "p95 slowdown"]`},
		mine(t, "two", "  - {kind: incast, senders: 3, size: 10KB}\n"): {
			"two, poisson: mean FCT to goodput of long flows, flow by flow, " +
				`1 curves, ends by ["mean FCT" "p95 slowdown"]`,
			"two, incast: mean FCT to goodput of long flows, flow by flow, " +
				`1 curves, ends by ["mean FCT" "p95 slowdown"]`,
			`two: packets dropped to pause frames, 0 curves, ends by []`,
		},
		"training": {
			"training, training: job completion time to goodput of long messages, message by message, " +
				`0 curves, ends by ["job completion time"]`,
			"training, collective: job completion time to goodput of long messages, message by message, " +
				`0 curves, ends by ["job completion time"]`,
			`training: packets dropped to pause frames, 0 curves, ends by []`,
		},
	} {
		if got := cases(base); !slices.Equal(got, want) {
			t.Errorf("%s: cases %q, want %q", base, got, want)
		}
	}
}

// compared returns the rows of a comparison of HPCC and DCQCN with one seed. The network may lose packets.
func compared(t *testing.T, base string, set ...string) ([]study.Row, figure.View) {
	t.Helper()
	f, _, err := Networks{Bases: []string{base}, Controls: []string{"hpcc", "dcqcn"}}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	j := &figure.Job{Seed: 1, Seeds: 1, Set: set, Barren: true, Campaign: campaign.Options{
		Dir: t.TempDir(), Workers: 2, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
	v, err := f.Measure(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := columns.Decode[study.Row](v.Rows(), view...)
	if err != nil {
		t.Fatal(err)
	}
	return rows, v
}

// Jobs are compared by job and by collective, because their flows wait for each other. The flows of two entries of a
// workload are compared separately.
func TestSourcesAreCompared(t *testing.T) {
	two := mine(t, "two", "  - {kind: incast, senders: 3, size: 10KB}\n")
	for base, cases := range map[string]map[string][]string{
		"training": {
			"training, training":   {jobTime, exposed, collectiveTime, busBandwidth, messageFCT, byMessage},
			"training, collective": {jobTime, exposed, collectiveTime, busBandwidth, messageFCT},
		},
		two: {"two, poisson": {meanFCT, p95}, "two, incast": {meanFCT, p95}},
	} {
		rows, v := compared(t, base)
		for of, quantities := range cases {
			for _, q := range quantities {
				r := study.Pick(rows, of, "DCQCN", "HPCC, INT", q)
				if base == "training" {
					r = study.Pick(rows, of, "DCQCN", "HPCC, PINT", q)
				}
				if len(r) != 1 || !(r[0].Value > 0) {
					t.Errorf("%s: %s: %+v, want a ratio", of, q, r)
				}
			}
		}
		if a := v.Answer(); len(a.Text) != 2 {
			t.Errorf("answer %q", a.Text)
		}
	}
}

// The answer and a column of the table count the jobs that have not ended, and the runs without finished flows, for
// each scheme. All schemes are compared with the first one even if the first one has no numbers.
func TestWhatIsLeftOut(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job.yaml")
	text := "name: job\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: collective, ranks: 4, size: 400KB}]\n"
	if err := os.WriteFile(job, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const none = "no flow has finished in 1 of 1 run with each scheme; nothing to compare."
	cut := filepath.Join(t.TempDir(), "cut.yaml")
	text = "name: cut\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: list, " +
		"flows: [{src: 0, dst: 1, size: 10KB}, {src: 2, dst: 3, size: 1MB}]}]\n"
	if err := os.WriteFile(cut, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	late := mine(t, "late", "  - {kind: incast, senders: 3, size: 10KB}\n")
	for _, c := range []struct{ base, until, want string }{
		{job, "70us", "job: 1 of 1 job had not ended with HPCC over INT; nothing to compare."},
		{job, "20us", "job: 1 of 1 job had not ended with each scheme; nothing to compare."},
		{"two-flows", "1us", "two-flows: " + none},
		{late, "1us", "late, poisson: " + none + " late, incast: " + none},
		{cut, "15us", "cut: the mean completion time is 0.8 % lower with DCQCN than with HPCC over INT; with one " +
			"seed no change is significant; 1 of 2 flows had not finished with each scheme."},
	} {
		rows, v := compared(t, c.base, "run.until="+c.until)
		if a := v.Answer(); strings.Join(a.Text, " ") != c.want || a.Grid.Groups[0].Rows[0][0].Text != "HPCC, INT" {
			t.Errorf("%q, want %q", a.Text, c.want)
		}
		list, err := v.Tables()
		if err != nil {
			t.Fatal(err)
		}
		left, err := list[0].Table.Texts("left out")
		if err != nil || left[0] == "" || (left[1] == "") != (c.until == "70us") {
			t.Errorf("%q, %v, of %d rows", left, err, len(rows))
		}
	}
}
