//go:build !amd64

package prefetch

import "unsafe"

// Read does nothing where we have no instruction for it.
func Read(unsafe.Pointer) {}

// WriteLines does nothing where we have no instruction for it.
func WriteLines(unsafe.Pointer, int) {}

// Write does nothing where we have no instruction for it.
func Write(unsafe.Pointer) {}
