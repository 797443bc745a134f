package ai

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/scenario"
)

var studies = []struct {
	folder string
	check  func([]comparison.Row) []figure.Finding
	least  int // claims that hold at the laptop scale
}{{"allreduce", checkAllreduce, 5}, {"alltoall", checkAlltoall, 0}, {"jobs", checkJobs, 0}}

// The smoke scale contradicts no claim.
func TestMeasured(t *testing.T) {
	for _, s := range studies {
		rows := figuretest.Golden[comparison.Row](t, s.folder, figure.ByCase...)
		figuretest.NoneFails(t, s.check(rows))
		possible(t, s.folder, rows)
	}
}

// possible holds rows against what links allow: no collective is faster than its payload takes over the links of its hosts. All
// combinations have a completion time or a reason.
func possible(t *testing.T, folder string, rows []comparison.Row) {
	t.Helper()
	for _, network := range networks {
		for _, b := range balancers {
			for _, c := range controls {
				refusals := figure.Pick(rows, func(r *comparison.Row) bool {
					return r.Case == network && r.Scheme == c.with(b) && strings.HasPrefix(r.Quantity, refused)
				})
				took, busy := comparison.One(rows, network, c.with(b), completion), comparison.One(rows, network, c.with(b), bus)
				switch {
				case len(refusals) == 1 && math.IsNaN(took.Value):
				case len(refusals) > 0 || math.IsNaN(took.Value) || !(busy.Value > 0 && busy.Value < 400e9):
					t.Errorf("%s, %s, %s: %v, bus bandwidth %v, %d refusals", folder, network, c.with(b), took.Value, busy.Value, len(refusals))
				}
			}
		}
	}
}

// Only HPCC over INT is refused, and only where packets of a flow take several paths. Telemetry costs what packets and ACKs carry:
// 42 B and 28 B above the smallest ACK for INT, 1 B for PINT, 8 B for CSIG.
func TestSchemes(t *testing.T) {
	cost := map[string]float64{hpccINT.name: 70, hpccPINT.name: 1, hpccCSIG.name: 8}
	for _, c := range controls {
		for _, b := range balancers {
			e := comparison.Entry{Base: base, Set: c.settings(b)}
			why := refusal(e)
			if want := c.name == hpccINT.name && (b == spraying || b == reps); (why != "") != want {
				t.Errorf("%s: refused because %q", c.with(b), why)
			}
			if s, err := scenario.Open(e.Base, e.Set...); err == nil && told(&s) != cost[c.name] {
				t.Errorf("%s: %v B of telemetry, want %v", c.with(b), told(&s), cost[c.name])
			}
		}
	}
}
