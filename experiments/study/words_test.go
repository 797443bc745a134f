package study

import (
	"testing"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "seed"): "1 seed",
		Count(5, "seed"): "5 seeds",
		Size(32_000_000): "32 MB",
		Size(80):         "80 B",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
