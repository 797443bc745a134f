package netsim

import (
	"math/bits"
	"slices"
	"unsafe"

	"pintlab/internal/mem"
)

// precedes reports whether a comes before b.
func (e *Engine) precedes(a, b *arrival) bool {
	return a.key < b.key || a.key == b.key && e.Packet(a.id).tie < e.Packet(b.id).tie
}

// ahead reports whether an arrival comes before another event of the same time.
func (e *Engine) ahead(a *arrival, tie uint64) bool {
	shift := e.s.shift & 63
	if order := a.key << shift >> shift; order != tie>>shift {
		return order < tie>>shift
	}
	return e.Packet(a.id).tie < tie
}

// farOff is the largest number of places by which arrivals sorted by bin may be moved one by one.
const farOff = 16

// gather returns the arrivals in a domain in this window, in order, and empties the mailboxes. It distributes the
// arrivals over about as many bins as there are arrivals. Times and ties are mostly spread evenly, so a bin has about
// one arrival, and few comparisons remain. Behind the last arrival there are copies of this arrival, for code that
// looks ahead.
func (e *Engine) gather(dom int32) []arrival {
	s := e.s
	n := 0
	e.runs = e.runs[:0]
	for _, from := range s.engines {
		b := from.mailbox(int(dom), s.window)
		left := b.left
		for x := b.block; x != nil; x = x.next {
			mem.PrefetchLines(unsafe.Pointer(&x.list[left]), (blockSize-int(left)+3)/4)
			e.runs = append(e.runs, x.list[left:])
			n += blockSize - int(left)
			left = 0
		}
	}
	if n == 0 {
		return nil
	}
	if len(e.sorted) < n+fetchPacket {
		e.sorted = make([]arrival, 2*n+fetchPacket)
		e.bins = make([]int32, 1<<bits.Len(uint(2*n)))
	}
	sorted := e.sorted[:n]
	if n <= 8 {
		at := n
		for _, run := range e.runs {
			for _, x := range run {
				at--
				sorted[at] = x
			}
		}
	} else {
		e.distribute(sorted)
	}
	for _, from := range s.engines {
		b := from.mailbox(int(dom), s.window)
		if b.block == nil {
			continue // not written, so that the cache line stays with its engine
		}
		for x := b.block; x != nil; {
			next := x.next
			e.blocks.give(x)
			e.used--
			x = next
		}
		*b = mailbox{}
	}
	e.refine(sorted)
	last, after := sorted[n-1], e.sorted[n:][:fetchPacket]
	for i := range after {
		after[i] = last
	}
	return sorted
}

// refine sorts arrivals that are sorted by bin.
func (e *Engine) refine(sorted []arrival) {
	last := sorted[0].key // of the arrival before i
	for i := 1; i < len(sorted); i++ {
		key := sorted[i].key
		if key > last || key == last && (e.fifo || !e.precedes(&sorted[i], &sorted[i-1])) {
			last = key
			continue
		}
		x, j := sorted[i], i
		for ; j > 0 && e.precedes(&x, &sorted[j-1]); j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = x
		if i-j > farOff { // a bin has many arrivals, which came at about the same time
			slices.SortStableFunc(sorted, func(a, b arrival) int {
				if e.precedes(&a, &b) {
					return -1
				} else if e.precedes(&b, &a) {
					return 1
				}
				return 0
			})
			return
		}
	}
}

// distribute sorts the arrivals of the runs by bin.
func (e *Engine) distribute(sorted []arrival) {
	right := (64 - uint(bits.Len(uint(len(sorted)-1)))) & 63
	bins := e.bins[:1<<(64-right)]
	clear(bins)
	for _, run := range e.runs {
		for _, x := range run {
			*mem.At(bins, int(x.key>>(right&63)))++
		}
	}
	end := int32(0)
	for i, n := range bins {
		end += n
		bins[i] = end
	}
	for _, run := range e.runs { // backwards, so that equal keys keep their order
		for _, x := range run {
			b := mem.At(bins, int(x.key>>(right&63)))
			*b--
			*mem.At(sorted, *b) = x
		}
	}
}
