// Package elastic is ElasticSketch, in its version for CPUs.
//
//	Yang, Jiang, Liu, Huang, Gong, Zhou, Miao, Li, Uhlig, "Elastic Sketch: Adaptive and
//	Fast Network-wide Measurements", SIGCOMM 2018, sections 3.1 and 3.2.
//
// A heavy part keeps the large flows with their identities; a light part (one array of 8-bit counters) counts all
// others. A bucket of the heavy part has 64 bytes: seven flows and a guard, which counts the packets of other flows
// since the last eviction. If the flow of a packet is in its bucket, the flow's counter is incremented. Otherwise, if a
// place in the bucket is free, the flow takes this place. If no place is free and the guard exceeds λ = 8 times the
// smallest counter, the flow of that counter is evicted into the light part. The new flow takes its place and is
// flagged, because the light part may contain packets of the new flow. In all other cases the packet counts in the
// light part. The estimate of a flow is its counter in the heavy part. The counter of the light part is added if the
// flow is flagged or not in the heavy part.
//
// The size of the bucket and λ are as in the authors' code, with which the SketchINT paper compares. The first eviction
// of a flow is also as in this code: it raises the counter of the light part to at least the flow's count, but does not
// add the count.
//
// # Identities
//
// The heavy part has 32 bits for a flow. Here they are 32 bits of a hash of the key; the other 32 bits choose the
// bucket. Two keys are confused if both parts agree.
//
// # Promise
//
// The estimate is never below the true count, unless an 8-bit counter has overflowed. Estimate reports whether such a
// counter is part of the estimate.
package elastic

import (
	"errors"
	"fmt"
	"math"

	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/rules"
)

const (
	flows       = 7 // number of flows in a bucket
	guard       = 7 // place of the guard
	bucketBytes = 64
	lambda      = 8
	flagged     = 1 << 31 // the light part may have packets of the flow
	full        = 255     // a counter of the light part that has overflowed
)

// bucket is a cache line: seven flows with their counters, and the guard.
type bucket struct {
	flow  [8]uint32
	count [8]uint32 // counters with the flag; count[guard] is the guard
}

// Sketch is an ElasticSketch. Make one with New. It is not safe for concurrent use.
type Sketch struct {
	mixed uint64
	heavy []bucket
	light []uint8
}

// New makes an empty sketch with the given memory in bytes. The heavy part has at most the given
// share of this memory, between 0 and 1. The authors recommend a quarter, or a sixteenth for
// cardinality and distribution.
func New(bytes int, share float64, seed uint64) (*Sketch, error) {
	var errs rules.Broken
	errs.If(!(share > 0 && share < 1), "heavy share %v, want more than 0 and less than 1", share)
	buckets := int(float64(bytes) * share / bucketBytes)
	light := bytes - buckets*bucketBytes
	if len(errs) == 0 && (buckets < 1 || buckets > rows.MaxCounters || light > rows.MaxCounters) {
		errs = append(errs, fmt.Errorf("memory of %d bytes with a heavy share of %v makes %d buckets and %d "+
			"counters, want 1 to %d of each", bytes, share, buckets, light, rows.MaxCounters))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("elastic: %w", err)
	}
	return &Sketch{rows.Seed(seed), make([]bucket, buckets), make([]uint8, light)}, nil
}

// spot describes where a flow is counted. The upper half is its bucket, and the lower half is its identity there.
type spot uint64

func (p spot) bucket() uint64 { return uint64(p >> 32) }
func (p spot) flow() uint32   { return uint32(p) }

// spotOf returns the spot of a key in a heavy part with the given number of buckets.
func spotOf(key, buckets, mixed uint64) spot {
	h := hash.Mix64(key ^ mixed)
	return spot(rows.Index(h, buckets)<<32 | h&(1<<32-1))
}

func (s *Sketch) find(key uint64) spot { return spotOf(key, uint64(len(s.heavy)), s.mixed) }

// lightPlace returns the counter of a flow in the light part. The flow is given by its spot, because that is
// all that is known of an evicted flow.
func (s *Sketch) lightPlace(p spot) *uint8 {
	h := hash.Mix64(uint64(p))
	return &s.light[rows.Index(h, uint64(len(s.light)))]
}

// smallest returns the smallest counter and its place. If several counters are equally small, it returns the first.
func (b *bucket) smallest() (place int, count uint32) {
	// at returns a counter, with its place in the lowest three bits.
	at := func(i int) uint64 { return uint64(b.count[i]&^flagged)<<3 | uint64(i) }
	first := min(min(min(at(0), at(1)), min(at(2), at(3))), min(min(at(4), at(5)), at(6)))
	return int(first & 7), uint32(first >> 3)
}

// Insert counts n packets or bytes of the flow.
func (s *Sketch) Insert(key, n uint64) { s.insert(s.find(key), n) }

