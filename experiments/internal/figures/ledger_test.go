package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures/figure"
	cols "pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// ledgerFile lists digests of all outputs that the figures make from their stored rows.
const ledgerFile = "testdata/ledger.csv"

// A ledgerLine contains the digest of one output that a figure makes from stored rows: a drawing, the report, or the
// JSON.
type ledgerLine struct {
	Figure string `col:"figure"`
	Scale  string `col:"scale"`
	Shows  string `col:"shows"`
	Digest string `col:"sha256"`
}

// The ledger detects accidental changes of drawings and numbers. An intended change must also update the ledger, in a
// commit whose message explains what changed and why.
func TestLedger(t *testing.T) {
	each := map[string][]ledgerLine{}
	var guard sync.Mutex
	if err := allOf(func(f *figure.Figure, scale figure.Scale, done *figure.Done) error {
		lines, err := shown(f, scale, done, t.TempDir())
		guard.Lock()
		defer guard.Unlock()
		each[f.Name] = append(each[f.Name], lines...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var got []ledgerLine
	for _, f := range append(Figures(), &compare.Figure, &compare.Full) {
		got = append(got, each[f.Name]...)
	}
	table, err := cols.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := table.SaveCSV(ledgerFile); err != nil {
			t.Fatal(err)
		}
	}
	if table, err = plots.LoadCSV(ledgerFile); err != nil {
		t.Fatal(err)
	}
	want, err := cols.Decode[ledgerLine](table)
	if err != nil {
		t.Fatal(err)
	}
	moved := ""
	for _, l := range want {
		if !slices.Contains(got, l) {
			moved += fmt.Sprintf("- %s, %s scale: %s\n", l.Figure, l.Scale, l.Shows)
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) {
			moved += fmt.Sprintf("+ %s, %s scale: %s\n", l.Figure, l.Scale, l.Shows)
		}
	}
	if moved != "" {
		t.Errorf("the figures show something else than %s says (-ledger +now); if that is right: "+
			"go test ./experiments/internal/figures -run TestLedger -update\n%s", ledgerFile, moved)
	}
}

// allOf calls `do` for each figure and each scale of the figure for which rows are stored.
func allOf(do func(f *figure.Figure, scale figure.Scale, done *figure.Done) error) error {
	all := append(Figures(), &compare.Figure, &compare.Full)
	return lists.Each(context.Background(), runtime.GOMAXPROCS(0), len(all), func(_ context.Context, i int) error {
		f := all[i]
		folder := filepath.FromSlash(f.Name)
		if strings.HasPrefix(f.Name, "compare") {
			folder = filepath.Join("..", folder)
		}
		for _, scale := range figure.Scales {
			file := string(scale) + ".csv"
			if scale == figure.Smoke {
				file = filepath.Join("golden", file)
			}
			table, err := plots.LoadCSV(filepath.Join(folder, file))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return err
			}
			view, err := f.Read(table)
			if err != nil {
				return err
			}
			if err := do(f, scale, &figure.Done{View: view, Figure: f,
				Manifest: &figure.Manifest{Figure: f.Name, Scale: scale, Findings: view.Findings()}}); err != nil {
				return fmt.Errorf("%s, %s: %w", f.Name, scale, err)
			}
		}
		return nil
	})
}

// shown returns the lines of a figure in the ledger.
func shown(f *figure.Figure, scale figure.Scale, done *figure.Done, dir string) ([]ledgerLine, error) {
	var lines []ledgerLine
	add := func(shows string, data []byte) {
		lines = append(lines, ledgerLine{f.Name, string(scale), shows, store.Digest(data)})
	}
	done.Options.Formats = []string{"svg"}
	files, err := done.Draw(dir)
	if err != nil {
		return nil, err
	}
	page, err := done.Page()
	if err != nil {
		return nil, err
	}
	files = append(files, filepath.Join(dir, figure.ReportFile))
	if err := page.Save(files[len(files)-1]); err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		add(filepath.Base(file), data)
	}
	data, err := json.Marshal(done.JSON())
	if err != nil {
		return nil, err
	}
	add("json", data)
	return lines, nil
}
