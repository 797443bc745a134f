//go:build !invariants

package invariants

// Enabled says whether the program was built with the tag invariants.
const Enabled = false
