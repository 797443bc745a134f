// Package invariants switches internal consistency checks on and off. They cost too much
// for ordinary runs; go test -tags invariants enables them. Without the tag Enabled is a
// constant false, so the compiler removes the checks:
//
//	if invariants.Enabled {
//		invariants.Check(q.bytes >= 0, "queue of %d bytes", q.bytes)
//	}
package invariants

import "fmt"

// Check panics if ok is false, because no later result could be trusted. Its arguments
// are always evaluated, so callers test Enabled first.
func Check(ok bool, format string, args ...any) {
	if !ok {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}
