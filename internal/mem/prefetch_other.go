//go:build !amd64

package mem

import "unsafe"

// Prefetch does nothing: this architecture has no prefetch here.
func Prefetch(unsafe.Pointer) {}

// PrefetchLines does nothing: this architecture has no prefetch here.
func PrefetchLines(unsafe.Pointer, int) {}

// PrefetchWrite does nothing: this architecture has no prefetch here.
func PrefetchWrite(unsafe.Pointer) {}

// PrefetchThree does nothing: this architecture has no prefetch here.
func PrefetchThree(uintptr, uintptr, uintptr) {}
