package query

import (
	"cmp"
	"iter"
	"slices"
	"unsafe"
)

// FlowID is the key of a record: a flow by the query's flow definition, and what the sink knows about the path.
// Packets of one flow have different keys if their paths differ in length or checksum.
type FlowID struct {
	Flow FiveTuple // fields that the definition does not use are zero
	Hops uint8
	Lane uint16 // see Encoder.Lane
}

// Compare orders records by flow, then by the length of the path, then by lane.
func (a FlowID) Compare(b FlowID) int {
	f, g := &a.Flow, &b.Flow
	return cmp.Or(
		slices.Compare(f.Src[:], g.Src[:]), slices.Compare(f.Dst[:], g.Dst[:]), cmp.Compare(f.SrcPort, g.SrcPort),
		cmp.Compare(f.DstPort, g.DstPort), cmp.Compare(f.Protocol, g.Protocol),
		cmp.Compare(a.Hops, b.Hops), cmp.Compare(a.Lane, b.Lane))
}

// key is a FlowID without padding, because the memory of a sink counts.
type key struct {
	src, dst               [16]byte
	srcPort, dstPort, lane uint16
	protocol, hops         uint8
}

func (id *FlowID) key() key {
	f := &id.Flow
	return key{f.Src, f.Dst, f.SrcPort, f.DstPort, id.Lane, f.Protocol, id.Hops}
}

func (k *key) id() FlowID {
	return FlowID{FiveTuple{k.src, k.dst, k.srcPort, k.dstPort, k.protocol}, k.hops, k.lane}
}

// nowhere is the index for no entry.
const nowhere = -1

// entry is a flow of a table, linked in the order of use.
type entry[S any] struct {
	id         key
	store      S
	prev, next int32 // the entries used just after and just before it
}

// table keeps a store per flow within a memory limit. If a new flow does not fit, the least
// recently used flow is removed (LRU).
//
// Invariants: bytes <= limit; index and list hold the same entries; the list runs from newest to
// oldest.
type table[S any] struct {
	index          map[key]int32
	entries        []entry[S]
	free           []int32
	newest, oldest int32
	bytes, limit   int
	size           func(S) int
	evicted        uint64
}

// overhead returns the largest memory that the table needs for a flow in addition to its store: two
// entries, because the list doubles when it grows, one element of the free list, and a part of the
// index. Groups of the index have eight slots (key, value and a control byte each) and are at least
// 7/16 full after a split.
func overhead[S any]() int {
	slot := int(unsafe.Sizeof(key{})) + 4 + 1
	return 2*int(unsafe.Sizeof(entry[S]{})) + 4 + (slot*16+6)/7
}

func newTable[S any](limit int, size func(S) int) *table[S] {
	return &table[S]{index: map[key]int32{}, newest: nowhere, oldest: nowhere, limit: limit, size: size}
}

// get returns the store of a flow and makes the flow the newest. It returns false if the flow has no store.
func (t *table[S]) get(flow FlowID) (S, bool) {
	id := flow.key()
	if t.newest != nowhere {
		if e := &t.entries[t.newest]; e.id == id { // the common case; the map is slower
			return e.store, true
		}
	}
	i, ok := t.index[id]
	if !ok {
		var none S
		return none, false
	}
	t.unlink(i)
	t.link(i)
	return t.entries[i].store, true
}

// peek returns the store of a flow without changing the order of use.
func (t *table[S]) peek(id FlowID) (S, bool) {
	i, ok := t.index[id.key()]
	if !ok {
		var none S
		return none, false
	}
	return t.entries[i].store, true
}

// room removes flows until a store of this size fits. The limit must be enough for one store.
func (t *table[S]) room(size int) {
	need := size + overhead[S]()
	for t.bytes+need > t.limit && t.oldest != nowhere {
		i := t.oldest
		e := &t.entries[i]
		t.bytes -= t.size(e.store) + overhead[S]()
		delete(t.index, e.id)
		t.unlink(i)
		var none S
		e.store = none
		t.free = append(t.free, i)
		t.evicted++
	}
}

// put adds the store of a new flow, for which room must have been called.
func (t *table[S]) put(flow FlowID, s S) {
	id := flow.key()
	var i int32
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		i = int32(len(t.entries))
		t.entries = append(t.entries, entry[S]{})
	}
	t.entries[i] = entry[S]{id: id, store: s}
	t.index[id] = i
	t.link(i)
	t.bytes += t.size(s) + overhead[S]()
}

func (t *table[S]) link(i int32) {
	e := &t.entries[i]
	e.prev, e.next = nowhere, t.newest
	if t.newest == nowhere {
		t.oldest = i
	} else {
		t.entries[t.newest].prev = i
	}
	t.newest = i
}

func (t *table[S]) unlink(i int32) {
	e := &t.entries[i]
	if e.prev == nowhere {
		t.newest = e.next
	} else {
		t.entries[e.prev].next = e.next
	}
	if e.next == nowhere {
		t.oldest = e.prev
	} else {
		t.entries[e.next].prev = e.prev
	}
}

// flows yields the flows, most recently used first.
func (t *table[S]) flows() iter.Seq[FlowID] {
	return func(yield func(FlowID) bool) {
		for i := t.newest; i != nowhere; i = t.entries[i].next {
			if !yield(t.entries[i].id.id()) {
				return
			}
		}
	}
}
