package show

import "testing"

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
