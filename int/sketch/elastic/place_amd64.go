package elastic

// place returns the place of a flow in its bucket, the guard's if it is not there. A place that no
// flow has yet may match too; those in use come before it. It compares all flows at once.
//
//go:noescape
func place(b *bucket, flow uint32) int

// hits counts a packet of each flow until one has no place in its bucket, and returns how many it has counted.
//
//go:noescape
func hits(heavy *bucket, buckets, mixed uint64, keys []uint64) int
