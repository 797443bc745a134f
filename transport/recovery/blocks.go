package recovery

import (
	"encoding/binary"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// mostBlocks is the largest number of blocks of an ACK (RFC 2018 §3, with time stamps).
const mostBlocks = 3

// optionRoom is the memory for the options of an ACK: the number of blocks, whether the first block
// is a duplicate, and, from the ninth byte on, the ends of the blocks.
const optionRoom = 8 + 16*mostBlocks

// nameBytes is the size of the packet number in a NACK of IRN.
const nameBytes = 4

// blockBytes returns the size of n blocks on the wire: kind and length with two bytes of padding,
// and eight bytes per block (RFC 2018 §3).
func blockBytes(n int) unit.Bytes {
	if n == 0 {
		return 0
	}
	return unit.Bytes(4 + 8*n)
}

// Blocks returns the blocks of an ACK as the SACK option carries them (RFC 2018 §3): for each end
// of a block, the low half of the sequence number. room holds the options of the ACK
// (netsim.Engine.Options).
func (k Kind) Blocks(room []byte) (b []byte) {
	if k != SACK && k != RACK {
		return nil
	}
	for i := range int(room[0]) {
		s := options(room).block(i)
		b = binary.BigEndian.AppendUint32(b, uint32(s.From))
		b = binary.BigEndian.AppendUint32(b, uint32(s.To))
	}
	return b
}

// options are the blocks of an ACK.
type options []byte

// clear removes all blocks.
func (o options) clear() { o[0], o[1] = 0, 0 }

// put appends a block.
func (o options) put(s transport.Span) {
	n := int(o[0])
	binary.LittleEndian.PutUint64(o[8+16*n:], uint64(s.From))
	binary.LittleEndian.PutUint64(o[16+16*n:], uint64(s.To))
	o[0]++
}

// has reports whether a block, other than a duplicate, begins where s does.
func (o options) has(s transport.Span) bool {
	for i := int(o[1]); i < int(o[0]); i++ {
		if o.block(i).From == s.From {
			return true
		}
	}
	return false
}

func (o options) block(i int) transport.Span {
	return transport.Span{From: int64(binary.LittleEndian.Uint64(o[8+16*i:])),
		To: int64(binary.LittleEndian.Uint64(o[16+16*i:]))}
}
