// Package mem makes access to memory faster and changes no result. It asks the system for large pages for memory that
// is accessed at random, because large pages need fewer entries in the small TLB of the processor. It also asks the
// processor to load memory into its cache before the memory is needed.
package mem

import (
	"sync"
	"unsafe"
)

// page is the size of a large page on most systems, in bytes.
const page = 2 << 20

// least is the smallest allocation, in bytes, that gets large pages. The last large page of an allocation may also
// contain other data.
const least = page / 2

// Make is make([]T, length, capacity) on large pages.
func Make[T any](length, capacity int) []T {
	s := make([]T, length, capacity)
	var one T
	if n := uintptr(capacity) * unsafe.Sizeof(one); n >= least {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
		advise(from&^(page-1), (from+n+page-1)&^(page-1))
	}
	return s
}

// Pool allocates slices from common blocks. It is for slices that are too small for large pages of their own. A block
// is freed only when all its slices are unreachable, so they should have equal lifetimes. The zero Pool is ready for
// use. It is safe for concurrent use.
type Pool[T any] struct {
	mutex sync.Mutex
	rest  []T
	made  int
}

// most is the largest block, in bytes, that a Pool allocates in advance.
const most = 16 << 20

// Make is make([]T, n) on large pages.
func (p *Pool[T]) Make(n int) []T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.rest) < n {
		var one T
		size := max(n, min(p.made, most/int(unsafe.Sizeof(one)))) // double the pool
		p.rest = Make[T](size, size)
		p.made += size
	}
	piece := p.rest[:n:n]
	p.rest = p.rest[n:]
	return piece
}
