package figure

import (
	"math"
	"testing"
)

type sample struct {
	Name  string  `col:"name"`
	Size  int     `col:"size" unit:"B"`
	Value float64 `col:"value" unit:"s"`
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "seed"):                      "1 seed",
		Count(5, "seed"):                      "5 seeds",
		Size(32_000_000):                      "32 MB",
		Size(80):                              "80 B",
		Change(0.948, 0.94, 0.955):            "-5.2 % (-6.0 % to -4.5 %)",
		Change(1.1, math.NaN(), 1):            "+10.0 %",
		Finding{"s", Holds, "d", ""}.String(): "holds: s (d)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
