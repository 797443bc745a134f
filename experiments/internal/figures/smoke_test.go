package figures

import (
	"encoding/csv"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/plots"
)

var update = flag.Bool("update", false, "write the rows of the smoke scale into golden/smoke.csv of each figure")

// quick lists figures that take less than a second. It contains at least one figure for each kind of measurement.
// With -short, only these figures are measured.
var quick = []string{"pint/fig2", "pint/fig11", "hpcc/long-short", "cc/powertcp", "sketchint/fig6",
	"lightguardian/fig10", "fridge/fig2"}

// At the smoke scale, every figure reproduces its stored rows byte for byte, except for the numbers in timed columns.
// Every figure can be drawn again from its files. No claim fails.
func TestSmokeRows(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs") // one directory for all figures, because they share simulations
	for _, f := range append(Figures(), &compare.Figure, &compare.Full) {
		t.Run(f.Name, func(t *testing.T) {
			if testing.Short() && !slices.Contains(quick, f.Name) {
				t.Skip("simulates for up to half a minute; needs go test without -short")
			}
			j := &figure.Job{Scale: figure.Smoke, Seed: 1, Campaign: campaign.Options{
				Dir: runs, Workers: 2, Quiet: true, Messages: io.Discard,
				Line: func(w ...string) string { return strings.Join(w, " ") },
			}}
			dir := filepath.Join(t.TempDir(), f.Name)
			d, err := figure.Do(t.Context(), f, j, dir, "pintlab reproduce "+f.Name, figure.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range d.Manifest.Findings {
				if x.Outcome == figure.Fails {
					t.Errorf("%v", x)
				}
			}
			golden := filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv")
			if strings.HasPrefix(f.Name, "compare") { // experiments/internal/compare
				golden = filepath.Join("..", golden)
			}
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := d.Rows().SaveCSV(golden); err != nil {
					t.Fatal(err)
				}
			}
			for name, golden := range map[string]string{
				figure.RowsFile: golden, "rows.schema.json": strings.TrimSuffix(golden, ".csv") + ".schema.json",
			} {
				want, got := read(t, golden), read(t, filepath.Join(dir, name))
				if name == figure.RowsFile {
					want, got = untimed(t, want, f.Timed), untimed(t, got, f.Timed)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from %s (-golden +now); if that is right: go test "+
						"./experiments/internal/figures -run TestSmokeRows -update\n%s", name, golden, diff)
				}
			}
			again, err := figure.Load(dir, Find)
			if err != nil {
				t.Fatal(err)
			}
			to := t.TempDir()
			again.Options.Formats = []string{"svg"}
			files, err := again.Draw(to)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if read(t, file) != read(t, filepath.Join(dir, filepath.Base(file))) {
					t.Errorf("%s is another drawing when it is made from the stored rows", filepath.Base(file))
				}
			}
		})
	}
}

// untimed replaces the numbers in timed columns by the word "number".
func untimed(t *testing.T, rows string, timed []string) string {
	t.Helper()
	if len(timed) == 0 {
		return rows
	}
	records, err := csv.NewReader(strings.NewReader(rows)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range timed {
		at := slices.Index(records[0], name)
		if at < 0 {
			t.Fatalf("no column %s in %v", name, records[0])
		}
		for _, r := range records[1:] {
			if x, err := strconv.ParseFloat(r[at], 64); err == nil && x >= 0 && !math.IsInf(x, 0) {
				r[at] = "number"
			}
		}
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every figure has a unique name and all parts that the commands need.
func TestFiguresAreComplete(t *testing.T) {
	var names []string
	for _, f := range append(Figures(), &compare.Figure, &compare.Full) {
		if f.Title == "" || f.Source == "" || f.Claim == "" || f.Measure == nil || f.Read == nil {
			t.Errorf("%s is not complete", f.Name)
		}
		for _, s := range figure.Scales {
			if f.Size[s] == "" {
				t.Errorf("%s does not describe its runs at the scale %s", f.Name, s)
			}
		}
		if slices.Contains(names, f.Name) {
			t.Errorf("two figures are called %s", f.Name)
		}
		names = append(names, f.Name)
		if got, err := Find(f.Name); err != nil || got != f {
			t.Errorf("Find(%s) = %v, %v", f.Name, got, err)
		}
	}
}

// Every section of a figure's text appears for the rows of at least one scale.
func TestTextsAreShown(t *testing.T) {
	for _, f := range Figures() {
		if f.Words == nil {
			continue
		}
		for _, scale := range append([]figure.Scale{figure.Smoke}, storedScales...) {
			file := storedFile(f, scale)
			if scale == figure.Smoke {
				file = filepath.Join(filepath.FromSlash(f.Name), "golden", "smoke.csv")
			}
			rows, err := plots.LoadCSV(file)
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			v := view(t, f, rows)
			v.Findings()
			v.Compared()
			if _, err := v.Tables(); err != nil {
				t.Error(err)
			}
			if _, err := v.Drawings(&figure.Manifest{}); err != nil {
				t.Error(err)
			}
		}
		for _, name := range f.Words.Unused() {
			t.Errorf("%s: nothing shows the section %q of its text", f.Name, name)
		}
	}
}

func TestFind(t *testing.T) {
	if f, err := Find("fig7"); err != nil || f.Name != "pint/fig7" {
		t.Errorf("Find(fig7) = %v, %v", f, err)
	}
	if f, err := Find("sweep/mine"); err != nil || f.Name != "sweep/mine" || f.Measure != nil {
		t.Errorf("Find(sweep/mine) = %v, %v; want a figure that can only be drawn", f, err)
	}
	_, err := Find("fig99")
	if err == nil || !strings.HasPrefix(err.Error(), `no figure "fig99" (figures: pint/fig1, `) {
		t.Errorf("error %v", err)
	}
}
