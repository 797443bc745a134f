package lightguardian

import (
	"maps"
	"math"
	"slices"

	"pintlab/int/sketch/sumax"
	"pintlab/netsim/unit"
)

// truth contains the exact numbers of every flow that a sketch estimates.
type truth struct{ flows map[uint64]*exact }

type exact struct {
	delay         [sumax.Cells]uint32
	longest, last uint32
}

func newTruth() *truth { return &truth{map[uint64]*exact{}} }

func (t *truth) reset() { clear(t.flows) }

// record counts a packet in the same way as Parts.Record.
func (t *truth) record(flow uint64, cell int, now uint32) {
	e := t.flows[flow]
	if e == nil {
		e = &exact{}
		t.flows[flow] = e
	} else {
		e.longest = max(e.longest, now-e.last)
	}
	e.delay[cell]++
	e.last = now
}

// deviation describes how far the arrived part of a sketch is from the truth. Sums are over integers, or in the order
// of the flows' keys, so that they do not depend on the order of a map.
type deviation struct {
	flows, valid  int     // numbers of flows, and of those with a valid size
	gaps          int     // number of valid longest times of flows with two packets
	lasts         int     // number of valid last arrivals
	size, longest float64 // average relative errors
	last          float64 // average error, in s
	delay         float64 // WMRE of the delay cells, all flows together
}

// compare compares the arrived part of a switch's sketch with the truth.
func (t *truth) compare(r *Reconstruction, device int32) (e deviation) {
	node := r.layout.nodes[device]
	var wrong, all float64
	for _, key := range slices.Sorted(maps.Keys(t.flows)) {
		x := t.flows[key]
		f := r.Query(node, key)
		e.flows++
		if f.Packets.Valid {
			n := uint64(0)
			for i, c := range x.delay {
				n += uint64(c)
				wrong += math.Abs(float64(f.Delay[i]) - float64(c))
				all += float64(f.Delay[i]) + float64(c)
			}
			e.valid++
			e.size += math.Abs(float64(f.Packets.N)-float64(n)) / float64(n)
		}
		if f.Longest.Valid && x.longest > 0 {
			e.gaps++
			e.longest += math.Abs(float64(f.Longest.Time)/float64(unit.Time(x.longest)*r.layout.clock) - 1)
		}
		if f.Last.Valid {
			e.lasts++
			begin := unit.Time(r.Interval) * r.layout.interval / r.layout.clock
			e.last += (f.Last.Time - (begin+unit.Time(x.last-uint32(begin)))*r.layout.clock).Seconds()
		}
	}
	e.size /= float64(e.valid)
	e.longest /= float64(e.gaps)
	e.last /= float64(e.lasts)
	e.delay = 2 * wrong / all
	return e
}