func (s *Sketch) insert(p spot, n uint64) {
	n = min(n, flagged-1)
	b := &s.heavy[p.bucket()]
	if i := place(b, p.flow()); i != guard && b.count[i] != 0 {
		b.count[i] += uint32(min(n, uint64(flagged-1-b.count[i]&^flagged)))
		return
	}
	smallest, least := b.smallest()
	if least == 0 {
		b.flow[smallest], b.count[smallest] = p.flow(), uint32(n)
		return
	}
	b.count[guard] += uint32(min(n, uint64(math.MaxUint32-b.count[guard])))
	if uint64(b.count[guard]) <= lambda*uint64(least) {
		c := s.lightPlace(p)
		*c += uint8(min(n, uint64(full-*c)))
		return
	}
	evicted, count := p&^(1<<32-1)|spot(b.flow[smallest]), b.count[smallest]
	b.flow[smallest], b.count[smallest], b.count[guard] = p.flow(), flagged|uint32(n), 0
	c := s.lightPlace(evicted)
	if count&flagged != 0 {
		*c = uint8(min(uint32(*c)+least, full))
	} else {
		*c = uint8(max(uint32(*c), min(least, full)))
	}
}

// Batches of InsertAll: at most batch packets, in groups of lanes.
const batch, lanes = 64, 4

// InsertAll counts one packet of each of the flows, in their order. If the processor allows it, InsertAll finds the
// spots of a whole batch before it counts. So the hashes do not have to wait for flows without a place in their
// bucket, which no branch predictor foresees.
func (s *Sketch) InsertAll(keys []uint64) {
	for vector && len(keys) >= lanes {
		var spots [batch]spot
		n := min(len(keys), batch) &^ (lanes - 1)
		locate(spots[:n], &keys[0], uint64(len(s.heavy)), s.mixed)
		for rest := spots[:n]; ; {
			counted := hits(&s.heavy[0], rest)
			if counted == len(rest) {
				break
			}
			s.insert(rest[counted], 1)
			rest = rest[counted+1:]
		}
		keys = keys[n:]
	}
	for _, k := range keys {
		s.Insert(k, 1)
	}
}

// Estimate returns the size of the flow. ok is false if the estimate includes an
// overflowed counter of the light part; the true count can then be above n.
func (s *Sketch) Estimate(key uint64) (n uint64, ok bool) {
	n, _, ok = s.estimate(s.find(key))
	return n, ok
}

func (s *Sketch) estimate(p spot) (n uint64, heavy, ok bool) {
	b := &s.heavy[p.bucket()]
	if i := place(b, p.flow()); i != guard && b.count[i] != 0 {
		c := b.count[i]
		exact := c&^flagged < flagged-1 // the counter has not overflowed
		if c&flagged == 0 {
			return uint64(c), true, exact
		}
		l := *s.lightPlace(p)
		return uint64(c&^flagged) + uint64(l), true, exact && l != full
	}
	l := *s.lightPlace(p)
	return uint64(l), false, l != full
}

// Heavy returns the estimate of a flow if the heavy part has it.
func (s *Sketch) Heavy(key uint64) (n uint64, ok bool) {
	n, ok, _ = s.estimate(s.find(key))
	return n, ok
}

// each calls visit for every flow of the heavy part.
func (s *Sketch) each(visit func(count uint64, fromLight uint64)) {
	for at := range s.heavy {
		b := &s.heavy[at]
		for i := range flows {
			c := b.count[i]
			if c == 0 {
				continue
			}
			light := uint64(0)
			if c&flagged != 0 {
				light = uint64(*s.lightPlace(spot(at)<<32 | spot(b.flow[i])))
			}
			visit(uint64(c&^flagged), light)
		}
	}
}

// CountHeavy returns the number of flows of the heavy part whose estimate is at least threshold.
func (s *Sketch) CountHeavy(threshold uint64) (n int) {
	s.each(func(count, light uint64) {
		if count+light >= threshold {
			n++
		}
	})
	return n
}

// Cardinality returns the number of flows. It adds up linear counting in the light part and the flows of the heavy part
// that are not in the light part. ok is false if no counter of the light part is zero.
func (s *Sketch) Cardinality() (n float64, ok bool) {
	zeros := lists.Count(s.light, func(c uint8) bool { return c == 0 })
	n, ok = mrac.Cardinality(len(s.light), zeros)
	s.each(func(_, light uint64) {
		if light == 0 {
			n++
		}
	})
	return n, ok
}

// Entropy returns the entropy of the flow sizes in bits. It counts each counter of the light part
// as one flow, as the authors' code does.
func (s *Sketch) Entropy() float64 {
	var histogram [full + 1]int
	for _, c := range s.light {
		histogram[c]++
	}
	var sum mrac.EntropySum
	for size, n := range histogram {
		sum.Add(uint64(size), float64(n))
	}
	s.each(func(count, light uint64) {
		sum.Add(light, -1)
		sum.Add(count+light, 1)
	})
	return sum.Value()
}

// Distribution returns the number of flows of each size, in ascending order of size. It applies MRAC to the light part,
// and adds the flows of the heavy part including their packets in the light part. MRAC reads an overflowed counter of
// the light part as 255 packets, as in the code of SketchINT.
func (s *Sketch) Distribution(epochs int) []mrac.Point {
	counters := make([]uint32, len(s.light))
	for i, c := range s.light {
		counters[i] = uint32(c)
	}
	d := mrac.Collect(mrac.Estimate(counters, 0, epochs))
	s.each(func(count, light uint64) {
		if light != 0 {
			d.Add(light, -1)
		}
		d.Add(count+light, 1)
	})
	return d.Points()
}

// Memory returns the number of bytes of both parts.
func (s *Sketch) Memory() int { return len(s.heavy)*bucketBytes + len(s.light) }

// Reset forgets everything.
func (s *Sketch) Reset() {
	clear(s.heavy)
	clear(s.light)
}
