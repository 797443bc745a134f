package transport

import (
	"unsafe"

	"pintlab/internal/mem"
)

// slab is a list that grows without moving its elements.
type slab[T any] struct {
	chunks [][]T
	block  []T // memory for further chunks
	n      int32
}

// slabChunk is the number of elements of a chunk, a power of two. A small slab allocates one chunk
// at a time. A larger one allocates blocks as large as all its chunks so far. So blocks lie in
// large pages, and at most half of the memory is unused.
const (
	slabChunk = 256
	slabFew   = 1 << 20  // size in bytes up to which chunks are allocated one by one
	slabBlock = 16 << 20 // largest block in bytes
)

// at returns an element.
func (s *slab[T]) at(i int32) *T {
	return mem.At(*mem.At(s.chunks, uint32(i)/slabChunk), uint32(i)%slabChunk)
}

// fetch prefetches an element, which need not exist yet.
func (s *slab[T]) fetch(i int32) {
	if c := int(i / slabChunk); c < len(s.chunks) {
		var one T
		mem.PrefetchLines(unsafe.Pointer(&s.chunks[c][i%slabChunk]), int((unsafe.Sizeof(one)+63)/64))
	}
}

// add appends an element and returns its index. The element is zero, or still has its value from
// before a call of clear.
func (s *slab[T]) add() int32 {
	if int(s.n) == slabChunk*len(s.chunks) {
		s.chunks = append(s.chunks, s.chunk())
	}
	s.n++
	return s.n - 1
}

// clear empties the list. Its memory stays.
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
		s.block = mem.Make[T](block, block)
	}
	c := s.block[:slabChunk:slabChunk]
	s.block = s.block[slabChunk:]
	return c
}
