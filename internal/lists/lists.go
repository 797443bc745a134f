// Package lists makes slices and numbers of the items of a slice. Work for each packet or event
// does not use it: each call allocates or calls a function for each item.
package lists

// Map returns what a function makes of each item, in their order; nil without items.
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

// Keep returns the items that a function accepts, in their order; nil if there is none.
func Keep[A any](list []A, accepts func(A) bool) (kept []A) {
	for _, x := range list {
		if accepts(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Count returns how many items a function accepts.
func Count[A any](list []A, accepts func(A) bool) (n int) {
	for _, x := range list {
		if accepts(x) {
			n++
		}
	}
	return n
}

// Number is what Sum adds.
type Number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float64
}

// Sum adds what a function makes of each item, from the first to the last.
func Sum[A any, N Number](list []A, of func(A) N) (sum N) {
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

// Try is Map with a function that can fail. It stops at the first error, and returns that alone.
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
