package figure

import (
	"context"
	"math"
	"testing"

	"pintlab/plots"
	"pintlab/plots/report"
)

type size int

func (s size) String() string { return Count(int(s), "run") }

// A figure of structs: what is run is told and measured by scale, rows of another kind
// are refused, and a drawing without a footnote gets that of the job.
func TestOf(t *testing.T) {
	f := Of[size, sample]{
		Name: "doc/of", Scales: map[Scale]size{Smoke: 2, Paper: 9},
		Measure: func(_ context.Context, _ *Job, z size) ([]sample, error) { return []sample{{"a", int(z), 1}}, nil },
		Check:   func(rows []sample) []Finding { return []Finding{Judge("s", rows[0].Size == 9, false, "d")} },
		Tables:  func(rows []sample) []Table { return []Table{{Caption: "c", Rows: rows, Folded: true}} },
		Draw: func([]sample) ([]Drawing, error) {
			return []Drawing{{Name: "a"}, {Name: "b", Plot: plots.Figure{Footnote: "own"}}}, nil
		},
	}.Figure()
	if f.Size[Smoke] != "2 runs" || f.Compare != nil {
		t.Errorf("%+v", f)
	}
	rows, err := f.Measure(t.Context(), &Job{Scale: Paper})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := f.Check(rows); err != nil || list[0].Outcome != Holds {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := f.Tables(rows); err != nil || list[0].Caption != "c" || !list[0].Folded || list[0].Table.Len() != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := f.Draw(rows, &Manifest{Footnote: "job"}); err != nil || list[0].Plot.Footnote != "job" || list[1].Plot.Footnote != "own" {
		t.Errorf("%+v, %v", list, err)
	}
	other, err := plots.NewTable(plots.Text("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(other); err == nil {
		t.Error("rows of another figure are accepted")
	}
}

func TestBeside(t *testing.T) {
	for _, c := range []struct {
		published, lo, hi float64
		want              report.Mark
	}{
		{71, 60, 80, report.Holds}, {71, 10, 20, report.Deviates}, {71, -20, -10, report.Fails}, {-10, 5, 6, report.Fails},
		{71, -10, 10, report.Deviates}, {0, 1, 2, report.Deviates}, {71, math.NaN(), math.NaN(), report.Neutral},
	} {
		if got := Beside(report.Compared{Published: c.published, Lo: c.lo, Hi: c.hi}).Outcome; got != c.want {
			t.Errorf("%v beside %v to %v: %q, want %q", c.published, c.lo, c.hi, got, c.want)
		}
	}
}
