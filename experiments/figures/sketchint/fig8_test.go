package sketchint

import (
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
		compared int
	}{
		{"as printed", []costRow{row(0.2, 1, 0.01), row(0.04, 3, 0.03)}, "holds holds holds", 2},
		{"too dear", []costRow{row(0.2, 1, 0.01), row(0.04, 4, 0.04)}, "fails fails holds", 2},
		{"too many packets", []costRow{row(0.2, 1, 0.01), row(0.04, 3, 0.04)}, "holds fails holds", 2},
		{"never so good", []costRow{row(0.3, 1, 0.01), row(0.2, 3, 0.03)}, "fails fails holds", 0},
		{"more for less", []costRow{row(0.03, 1, 0.01), row(0.04, 3, 0.03)}, "holds holds fails", 2},
		{"no rows", nil, "open open", 0},
	} {
		if got := figuretest.Outcomes(checkCost(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if n := len(compareCost(c.rows)); n != c.compared {
			t.Errorf("%s: %d numbers beside the paper's, want %d", c.name, n, c.compared)
		}
	}
}
