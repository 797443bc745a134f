package transport

import (
	"encoding/binary"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// mostBlocks is how many blocks an ACK has (RFC 2018 §3, beside time stamps).
const mostBlocks = 3

// optionRoom is the memory for the blocks of an ACK: how many, whether the first is a
// duplicate, and their ends from the ninth byte on.
const optionRoom = 8 + 16*mostBlocks

// selection is what a receiver needs for selective acknowledgements.
type selection struct {
	recent [mostBlocks + 1]int64 // bytes in the data beyond gaps that came last, latest first; 0 for none
	last   span                  // the packet that is being acknowledged
	again  bool                  // it was there before
}

// note records data that has come beyond a gap.
func (x *selection) note(s span) {
	copy(x.recent[1:], x.recent[:mostBlocks])
	x.recent[0] = s.from
}

// optionBytes returns what n blocks cost on the wire: kind and length with two bytes of padding,
// and eight bytes a block (RFC 2018 §3); with IRN the number of the packet that has come.
func (r Recovery) optionBytes(n int) unit.Bytes {
	switch {
	case n == 0 || r == NDP: // whose headers have room for the packet that has come
		return 0
	case r == IRN:
		return 4
	}
	return unit.Bytes(4 + 8*n)
}

// putBlocks writes selective acknowledgements into an ACK and returns how many.
//
// With TCP these are the duplicate data that the ACK answers, if any (RFC 2883); then the
// block in which the last data are, and the blocks reported last before (RFC 2018 §4). With
// IRN it is the packet that made the receiver send a NACK.
func (t *Stack) putBlocks(r *receiver, id netsim.PacketID, nack bool) int {
	o := t.e.Options(id)
	n := 0
	put := func(s span) {
		binary.LittleEndian.PutUint64(o[8+16*n:], uint64(s.from))
		binary.LittleEndian.PutUint64(o[16+16*n:], uint64(s.to))
		n++
	}
	x := r.selection
	o[1] = 0
	if t.cfg.Recovery == IRN {
		if nack {
			put(x.last)
		}
		o[0] = byte(n)
		return n
	}
	if x.again {
		put(x.last)
		o[1] = 1
	}
	for _, seq := range x.recent {
		if g, ok := r.within(seq); ok && n < mostBlocks && !has(o, int(o[1]), n, g) {
			put(g)
		}
	}
	o[0] = byte(n)
	return n
}

// has reports whether one of the blocks from first up to n begins where g does.
func has(o []byte, first, n int, g span) bool {
	for i := first; i < n; i++ {
		if block(o, i).from == g.from {
			return true
		}
	}
	return false
}

// block returns a block of an ACK's options.
func block(o []byte, i int) span {
	return span{int64(binary.LittleEndian.Uint64(o[8+16*i:])), int64(binary.LittleEndian.Uint64(o[16+16*i:]))}
}

// within returns the span of data beyond a gap that contains a byte.
func (r *receiver) within(seq int64) (span, bool) {
	gaps := r.beyond()
	i, _ := slices.BinarySearchFunc(gaps, seq, func(g span, seq int64) int {
		if g.to <= seq {
			return -1
		}
		return 1
	})
	if i < len(gaps) && gaps[i].from <= seq {
		return gaps[i], true
	}
	return span{}, false
}
