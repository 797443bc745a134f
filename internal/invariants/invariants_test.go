package invariants

import "testing"

func TestCheck(t *testing.T) {
	Check(true, "never seen")
	defer func() {
		if got, want := recover(), "invariant broken: queue of -3 bytes"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	Check(false, "queue of %d bytes", -3)
}
