package fig5

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/sketchint/accuracy"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[Row](t)))
}

// More seeds than have their sketches in memory at once give the means of all of them together.
func TestSeedsInPieces(t *testing.T) {
	z := scale{800, []int{900_000}, together + 2, 20, 10}
	rows, err := measure(t.Context(), &figure.Job{Seed: 3, Campaign: campaign.Options{Workers: 2, Quiet: true, Messages: io.Discard}}, z)
	if err != nil {
		t.Fatal(err)
	}
	s := z.trace()
	s.Seed = 3
	// Where one batch of seeds is kept and the other is not, the figure does that one alone.
	dir := t.TempDir()
	j := &figure.Job{Seed: 3, Campaign: campaign.Options{Dir: filepath.Join(dir, "runs"), Workers: 2, Quiet: true, Messages: io.Discard}}
	var parts []string
	for range 2 {
		again, err := measure(t.Context(), j, z)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(again) != fmt.Sprint(rows) {
			t.Fatal("rows differ with parts that are kept")
		}
		if parts, err = filepath.Glob(filepath.Join(dir, "parts", "fig5-*.json")); err != nil || len(parts) != 2 {
			t.Fatalf("%d parts (%v), want 2", len(parts), err)
		}
		if err := os.Remove(parts[1]); err != nil {
			t.Fatal(err)
		}
	}
	results, _, err := run(t.Context(), accuracy.Config{
		Sketches: accuracy.SketchINT(), Memories: []int{1125}, Seeds: campaign.Seeds(3, z.seeds), Hitter: 20, Change: 10, Table: 1024, Workers: 2,
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	means, err := accuracy.Means(results)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(means)*len(accuracy.Tasks()) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, m := range means {
		if r := rows[i]; r.Task != "are" || r.Sketch != m.Sketch.Label() || r.Value != m.ARE.Value || r.Seeds != z.seeds {
			t.Errorf("%+v, want %+v", r, m)
		}
	}
}

// Rows in which every sketch has the error of its place in the list, in one order and in the
// other: the claims hold in the first and fail in the second.
func TestCheck(t *testing.T) {
	made := func(worse bool) (rows []Row) {
		for _, task := range accuracy.Tasks() {
			for _, memory := range []int{300_000, 900_000} {
				for i, k := range []accuracy.Kind{accuracy.TowerCU, accuracy.TowerCM, accuracy.Elastic, accuracy.CU, accuracy.CM} {
					v := float64(i + 1)
					if worse {
						v = 6 - v
					}
					if task.Name == "hitter-f1" || task.Name == "change-f1" {
						v = 1 - v/200 // TowerCU has 0.995, or 0.975
					}
					rows = append(rows, Row{Task: task.Name, Sketch: k.Label(), Memory: memory, Value: v, Lo: v - 0.001, Hi: v + 0.001, Seeds: 5})
				}
			}
		}
		return rows
	}
	for worse, want := range map[bool]figure.Verdict{false: figure.Holds, true: figure.Fails} {
		figuretest.All(t, check(made(worse)), want)
	}
	if n := len(compare(made(false))); n != len(published)+len(gains) {
		t.Errorf("%d numbers beside the paper's", n)
	}
}
