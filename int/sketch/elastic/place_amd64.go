package elastic

import "golang.org/x/sys/cpu"

// vector reports whether the processor has the instructions that locate and hits use.
var vector = cpu.X86.HasAVX2

// place returns the place of a flow in its bucket, or guard if the flow is not there. An unused
// place may also match, but places in use come before it. place compares all flows at once.
//
//go:noescape
func place(b *bucket, flow uint32) int

// locate finds the spots of the keys, four at a time. There are as many keys as spots, and lanes divides
// their number.
//
//go:noescape
func locate(spots []spot, keys *uint64, buckets, mixed uint64)

// hits counts packets up to the first flow without a place in its bucket. It returns the number of counted packets.
//
//go:noescape
func hits(heavy *bucket, spots []spot) int
