package mem

import "unsafe"

// Prefetch prefetches the cache line at an address for reading. Any address is allowed, even an
// invalid one.
//
//go:noescape
func Prefetch(p unsafe.Pointer)

// PrefetchLines is PrefetchWrite for a number of consecutive cache lines of 64 bytes, at least one.
//
//go:noescape
func PrefetchLines(p unsafe.Pointer, lines int)

// PrefetchWrite prefetches the cache line at an address for writing, so that no other core has a copy.
//
//go:noescape
func PrefetchWrite(p unsafe.Pointer)

// PrefetchThree prefetches three cache lines with one call, two for writing and one for reading. The addresses need not
// be valid (see Address).
//
//go:noescape
func PrefetchThree(write, also, read uintptr)
