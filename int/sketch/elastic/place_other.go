//go:build !amd64

package elastic

// vector reports whether locate and hits exist.
const vector = false

// place returns the place of a flow in its bucket, or guard if the flow is not there. An unused
// place may also match, but places in use come before it.
func place(b *bucket, flow uint32) int {
	for i, f := range b.flow[:flows] {
		if f == flow {
			return i
		}
	}
	return guard
}

// locate does nothing: InsertAll does not call it.
func locate([]spot, *uint64, uint64, uint64) {}

// hits counts nothing: InsertAll does not call it.
func hits(*bucket, []spot) int { return 0 }
