package prefetch

import "unsafe"

// Read prefetches the cache line at an address for reading.
//
//go:noescape
func Read(p unsafe.Pointer)

// WriteLines is Write for a number of consecutive cache lines of 64 bytes, at least one.
//
//go:noescape
func WriteLines(p unsafe.Pointer, lines int)

// Write prefetches the cache line at an address for writing, so that no other core keeps
// a copy.
//
//go:noescape
func Write(p unsafe.Pointer)
