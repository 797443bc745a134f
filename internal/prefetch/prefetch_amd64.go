package prefetch

import "unsafe"

// Read asks for what is at an address, to be read soon.
//
//go:noescape
func Read(p unsafe.Pointer)

// WriteLines is Write for this many cache lines of 64 bytes, at least one.
//
//go:noescape
func WriteLines(p unsafe.Pointer, lines int)

// Write asks for what is at an address, to be written soon: no other core keeps a copy.
//
//go:noescape
func Write(p unsafe.Pointer)
