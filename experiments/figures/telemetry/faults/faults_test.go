package faults

import (
	"math"
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/studies/guard"
	"pintlab/internal/rng"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[Row](t)))
}

// The claims hold for the rows that the text of the package is made from.
func TestStored(t *testing.T) {
	table, err := plots.LoadCSV("stored.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := columns.Decode[Row](table)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := figuretest.Outcomes(check(rows)), "holds holds holds holds"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f1 := func(v guard.View, of ...string) float64 {
		x, _, _ := mean(rows, v, of)
		return math.Round(100*x) / 100
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"PINT, all kinds", f1(guard.PINT, Kinds...), 0.87}, {"sketches, all kinds", f1(guard.Sketches, Kinds...), 0.19},
		{"exact, losses", f1(guard.Exact, lossy...), 0.90}, {"PINT, losses", f1(guard.PINT, lossy...), 0.86},
		{"PINT, drops", f1(guard.PINT, scenario.RandomDrop), 0.59},
		{"PINT, jitter", f1(guard.PINT, scenario.Jitter), 0.89}, {"exact, jitter", f1(guard.Exact, scenario.Jitter), 0.01},
	} {
		if c.got != c.want {
			t.Errorf("%s: F1 %v, the text says %v", c.what, c.got, c.want)
		}
	}
}

// What the claims make of rows: every kind is located or none is, and F1 by view.
func TestCheck(t *testing.T) {
	rows := func(located, half float64, f1 map[guard.View]float64) (list []Row) {
		for _, k := range Kinds {
			for _, v := range views {
				list = append(list, Row{Fault: k, View: string(v), Located: located, Faults: 1, F1: f1[v], F1Lo: f1[v] - half, F1Hi: f1[v] + half})
			}
		}
		return list
	}
	order := map[guard.View]float64{guard.Exact: 1, guard.PINT: 0.9, guard.Sketches: 0.2}
	turned := map[guard.View]float64{guard.Exact: 0.1, guard.PINT: 0.5, guard.Sketches: 0.9}
	for _, c := range []struct {
		name string
		rows []Row
		want string
	}{
		{"as claimed", rows(1, 0.01, order), "holds holds holds holds"},
		{"turned", rows(0, 0.01, turned), "fails fails fails fails"},
		{"noise", rows(math.NaN(), 1, turned), "open open open open"},
	} {
		if got := figuretest.Outcomes(check(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Random faults of every kind are faults of the network, wherever they fall.
func TestRandomFaultsExist(t *testing.T) {
	for _, kind := range Kinds {
		for seed := range uint64(20) {
			text := random(kind, unit.Millisecond, rng.New(seed, "test"))
			sc, err := scenario.Parse([]byte("topology: {kind: fattree, k: 4}\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}]}]\nfaults: ["+text+"]\n"), "test")
			if err == nil {
				err = sc.Validate()
			}
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
