// Package lists transforms slices, counts their elements, and runs numbered tasks concurrently.
// Code that runs per packet or per event does not use it, because each call allocates or calls a
// function for each element.
package lists

import "slices"

// Map applies a function to each element and returns the results in order. It returns nil
// for an empty list.
func Map[A, B any](list []A, of func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	made := make([]B, len(list))
	for i, x := range list {
		made[i] = of(x)
	}
	return made
}

// Keep returns the elements that a function accepts, in order, or nil if there are none.
func Keep[A any](list []A, accepts func(A) bool) (kept []A) {
	for _, x := range list {
		if accepts(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Split returns the elements that a function accepts and the others, each in order.
func Split[A any](list []A, accepts func(A) bool) (accepted, others []A) {
	for _, x := range list {
		if accepts(x) {
			accepted = append(accepted, x)
		} else {
			others = append(others, x)
		}
	}
	return accepted, others
}

// Count returns how many elements a function accepts.
func Count[A any](list []A, accepts func(A) bool) (n int) {
	for _, x := range list {
		if accepts(x) {
			n++
		}
	}
	return n
}

// Distinct returns the different results of a function for the elements, in the order of their first elements.
func Distinct[A any, B comparable](list []A, of func(A) B) (different []B) {
	for _, x := range list {
		if y := of(x); !slices.Contains(different, y) {
			different = append(different, y)
		}
	}
	return different
}

// Indices returns the numbers from 0 to n-1.
func Indices[N ~int | ~int32 | ~uint64](n N) []N {
	list := make([]N, n)
	for i := range list {
		list[i] = N(i)
	}
	return list
}

// Number is a type that Sum can add.
type Number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float64
}

// Sum adds the function's results for all elements, from the first to the last.
func Sum[A any, N Number](list []A, of func(A) N) (sum N) {
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

// Try is Map with a function that can fail. It returns the first error and no list.
func Try[A, B any](list []A, of func(A) (B, error)) ([]B, error) {
	var made []B
	for _, x := range list {
		y, err := of(x)
		if err != nil {
			return nil, err
		}
		made = append(made, y)
	}
	return made, nil
}
