// Package hugepage asks the system for large pages behind memory that is used in no order: each page has an entry in a
// table of the processor that is small. It changes no result, and systems without large pages ignore it.
package hugepage

import (
	"sync"
	"unsafe"
)

// page is the size of a large page on most systems, in bytes.
const page = 2 << 20

// least is how large a piece must be, in bytes. What lies in a large page beside it has it, too.
const least = page / 2

// Make is make([]T, length, capacity).
func Make[T any](length, capacity int) []T {
	s := make([]T, length, capacity)
	var one T
	if n := uintptr(capacity) * unsafe.Sizeof(one); n >= least {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
		advise(from&^(page-1), (from+n+page-1)&^(page-1))
	}
	return s
}

// Pool makes pieces that are too small for large pages of their own side by side. Their memory is free when that of their
// neighbours is, so they should live equally long. The zero Pool is ready for use. It is safe for concurrent use.
type Pool[T any] struct {
	mutex sync.Mutex
	rest  []T
	made  int
}

// most is how many bytes a Pool allocates at once by default.
const most = 16 << 20

// Make is make([]T, n).
func (p *Pool[T]) Make(n int) []T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.rest) < n {
		var one T
		size := max(n, min(p.made, most/int(unsafe.Sizeof(one)))) // as much again
		p.rest = Make[T](size, size)
		p.made += size
	}
	piece := p.rest[:n:n]
	p.rest = p.rest[n:]
	return piece
}
