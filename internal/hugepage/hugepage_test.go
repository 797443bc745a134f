package hugepage

import "testing"

// What comes back is a slice like any other, whether or not it is large.
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
