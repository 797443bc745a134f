package study

import (
	"testing"

	"pintlab/experiments/results/store"
)

func TestWords(t *testing.T) {
	var none, some Unfinished
	none.Add(store.Summary{Flows: 10, Finished: 7, Unfinished: 3, Projected: 3})
	some.Add(store.Summary{Flows: 10, Finished: 7, Unfinished: 2, Projected: 1, Failed: 1})
	some.Add(store.Summary{Flows: 5, Finished: 4, Unfinished: 1})
	for got, want := range map[string]string{
		Size(32_000_000): "32 MB",
		Size(80):         "80 B",
		// Flows with a projected time count as finished.
		none.Below("2 seeds"): "2 seeds",
		some.Below("2 seeds"): "2 seeds; 2 of 15 flows had not finished; 1 of 15 flows failed",
		some.Below(""):        "2 of 15 flows had not finished; 1 of 15 flows failed",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
