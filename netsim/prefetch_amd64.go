package netsim

import "unsafe"

// prefetch asks the processor to bring what is at an address into its cache. It
// changes no result.
//
//go:noescape
func prefetch(p unsafe.Pointer)
