package show

import (
	"math"
	"slices"
	"testing"

	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
)

// Rows whose sizes differ by a byte have different names.
func TestSizeNames(t *testing.T) {
	for _, tt := range []struct {
		sizes [][2]unit.Bytes
		want  []string
	}{
		{[][2]unit.Bytes{{38888, 38888}, {50000, 50000}}, []string{"38.9 KB", "50 KB"}},
		{[][2]unit.Bytes{{41666, 41666}, {41667, 41667}, {1e6, 1e6}}, []string{"41.666 KB", "41.667 KB", "1 MB"}},
		{[][2]unit.Bytes{{1, 999_999_999_999}, {1e12, 1e12}}, []string{"1 B to 1 TB", "1 TB"}},
		{[][2]unit.Bytes{{999_999_999_999, 999_999_999_999}, {1e12, 1e12}}, []string{"0.999999999999 TB", "1 TB"}},
		{nil, nil},
	} {
		var rows []stats.SizeRow
		for _, x := range tt.sizes {
			rows = append(rows, stats.SizeRow{Bucket: stats.Bucket{MinSize: x[0], MaxSize: x[1]}})
		}
		if got := sizeNames(rows); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.sizes, got, tt.want)
		}
	}
}

func TestShortFlowsInTablesOfLongOnes(t *testing.T) {
	for _, tt := range []struct {
		v        float64
		decimals int
		want     string
	}{{65.2, 2, "65.20"}, {1, 2, "1.00"}, {0.52, 2, "0.52"}, {0.052, 2, "0.052"}, {0.00684, 2, "0.0068"},
		{0, 2, "0.00"}, {0.999, 2, "1.00"}, {6.84, 1, "6.8"}, {0.1, 1, "0.10"}, {1e-6, 2, "0.0000010"}} {
		if got := fixed(tt.v, tt.decimals); got != tt.want {
			t.Errorf("%v with %d decimals: %q, want %q", tt.v, tt.decimals, got, tt.want)
		}
	}
}

func TestSecondsInWords(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.0123456: "0.0123 s",
		4.5:       "4.5 s",
		99.94:     "99.9 s",
		99.96:     "1 min 40 s",
		119.6:     "2 min 0 s",
		1680:      "28 min 0 s",
		3599.6:    "1 h 0 min 0 s",
		86399:     "23 h 59 min 59 s",
	} {
		if got := Took(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}

// A line of flows of one size names it exactly; ranges of sizes are rounded.
func TestSizesOfLines(t *testing.T) {
	few := map[[2]string]float64{{bySizes, "mean"}: 1}
	for _, tt := range []struct {
		line sizeLine
		want string
	}{
		{sizeLine{RunRow: RunRow{Least: 38888, Size: 38888}, values: few}, "38.888 KB"},
		{sizeLine{RunRow: RunRow{Least: 500e3, Size: 500e3}, values: few}, "500 KB"},
		{sizeLine{RunRow: RunRow{Least: 38888, Size: 77777}}, "38.9 KB to 77.8 KB"},
		{sizeLine{RunRow: RunRow{Least: 38888, Size: math.NaN()}, values: few}, "all"},
	} {
		if got := tt.line.sizes(); got != tt.want {
			t.Errorf("%v to %v: %q, want %q", tt.line.Least, tt.line.Size, got, tt.want)
		}
	}
}
