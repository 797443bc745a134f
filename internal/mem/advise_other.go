//go:build !linux

package mem

// advise does nothing: this system has no such call.
func advise(from, to uintptr) {}
