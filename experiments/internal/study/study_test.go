package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/errtest"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
)

// Sections divide the arrivals into equal windows, without a gap. The second half contains the later ones.
func TestSections(t *testing.T) {
	e := Cell{Base: "fat320-web", Set: []string{"workload.0.duration=200ms"}}
	sc, err := e.Spec(1).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	x := &Trial{Run: &campaign.Run{Scenario: sc}, Flows: &store.Flows{}}
	x.cut(4)
	if len(x.Sections) != 4 || x.Sections[0].Window.From != 0 || x.Sections[3].Window.To != 200*unit.Millisecond {
		t.Fatalf("%+v", x.Sections)
	}
	for i, s := range x.Sections[1:] {
		if w := s.Window; w.From != x.Sections[i].Window.To || w.To-w.From != 50*unit.Millisecond {
			t.Errorf("%v after %v", w, x.Sections[i].Window)
		}
	}
	if late := x.late(); late.Window.From != 100*unit.Millisecond || len(late.Sections) != 2 ||
		late.Sections[0] != x.Sections[2] {
		t.Errorf("second half: %+v", late)
	}
}

// results returns the results of two schemes in a case with two seeds. They contain a number, a measure that is not
// paired, and a measure that the second scheme lacks.
func results(t *testing.T) (*Results, [2]Cell) {
	t.Helper()
	made := func(values ...float64) measured {
		var seeds stats.PerSeed
		for _, v := range values {
			seeds.Add(v, 7)
		}
		m, err := seeds.Mean()
		return measured{[]stats.Sized{stats.Whole(m)}, err}
	}
	p := &Study{Measures: []Measure{{Name: "q", Shown: "shown", Unit: "s", Paired: true}, {Name: "alone"},
		{Name: "lacking", Paired: true}}}
	a, b := Cell{Case: "c", Scheme: "a", X: math.NaN()},
		Cell{Case: "c", Scheme: "b", X: math.NaN(), Against: []string{"a"}}
	p.Cells = []Cell{a, b}
	r := &Results{study: p, of: map[key]*outcome{}}
	for _, e := range p.Cells {
		e.Measures = p.Measures
		r.of[e.key()] = &outcome{cell: e, numbers: map[string]measured{"alone": made(1, 1), "q": made(2, 4)}}
	}
	r.of[a.key()].numbers["lacking"] = made(1, 1)
	r.of[b.key()].numbers["q"] = made(4, 32)
	return r, [2]Cell{a, b}
}

