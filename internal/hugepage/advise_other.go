//go:build !linux

package hugepage

// advise does nothing where we have no call for it.
func advise(from, to uintptr) {}
