package transport

import "pintlab/netsim/unit"

// board is what a sender with selective acknowledgements knows of the segments between its
// first byte not acknowledged and the first never sent: the scoreboard of RFC 6675, the
// bitmap of IRN. Segment i is the bytes from i·Config.Segment on. The work for an ACK is
// proportional to the number of segments about which it brings news.
type board struct {
	ring []segment // of segment i at i modulo its length, a power of two
	low  int64     // first segment not acknowledged
	high int64     // first segment never sent
	size int64     // bytes of a segment
	end  int64     // bytes of the flow

	flight  int64 // bytes in the network: "pipe" of RFC 6675 §4
	sacked  int64 // segments
	top     int64 // one above the highest segment that is sacked; low if none is
	lostOut int64 // segments that are lost and not sent again yet
	scan    int64 // none of these is below

	// All segments below the frontier that are not sacked are lost (IsLost of RFC 6675).
	frontier int64
	above    int64 // sacked segments from the frontier on

	timed          bool  // the list is kept: what is in the network, in the order of sending
	oldest, newest int64 // -1: none

	urgent bool  // the next lost segment is sent whatever the window
	probe  int64 // this segment goes next, whatever the window; -1: none
	sent   int64 // HighRxt of RFC 6675: one above the highest segment sent again in this recovery
	rescue int64 // RescueRxt: no rescue unless all below and this segment are acknowledged

	rack rack
	allowance
}

// segment is what the board knows of one.
type segment struct {
	sent       unit.Time
	next, prev int64 // in the list; of a sacked segment next is a later one, before which all are sacked
	state      segState
	path       uint8  // that it was sent on last, with a path penalty
	epoch      uint32 // of route.Order, when it was
}

// segState are properties of a segment.
type segState uint8

const (
	segSacked segState = 1 << iota
	segLost            // what was sent first, or last with RACK, is taken for lost
	segAgain           // sent again, and that is not taken for lost
	segEver            // sent again at any time
)

// weight returns how many packets of a segment are in the network.
func (s segState) weight() int64 {
	if s&segSacked != 0 {
		return 0
	}
	n := int64(1)
	if s&segLost != 0 {
		n = 0
	}
	if s&segAgain != 0 {
		n++
	}
	return n
}

// waits reports whether the segment is to be sent again.
func (s segState) waits() bool { return s&(segSacked|segLost|segAgain) == segLost }

// reset empties the board for another flow.
func (b *board) reset(size, end int64, timed bool) {
	*b = board{ring: b.ring, size: size, end: end, timed: timed, oldest: -1, newest: -1, probe: -1}
	b.rack.reset()
}

func (b *board) at(i int64) *segment { return &b.ring[i&int64(len(b.ring)-1)] }

// bytes returns the payload of a segment.
func (b *board) bytes(i int64) int64 { return min(b.size, b.end-i*b.size) }

// set changes the state of a segment and updates the counters.
func (b *board) set(i int64, to segState) {
	g := b.at(i)
	from := g.state
	g.state = to
	was, is := from.weight(), to.weight()
	b.flight += (is - was) * b.bytes(i)
	if from.waits() != to.waits() {
		if to.waits() {
			b.lostOut++
			b.scan = min(b.scan, i)
		} else {
			b.lostOut--
		}
	}
	if b.timed && was > 0 && is == 0 {
		b.unlink(g)
	}
}

func (b *board) unlink(g *segment) {
	if g.prev >= 0 {
		b.at(g.prev).next = g.next
	} else {
		b.oldest = g.next
	}
	if g.next >= 0 {
		b.at(g.next).prev = g.prev
	} else {
		b.newest = g.prev
	}
}

