package trace

import (
	"fmt"

	"pintlab/internal/hash"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// PPM is the collector of probabilistic packet marking (Savage, Wetherall, Karlin, Anderson,
// "Practical Network Support for IP Traceback", SIGCOMM 2000). The bits of the 32-bit address and
// of a hash of it are interleaved and split into eight fragments. Fragments of neighbours are
// XORed. The collector needs all eight fragments of every hop and no map. It implements
// coding.Decoder.
type PPM struct {
	marking
	hops    int
	have    []uint8  // by hop-1: received fragments
	words   []uint64 // by hop-1
	missing int
	path    []uint64 // once known
	failed  error
}

// NewPPM returns a collector for a path of this many switches.
func NewPPM(f global.Family, hops int) (*PPM, error) {
	if hops < 1 || hops > global.MaxHops {
		return nil, fmt.Errorf("path of %d switches: want 1 to %d", hops, global.MaxHops)
	}
	fragment := func(number uint8, value uint64) uint8 { return uint8(ppmWord(value) >> (8 * number)) }
	d := &PPM{
		marking: newMarking(f, fragment, fragment), hops: hops,
		have: make([]uint8, hops), words: make([]uint64, hops), path: make([]uint64, hops),
	}
	d.Reset()
	return d, nil
}

// ppmWord interleaves an address (odd bits) with its hash (even bits).
func ppmWord(address uint64) uint64 {
	return spread(uint32(address))<<1 | spread(ppmHash(uint32(address)))
}

func ppmHash(address uint32) uint32 { return hash.Murmur3(0x50504d, address) }

// spread inserts a zero bit above each bit; gather is its inverse.
func spread(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	return (v | v<<1) & 0x5555555555555555
}

func gather(v uint64) uint32 {
	v &= 0x5555555555555555
	v = (v | v>>1) & 0x3333333333333333
	v = (v | v>>2) & 0x0f0f0f0f0f0f0f0f
	v = (v | v>>4) & 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return uint32(v | v>>16)
}

// Reset removes all packets.
func (d *PPM) Reset() {
	clear(d.have)
	clear(d.words)
	d.missing, d.failed = 8*d.hops, nil
}

// Add records the mark of a packet.
func (d *PPM) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	hop, f, err := d.check(packet, digest, d.hops)
	if err != nil {
		return err
	}
	i, part := hop-1, uint64(f.content)<<(8*f.number)
	if d.have[i]>>f.number&1 != 0 {
		if d.words[i]&(0xff<<(8*f.number)) != part {
			d.failed = fmt.Errorf("packet %d: %w", packet, coding.ErrInconsistent)
		}
		return d.failed
	}
	d.have[i] |= 1 << f.number
	d.words[i] |= part
	if d.missing--; d.missing > 0 {
		return nil
	}
	after := uint64(0)
	for i := d.hops - 1; i >= 0; i-- {
		after ^= d.words[i]
		address := gather(after >> 1)
		if gather(after) != ppmHash(address) {
			d.failed = fmt.Errorf("packet %d: hop %d: %w", packet, i+1, coding.ErrInconsistent)
			return d.failed
		}
		d.path[i] = uint64(address)
	}
	return nil
}

// Done reports whether all fragments have arrived and agree.
func (d *PPM) Done() bool { return d.missing == 0 && d.failed == nil }

// Known returns the number of hops whose fragments have all arrived.
func (d *PPM) Known() int {
	n := 0
	for _, h := range d.have {
		if h == 0xff {
			n++
		}
	}
	return n
}

// Value returns the address of a hop, from 1, once Done.
func (d *PPM) Value(hop int) (uint64, bool) {
	if !d.Done() {
		return 0, false
	}
	return d.path[hop-1], true
}
