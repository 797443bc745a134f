package elastic

// place returns the place of a flow in its bucket, or guard if the flow is not there. An unused
// place may match too, but places in use come before it. It compares all flows at once.
//
//go:noescape
func place(b *bucket, flow uint32) int

// hits counts packets up to the first flow without a place in its bucket, and returns how many it has counted.
//
//go:noescape
func hits(heavy *bucket, buckets, mixed uint64, keys []uint64) int
