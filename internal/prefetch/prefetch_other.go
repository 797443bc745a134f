//go:build !amd64

package prefetch

import "unsafe"

// Read does nothing: this architecture has no prefetch here.
func Read(unsafe.Pointer) {}

// WriteLines does nothing: this architecture has no prefetch here.
func WriteLines(unsafe.Pointer, int) {}

// Write does nothing: this architecture has no prefetch here.
func Write(unsafe.Pointer) {}
