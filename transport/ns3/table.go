package ns3

import "slices"

// table determines the order in which a host of the published simulator visits all its flows: the
// iteration order of an unordered_map of the GNU C++ library, version 5.
type table struct {
	buckets uint64
	groups  []group // one group per bucket, latest first
	count   int
}

type group struct {
	bucket uint64
	items  []item // latest first
}

type item struct {
	key  uint64
	slot int32
}

// sizes are the bucket counts that the library uses in succession; each is at least twice the
// previous one.
var sizes = []uint64{13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697}

// add inserts a flow.
func (t *table) add(key uint64, slot int32) {
	t.count++
	if uint64(t.count) > t.buckets {
		old := t.groups
		t.groups = nil
		for _, n := range sizes {
			if t.buckets = n; n >= uint64(t.count) {
				break
			}
		}
		for _, g := range old {
			for _, x := range g.items {
				t.put(x)
			}
		}
	}
	t.put(item{key, slot})
}

// put inserts a flow at the front of the group of its bucket. A new group goes to the front of all
// groups.
func (t *table) put(x item) {
	b := x.key % t.buckets
	for i := range t.groups {
		if g := &t.groups[i]; g.bucket == b {
			g.items = slices.Insert(g.items, 0, x)
			return
		}
	}
	t.groups = slices.Insert(t.groups, 0, group{b, []item{x}})
}

// order returns the slots in iteration order.
func (t *table) order() []int32 {
	var list []int32
	for _, g := range t.groups {
		for _, x := range g.items {
			list = append(list, x.slot)
		}
	}
	return list
}
