package transport

import (
	"unsafe"

	"pintlab/internal/hugepage"
	"pintlab/internal/prefetch"
)

// slab is a list that grows without moving what it holds.
type slab[T any] struct {
	chunks [][]T
	block  []T // for further chunks
	n      int32
}

// slabChunk is how many elements a chunk has, a power of two. They are allocated one chunk at a
// time while there are few, and then in blocks as large as all chunks so far. So blocks lie in
// large pages, and at most half of the memory is unused.
const (
	slabChunk = 256
	slabFew   = 1 << 20  // bytes up to which chunks are allocated one by one
	slabBlock = 16 << 20 // bytes, at most
)

// at returns an element.
func (s *slab[T]) at(i int32) *T {
	return &s.chunks[uint32(i)/slabChunk][uint32(i)%slabChunk]
}

// fetch prefetches an element. It need not exist yet.
func (s *slab[T]) fetch(i int32) {
	if c := int(i / slabChunk); c < len(s.chunks) {
		var one T
		prefetch.WriteLines(unsafe.Pointer(&s.chunks[c][i%slabChunk]), int((unsafe.Sizeof(one)+63)/64))
	}
}

// add appends an element and returns its index. It is zero, or what clear has left.
func (s *slab[T]) add() int32 {
	if int(s.n) == slabChunk*len(s.chunks) {
		s.chunks = append(s.chunks, s.chunk())
	}
	s.n++
	return s.n - 1
}

// clear makes the list empty. Its memory stays.
func (s *slab[T]) clear() { s.n = 0 }

// chunk returns room for slabChunk zero elements.
func (s *slab[T]) chunk() []T {
	var one T
	size := int(unsafe.Sizeof(one))
	if int(s.n)*size < slabFew {
		return make([]T, slabChunk)
	}
	if len(s.block) == 0 {
		block := max(slabChunk, min(int(s.n), slabBlock/size/slabChunk*slabChunk))
		s.block = hugepage.Make[T](block, block)
	}
	c := s.block[:slabChunk:slabChunk]
	s.block = s.block[slabChunk:]
	return c
}
