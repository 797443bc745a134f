//go:build !amd64

package mem

import "unsafe"

// Prefetch does nothing on this architecture.
func Prefetch(unsafe.Pointer) {}

// PrefetchLines does nothing on this architecture.
func PrefetchLines(unsafe.Pointer, int) {}

// PrefetchWrite does nothing on this architecture.
func PrefetchWrite(unsafe.Pointer) {}

// PrefetchThree does nothing on this architecture.
func PrefetchThree(uintptr, uintptr, uintptr) {}
