package deploy

import "testing"

// The first numbers of rand() after srand(1), as every C tutorial prints them.
func TestRand(t *testing.T) {
	g := newPublishedRand()
	for i, want := range []uint32{1804289383, 846930886, 1681692777, 1714636915, 1957747793} {
		if got := g.next(); got != want {
			t.Fatalf("number %d is %d, want %d", i, got, want)
		}
	}
}
