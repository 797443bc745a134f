package mem

import (
	"unsafe"

	"pintlab/internal/invariants"
)

// index lists the types of an index.
type index interface {
	~int | ~int32 | ~uint8 | ~uint16 | ~uint32
}

// At returns an element of a list. It is for code that runs for every packet: only programs built with the tag
// invariants check the index.
func At[T any, I index](list []T, i I) *T {
	if invariants.Enabled {
		return &list[i]
	}
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(list)), uintptr(i)*unsafe.Sizeof(*new(T))))
}

// Address returns the address at which an element of a list lies or would lie.
func Address[T any, I index](list []T, i I) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(list))) + uintptr(i)*unsafe.Sizeof(*new(T))
}
