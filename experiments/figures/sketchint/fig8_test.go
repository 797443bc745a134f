package sketchint

import (
	"strings"
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
)

func TestCostOfSmoke(t *testing.T) {
	figuretest.NoneFails(t, checkCost(figuretest.Golden[costRow](t, "fig8")))
}

// row has intervals of ±1 %.
func row(are, bandwidth, packets float64) costRow {
	return costRow{
		Error: are, ErrorLo: 0.99 * are, ErrorHi: 1.01 * are, Bandwidth: bandwidth, BandwidthLo: 0.99 * bandwidth, BandwidthHi: 1.01 * bandwidth,
		Packets: packets, PacketsLo: 0.99 * packets, PacketsHi: 1.01 * packets, Seeds: 5,
	}
}

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     []costRow
		want     string
		compared string
	}{
		{"as printed", []costRow{row(0.2, 1, 0.01), row(0.04, 2.9, 0.029)}, "holds", "holds holds"},
		{"too dear", []costRow{row(0.2, 1, 0.01), row(0.04, 4, 0.04)}, "holds", "deviates deviates"},
		{"too many packets", []costRow{row(0.2, 1, 0.01), row(0.04, 2.9, 0.04)}, "holds", "holds deviates"},
		{"never so good", []costRow{row(0.3, 1, 0.01), row(0.2, 3, 0.03)}, "holds", "deviates deviates"},
		{"more for less", []costRow{row(0.03, 1, 0.01), row(0.04, 2.9, 0.029)}, "fails", "holds holds"},
		{"no rows", nil, "", "not measured not measured"},
	} {
		if got := figuretest.Outcomes(checkCost(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		var marks []string
		for _, x := range compareCost(c.rows) {
			marks = append(marks, string(x.Outcome))
		}
		if got := strings.Join(marks, " "); got != c.compared {
			t.Errorf("%s: beside the paper's %s, want %s", c.name, got, c.compared)
		}
	}
}
