//go:build !amd64

package netsim

// prefetch does nothing where we have no instruction for it.
func prefetch(*Packet) {}