// Rows are ordered by cell, and each number is followed by its ratio. The geometric mean of the ratios 4/2 and 32/4 is
// 4.
func TestRows(t *testing.T) {
	r, cells := results(t)
	rows, err := r.Rows(All("numbers", "ratios"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range rows {
		got = append(got, fmt.Sprint(x.Table, " ", x.Scheme, "/", x.Against, " ", x.Quantity, " ", x.Value,
			x.Unit, " ", x.Seeds))
	}
	want := []string{"numbers a/ shown 3s 2", "numbers a/ alone 1 2", "numbers a/ lacking 1 2",
		"numbers b/ shown 18s 2", "ratios b/a shown 4s 2", "numbers b/ alone 1 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if x := One(rows, "c", "b", "shown"); x.Value != 18 || x.String() != "18 s" {
		t.Errorf("%v", x)
	}
	if x := One(rows, "c", "other", "shown"); !math.IsNaN(x.Value) || x.String() != "–" || x.Scheme != "other" {
		t.Errorf("%+v", x)
	}
	// An error of a measure counts only for callers that use the measure.
	r.of[cells[0].key()].numbers["q"] = measured{err: errors.New("no number")}
	if _, err := r.Numbers(cells[0], "alone"); err != nil {
		t.Error(err)
	}
	if _, err := r.Rows(All("", "")); !errtest.Says(err, "c, a: q: no number") {
		t.Errorf("error %v", err)
	}
	if _, err := r.Ratio(cells[1], "a", "q"); !errtest.Says(err, "c, b against a: q: c, a: q: no number") {
		t.Errorf("error %v", err)
	}
}

// Each cell is run with each seed, in either order of the two loops.
func TestSpecs(t *testing.T) {
	for _, seedFirst := range []bool{false, true} {
		var labels []string
		p := Study{Cells: []Cell{{Case: "c", Scheme: "a"}, {Label: "b"}}, Seeds: []uint64{1, 2}, SeedFirst: seedFirst}
		if _, err := p.Run(t.Context(), simulator(func(specs []campaign.Spec) error {
			for _, s := range specs {
				labels = append(labels, s.Label)
			}
			return errors.New("stop")
		})); !errtest.Says(err, "stop") {
			t.Fatal(err)
		}
		want := []string{"c, a at 0, seed 1", "c, a at 0, seed 2", "b, seed 1", "b, seed 2"}
		if seedFirst {
			want[1], want[2] = want[2], want[1]
		}
		if !slices.Equal(labels, want) {
			t.Errorf("%q, want %q", labels, want)
		}
	}
}

type simulator func([]campaign.Spec) error

func (s simulator) Simulate(_ context.Context, specs []campaign.Spec, _ ...string) ([]*campaign.Run, error) {
	return nil, s(specs)
}

// Compute does nothing, because no cell has work.
func (s simulator) Compute(context.Context, bool, []string, func(context.Context, int, *progress.Task) error) error {
	return nil
}

// live runs the cells and counts the runs.
type live struct {
	Runner
	dir   string
	asked []int
}

func (l *live) Simulate(ctx context.Context, specs []campaign.Spec, _ ...string) ([]*campaign.Run, error) {
	l.asked = append(l.asked, len(specs))
	return campaign.Execute(ctx, specs, campaign.Options{
		Dir: l.dir, Workers: 1, Quiet: true, Messages: io.Discard, Line: func(w ...string) string {
			return strings.Join(w, " ")
		},
	})
}

// Each number of a cell's work has a row with the mean over the seeds: of 1 and 2, this is 1.5. A cell that works once
// has the number of the first seed.
func TestWork(t *testing.T) {
	s := Study{Seeds: []uint64{1, 2}}
	for _, once := range []bool{false, true} {
		scheme := fmt.Sprint(once)
		s.Cells = append(s.Cells, Cell{
			Once: once, Rows: []Row{{Table: "a", X: 1, Scheme: scheme}, {Table: "b", X: 2, Scheme: scheme}},
			Work: OfSeed(func(seed uint64) ([]float64, error) { return []float64{float64(seed), math.NaN()}, nil }),
		})
	}
	rows, err := s.Measure(t.Context(),
		&Job{Campaign: campaign.Options{Workers: 2, Quiet: true, Messages: io.Discard}}, All("", ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %s %.4g of %d", r.Table, r.Scheme, r.Value, r.Seeds))
	}
	if want := []string{"a false 1.5 of 2", "b false NaN of 2", "a true 1 of 1", "b true NaN of 1"}; !slices.Equal(got,
		want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A settled case gets no more seeds and keeps its interval. The other case continues to the last analysis. With scheme
// a, the values are the seeds themselves. With scheme b, they are twice the seeds.
func TestInterim(t *testing.T) {
	number := Paired(PerTrial("q", func(t *Trial) (float64, int, error) {
		v := float64(t.Run.Scenario.Seed)
		if t.Cell.Scheme == "b" {
			v *= 2
		}
		return v, 1, nil
	}))
	number.Unit = "s"
	p := Study{Seeds: []uint64{1, 2, 3, 4, 5}, Measures: []Measure{number}}
	for _, of := range []string{"sure", "open"} {
		for _, s := range []string{"a", "b"} {
			p.Cells = append(p.Cells, Cell{Case: of, Scheme: s, X: math.NaN(), Base: "two-flows"})
		}
	}
	var shown []string
	p.Interim = &Interim{
		After: []int{2, 3, 5}, Levels: []float64{0.9, 0.97, 0.98},
		Settled: func(r *Results, of string) (bool, error) { return of == "sure" && r.Seeds(p.Cells[0]) == 3, nil },
		Begin: func(i, cells int, r *Results) error {
			shown = append(shown, fmt.Sprint(i, " ", cells, " ", r != nil))
			return nil
		},
	}
	s := &live{dir: t.TempDir()}
	r, err := p.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"0 4 false", "1 4 true", "2 2 true"}; !slices.Equal(shown, want) {
		t.Errorf("analyses %q, want %q", shown, want)
	}
	if want := []int{8, 4, 4}; !slices.Equal(s.asked, want) {
		t.Errorf("runs asked for at each analysis: %v, want %v", s.asked, want)
	}
	for of, want := range map[string]struct {
		values []float64
		level  float64
	}{"sure": {[]float64{1, 2, 3}, 0.97}, "open": {[]float64{1, 2, 3, 4, 5}, 0.98}} {
		iv, err := stats.Mean(want.values, want.level)
		if iv = iv.Within(0, math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		list, err := r.Numbers(Cell{Case: of, Scheme: "a", X: math.NaN()}, "q")
		if err != nil || len(list) != 1 || list[0].Lo != iv.Lo || list[0].Hi != iv.Hi || list[0].Seeds != iv.Seeds {
			t.Errorf("%s: %+v, %v; want %+v", of, list, err, iv)
		}
		ratio, err := r.Ratio(Cell{Case: of, Scheme: "b", X: math.NaN()}, "a", "q")
		if err != nil || len(ratio) != 1 || math.Abs(ratio[0].Value-2) > 1e-12 || ratio[0].Hi-ratio[0].Lo > 1e-12 {
			t.Errorf("%s: ratio %+v, %v; want 2 with no width", of, ratio, err)
		}
	}
}
