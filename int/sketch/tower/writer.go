package tower

import (
	"unsafe"

	"pintlab/int/sketch/rows"
	"pintlab/internal/mem"
)

// Writer inserts the packets of one goroutine into a shared Atomic. It takes 128 KB in addition to the sketch.
//
// Cores that write to the same memory wait for each other: a cache line must come from the core that had it last, and
// an atomic instruction waits for the line. A Writer makes this rare. It counts the packets of a flow in its own small
// table, and inserts them together when another flow needs the place or when there are maxGathered of them. It also
// prefetches the cache lines of a flow some insertions before it changes them.
//
// Until Flush an estimate can miss the packets that writers have gathered: fewer than (lookahead+1)·maxGathered of each
// flow in each writer, if each packet is inserted alone. With CM insertion the counters after Flush equal those that
// Insert leaves.
type Writer struct {
	sketch *Atomic
	slots  []gathered
	ahead  [lookahead]gathered // on their way into the sketch; 0 packets: none
	next   int                 // index of the oldest entry of ahead
}

// gathered counts the packets of a flow. The hash at identifies the flow, because it is a
// bijection of the key.
type gathered struct{ at, n uint64 }

const (
	gatherSlots = 1 << 13 // 128 KB
	maxGathered = 64
	lookahead   = 8 // insertions between the prefetch of cache lines and their use
)

// Writer makes a writer without packets, for one goroutine.
func (s *Atomic) Writer() *Writer {
	return &Writer{sketch: s, slots: make([]gathered, gatherSlots)}
}

// Insert counts n packets or bytes of the flow.
func (w *Writer) Insert(key, n uint64) {
	at, _ := rows.Start(key, w.sketch.mixed)
	slot := &w.slots[at%gatherSlots]
	if slot.at == at {
		if slot.n += n; slot.n >= maxGathered {
			w.put(*slot)
			slot.n = 0
		}
		return
	}
	old := *slot
	*slot = gathered{at, n}
	if old.n > 0 {
		w.put(old)
	}
}

// put prefetches the cache lines of a flow, and inserts the flow whose prefetch is longest ago.
func (w *Writer) put(g gathered) {
	s := w.sketch
	at, step := g.at, g.at<<32
	for i := range s.arrays {
		a := &s.arrays[i]
		word, _ := a.at(rows.Index(at, a.counters))
		// Most small counters of a packet have overflowed and are only read.
		if a.log < 3 {
			mem.Prefetch(unsafe.Pointer(word))
		} else {
			mem.PrefetchWrite(unsafe.Pointer(word))
		}
		at += step
	}
	old := w.ahead[w.next]
	w.ahead[w.next] = g
	w.next = (w.next + 1) % lookahead
	if old.n > 0 {
		s.add(old.at, old.n)
	}
}

// Flush inserts the remaining packets. The writer can be used afterwards.
func (w *Writer) Flush() {
	for i := range w.ahead {
		if g := &w.ahead[i]; g.n > 0 {
			w.sketch.add(g.at, g.n)
			g.n = 0
		}
	}
	for i := range w.slots {
		if g := &w.slots[i]; g.n > 0 {
			w.sketch.add(g.at, g.n)
			g.n = 0
		}
	}
}
