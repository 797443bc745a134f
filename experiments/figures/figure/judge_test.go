package figure

import "testing"

// From 100 values on, five are beyond the p95; from 500 on, beyond the p99.
func TestEnough(t *testing.T) {
	if Enough(0.95) != 100 || Enough(0.99) != 500 {
		t.Errorf("%d and %d, want 100 and 500", Enough(0.95), Enough(0.99))
	}
}
