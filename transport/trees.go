package transport

import (
	"math/bits"

	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// fewEntries is how many entries of a round a scan may read on average. If scans read more, trees
// replace them.
const fewEntries = 32

// trees finds the next entry of a long round without a scan. There is one tree per traffic class,
// because classes are paused independently. The key of a Ready entry is its ticket if the round has
// a queue, otherwise the time at which it is due. The key of any other entry is Never.
type trees struct {
	byClass [8]tree
	used    uint8 // classes that have entries
}

// node contains the keys of entries or the smallest keys of nodes.
type node [1 << nodeBits]unit.Time

// nodeBits is the logarithm of the size of a node, which is a cache line.
const nodeBits = 3

// tree is a tournament tree: each inner node contains the smallest keys of its children.
type tree struct {
	levels [11][]node // from the leaves to the root; enough for 2³¹ entries
	depth  int
}

// least returns the smallest key in a node.
func (n *node) least() unit.Time {
	return min(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
}

// set sets the key of an entry.
func (t *tree) set(at int32, key unit.Time) {
	i := int(at)
	if i>>nodeBits >= len(t.levels[0]) {
		if key == unit.Never {
			return
		}
		t.grow(i)
	}
	for k := range t.depth {
		n := mem.At(t.levels[k], i>>nodeBits)
		x := &n[i%len(n)]
		if *x == key {
			return
		}
		*x = key
		key = n.least()
		i >>= nodeBits
	}
}

// grow makes room for an entry.
func (t *tree) grow(i int) {
	var empty node
	for j := range empty {
		empty[j] = unit.Never
	}
	for k := 0; ; k++ {
		if k == t.depth {
			t.depth++
			t.levels[k] = append(t.levels[k][:0], empty)
			if k > 0 {
				t.levels[k][0][0] = t.levels[k-1][0].least()
			}
		}
		i >>= nodeBits
		for len(t.levels[k]) <= i {
			t.levels[k] = append(t.levels[k], empty)
		}
		if len(t.levels[k]) == 1 {
			return
		}
	}
}

// least returns the smallest key.
func (t *tree) least() unit.Time {
	if t.depth == 0 {
		return unit.Never
	}
	return t.levels[t.depth-1][0].least()
}

// first returns the first entry at or behind from whose key is at most limit, or -1 if there is
// none. It climbs until a node contains such a key, and then descends to the entry.
func (t *tree) first(from int, limit unit.Time) int {
	i := from
	for k := range t.depth {
		if i>>nodeBits >= len(t.levels[k]) {
			return -1
		}
		n := mem.At(t.levels[k], i>>nodeBits)
		for j := i % len(n); j < len(n); j++ {
			if n[j] <= limit {
				return t.descend(k, i>>nodeBits<<nodeBits+j, limit)
			}
		}
		i = i>>nodeBits + 1
	}
	return -1
}

// descend returns the first entry below slot i of a level whose key is at most limit. There must be
// one.
func (t *tree) descend(level, i int, limit unit.Time) int {
	for k := level - 1; k >= 0; k-- {
		n := mem.At(t.levels[k], i)
		j := 0
		for n[j] > limit {
			j++
		}
		i = i<<nodeBits + j
	}
	return i
}

// first is tree.first for the entries of several classes.
func (t *trees) first(classes uint8, from int, limit unit.Time) int {
	found := -1
	for ; classes != 0; classes &= classes - 1 {
		i := t.byClass[bits.TrailingZeros8(classes)].first(from, limit)
		if i >= 0 && (found < 0 || i < found) {
			found = i
		}
	}
	return found
}

// least returns the smallest key of several classes.
func (t *trees) least(classes uint8) unit.Time {
	key := unit.Never
	for ; classes != 0; classes &= classes - 1 {
		key = min(key, t.byClass[bits.TrailingZeros8(classes)].least())
	}
	return key
}

// key returns the key of an entry.
func (r *Round) key(at int32) unit.Time {
	x := mem.At(r.Entries, at)
	switch {
	case x.State != Ready:
		return unit.Never
	case r.queue != nil:
		return unit.Time(r.queue.tickets[at])
	}
	return x.Avail
}

// moved updates the key of an entry.
func (r *Round) moved(at int32) {
	if r.planted {
		r.place(at)
	}
}

// place sets the key of an entry.
func (r *Round) place(at int32) {
	class := mem.At(r.Entries, at).Class
	r.trees.used |= 1 << class
	r.trees.byClass[class].set(at, r.key(at))
}

// plant makes the trees of a round. They replace scans until tidy removes entries.
func (r *Round) plant() {
	if r.trees == nil {
		r.trees = &trees{}
	}
	for c := range r.trees.byClass {
		t := &r.trees.byClass[c]
		t.levels[0], t.depth = t.levels[0][:0], 0
	}
	r.planted, r.excess, r.trees.used = true, 0, 0
	for i := range r.Entries {
		r.place(int32(i))
	}
}

// pick returns the entry of the given classes that is served next, or -1. It ignores waiting flows.
func (r *Round) pick(classes uint8, now unit.Time) int {
	if r.queue != nil {
		if least := r.trees.least(classes); least != unit.Never {
			return r.trees.first(classes, 0, least)
		}
		return -1
	}
	if i := r.trees.first(classes, r.Last+1, now); i >= 0 {
		return i
	}
	return r.trees.first(classes, 0, now)
}

// pickStrict is pick for strict priorities. An entry of the highest class is served next.
func (r *Round) pickStrict(classes uint8, now unit.Time) int {
	for classes != 0 {
		highest := uint8(1) << (bits.Len8(classes) - 1)
		if i := r.pick(highest, now); i >= 0 {
			return i
		}
		classes &^= highest
	}
	return -1
}
