package mem

import "testing"

// Pieces of a pool are zero, have the requested length, and do not overlap.
func TestPool(t *testing.T) {
	var p Pool[int32]
	var pieces [][]int32
	for _, n := range []int{3, 0, 1000, 1 << 20, 5, 700_000, 1 << 23} {
		piece := p.Make(n)
		if len(piece) != n || cap(piece) != n {
			t.Fatalf("length %d, capacity %d, want %d", len(piece), cap(piece), n)
		}
		for i, x := range piece {
			if x != 0 {
				t.Fatalf("element %d of %d is %d", i, n, x)
			}
			piece[i] = int32(len(pieces) + 1)
		}
		pieces = append(pieces, piece)
	}
	for i, piece := range pieces {
		for _, x := range piece {
			if x != int32(i+1) {
				t.Fatalf("piece %d has been overwritten with %d", i, x)
			}
		}
	}
}

// The result is a slice like any other, whether or not it is large.
func TestMakeIsMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 3 << 20} {
		s := Make[int64](n, n+n/2)
		if len(s) != n || cap(s) < n+n/2 {
			t.Fatalf("length %d, capacity %d, want %d and %d", len(s), cap(s), n, n+n/2)
		}
		for i, x := range s {
			if x != 0 {
				t.Fatalf("element %d of %d is %d", i, n, x)
			}
			s[i] = int64(i)
		}
	}
}