// transmit notes that a segment is sent now. counts is false for a rescue of RFC 6675,
// which does not count as sent again.
func (b *board) transmit(i int64, now unit.Time, counts bool) {
	if i == b.high {
		b.grow()
		b.high++
		*b.at(i) = segment{prev: -1, next: -1}
		b.flight += b.bytes(i)
	} else {
		g := b.at(i)
		to := g.state | segEver
		if counts {
			to |= segAgain
		}
		if b.timed && g.state.weight() > 0 {
			b.unlink(g)
		}
		b.set(i, to)
	}
	g := b.at(i)
	g.sent = now
	if b.timed {
		g.prev, g.next = b.newest, -1
		if b.newest >= 0 {
			b.at(b.newest).next = i
		} else {
			b.oldest = i
		}
		b.newest = i
	}
}

// grow makes room for one more segment.
func (b *board) grow() {
	if b.high-b.low < int64(len(b.ring)) {
		return
	}
	old := b.ring
	b.ring = make([]segment, max(16, 2*len(old)))
	for i := b.low; i < b.high; i++ {
		*b.at(i) = old[i&int64(len(old)-1)]
	}
}

// acknowledge removes the segments below one.
func (b *board) acknowledge(upto int64) {
	for ; b.low < upto; b.low++ {
		g := b.at(b.low)
		if g.state&segSacked == 0 {
			if b.timed {
				b.rack.delivered(b.low, g)
			}
			b.set(b.low, segSacked)
		} else {
			b.sacked--
			if b.low >= b.frontier {
				b.above--
			}
		}
	}
	b.frontier, b.scan, b.top = max(b.frontier, upto), max(b.scan, upto), max(b.top, upto)
	if b.probe < upto {
		b.probe = -1
	}
	if b.lostOut == 0 {
		b.urgent = false
	}
}

// sack notes that the segments in [from, upto) have arrived. It returns how many of them
// the board did not know of.
func (b *board) sack(from, upto int64) (news int) {
	upto = min(upto, b.high)
	for i := b.unsacked(max(from, b.low), upto); i < upto; i = b.unsacked(i+1, upto) {
		g := b.at(i)
		if b.timed {
			b.rack.delivered(i, g)
		}
		b.set(i, g.state|segSacked)
		g.next = i + 1
		b.sacked++
		if i >= b.frontier {
			b.above++
		}
		b.top = max(b.top, i+1)
		news++
	}
	return news
}

// unsacked returns the first segment from i on, up to a limit, that is not sacked. It shortens
// the links of sacked segments on the way.
func (b *board) unsacked(i, limit int64) int64 {
	for i < limit {
		g := b.at(i)
		if g.state&segSacked == 0 {
			return i
		}
		next := g.next
		if next < limit {
			if h := b.at(next); h.state&segSacked != 0 {
				g.next = h.next
			}
		}
		i = next
	}
	return limit
}

// advance marks segments as lost if at least threshold segments above them have arrived:
// with full segments this is IsLost of RFC 6675 §4.
func (b *board) advance(threshold int) {
	for b.frontier < b.top {
		g := b.at(b.frontier)
		if g.state&segSacked != 0 {
			b.above--
		} else if b.above < int64(threshold) {
			return
		} else {
			b.set(b.frontier, g.state|segLost)
		}
		b.frontier++
	}
}

// lose marks a segment as lost, also if it has been sent again.
func (b *board) lose(i int64) {
	if g := b.at(i); g.state&segSacked == 0 {
		b.set(i, g.state&^segAgain|segLost)
	}
}

// loseAll marks all segments below one as lost that are not sacked.
func (b *board) loseAll(upto int64) {
	for i := b.unsacked(b.low, upto); i < upto; i = b.unsacked(i+1, upto) {
		b.lose(i)
	}
	if upto > b.frontier {
		b.frontier, b.above = upto, 0
		for i := upto; i < b.top; i++ {
			if b.at(i).state&segSacked != 0 {
				b.above++
			}
		}
	}
}

// lost returns the first segment that is to be sent again. There must be one.
func (b *board) lost() int64 {
	for !b.at(b.scan).state.waits() {
		b.scan++
	}
	return b.scan
}
