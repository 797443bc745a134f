package figures

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/plots"
)

// headlines lists the main claims of a paper, with the verdicts of the figures that decide them.
func headlines(t *testing.T, paper string) (list []figure.Finding) {
	t.Helper()
	at := map[string]int{}
	for _, f := range Figures() {
		if !strings.HasPrefix(f.Name, paper+"/") {
			continue
		}
		rows, _ := largest(t, f)
		measured := rows != nil
		if !measured {
			rows = smokeRows(t, f)
		}
		done := figure.Done{View: view(t, f, rows), Figure: f}
		for _, h := range done.Headlines() {
			if strings.Contains(h.Detail, figure.Absent) {
				t.Errorf("%s: headline %q: %s", f.Name, h.Statement, h.Detail)
			}
			if !measured {
				h.Outcome, h.Detail = figure.Undecided, "not measured"
			}
			h.Detail = fmt.Sprintf("[%s](#%s): %s", f.Name, strings.ReplaceAll(f.Name, "/", ""), h.Detail)
			i, ok := at[h.Statement]
			if !ok {
				at[h.Statement] = len(list)
				list = append(list, h)
				continue
			}
			list[i].Outcome = figure.Both(list[i].Outcome, h.Outcome)
			list[i].Detail += ". " + h.Detail
		}
	}
	return list
}

// headlineTable writes a table of a paper's headlines, or nothing if the paper has none.
func headlineTable(list []figure.Finding) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n| verdict | headline of the paper, in our words | decided by |\n|---|---|---|\n")
	for _, h := range list {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", h.Outcome, cell(h.Statement), cell(h.Detail))
	}
	return b.String()
}

// dot is a number that a paper prints, with the verdict and the ratio of our number to the printed number.
type dot struct {
	paper   int // index in papers
	verdict string
	over    float64
}

// draw draws the ratios of our numbers to the printed numbers. Each paper has a row, in the order of the page. Dots
// that would cover each other are stacked.
func draw(t *testing.T, dots []dot) {
	const image = "../../../docs/images/claims.svg"
	const perDecade = 45 // columns of stacks: a dot is about as wide as one
	series := make([]plots.Series, len(verdicts)-1)
	for i := range series {
		series[i] = plots.Series{Name: string(verdicts[i]), Style: plots.Points,
			Look: []string{"blue", "orange", "green"}[i]}
	}
	y := plots.Axis{Scale: plots.Linear}
	top := 0.0 // of the row of a paper, downwards
	for paper := range papers {
		stacks, highest := map[float64]float64{}, 0.0
		begin := make([]int, len(series))
		for i := range series {
			s := &series[i]
			begin[i] = len(s.X)
			for _, d := range dots {
				if d.paper == paper && d.verdict == s.Name && d.over > 0 && !math.IsInf(d.over, 0) {
					column := math.Round(perDecade * math.Log10(min(max(d.over, 0.1), 10)))
					s.X, s.Y = append(s.X, d.over), append(s.Y, stacks[column])
					stacks[column]++
					highest = max(highest, stacks[column])
				}
			}
		}
		bottom := top - highest - 1.5
		for i := range series {
			for k := begin[i]; k < len(series[i].Y); k++ {
				series[i].Y[k] += bottom + 1
			}
		}
		y.Ticks = append(y.Ticks, plots.Tick{At: bottom + 1, Label: papers[paper].short})
		top = bottom
	}
	y.Min, y.Max = plots.At(top), plots.At(0)
	f := plots.Figure{
		Title: "What we measure over what the papers print",
		Footnote: "Each dot is a printed number; ours is from the largest stored scale. 1 is the printed number; " +
			"bounds hold on one side.",
		Width: plots.PageWidth, PanelHeight: 300,
		Panels: []plots.Panel{{Series: series, Y: y, X: plots.Axis{Label: "Ours ÷ printed", Scale: plots.Log,
			Min: plots.At(0.1), Max: plots.At(10), Lines: []plots.RefLine{{At: 1}}}}},
	}
	to := filepath.Join(t.TempDir(), "claims")
	if _, err := plots.SaveAll(&f, to, "svg"); err != nil {
		t.Fatal(err)
	}
	drawn := figuretest.Dark([]byte(read(t, to+".svg")))
	if *update {
		if err := os.WriteFile(image, drawn, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(drawn) != read(t, image) {
		t.Errorf("docs/images/claims.svg is not what the stored rows say; -update, as for docs/claims")
	}
}
