package query

import (
	"iter"
	"unsafe"
)

// Digests stores the newest digests of one flow for a static query, for the decoders of package
// coding. A record is the packet's identifier and its digest in whole bytes.
type Digests struct {
	ids   []uint64
	data  []byte
	width int // bytes per digest
	next  int
	full  bool
}

func newDigests(records, width int) *Digests {
	return &Digests{ids: make([]uint64, records), data: make([]byte, records*width), width: width}
}

// digestsSize returns the memory of a ring of records.
func digestsSize(records, width int) int {
	return int(unsafe.Sizeof(Digests{})) + records*(8+width)
}

// digestsFor returns how many records fit into a space.
func digestsFor(space, width int) int {
	return max((space-digestsSize(0, width))/(8+width), 0)
}

func (d *Digests) add(packet, digest uint64) {
	d.ids[d.next] = packet
	at := d.next * d.width
	for i := range d.width {
		d.data[at+i] = byte(digest >> (8 * i))
	}
	if d.next++; d.next == len(d.ids) {
		d.next, d.full = 0, true
	}
}

// Len returns the number of records.
func (d *Digests) Len() int {
	if d.full {
		return len(d.ids)
	}
	return d.next
}

// All yields packet identifiers and digests, oldest first.
func (d *Digests) All() iter.Seq2[uint64, uint64] {
	return func(yield func(uint64, uint64) bool) {
		n := d.Len()
		start := d.next - n // negative if the ring has wrapped around
		for j := range n {
			i := start + j
			if i < 0 {
				i += len(d.ids)
			}
			v := uint64(0)
			for k := range d.width {
				v |= uint64(d.data[i*d.width+k]) << (8 * k)
			}
			if !yield(d.ids[i], v) {
				return
			}
		}
	}
}

// SizeBytes returns the memory of d, at most the space of its query.
func (d *Digests) SizeBytes() int { return digestsSize(len(d.ids), d.width) }
