//go:build !invariants

package invariants

// Enabled reports whether the program was built with the tag invariants.
const Enabled = false
