package sumax

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

// k+chance is computed by hand, with one chance. A packet that draws an already carried sketchlet takes the sketchlet
// of its next draw, even if this sketchlet was also carried.
func TestChooserByHand(t *testing.T) {
	const n = 100
	c, err := NewChooser("k+chance", 1, n)
	if err != nil {
		t.Fatal(err)
	}
	first, second := Position(77, 0, n), Position(77, 1, n)
	for i, want := range []struct {
		id    uint32
		array int
	}{{first, 0}, {second, 1}, {second, 1}} {
		if id, array := c.Choose(77); id != want.id || array != want.array {
			t.Errorf("choice %d: sketchlet %d of array %d, want %d of %d", i, id, array, want.id, want.array)
		}
	}
	c.Reset()
	if id, array := c.Choose(77); id != first || array != 0 {
		t.Errorf("after a reset: %d of array %d", id, array)
	}
}

// The chooser agrees with a definition that uses sets. Packet and array determine the sketchlet.
func TestChooser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 200).Draw(t, "sketchlets"), rapid.IntRange(1, maxChances).Draw(t, "k")
		c, err := NewChooser("k+chance", k, n)
		if err != nil {
			t.Fatal(err)
		}
		random, err := NewChooser("random", 0, n)
		if err != nil {
			t.Fatal(err)
		}
		robin, err := NewChooser("round-robin", 0, n)
		if err != nil {
			t.Fatal(err)
		}
		type bit struct {
			array int
			id    uint32
		}
		set := map[bit]bool{}
		for i, p := range rapid.SliceOf(rapid.Uint64()).Draw(t, "packets") {
			want := bit{array: k}
			for a := range k {
				if x := (bit{a, Position(p, a, uint32(n))}); !set[x] {
					set[x], want = true, x
					break
				}
			}
			if want.array == k {
				want.id = Position(p, k, uint32(n))
			}
			id, array := c.Choose(p)
			if (bit{array, id}) != want || id != Position(p, array, uint32(n)) || int(id) >= n {
				t.Fatalf("packet %d: sketchlet %d of array %d, want %v", i, id, array, want)
			}
			if id, array := random.Choose(p); id != Position(p, 0, uint32(n)) || array != 0 {
				t.Fatalf("packet %d: random %d of array %d", i, id, array)
			}
			if id, _ := robin.Choose(p); int(id) != i%n {
				t.Fatalf("packet %d: round robin %d of %d", i, id, n)
			}
		}
	})
}

// According to Fig. 5 h, a larger k needs fewer packets. The test counts choices until all of 2000 sketchlets were
// carried. With random choices, the coupon collector needs N·(ln N + 0.58) = 16 400, with a standard deviation of 2600;
// each additional chance saves more than that.
func TestMoreChancesNeedFewerPackets(t *testing.T) {
	const n = 2000
	needed := func(selection string, k int) int {
		c, err := NewChooser(selection, k, n)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint32]bool{}
		for i := 1; ; i++ {
			id, _ := c.Choose(hash.Combine(3, uint64(i)))
			if seen[id] = true; len(seen) == n {
				return i
			}
		}
	}
	random, robin := needed("random", 0), needed("round-robin", 0)
	one, four := needed("k+chance", 1), needed("k+chance", 4)
	if !(random > one && one > four && four > robin && robin == n) {
		t.Errorf("random %d, k = 1 %d, k = 4 %d, round robin %d", random, one, four, robin)
	}
}

func TestChooserRefuses(t *testing.T) {
	for _, c := range []struct {
		selection string
		k, n      int
		want      string
	}{
		{"k+chance", 0, 8, "sumax: 0 chances, want 1 to 8"},
		{"best", 1, 8, `sumax: selection "best", want k+chance, random or round-robin`},
		{"random", 1, 0, "sumax: 0 sketchlets to choose … 1 to 4294967295"},
	} {
		if _, err := NewChooser(c.selection, c.k, c.n); !errtest.Says(err, c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

var chosen uint64 // keeps the compiler from removing the choices

func BenchmarkChoose(b *testing.B) {
	for _, k := range []int{1, 4} {
		b.Run(fmt.Sprintf("k%d", k), func(b *testing.B) {
			c, err := NewChooser("k+chance", k, 1<<17)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := range b.N {
				id, _ := c.Choose(uint64(i))
				chosen += uint64(id)
			}
		})
	}
}
