package exec

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"pintlab/p4/interp/ir"
)

// index finds the entry for a key. A table rebuilds its index after a change.
type index interface {
	lookup(key []uint64) *Entry
}

// directBits is the widest single key for which exact matching is an array.
const directBits = 12

// build chooses the index by the match kinds of the keys.
func (t *Table) build() index {
	lpm, other := 0, 0
	for _, f := range t.fields {
		switch f.match {
		case ir.LPM:
			lpm++
		case ir.Exact:
		default:
			other++
		}
	}
	for _, e := range t.entries { // the key of an exact field may be "default", which matches all values
		for _, f := range t.fields {
			if f.match == ir.Exact && isZero(e.mask[f.off:f.off+f.words]) && f.width > 0 {
				other++
			}
		}
	}
	switch {
	case len(t.entries) == 0 || len(t.fields) == 0:
		return empty{}
	case other == 0 && lpm == 0 && len(t.fields) == 1 && t.fields[0].width <= directBits:
		d := make(direct, 1<<t.fields[0].width)
		for _, e := range slices.Backward(t.entries) {
			d[e.value[0]] = e
		}
		return d
	case other == 0 && lpm == 0:
		return newHash(t.entries)
	case other == 0 && lpm == 1:
		return newPrefixes(t.entries, t.words)
	}
	return newScan(t.entries, t.words)
}

type empty struct{}

func (empty) lookup([]uint64) *Entry { return nil }

// direct is exact matching on a narrow key.
type direct []*Entry

func (d direct) lookup(key []uint64) *Entry { return d[key[0]] }

// hash is exact matching in an open-addressing hash table.
type hash struct {
	shift uint
	slots []*Entry
}

func newHash(entries []*Entry) *hash {
	n := bits.Len(uint(2*len(entries) + 1))
	h := &hash{shift: uint(64 - n), slots: make([]*Entry, 1<<n)}
	for _, e := range entries {
		i := h.start(e.value)
		for h.slots[i] != nil {
			if slices.Equal(h.slots[i].value, e.value) {
				break // the first of two equal keys stays
			}
			i = (i + 1) & uint64(len(h.slots)-1)
		}
		if h.slots[i] == nil {
			h.slots[i] = e
		}
	}
	return h
}

func (h *hash) start(key []uint64) uint64 {
	x := uint64(0)
	for _, w := range key {
		x = (x ^ w) * 0x9e3779b97f4a7c15
		x ^= x >> 29
	}
	return x * 0x9e3779b97f4a7c15 >> h.shift
}

func (h *hash) lookup(key []uint64) *Entry {
	i := h.start(key)
	for {
		e := h.slots[i]
		if e == nil || slices.Equal(e.value, key) {
			return e
		}
		i = (i + 1) & uint64(len(h.slots)-1)
	}
}

// prefixes is longest-prefix matching. There is one hash table for each prefix length in use, and the table of the
// longest prefix comes first.
type prefixes struct {
	levels []level
	masked []uint64
}

type level struct {
	mask []uint64
	hash *hash
}

func newPrefixes(entries []*Entry, words int) *prefixes {
	byLength := map[int][]*Entry{}
	for _, e := range entries {
		byLength[e.lengths] = append(byLength[e.lengths], e)
	}
	p := &prefixes{masked: make([]uint64, words)}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byLength))) {
		list := byLength[n]
		p.levels = append(p.levels, level{list[0].mask, newHash(list)})
	}
	return p
}

func (p *prefixes) lookup(key []uint64) *Entry {
	for i := range p.levels {
		l := &p.levels[i]
		for k, w := range key {
			p.masked[k] = w & l.mask[k]
		}
		if e := l.hash.lookup(p.masked); e != nil {
			return e
		}
	}
	return nil
}

// scan tries the entries in order of priority. The entries have masks and ranges.
type scan struct {
	words   int
	entries []*Entry
	// bits holds, for each entry, the value and then the mask. Each of the two takes as many elements as field words
	// says.
	bits []uint64
}

func newScan(entries []*Entry, words int) *scan {
	s := &scan{words: words, entries: slices.Clone(entries)}
	slices.SortStableFunc(s.entries, func(a, b *Entry) int { return cmp.Compare(a.rank, b.rank) })
	for _, e := range s.entries {
		s.bits = append(s.bits, e.value...)
		s.bits = append(s.bits, e.mask...)
	}
	return s
}

func (s *scan) lookup(key []uint64) *Entry {
	n := s.words
	if n == 1 {
		k := key[0]
		for i := 0; i+1 < len(s.bits); i += 2 {
			if (k^s.bits[i])&s.bits[i+1] == 0 {
				if e := s.entries[i>>1]; len(e.ranges) == 0 || e.inRanges(key) {
					return e
				}
			}
		}
		return nil
	}
next:
	for i, e := range s.entries {
		b := s.bits[2*n*i:]
		for w, k := range key {
			if (k^b[w])&b[n+w] != 0 {
				continue next
			}
		}
		if e.inRanges(key) {
			return e
		}
	}
	return nil
}

func (e *Entry) inRanges(key []uint64) bool {
	for i := range e.ranges {
		r := &e.ranges[i]
		k := key[r.field.off : r.field.off+r.field.words]
		if wideOrder(r.lo, k, r.field) > 0 || wideOrder(k, r.hi, r.field) > 0 {
			return false
		}
	}
	return true
}
