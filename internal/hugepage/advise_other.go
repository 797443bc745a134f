//go:build !linux

package hugepage

// advise does nothing: this system has no such call.
func advise(from, to uintptr) {}
