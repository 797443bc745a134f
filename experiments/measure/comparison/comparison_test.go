package comparison

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// The median of 1, 2 and 9, of flows of 10, 20 and 30 bytes; of those up to 20 bytes; and of those
// up to 5, of which there are none, so that there is no number.
func TestQuantities(t *testing.T) {
	trials := []*Trial{{Points: []stats.Point{{ID: 1, Size: 20, Slowdown: 2}, {ID: 2, Size: 10, Slowdown: 1}, {ID: 3, Size: 30, Slowdown: 9}}}}
	for _, c := range []struct {
		q    Quantity
		want []float64
	}{
		{Slowdown("", 0.5, 0, math.MaxInt64), []float64{2}},
		{Slowdown("", 0.5, 0, 20), []float64{1}},
		{Slowdown("", 0.5, 0, 5), nil},
		{MeanSlowdown(""), []float64{4}},
		{BySize("", 0.95, 3), []float64{1, 2, 9}},
	} {
		list, err := c.q.Of(trials)
		if err != nil || len(list) != len(c.want) {
			t.Fatalf("%v, %v; want %v", list, err, c.want)
		}
		for i, m := range list {
			if m.Value != c.want[i] {
				t.Errorf("%v, want %v", m.Value, c.want[i])
			}
		}
	}
}

// Sections cut the arrivals into equal windows, without a gap; the second half has the later ones.
func TestSections(t *testing.T) {
	e := Entry{Base: "fat320-web", Set: []string{"workload.0.duration=200ms"}}
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
	if late := x.late(); late.Window.From != 100*unit.Millisecond || len(late.Sections) != 2 || late.Sections[0] != x.Sections[2] {
		t.Errorf("second half: %+v", late)
	}
}

// results are of two schemes in a case, with a number in two seeds, one that is not paired, one that the
// second scheme lacks, and one with an error.
func results(t *testing.T) (*Results, [2]Entry) {
	t.Helper()
	made := func(values ...float64) number {
		var seeds stats.PerSeed
		for _, v := range values {
			seeds.Add(v, 7)
		}
		m, err := seeds.Mean()
		return number{[]stats.Measured{m}, err}
	}
	p := &Plan{Quantities: []Quantity{{Name: "q", Shown: "shown", Unit: "s", Paired: true}, {Name: "alone"}, {Name: "lacking", Paired: true}}}
	a, b := Entry{Case: "c", Scheme: "a", X: math.NaN()}, Entry{Case: "c", Scheme: "b", X: math.NaN(), Against: []string{"a"}}
	p.Entries = []Entry{a, b}
	r := &Results{plan: p, of: map[place]*found{}}
	for _, e := range p.Entries {
		e.Quantities = p.Quantities
		r.of[e.place()] = &found{entry: e, numbers: map[string]number{"alone": made(1, 1), "q": made(2, 4)}}
	}
	r.of[a.place()].numbers["lacking"] = made(1, 1)
	r.of[b.place()].numbers["q"] = made(4, 32)
	return r, [2]Entry{a, b}
}

