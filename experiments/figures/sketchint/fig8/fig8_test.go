package fig8

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, check(figuretest.Golden[Row](t)))
}

// row has intervals of ±1 %.
func row(are, bandwidth, packets float64) Row {
	return Row{
		Error: are, ErrorLo: 0.99 * are, ErrorHi: 1.01 * are, Bandwidth: bandwidth, BandwidthLo: 0.99 * bandwidth, BandwidthHi: 1.01 * bandwidth,
		Packets: packets, PacketsLo: 0.99 * packets, PacketsHi: 1.01 * packets, Seeds: 5,
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     []Row
		want     string
		compared int
	}{
		{"as printed", []Row{row(0.2, 1, 0.01), row(0.04, 3, 0.03)}, "holds holds holds", 2},
		{"too dear", []Row{row(0.2, 1, 0.01), row(0.04, 4, 0.04)}, "fails fails holds", 2},
		{"too many packets", []Row{row(0.2, 1, 0.01), row(0.04, 3, 0.04)}, "holds fails holds", 2},
		{"never so good", []Row{row(0.3, 1, 0.01), row(0.2, 3, 0.03)}, "fails fails holds", 0},
		{"more for less", []Row{row(0.03, 1, 0.01), row(0.04, 3, 0.03)}, "holds holds fails", 2},
		{"no rows", nil, "open open", 0},
	} {
		if got := figuretest.Outcomes(check(c.rows)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if n := len(compare(c.rows)); n != c.compared {
			t.Errorf("%s: %d numbers beside the paper's, want %d", c.name, n, c.compared)
		}
	}
}
