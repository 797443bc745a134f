// Package invariants switches checks of what must always hold on and off. They
// cost too much for ordinary runs; go test -tags invariants has them. Without the
// tag Enabled is a constant false, and the compiler leaves out what it guards:
//
//	if invariants.Enabled {
//		invariants.Check(q.bytes >= 0, "queue of %d bytes", q.bytes)
//	}
package invariants

import "fmt"

// Check panics if ok is false: the program is wrong, and nothing that it went on to
// compute could be trusted. The message is made only then, its arguments always, so
// a Check belongs behind Enabled.
func Check(ok bool, format string, args ...any) {
	if !ok {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}
