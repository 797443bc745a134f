package netsim

import (
	"math"

	"pintlab/internal/invariants"
	"pintlab/internal/mem"
	"pintlab/netsim/unit"
)

// arrival is a packet that arrives in a domain within a window. Keys are in the order of (time, tie), but do not
// contain some low bits of the tie.
type arrival struct {
	key  uint64
	port PortID
	id   PacketID
}

// mailbox holds the arrivals in a domain in a window, newest first.
type mailbox struct {
	block *block
	left  uint32 // unused entries of the first block
	all   uint32 // number of blocks
}

// len returns the number of arrivals in a mailbox.
func (b *mailbox) len() int { return int(b.all)*blockSize - int(b.left) }

// block is a part of a mailbox.
type block struct {
	next *block
	_    uint64
	list [blockSize]arrival // filled from the end
}

// blockSize is a power of two. Reading a block costs a cache miss, because the address of a block is only in the block
// before it. Larger blocks would be emptier on average, because each worker has separate blocks for each domain and
// window.
const blockSize = 128

// each calls f for each arrival in a mailbox.
func (b *mailbox) each(f func(*arrival)) {
	from := b.left
	for x := b.block; x != nil; x = x.next {
		for i := range x.list[from:] {
			f(&x.list[int(from)+i])
		}
		from = 0
	}
}

// mailbox returns the mailbox of a domain and a window.
func (e *Engine) mailbox(dom, window int) *mailbox { return &e.mailboxes[window*len(e.s.domains)+dom] }

// put puts an arrival into the mailbox of a domain and a window.
func (e *Engine) put(dom int32, window int, x arrival) {
	b := e.mailbox(int(dom), window)
	if b.left == 0 {
		e.enlarge(b, dom, window)
	}
	b.left--
	b.block.list[b.left%blockSize] = x
}

// enlarge adds a block to a mailbox whose blocks are full.
func (e *Engine) enlarge(b *mailbox, dom int32, window int) {
	if e.blocks.free == nil {
		n := min(e.blocks.made/8+16, 1<<12)
		made := mem.Make[block](n, n)
		e.blocks.made += n
		for i := range made {
			e.blocks.give(&made[i])
		}
	}
	x := e.blocks.free
	e.blocks.free, x.next = x.next, b.block
	e.blocks.spare--
	e.used++
	b.block, b.left = x, blockSize
	b.all++
	e.marks[window*e.words+int(dom)/64] |= 1 << (dom & 63)
}

// blocks is the free list of an engine.
type blocks struct {
	free  *block
	spare int
	made  int
}

func (s *blocks) give(x *block) {
	x.next, s.free = s.free, x
	s.spare++
}

// after returns an order for a packet that arrives at the same time as another packet of its link, whose order is
// other. The packet comes behind the other one, even though orders are compared without their last bits.
func (s *schedule) after(order, other uint64) uint64 {
	step := uint64(1) << (s.shift & 63)
	return max(order, min(other, math.MaxUint64-step)+step)
}

// key returns the key of an arrival that is the time off after the start of its window.
func (s *schedule) key(off unit.Time, order uint64) uint64 {
	return uint64(off)<<(s.low&63) | order>>(s.shift&63)
}

// launch schedules the arrival of a packet in the domain at the other end of its link. Simultaneous
// arrivals are sorted by order, which is the tie unless packets of a link must not overtake each
// other.
func (e *Engine) launch(pi PortID, p *port, id PacketID, at unit.Time, order uint64) {
	s := e.s
	off := at - s.next
	x := due{at, order, e.net.arrival(pi), uint32(id)}
	if off < 0 {
		if invariants.Enabled {
			invariants.Check(p.domain == p.onward, "the packet on link %d arrives in the window in which it is sent",
				pi)
		}
		s.push(p.domain, x)
		return
	}
	n := off / s.span
	if n >= unit.Time(s.windows)-1 {
		e.distant = append(e.distant, distant{x, p.onward})
		return
	}
	e.put(p.onward, (s.window+1+int(n))&(s.windows-1), arrival{s.key(off-n*s.span, order), pi, id})
}

// distant is an arrival so many windows ahead that no mailbox exists for its window.
type distant struct {
	due
	domain int32
}
