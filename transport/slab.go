package transport

// slab is a list that grows without moving what it holds.
type slab[T any] struct {
	chunks [][]T
	n      int32
}

// slabChunk is how many elements are allocated at a time, a power of two.
const slabChunk = 256

// at is an element.
func (s *slab[T]) at(i int32) *T {
	return &s.chunks[uint32(i)/slabChunk][uint32(i)%slabChunk]
}

// add appends a zero element and returns its index.
func (s *slab[T]) add() int32 {
	if s.n%slabChunk == 0 {
		s.chunks = append(s.chunks, make([]T, slabChunk))
	}
	s.n++
	return s.n - 1
}
