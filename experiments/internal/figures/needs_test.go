package figures

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	cols "pintlab/experiments/results/columns"
)

// Each line of needs.csv names an existing figure and scale, and every figure has a line for the smoke scale. An
// update reads the new lines from the manifests in the directory of results. Each figure must have been made with one
// worker, in a separate process and directory, because a manifest does not count runs that other figures have stored.
func TestNeeds(t *testing.T) {
	list, err := needs()
	if err != nil {
		t.Fatal(err)
	}
	if *update && *from != "" {
		list = measuredNeeds(t, list)
		table, err := cols.Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.SaveCSV(needsFile); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[need]bool{}
	for i, n := range list {
		key := need{Figure: n.Figure, Scale: n.Scale}
		if _, err := Find(n.Figure); err != nil || seen[key] || !slices.Contains(figure.Scales, n.Scale) {
			t.Errorf("%s, %s: %v; want each figure and scale at most once", n.Figure, n.Scale, err)
		}
		seen[key] = true
		// the scales of a figure follow each other, from the smallest to the largest
		if i > 0 && list[i-1].Figure == n.Figure && n.Seconds < list[i-1].Seconds {
			t.Errorf("%s: %v s at the scale %s, but %v s at the scale %s; a larger scale needs as long or longer. "+
				"Was a part of the figure reused?", n.Figure, n.Seconds, n.Scale, list[i-1].Seconds, list[i-1].Scale)
		}
		if n.Seconds <= 0 || n.Memory < 1<<20 {
			t.Errorf("%s, %s: %v s and %d B", n.Figure, n.Scale, n.Seconds, n.Memory)
		}
	}
	for _, f := range Figures() {
		switch memory, seconds, err := Need(f, figure.Smoke); {
		case !seen[need{Figure: f.Name, Scale: figure.Smoke}]:
			t.Errorf("needs.csv lacks %s; run \"pintlab reproduce %[1]s --scale smoke --workers 1 --out DIR\" and "+
				"\"go test ./experiments/internal/figures -run TestNeeds -update -from DIR\"", f.Name)
		// the program contains needs.csv as it was before the update
		case !*update && (memory == 0 || seconds == 0 || err != nil):
			t.Errorf("%s: needs %d B and %v s, %v", f.Name, memory, seconds, err)
		}
	}
}

// measuredNeeds replaces lines of list by lines for the figures in the directory of results.
func measuredNeeds(t *testing.T, list []need) []need {
	t.Helper()
	for _, f := range Figures() {
		for _, scale := range figure.Scales {
			dir := storedIn(t, f, scale)
			if !figure.IsFigure(dir) {
				continue
			}
			d, err := figure.Load(dir, Find)
			if err != nil {
				t.Fatal(err)
			}
			m := d.Manifest
			if m.Seeds > 0 || len(m.Set) > 0 {
				t.Fatalf("%s: made with other seeds or settings than the scale's: %s", dir, m.Command)
			}
			list = slices.DeleteFunc(list, func(n need) bool { return n.Figure == f.Name && n.Scale == scale })
			list = append(list, need{f.Name, scale, math.Round(100*m.CPU) / 100, m.Memory})
		}
	}
	slices.SortFunc(list, func(a, b need) int {
		return cmp.Or(cmp.Compare(a.Figure, b.Figure),
			cmp.Compare(slices.Index(figure.Scales, a.Scale), slices.Index(figure.Scales, b.Scale)))
	})
	return list
}
