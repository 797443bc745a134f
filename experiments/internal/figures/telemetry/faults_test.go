package telemetry

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

func TestFaultsSmoke(t *testing.T) {
	figuretest.NoneFails(t, figuretest.View(t, &Faults, figuretest.Golden[faultRow](t, "faults")).Findings())
}

// The claims hold for stored.csv, and these rows have the numbers that the text quotes.
func TestFaultsStored(t *testing.T) {
	table, err := plots.LoadCSV("faults/stored.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := columns.Decode[faultRow](table)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := figuretest.Outcomes(figuretest.View(t, &Faults, rows).Findings()),
		"holds holds holds holds holds holds found holds holds"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	lossy := slices.DeleteFunc(slices.Clone(kinds),
		func(k string) bool { return k == scenario.Jitter || k == scenario.WrongPath })
	f1 := func(v guard.View, of ...string) float64 {
		x := meanF1(rows, v, of).Value
		return math.Round(100*x) / 100
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"exact, all kinds", f1(guard.Exact, kinds...), 0.94}, {"PINT, all kinds", f1("pint", kinds...), 0.82},
		{"sketches, all kinds", f1(guard.Sketches, kinds...), 0.58},
		{"whole, all kinds", f1(guard.Whole, kinds...), 0.78}, {"votes, all kinds", f1(guard.Voting, kinds...), 0.83},
		{"exact, losses", f1(guard.Exact, lossy...), 1.00}, {"PINT, losses", f1("pint", lossy...), 0.85},
		{"whole, switch failures", f1(guard.Whole, scenario.SwitchFailure), 0.97},
		{"sketches, switch failures", f1(guard.Sketches, scenario.SwitchFailure), 0},
		{"ChameleMon, switch failures", f1("chamelemon", scenario.SwitchFailure), 0.99},
		{"ChameleMon, wrong paths and failed hosts", f1("chamelemon", scenario.WrongPath, scenario.HostFailure), 0},
		{"PINT, jitter", f1("pint", scenario.Jitter), 0.87}, {"exact, jitter", f1(guard.Exact, scenario.Jitter), 0.43},
		{"exact, loops", f1(guard.Exact, scenario.Loop, noPFC), 1},
		{"whole, loops", f1(guard.Whole, scenario.Loop, noPFC), 0.95},
	} {
		if c.got != c.want {
			t.Errorf("%s: F1 %v, the text says %v", c.what, c.got, c.want)
		}
	}
}

// TestCheckFaults tests the verdicts for rows in which every kind of fault is located and F1 is in the expected
// order, for rows in which no fault is located and the order is reversed, and for noise.
func TestCheckFaults(t *testing.T) {
	rows := func(located, half float64, f1 map[guard.View]float64) (list []faultRow) {
		for _, k := range kinds {
			for _, v := range views {
				list = append(list, faultRow{Fault: k, View: string(v), Located: located, Faults: 1,
					F1: stats.Number{Value: f1[v], Lo: f1[v] - half, Hi: f1[v] + half}})
			}
		}
		return list
	}
	order := map[guard.View]float64{guard.Exact: 1, "pint": 0.9, guard.Voting: 0.85, guard.Whole: 0.8,
		guard.Sketches: 0.2, "chamelemon": 0.5}
	turned := map[guard.View]float64{guard.Exact: 0.1, "pint": 0.5, guard.Voting: 0.4, guard.Whole: 0.3,
		guard.Sketches: 0.9, "chamelemon": 0.6}
	for _, c := range []struct {
		name string
		rows []faultRow
		want string
	}{
		{"as claimed", rows(1, 0.01, order), "holds holds holds holds holds holds found holds holds"},
		{"turned", rows(0, 0.01, turned), "fails fails fails fails fails fails found fails fails"},
		{"noise", rows(math.NaN(), 1, turned), strings.Repeat("undecided ", 6) + "found undecided undecided"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &Faults, c.rows).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Random faults of every kind are valid at any place in the network.
func TestRandomFaultsExist(t *testing.T) {
	for _, kind := range kinds {
		for seed := range uint64(20) {
			sc, err := contest{4 * unit.Millisecond, unit.Millisecond, 1}.scenario(kind, seed, sketches)
			if err == nil {
				err = sc.Validate()
			}
			if err != nil {
				t.Errorf("%s, seed %d: %v", kind, seed, err)
			}
		}
	}
}

// The settings agree with the comment on contestText. There are as many flows per bucket as in the LightGuardian
// paper's simulation. Enough packets carry the sketches. Enough time remains after the last sender has given up.
func TestContest(t *testing.T) {
	c := contest{16 * unit.Millisecond, 15 * unit.Millisecond, 1}
	sc, err := c.scenario(noPFC, 1, sketches)
	if err != nil {
		t.Fatal(err)
	}
	p := sc.Monitors[0].Params.(*lightguardian.Params)
	const packets = 200 // packets of a flow; a packet has 1000 bytes
	flows := 16 * 0.4 * (10 * unit.Gbps).BytesPerSecond() / (1000 * packets) * p.Interval.Seconds() * hops / 20
	if x := flows / float64(p.DelayBuckets); p.DelayArrays != 3 || x < 0.25 || x > 0.34 {
		t.Errorf("%.2f flows for a bucket of %d arrays, want 0.34 or somewhat less for 3", x, p.DelayArrays)
	}
	sketchlets := float64(p.DelayArrays*p.DelayBuckets + p.IntervalBuckets)
	if x := flows * packets * p.Carry / sketchlets; x < 3 {
		t.Errorf("%.1f chances to carry each sketchlet, want 3 or more", x)
	}
	if giveUp := 7 * unit.Millisecond; c.then < giveUp+2*p.Interval {
		t.Errorf("traffic for %v after the last flow that is asked, want two intervals of %v more than the %v until "+
			"its sender gives up", c.then, p.Interval, giveUp)
	}
	if sc.Network.PFC.Enabled {
		t.Error("PFC is on")
	}
}

// hops is the mean number of switches on a path. Of 15 destinations, 1 is behind 1 switch, 2 are behind 3 switches,
// and 12 are behind 5 switches.
const hops = (1*1 + 2*3 + 12*5) / 15.
