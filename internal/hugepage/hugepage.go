// Package hugepage asks the system for large pages behind large pieces of memory that are
// used in no order: each page has an entry in a table of the processor that is small. It
// changes no result, and systems without large pages ignore it.
package hugepage

import "unsafe"

// least is how large a piece must be, in bytes: a few large pages.
const least = 8 << 20

// Make is make([]T, length, capacity).
func Make[T any](length, capacity int) []T {
	s := make([]T, length, capacity)
	var one T
	if n := uintptr(capacity) * unsafe.Sizeof(one); n >= least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n))
	}
	return s
}
