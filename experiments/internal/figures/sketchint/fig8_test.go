package sketchint

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/results/stats"
)

func TestCostOfSmoke(t *testing.T) {
	figuretest.NoneFails(t, checkCost(figuretest.Golden[costRow](t, "fig8")))
}

// row returns a row whose numbers have intervals of ±1 % of the value.
func row(are, bandwidth, packets float64) costRow {
	about := func(v float64) stats.Number { return stats.Number{Value: v, Lo: 0.99 * v, Hi: 1.01 * v} }
	return costRow{Error: about(are), Bandwidth: about(bandwidth), Packets: about(packets), Seeds: 5}
}

// with sets the variant of the rows, and returns them.
func with(variant string, rows ...costRow) []costRow {
	for i := range rows {
		rows[i].Variant = variant
	}
	return rows
}

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     []costRow
		want     string
		compared string
	}{
		{"as printed", []costRow{row(0.2, 1, 0.01), row(0.04, 2.9, 0.029)}, "holds", "holds holds holds"},
		{"too dear", []costRow{row(0.2, 1, 0.01), row(0.04, 4, 0.04)}, "holds", "deviates deviates holds"},
		{"too many packets", []costRow{row(0.2, 1, 0.01), row(0.04, 2.9, 0.04)}, "holds", "holds deviates holds"},
		{"an order too many", []costRow{row(0.2, 1, 0.01), row(0.04, 2.9, 0.3)}, "holds", "holds deviates deviates"},
		{"never so good", []costRow{row(0.3, 1, 0.01), row(0.2, 3, 0.03)}, "holds", "deviates deviates deviates"},
		{"more for less", []costRow{row(0.03, 1, 0.01), row(0.04, 2.9, 0.029)}, "fails", "holds holds undecided"},
		{"within the intervals", []costRow{row(0.0401, 1, 0.01), row(0.04, 2.9, 0.029)}, "undecided",
			"holds holds undecided"},
		{"below 5 %, but not all of the interval",
			[]costRow{row(0.2, 1, 0.01), row(0.0499, 2, 0.02), row(0.04, 2.9, 0.029)}, "holds", "holds holds holds"},
		{"no rows", nil, "", "not measured not measured not measured"},
		{"more packets alone", with(sketch.MorePackets.Name, row(0.2, 1, 0.01), row(0.04, 2.9, 0.04)), "holds",
			"not measured not measured not measured"},
	} {
		if got := figuretest.Outcomes(checkCost(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		var marks []string
		for _, x := range figuretest.View(t, &Fig8, c.rows).Compared() {
			if x.Reading == "" {
				marks = append(marks, string(x.Outcome))
			}
		}
		if got := strings.Join(marks, " "); got != c.compared {
			t.Errorf("%s: compared with the paper's %s, want %s", c.name, got, c.compared)
		}
	}
}

// A row is not the cheapest if the interval of its error extends beyond 5 %. For the row at 3 MB, the quantity quotes
// the ARE that the paper prints in Fig. 7. A share of 0.029 % of the packets is log10(100/0.029) = 3.54 orders of
// magnitude below 100 %.
func TestCheapest(t *testing.T) {
	rows := []costRow{row(0.2, 1, 0.01), row(0.0499, 2, 0.02), row(0.04, 2.9, 0.029)}
	rows[2].Latency = 3 * mb
	// If there are no rows with as many packets as in the paper, a stored measurement provides the numbers.
	list := figuretest.View(t, &Fig8, rows).Compared()
	if c := list[1]; !(c.Ours > 1 && c.Ours < 3) || !strings.Contains(c.Over, "laptop") {
		t.Errorf("%s, %s: %v (%s)", c.Quantity, c.Reading, c.Ours, c.Over)
	}
	rows = append(rows, with(sketch.MorePackets.Name, row(0.01, 4, 0.02))...)
	list = figuretest.View(t, &Fig8, rows).Compared()
	if c := list[1]; c.Ours != 4 || !strings.Contains(c.Reading, "16 million packets") || c.Over != "5 seeds" {
		t.Errorf("%s, %s: %v (%s), want 4", c.Quantity, c.Reading, c.Ours, c.Over)
	}
	if c := list[0]; c.Ours != 2.9 || !strings.Contains(c.Quantity, "Fig. 7 prints an ARE of 0.11") {
		t.Errorf("%s: %v", c.Quantity, c.Ours)
	}
	if c := list[4]; math.Abs(c.Ours-3.5376) > 1e-4 || !(c.Lo < c.Ours && c.Ours < c.Hi) {
		t.Errorf("%s: %v (%v to %v)", c.Quantity, c.Ours, c.Lo, c.Hi)
	}
}
