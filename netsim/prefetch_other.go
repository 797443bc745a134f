//go:build !amd64

package netsim

import "unsafe"

// prefetch does nothing where we have no instruction for it.
func prefetch(unsafe.Pointer) {}
