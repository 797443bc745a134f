package figure

import (
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
		Finding{"s", Holds, "d", ""}.String(): "holds: s (d)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
