package telemetry

import "testing"

// If one packet of 20 is slow, the p95 is not slow.
func TestSlowness(t *testing.T) {
	var x Slowness
	for range 19 {
		x.Add(false)
	}
	x.Add(true)
	if x.Late() {
		t.Error("late with one slow packet of 20")
	}
	if x.Add(true); !x.Late() {
		t.Error("not late with two of 21")
	}
}
