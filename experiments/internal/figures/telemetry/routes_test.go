package telemetry

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

func TestRoutesSmoke(t *testing.T) {
	rows := figuretest.Golden[study.Row](t, "routes", routesColumns...)
	figuretest.NoneFails(t, figuretest.View(t, &Routes, rows, routesColumns...).Findings())
}

// TestCheckRoutes tests the verdicts for rows in which every system needs the given number of packets. `half` is half
// the width of the intervals.
func TestCheckRoutes(t *testing.T) {
	of := func(packets map[string]float64, noticed, half float64) (rows []study.Row) {
		for _, f := range followeds {
			for _, r := range f.rows() {
				v := packets[r.Scheme]
				switch r.Quantity {
				case noticedShare:
					v = noticed
					if r.Scheme == "PLINT" {
						v = 1
					}
				case wrongShare:
					v = 0.5
					if r.Scheme == "CLINT" {
						v = 0.1
					}
				}
				h := half
				if v <= 1 {
					h = half / 100
				}
				r.Number = stats.Number{Value: v, Lo: v - h, Hi: v + h}
				rows = append(rows, r)
			}
		}
		return rows
	}
	soon := map[string]float64{"PLINT": 2, "DLINT": 4, "DLINT, whole paths": 6, "PINT, 8 bits": 6, "PINT, 2×8 bits": 5}
	late := map[string]float64{"PLINT": 9, "DLINT": 4, "DLINT, whole paths": 6, "PINT, 8 bits": 6, "PINT, 2×8 bits": 5}
	for _, c := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"PLINT first", of(soon, 0.3, 0.5), strings.Repeat("holds ", 10) + "holds"},
		{"PLINT last", of(late, 0.9, 0.5), strings.Repeat("fails ", 8) + "holds fails holds"},
		{"noise", of(soon, 0.5, 99), strings.Repeat("undecided ", 10) + "undecided"},
	} {
		if got := figuretest.Outcomes(figuretest.View(t, &Routes, c.rows, routesColumns...).Findings()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The claims have these outcomes for the stored rows. docs/telemetry.md quotes these numbers.
func TestRoutesStored(t *testing.T) {
	rows := figuretest.Stored[study.Row](t, "routes", routesColumns...)
	if got, want := figuretest.Outcomes(figuretest.View(t, &Routes, rows, routesColumns...).Findings()),
		"fails holds holds undecided holds holds holds fails undecided holds holds"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, c := range []struct {
		flows, of, quantity string
		want                map[string]string
	}{
		{"1 in flight", changedOf(1), untilNoticed, map[string]string{
			"PINT, 8 bits": "6.47", "PINT, 2×8 bits": "3.62", "DLINT": "3.28", "DLINT, whole paths": "5.52",
			"PLINT": "5.06", "CLINT": "3.39"}},
		{"1 in flight", changedOf(3), untilNoticed, map[string]string{
			"PINT, 8 bits": "2.37", "PINT, 2×8 bits": "1.50", "DLINT": "2.03", "DLINT, whole paths": "4.38",
			"PLINT": "1.70", "CLINT": "2.00"}},
		{"1 in flight", changedOf(1), untilKnown, map[string]string{
			"PINT, 8 bits": "20.93", "PINT, 2×8 bits": "10.76", "DLINT": "9.75", "PLINT": "15.52",
			"CLINT": "7.37"}},
		{"16 in flight", changedOf(1), untilNoticed, map[string]string{
			"DLINT": "6.19", "PLINT": "4.61"}},
		{"1 in flight, 1 % lost", changedOf(1), noticedShare, map[string]string{
			"PINT, 8 bits": "1.00", "PINT, 2×8 bits": "1.00", "DLINT": "0.29", "DLINT, whole paths": "0.31",
			"PLINT": "1.00", "CLINT": "0.31"}},
		{"1 in flight", allPackets, wrongShare, map[string]string{
			"PINT, 8 bits": "0.00", "PINT, 2×8 bits": "0.00", "DLINT": "0.46", "DLINT, whole paths": "0.45",
			"PLINT": "0.00", "CLINT": "0.25"}},
		{"1 in flight, 1 % lost", allPackets, wrongShare, map[string]string{
			"PINT, 8 bits": "0.00", "PINT, 2×8 bits": "0.00", "DLINT": "0.42", "DLINT, whole paths": "0.44",
			"PLINT": "0.00", "CLINT": "0.39"}},
	} {
		of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == c.flows })
		for system, want := range c.want {
			if r := study.One(of, c.of, system, c.quantity); fmt.Sprintf("%.2f", r.Value) != want {
				t.Errorf("%s, %s, %s, %s: %.2f, the text says %s", c.flows, c.of, system, c.quantity, r.Value, want)
			}
		}
	}
}

// Links fail one after the other, and all of them are links of the network. No link has two faults: a link that fails
// does not also lose packets.
func TestFailingLinks(t *testing.T) {
	for _, f := range followeds {
		for seed := range uint64(5) {
			sc, err := f.scenario(16, seed)
			if err == nil {
				err = sc.Validate()
			}
			if err != nil {
				t.Fatalf("%s, seed %d: %v", f.name, seed, err)
			}
			seen := map[string]bool{}
			until, down := unit.Time(0), 0
			for _, x := range sc.Faults {
				link := fmt.Sprint(x.A, " ", x.B)
				if seen[link] {
					t.Errorf("%s, seed %d: link %s has two faults", f.name, seed, link)
				}
				if seen[link] = true; x.Kind != "link-down" {
					continue
				}
				if down++; x.At < until {
					t.Errorf("%s, seed %d: link %s fails at %v, the one before comes back at %v", f.name, seed, link,
						x.At, until)
				}
				until = x.Until
			}
			if want := 32; down != want && !f.lossy || f.lossy && (down != 16 || len(seen) != want) {
				t.Errorf("%s, seed %d: %d links fail, %d have faults", f.name, seed, down, len(seen))
			}
			if until >= sc.Run.Until {
				t.Errorf("%s, seed %d: the run ends at %v, before the last link is back", f.name, seed, sc.Run.Until)
			}
		}
	}
}
