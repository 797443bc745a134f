package trace

import (
	"fmt"
	"math/bits"

	"pintlab/internal/hash"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// AMS2 is the collector of the second advanced marking scheme (Song, Perrig, "Advanced and
// Authenticated Marking Schemes for IP Traceback", INFOCOM 2001). A mark is the XOR of 8-bit hashes
// of the two ends of an edge, under one of eight pairs of functions. The collector uses the map of
// the network to find the routers that explain the marks. It needs at least m different functions
// at every hop. It implements coding.Decoder.
type AMS2 struct {
	marking
	m      *Map
	need   int // m
	hops   int
	have   []uint8
	marks  [][8]uint8
	short  int // hops with fewer than need functions
	path   []int32
	done   bool
	failed error
}

// NewAMS2 returns a collector for a path of this many switches. It waits for marks of at least need
// of the eight functions at each hop. need is 1 … 8 (the PINT paper compares 5 and 6).
func NewAMS2(f global.Family, m *Map, need, hops int) (*AMS2, error) {
	if hops < 1 || hops > global.MaxHops {
		return nil, fmt.Errorf("path of %d switches: want 1 to %d", hops, global.MaxHops)
	}
	if need < 1 || need > 8 {
		return nil, fmt.Errorf("AMS2: m = %d, want 1 to 8", need)
	}
	d := &AMS2{marking: newMarking(f, amsStart, amsEnd), m: m, need: need, hops: hops,
		have: make([]uint8, hops), marks: make([][8]uint8, hops), path: make([]int32, hops)}
	d.Reset()
	return d, nil
}

// Functions restricts the scheme to the first n of the eight functions. n is between m and 8.
func (d *AMS2) Functions(n int) { d.numbers = n }

func amsStart(number uint8, value uint64) uint8 {
	return uint8(hash.Combine(0xa352+uint64(number), value) >> 56)
}

func amsEnd(number uint8, value uint64) uint8 {
	return uint8(hash.Combine(0xa35200+uint64(number), value) >> 56)
}

// Reset removes all packets.
func (d *AMS2) Reset() {
	clear(d.have)
	d.short, d.done, d.failed = d.hops, false, nil
}

// Add records the mark of a packet.
func (d *AMS2) Add(packet, digest uint64) error {
	if d.failed != nil {
		return d.failed
	}
	hop, f, err := d.check(packet, digest, d.hops)
	if err != nil {
		return err
	}
	i := hop - 1
	ok := true
	if d.have[i]>>f.number&1 != 0 {
		ok = d.marks[i][f.number] == f.content
	} else {
		d.have[i] |= 1 << f.number
		d.marks[i][f.number] = f.content
		if bits.OnesCount8(d.have[i]) == d.need {
			d.short--
		}
		if d.short == 0 {
			paths := d.extend(d.hops-1, 0)
			ok, d.done = paths > 0, paths == 1
		}
	}
	if !ok {
		d.failed = fmt.Errorf("packet %d: %w", packet, coding.ErrInconsistent)
	}
	return d.failed
}

// extend tries all choices of the hops up to index i; d.path contains the chosen hops after i. It
// returns found plus the number of paths that it finds, up to two in total. If there is only one
// path, d.path contains it at the end.
func (d *AMS2) extend(i, found int) int {
	if i < 0 {
		return found + 1
	}
	if i == d.hops-1 {
		for sw := range d.m.switches {
			found = d.try(i, int32(sw), found)
		}
		return found
	}
	for _, sw := range d.m.neighbours.of(d.path[i+1]) {
		found = d.try(i, sw, found)
	}
	return found
}

func (d *AMS2) try(i int, sw int32, found int) int {
	if found > 1 {
		return found
	}
	for number := range uint8(8) {
		if d.have[i]>>number&1 == 0 {
			continue
		}
		want := d.start(number, d.m.values[sw])
		if i < d.hops-1 {
			want ^= d.end(number, d.m.values[d.path[i+1]])
		}
		if want != d.marks[i][number] {
			return found
		}
	}
	keep := d.path[i]
	d.path[i] = sw
	more := d.extend(i-1, found)
	if more == found {
		d.path[i] = keep
	}
	return more
}

// Done reports whether exactly one path of the map explains the marks, with at least m functions at
// each hop.
func (d *AMS2) Done() bool { return d.done && d.failed == nil }

// Known returns the number of hops with at least m functions.
func (d *AMS2) Known() int { return d.hops - d.short }

// Value returns the value of the switch at a hop, from 1, once Done.
func (d *AMS2) Value(hop int) (uint64, bool) {
	if !d.Done() {
		return 0, false
	}
	return d.m.values[d.path[hop-1]], true
}