// Rows are entry by entry, each number with its ratio after it: the geometric mean of 4/2 and 32/4 is 4.
func TestRows(t *testing.T) {
	r, entries := results(t)
	rows, err := r.Rows(All("numbers", "ratios"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range rows {
		got = append(got, fmt.Sprint(x.Table, " ", x.Scheme, "/", x.Against, " ", x.Quantity, " ", x.Value, x.Unit, " ", x.Seeds))
	}
	want := []string{"numbers a/ shown 3s 2", "numbers a/ alone 1 2", "numbers a/ lacking 1 2", "numbers b/ shown 18s 2", "ratios b/a shown 4s 2", "numbers b/ alone 1 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if x := One(rows, "c", "b", "shown"); x.Value != 18 || x.String() != "18 s" {
		t.Errorf("%v", x)
	}
	if x := One(rows, "c", "other", "shown"); !math.IsNaN(x.Value) || x.String() != "–" || x.Scheme != "other" {
		t.Errorf("%+v", x)
	}
	// An error of a quantity counts where it is asked for.
	r.of[entries[0].place()].numbers["q"] = number{err: errors.New("no number")}
	if _, err := r.Number(entries[0], "alone"); err != nil {
		t.Error(err)
	}
	if _, err := r.Rows(All("", "")); !errtest.Says(err, "c, a: q: no number") {
		t.Errorf("error %v", err)
	}
	if _, err := r.Ratio(entries[1], "a", "q"); !errtest.Says(err, "c, b against a: q: c, a: q: no number") {
		t.Errorf("error %v", err)
	}
}

// Runs are those of each entry with each seed, in either order.
func TestSpecs(t *testing.T) {
	for _, seedFirst := range []bool{false, true} {
		var labels []string
		p := Plan{Entries: []Entry{{Case: "c", Scheme: "a"}, {Label: "b"}}, Seeds: []uint64{1, 2}, SeedFirst: seedFirst}
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

// live runs what it is asked for, and remembers how many runs that were.
type live struct {
	dir   string
	asked []int
}

func (l *live) Simulate(ctx context.Context, specs []campaign.Spec, _ ...string) ([]*campaign.Run, error) {
	l.asked = append(l.asked, len(specs))
	return campaign.Execute(ctx, specs, campaign.Options{
		Dir: l.dir, Workers: 1, Quiet: true, Messages: io.Discard, Line: func(w ...string) string { return strings.Join(w, " ") },
	})
}

// A case that is settled gets no more seeds and keeps the interval of that look; the other one goes on
// to the last look. The values are the seeds themselves, and their doubles with the other scheme.
func TestLooks(t *testing.T) {
	number := paired(Number("q", func(t *Trial) (float64, int, error) {
		v := float64(t.Run.Scenario.Seed)
		if t.Entry.Scheme == "b" {
			v *= 2
		}
		return v, 1, nil
	}))
	number.Unit = "s"
	p := Plan{Seeds: []uint64{1, 2, 3, 4, 5}, Quantities: []Quantity{number}}
	for _, of := range []string{"sure", "open"} {
		for _, s := range []string{"a", "b"} {
			p.Entries = append(p.Entries, Entry{Case: of, Scheme: s, X: math.NaN(), Base: "two-flows"})
		}
	}
	var shown []string
	p.Looks = &Looks{
		After: []int{2, 3, 5}, Levels: []float64{0.9, 0.97, 0.98},
		Settled: func(r *Results, of string) (bool, error) { return of == "sure" && r.Seeds(p.Entries[0]) == 3, nil },
		Begin: func(i, entries int, r *Results) error {
			shown = append(shown, fmt.Sprint(i, " ", entries, " ", r != nil))
			return nil
		},
	}
	s := &live{dir: t.TempDir()}
	r, err := p.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"0 4 false", "1 4 true", "2 2 true"}; !slices.Equal(shown, want) {
		t.Errorf("looks %q, want %q", shown, want)
	}
	if want := []int{8, 4, 4}; !slices.Equal(s.asked, want) {
		t.Errorf("runs asked for at each look: %v, want %v", s.asked, want)
	}
	for of, want := range map[string]struct {
		values []float64
		level  float64
	}{"sure": {[]float64{1, 2, 3}, 0.97}, "open": {[]float64{1, 2, 3, 4, 5}, 0.98}} {
		iv, err := stats.Mean(want.values, want.level)
		if iv = iv.Within(0, math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		list, err := r.Number(Entry{Case: of, Scheme: "a", X: math.NaN()}, "q")
		if err != nil || len(list) != 1 || list[0].Lo != iv.Lo || list[0].Hi != iv.Hi || list[0].Seeds != iv.N {
			t.Errorf("%s: %+v, %v; want %+v", of, list, err, iv)
		}
		ratio, err := r.Ratio(Entry{Case: of, Scheme: "b", X: math.NaN()}, "a", "q")
		if err != nil || len(ratio) != 1 || math.Abs(ratio[0].Value-2) > 1e-12 || ratio[0].Hi-ratio[0].Lo > 1e-12 {
			t.Errorf("%s: ratio %+v, %v; want 2 with no width", of, ratio, err)
		}
	}
}

// Jobs are compared by their own times, although their flows start at other times with another control. Entries of the workload
// are measured separately. A job without exposed communication has no ratio.
func TestJobs(t *testing.T) {
	sources, err := sim.Sources(open(t, "training"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Seeds: []uint64{1}, Quantities: []Quantity{
		JobTime("time"), Exposed("exposed"), CollectiveTime("collective", nil), CollectiveTime("data", &sources[0].Kinds[1]), BusBandwidth("bus", nil), FlowByFlow("flow by flow"),
		ofJob("none", func(*Job) (float64, int) { return 0, 1 }),
	}}
	for _, control := range []string{"hpcc", "dcqcn"} {
		for i := range sources {
			e := Entry{Case: sources[i].Name, Scheme: control, X: math.NaN(), Base: "training", Set: []string{"cc.kind=" + control}, Source: &sources[i]}
			if control == "dcqcn" {
				e.Against = []string{"hpcc"}
			}
			p.Entries = append(p.Entries, e)
		}
	}
	rows, err := p.Measure(t.Context(), &live{dir: t.TempDir()}, All("", ""))
	if err != nil {
		t.Fatal(err)
	}
	run := func(of string, q string) float64 { return One(rows, of, "hpcc", q).Value }
	// As pintlab run training prints them: 8 of 72 collectives are of the data parallel groups.
	for _, c := range []struct {
		of, quantity string
		want         float64
	}{
		{"training", "time", 12169.29e-6}, {"training", "exposed", 10669.29e-6}, {"training", "data", 1311.00e-6},
		{"training", "collective", (64*348.51e-6 + 8*1311.00e-6) / 72}, {"training", "bus", (64*36.14e9 + 8*25.87e9) / 72},
		{"collective", "time", 5640.27e-6}, {"collective", "collective", 2962.67e-6}, {"collective", "bus", 19.09e9},
	} {
		if got := run(c.of, c.quantity); math.Abs(got/c.want-1) > 1e-3 {
			t.Errorf("%s of %s: %v, want %v", c.quantity, c.of, got, c.want)
		}
	}
	for _, of := range []string{"training", "collective"} {
		for _, q := range []string{"time", "flow by flow"} {
			if list := Pick(rows, of, "dcqcn", "hpcc", q); len(list) != 1 || !(list[0].Value > 0) {
				t.Errorf("%s of %s against hpcc: %v", q, of, list)
			}
		}
		if list := Pick(rows, of, "dcqcn", "hpcc", "none"); len(list) != 0 {
			t.Errorf("ratio of 0: %v", list)
		}
	}
	if n := Pick(rows, "training", "dcqcn", "hpcc", "flow by flow")[0].Flows + Pick(rows, "collective", "dcqcn", "hpcc", "flow by flow")[0].Flows; n != 576 {
		t.Errorf("%d flows of both jobs, want 576", n)
	}
}

func open(t *testing.T, base string) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}
