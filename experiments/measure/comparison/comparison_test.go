package comparison

import (
	"math"
	"testing"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
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
