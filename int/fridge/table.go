package fridge

import (
	"unsafe"

	"pintlab/internal/mem"
)

// Ticks are the units in which time is counted. With 32 bits, as in a switch, the clock may wrap around while a request
// waits. Delays longer than half the range of the clock are lost.
type Ticks interface{ ~uint32 | ~uint64 }

// entry is a waiting request, or none if the identifier is 0.
type entry[T Ticks] struct {
	time  T
	id    uint32
	count uint32
}

// Table is the memory of a fridge: the arrays IDS, TS and CTR of §6.1 with M entries.
// Places are 0 to M-1. An entry is empty if its identifier is 0, so the identifiers of
// requests must not be 0.
type Table[T Ticks] struct{ entries []entry[T] }

// NewTable makes an empty table.
func NewTable[T Ticks](entries int) Table[T] { return Table[T]{make([]entry[T], entries)} }

// Memory contains the tables of all fridges in a network, next to each other. The zero Memory is ready for use.
type Memory[T Ticks] struct{ entries mem.Pool[entry[T]] }

func (m *Memory[T]) table(entries int) Table[T] { return Table[T]{m.entries.Make(entries)} }

// Insert writes a request with the time and the count of insertions over whatever was
// there.
func (t Table[T]) Insert(place, id uint32, now T, count uint32) {
	t.entries[place] = entry[T]{now, id, count}
}

// Take removes a request, if the request is still there, and returns its time and count.
func (t Table[T]) Take(place, id uint32) (since T, count uint32, ok bool) {
	e := &t.entries[place]
	if e.id != id {
		return 0, 0, false
	}
	e.id = 0
	return e.time, e.count, true
}

// At returns the contents of the three arrays at a place.
func (t Table[T]) At(place uint32) (id uint32, since T, count uint32) {
	e := &t.entries[place]
	return e.id, e.time, e.count
}

// sizeBytes returns the memory of the entries.
func (t Table[T]) sizeBytes() int { return len(t.entries) * int(unsafe.Sizeof(entry[T]{})) }

// late reports whether a delay is so long that the clock must have gone backwards.
func late[T Ticks](delay T) bool { return delay > ^T(0)/2 }
