package figure

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/results/columns"
	"pintlab/internal/errtest"
	"pintlab/plots"
)

// A table shows fields of rows, with the heads and units of the fields or with others. A table also shows values that
// are computed from a row.
func TestShow(t *testing.T) {
	rows := []sample{{"a", 7, 1.0 / 3}, {"b", 8, 2}}
	table := Show("caption", rows, "name", "bytes:=size",
		Real("twice", "s", func(s sample) float64 { return 2 * s.Value }), "value")
	var text strings.Builder
	if err := table.Rows.(*plots.Table).WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	if want := "name,bytes,twice_s,value_s\na,7,0.666667,0.333333\nb,8,4,2\n"; text.String() != want {
		t.Errorf("%s, want %s", text.String(), want)
	}
	if empty := Show("caption", rows[:0], "name").Rows.(*plots.Table); empty.Len() != 0 || !empty.Has("name") {
		t.Error("a table of no rows has no columns")
	}
}

// Groups are in the order of their first row. Rows of a group keep their order.
func TestGroups(t *testing.T) {
	rows := []sample{{"b", 1, 0}, {"a", 2, 0}, {"b", 3, 0}}
	got := Groups[[]sample](rows, func(s *sample) string { return s.Name })
	if diff := cmp.Diff([][]sample{{rows[0], rows[2]}, {rows[1]}}, got); diff != "" {
		t.Error(diff)
	}
}

// Series contain the points of rows, with or without intervals. Series without points are not drawn.
func TestSeries(t *testing.T) {
	rows := []sample{{"a", 1, 10}, {"b", 2, 20}}
	curve := Curve(plots.Series{Name: "curve"}, rows,
		func(s *sample) (x, y float64) { return float64(s.Size), s.Value })
	ranges := Ranges(plots.Series{Name: "ranges"}, rows,
		func(s *sample) (x, y, lo, hi float64) { return float64(s.Size), s.Value, s.Value - 1, s.Value + 1 })
	want := []plots.Series{
		{Name: "curve", X: plots.Values{1, 2}, Y: plots.Values{10, 20}},
		{Name: "ranges", X: plots.Values{1, 2}, Y: plots.Values{10, 20}, Lo: plots.Values{9, 19},
			Hi: plots.Values{11, 21}},
	}
	if diff := cmp.Diff(want, Drawn(curve, plots.Series{Name: "empty"}, ranges)); diff != "" {
		t.Error(diff)
	}
}

// If a drawing has no plot, the figure returns the reason in an error.
func TestDrawingWithoutAPlot(t *testing.T) {
	rows, err := columns.Encode([]sample{{"a", 1, 10}})
	if err != nil {
		t.Fatal(err)
	}
	f := Of[time.Duration, sample]{Draw: func([]sample) ([]Drawing, error) {
		return []Drawing{Drawing{Name: "good", Title: "Title"}.With(plots.Figure{}, nil),
			Drawing{Name: "bad"}.With(plots.Figure{}, errors.New("no rows"))}, nil
	}}.Figure()
	v, err := f.Read(rows)
	if err != nil {
		t.Fatal(err)
	}
	list, err := v.Drawings(&Manifest{Footnote: "foot"})
	if !errtest.Says(err, "no rows") || list[0].Plot.Title != "Title" || list[0].Plot.Footnote != "foot" {
		t.Errorf("%+v, error %v", list, err)
	}
}
