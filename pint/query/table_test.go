package query

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The table behaves like a plain list in order of use: same flows, same order, same evictions, and never above the
// limit.
func TestTableIsLRU(t *testing.T) {
	type item struct {
		id   FlowID
		size int
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(300, 3000).Draw(t, "limit")
		table := newTable(limit, func(s int) int { return s })
		var list []item // newest first
		evicted := uint64(0)
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			id := FlowID{Hops: uint8(rapid.IntRange(1, 30).Draw(t, "flow"))}
			at := slices.IndexFunc(list, func(it item) bool { return it.id == id })
			got, ok := table.get(id)
			if ok != (at >= 0) || ok && got != list[at].size {
				t.Fatalf("flow %v: %v, %v; the list has it at %d", id.Hops, got, ok, at)
			}
			var it item
			if ok {
				it = list[at]
				list = slices.Delete(list, at, at+1)
			} else {
				it = item{id, rapid.IntRange(0, limit-overhead[int]()).Draw(t, "size")}
				used := func() int {
					sum := it.size + overhead[int]()
					for _, x := range list {
						sum += x.size + overhead[int]()
					}
					return sum
				}
				for used() > limit {
					list = list[:len(list)-1]
					evicted++
				}
				table.room(it.size)
				table.put(it.id, it.size)
			}
			list = slices.Insert(list, 0, it)

			var want, order []FlowID
			bytes := 0
			for _, x := range list {
				want = append(want, x.id)
				bytes += x.size + overhead[int]()
			}
			for id := range table.flows() {
				order = append(order, id)
				if _, ok := table.peek(id); !ok {
					t.Fatalf("flow %v is listed and not found", id.Hops)
				}
			}
			if !slices.Equal(order, want) || table.bytes != bytes || bytes > limit || table.evicted != evicted ||
				len(table.index) != len(want) {
				t.Fatalf("order %v, want %v; %d bytes, want %d of %d; %d evicted, want %d",
					order, want, table.bytes, bytes, limit, table.evicted, evicted)
			}
		}
	})
}

func TestDigestRing(t *testing.T) {
	for width := 1; width <= 8; width++ {
		d := newDigests(digestsFor(200, width), width)
		if d.SizeBytes() > 200 || d.SizeBytes() <= 200-(8+width) {
			t.Errorf("width %d: %d bytes of 200", width, d.SizeBytes())
		}
		mask := ^uint64(0) >> (64 - 8*width)
		for p := range uint64(50) {
			d.add(p, p*0x123456789abcdef&mask)
			next := max(0, int(p)+1-d.Cap())
			for id, digest := range d.All() {
				if id != uint64(next) || digest != id*0x123456789abcdef&mask {
					t.Fatalf("width %d after %d packets: record %d, %#x; want packet %d", width, p+1, id, digest, next)
				}
				next++
			}
			if next != int(p)+1 {
				t.Fatalf("width %d after %d packets: records end at %d", width, p+1, next)
			}
		}
	}
}
