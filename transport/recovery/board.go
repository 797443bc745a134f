package recovery

import (
	"pintlab/internal/invariants"
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// Board records the segments of a sender with selective acknowledgements. It is the scoreboard of
// RFC 6675, or the bitmap of IRN. It covers the segments from the first unacknowledged one to the
// last sent one. Segment i begins at byte i·Config.Segment. The work for an ACK is proportional to
// the number of segments whose state it changes.
type Board struct {
	ring []Segment // segment i is at i modulo its length, a power of two
	Low  int64     // first segment not acknowledged
	High int64     // first segment never sent
	size int64     // bytes of a segment
	end  int64     // bytes of the flow

	Flight  int64 // bytes in the network: "pipe" of RFC 6675 §4
	sacked  int64 // number of sacked segments
	top     int64 // one above the highest segment that is sacked; Low if none is
	LostOut int64 // number of lost segments that are not retransmitted yet
	Unsent  int64 // bytes of the LostOut segments
	scan    int64 // no LostOut segment is below this one

	// All segments below the frontier that are not sacked are lost (IsLost of RFC 6675).
	frontier int64
	above    int64 // sacked segments from the frontier on

	timed  bool  // keep the list of segments in the network, in the order of sending
	Oldest int64 // first segment of the list; -1: none
	newest int64 // last segment of the list; -1: none

	rack *rack // notified of arrivals; nil without RACK
}

// Segment is the state of a segment on the board.
type Segment struct {
	Sent       unit.Time
	Next, prev int64 // in the list; for a sacked segment, all segments before Next are sacked
	state      segState
	Path       uint8  // for the strategy: path of its last transmission
	Epoch      uint32 // for the strategy: route.Order epoch of its last transmission
}

// Sacked reports whether the segment has arrived.
func (g *Segment) Sacked() bool { return g.state&segSacked != 0 }

// InFlight reports whether the sender believes that a packet with the segment is in the network.
func (g *Segment) InFlight() bool { return g.state.weight() > 0 }

// segState is a set of properties of a segment.
type segState uint8

const (
	segSacked segState = 1 << iota
	segLost            // the first transmission, or with RACK the last one, is considered lost
	segAgain           // retransmitted, and the retransmission is not considered lost
	segEver            // has ever been retransmitted
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

// waits reports whether the segment must be retransmitted.
func (s segState) waits() bool { return s&(segSacked|segLost|segAgain) == segLost }

// Reset empties the board for a flow of end bytes. If timed is set, the board keeps the list of
// segments in the network.
func (b *Board) Reset(size unit.Bytes, end unit.Bytes, timed bool) {
	*b = Board{ring: b.ring, rack: b.rack, size: int64(size), end: int64(end), timed: timed, Oldest: -1, newest: -1}
}

// Index returns the segment of a byte.
func (b *Board) Index(seq int64) int64 { return seq / b.size }

// segmentsOf returns the number of segments in this many bytes from the beginning of the flow.
func (b *Board) segmentsOf(bytes int64) int64 { return (bytes + b.size - 1) / b.size }

// At returns segment i.
func (b *Board) At(i int64) *Segment { return mem.At(b.ring, int(i)&(len(b.ring)-1)) }

// bytes returns the payload of a segment.
func (b *Board) bytes(i int64) int64 { return min(b.size, b.end-i*b.size) }

// set changes the state of a segment and updates the counters.
func (b *Board) set(i int64, to segState) {
	g := b.At(i)
	from := g.state
	g.state = to
	was, is := from.weight(), to.weight()
	b.Flight += (is - was) * b.bytes(i)
	if from.waits() != to.waits() {
		if to.waits() {
			b.LostOut++
			b.Unsent += b.bytes(i)
			b.scan = min(b.scan, i)
		} else {
			b.LostOut--
			b.Unsent -= b.bytes(i)
		}
	}
	if b.timed && was > 0 && is == 0 {
		b.unlink(g)
	}
}

func (b *Board) unlink(g *Segment) {
	if g.prev >= 0 {
		b.At(g.prev).Next = g.Next
	} else {
		b.Oldest = g.Next
	}
	if g.Next >= 0 {
		b.At(g.Next).prev = g.prev
	} else {
		b.newest = g.prev
	}
}

// Transmit records that a segment is sent now. counts is false for a rescue of RFC 6675, which does
// not count as a retransmission.
func (b *Board) Transmit(i int64, now unit.Time, counts bool) {
	if i == b.High {
		b.grow()
		b.High++
		*b.At(i) = Segment{prev: -1, Next: -1}
		b.Flight += b.bytes(i)
	} else {
		g := b.At(i)
		to := g.state | segEver
		if counts {
			to |= segAgain
		}
		if b.timed && g.state.weight() > 0 {
			b.unlink(g)
		}
		b.set(i, to)
	}
	g := b.At(i)
	g.Sent = now
	if b.timed {
		g.prev, g.Next = b.newest, -1
		if b.newest >= 0 {
			b.At(b.newest).Next = i
		} else {
			b.Oldest = i
		}
		b.newest = i
	}
}

// grow makes room for one more segment.
func (b *Board) grow() {
	if b.High-b.Low < int64(len(b.ring)) {
		return
	}
	old := b.ring
	b.ring = make([]Segment, max(16, 2*len(old)))
	for i := b.Low; i < b.High; i++ {
		*b.At(i) = old[i&int64(len(old)-1)]
	}
}

// Acknowledge removes the segments below upto.
func (b *Board) Acknowledge(upto int64) {
	for ; b.Low < upto; b.Low++ {
		g := b.At(b.Low)
		if g.state&segSacked == 0 {
			if b.rack != nil {
				b.rack.delivered(b.Low, g)
			}
			b.set(b.Low, segSacked)
		} else {
			b.sacked--
			if b.Low >= b.frontier {
				b.above--
			}
		}
	}
	b.frontier, b.scan, b.top = max(b.frontier, upto), max(b.scan, upto), max(b.top, upto)
}

// Sack records that the segments in [from, upto) have arrived. It returns how many of them are new
// to the board.
func (b *Board) Sack(from, upto int64) (news int) {
	upto = min(upto, b.High)
	for i := b.unsacked(max(from, b.Low), upto); i < upto; i = b.unsacked(i+1, upto) {
		g := b.At(i)
		if b.rack != nil {
			b.rack.delivered(i, g)
		}
		b.set(i, g.state|segSacked)
		g.Next = i + 1
		b.sacked++
		if i >= b.frontier {
			b.above++
		}
		b.top = max(b.top, i+1)
		news++
	}
	return news
}

// unsacked returns the first segment from i on that is not sacked, or limit. It shortens the links
// of sacked segments on the way.
func (b *Board) unsacked(i, limit int64) int64 {
	for i < limit {
		g := b.At(i)
		if g.state&segSacked == 0 {
			return i
		}
		next := g.Next
		if next < limit {
			if h := b.At(next); h.state&segSacked != 0 {
				g.Next = h.Next
			}
		}
		i = next
	}
	return limit
}

// advance marks segments as lost if at least threshold segments above them have arrived. With full
// segments this is IsLost of RFC 6675 §4.
func (b *Board) advance(threshold int) {
	for b.frontier < b.top {
		g := b.At(b.frontier)
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

// Lose marks a segment as lost, even if it has been retransmitted.
func (b *Board) Lose(i int64) {
	if g := b.At(i); g.state&segSacked == 0 {
		b.set(i, g.state&^segAgain|segLost)
	}
}

// loseAll marks as lost all segments below upto that are not sacked.
func (b *Board) loseAll(upto int64) {
	for i := b.unsacked(b.Low, upto); i < upto; i = b.unsacked(i+1, upto) {
		b.Lose(i)
	}
	if upto > b.frontier {
		b.frontier, b.above = upto, 0
		for i := upto; i < b.top; i++ {
			if b.At(i).state&segSacked != 0 {
				b.above++
			}
		}
	}
}

// Lost returns the first segment that must be retransmitted. There must be one.
func (b *Board) Lost() int64 {
	for !b.At(b.scan).state.waits() {
		b.scan++
	}
	return b.scan
}

// Audit checks the counters of the board.
func (b *Board) Audit(flow int32, una, nxt int64) {
	var flight, sacked, above, lost, listed int64
	for i := b.Low; i < b.High; i++ {
		st := b.At(i).state
		flight += st.weight() * b.bytes(i)
		if st&segSacked != 0 {
			sacked++
			if i >= b.frontier {
				above++
			}
			invariants.Check(i < b.top,
				"flow %d: segment %d is sacked, the highest by the count is below %d", flow, i, b.top)
		} else if i < b.frontier {
			invariants.Check(st&segLost != 0,
				"flow %d: segment %d is below the frontier %d and not lost", flow, i, b.frontier)
		}
		if st.waits() {
			lost++
			invariants.Check(i >= b.scan, "flow %d: segment %d waits, and is not looked for below %d", flow, i, b.scan)
		}
		if b.timed && st.weight() > 0 {
			listed++
		}
	}
	for i := b.Oldest; b.timed && i >= 0; i = b.At(i).Next {
		listed--
	}
	invariants.Check(b.Low == una/b.size && b.High == b.segmentsOf(nxt),
		"flow %d: segments %d to %d, bytes %d to %d", flow, b.Low, b.High, una, nxt)
	invariants.Check(flight == b.Flight && sacked == b.sacked && above == b.above && lost == b.LostOut && listed == 0,
		"flow %d: in flight %d, sacked %d, above %d, lost %d, off the list %d; counted %d, %d, %d, %d",
		flow, flight, sacked, above, lost, listed, b.Flight, b.sacked, b.above, b.LostOut)
}
