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

// A figure whose rows are structs measures with the settings of the scale, and describes these settings. The figure
// refuses rows of another type. A drawing without a footnote gets the footnote of the job.
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
	if f.Size[Smoke] != "2 runs" {
		t.Errorf("%+v", f)
	}
	v, err := f.Measure(t.Context(), &Job{Scale: Paper})
	if err != nil {
		t.Fatal(err)
	}
	if v.Compared() != nil || v.Answer() != nil {
		t.Error("comparisons or an answer that the spec does not have")
	}
	if list := v.Findings(); list[0].Outcome != Holds {
		t.Errorf("%v", list)
	}
	if list, err := v.Tables(); err != nil || list[0].Caption != "c" || !list[0].Folded || list[0].Table.Len() != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := v.Drawings(&Manifest{Footnote: "job"}); err != nil || list[0].Plot.Footnote != "job" ||
		list[1].Plot.Footnote != "own" {
		t.Errorf("%+v, %v", list, err)
	}
	other, err := plots.NewTable(plots.Text("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(other); err == nil {
		t.Error("rows of another figure are accepted")
	}
}

// Our number agrees with a printed number if our whole interval is within the tolerance.
func TestTolerance(t *testing.T) {
	nan := math.NaN()
	within := func(kind string, amount float64) Published { return Published{Tolerance: kind, Amount: amount} }
	ten, atMost, least := within("open setting", 0), within("at most", 0), within("least digits", 0.1)
	for _, c := range []struct {
		published    float64
		within       Published
		ours, lo, hi float64
		want         report.Mark
		printed      string
	}{
		{70, ten, 70, 64, 76, report.Holds, "70 (63 to 77)"},
		{70, ten, 70, 60, 76, report.Undecided, "70 (63 to 77)"},
		{70, ten, 60, 58, 62, report.Deviates, "70 (63 to 77)"},
		{-10, ten, 10, 9, 11, report.Deviates, "−10 (−11 to −9)"},
		{70, ten, 70, nan, nan, report.Undecided, "70 (63 to 77)"},
		{70, ten, nan, nan, nan, report.Unmeasured, "70 (63 to 77)"},
		{0.3, atMost, 0.1, 0.05, 0.2, report.Holds, "at most 0.3"},
		{0.3, atMost, 7.5, 6, 9, report.Deviates, "at most 0.3"},
		{0.3, atMost, 0.3, 0.2, 0.4, report.Undecided, "at most 0.3"},
		{90, within("at least", 0), 99, 98, 100, report.Holds, "at least 90"},
		{1.9, least, 1.9, 1.89, 1.91, report.Holds, "at least 1.9 (from 1.85)"},
		{1.9, least, 1.86, 1.84, 1.88, report.Undecided, "at least 1.9 (from 1.85)"},
		{2, within("range", 1), 2.5, 2.1, 2.9, report.Holds, "2 (1 to 3)"},
		{0.89, within("digits", 0.01), 0.89, 0.88, 0.9, report.Undecided, "0.89 (0.885 to 0.895)"},
		{4, within("range", 0), 4, 4, 4, report.Holds, "4"},
	} {
		got := (&Words{}).within(&c.within).judge(
			report.Compared{Published: c.published, Ours: c.ours, Lo: c.lo, Hi: c.hi})
		if got.Outcome != c.want || got.Printed() != c.printed {
			t.Errorf("%v and %v to %v: %q, %q, want %q, %q", c.published, c.lo, c.hi, got.Outcome, got.Printed(),
				c.want, c.printed)
		}
	}
}
