package mem

import "unsafe"

// Address returns the address at which element i of a list lies or would lie.
func Address[T any, I ~int | ~int32](list []T, i I) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(list))) + uintptr(i)*unsafe.Sizeof(*new(T))
}
