package figure

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"

	"pintlab/experiments/internal/study"
)

// A headline holds if all claims that decide it hold. Elsewhere names the other figures that decide the same
// headline.
func TestHeadlines(t *testing.T) {
	files := words(text)
	delete(files, "fig/published.csv")
	files["headlines.csv"] = &fstest.MapFile{Data: []byte("statement,figure,claim\nfast,fig,right\nfast,other,row\n" +
		"small,fig,right\nsmall,fig,wrong\nodd,fig,right\nodd,fig,nothing\nfar,other,right\n")}
	f := Spec[size]{
		Name: "doc/fig", Files: files, Scales: map[Scale]size{Smoke: 1},
		Measure: func(context.Context, *Job, size) ([]study.Row, error) { return []study.Row{study.None()}, nil },
		Check: func([]study.Row) []Finding {
			return []Finding{Judge("right at last", true, false, ""), Judge("wrong", false, true, "")}
		},
	}.Figure()
	v, err := f.Measure(t.Context(), &Job{Scale: Smoke})
	if err != nil {
		t.Fatal(err)
	}
	done := &Done{View: v, Figure: &f}
	var got []string
	for _, h := range done.Headlines() {
		got = append(got, h.String())
	}
	want := []string{"holds: fast (holds: right at last)", "deviates: small (holds: right at last; fails: wrong)",
		"undecided: odd (holds: right at last; undecided: nothing" + Absent + ")"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if others := f.Elsewhere("fast"); !slices.Equal(others, []string{"doc/other"}) {
		t.Errorf("elsewhere: %q", others)
	}
}
