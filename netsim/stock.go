package netsim

import (
	"cmp"
	"slices"

	"pintlab/internal/mem"
)

// slab holds the state of the packet slab that several engines share. Each engine has its own free
// list. The slab grows only while no engine runs.
type slab struct {
	batch   int // entries that an engine gets at a time
	running bool
	short   int // how often an engine ran out of entries within a window
}

// stock gives an engine a batch of free entries. They come from the engine with the longest free
// list if that list is long; otherwise the slab grows. No engine may run.
func (s *schedule) stock(e *Engine) {
	if s.slab.running {
		panic("netsim: an event has made more packets than there is room for")
	}
	rich := slices.MaxFunc(s.engines, func(a, b *Engine) int { return cmp.Compare(a.spare, b.spare) })
	if rich != e && rich.spare > 4*(s.slab.batch+s.least) {
		last := rich.free
		for range s.slab.batch - 1 {
			last = e.Packet(last).next
		}
		rich.free, e.Packet(last).next, e.free = e.Packet(last).next, e.free, rich.free
		rich.spare, e.spare = rich.spare-s.slab.batch, e.spare+s.slab.batch
		return
	}
	first := len(e.pkts)
	pkts := append(e.pkts, make([]Packet, s.slab.batch)...)
	stacks := e.stacks
	if need := cap(pkts) * e.depth; len(stacks) < need {
		stacks = make([]PortSample, need)
		copy(stacks, e.stacks)
	}
	cargos := e.cargos
	if need := cap(pkts) * e.net.aside; len(cargos) < need {
		cargos = mem.Make[byte](need, need)
		copy(cargos, e.cargos)
	}
	for _, x := range s.engines {
		x.pkts, x.stacks, x.cargos = pkts, stacks, cargos
	}
	for id := len(pkts) - 1; id >= first; id-- {
		e.release(PacketID(id))
	}
}

// manyBlocks is a number of free blocks. An engine gives some of its free blocks away if it has more than four times as
// many as another engine plus manyBlocks.
const manyBlocks = 256

// restock gives every engine enough entries for most windows. An engine that runs out of entries
// stops.
func (s *schedule) restock() {
	for _, e := range s.engines {
		for e.spare < 2*s.least {
			s.stock(e)
		}
		rich := slices.MaxFunc(s.engines, func(a, b *Engine) int { return cmp.Compare(a.blocks.spare, b.blocks.spare) })
		if rich.blocks.spare > 4*e.blocks.spare+manyBlocks {
			for range rich.blocks.spare / 4 { // blocks move as packets do
				x := rich.blocks.free
				rich.blocks.free = x.next
				rich.blocks.spare--
				e.blocks.give(x)
			}
		}
	}
}
