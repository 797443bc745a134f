package coding

import "pintlab/pint/global"

// Peeler decodes modes Full and Fragments. An XOR digest determines the value of a hop once all other hops of the
// digest are known. Packets may come in any order. A packet costs a few set operations.
type Peeler struct{ whole }

// NewPeeler returns a decoder for a path of this many hops, which the collector knows from the TTL.
func NewPeeler(c *Code, hops int) (*Peeler, error) {
	w, err := newWhole(c, hops, func() block { return &peelBlock{values: make([]uint64, hops)} })
	if err != nil {
		return nil, err
	}
	return &Peeler{w}, nil
}

type peelBlock struct {
	have    global.HopSet
	values  []uint64 // by hop-1
	waiting []peelDigest
	stack   []learned
}

// maxWaiting limits the stored digests with two or more unknown hops. Further digests are ignored,
// so decoding may need more packets.
const maxWaiting = 1 << 14

// peelDigest is a digest with two or more unknown hops.
type peelDigest struct {
	unknown global.HopSet
	rest    uint64 // XOR of the unknown values
}

type learned struct {
	hop   int
	value uint64
}

func (b *peelBlock) reset()               { b.have, b.waiting = global.HopSet{}, b.waiting[:0] }
func (b *peelBlock) known() global.HopSet { return b.have }
func (b *peelBlock) value(hop int) uint64 { return b.values[hop-1] }

func (b *peelBlock) add(set global.HopSet, rest uint64) (news int, ok bool) {
	for hop := range set.And(b.have).All() {
		rest ^= b.values[hop-1]
	}
	unknown := set.AndNot(b.have)
	switch unknown.Len() {
	case 0:
		return 0, rest == 0
	case 1:
		return b.learn(learned{unknown.First(), rest})
	}
	if len(b.waiting) < maxWaiting {
		b.waiting = append(b.waiting, peelDigest{unknown, rest})
	}
	return 0, true
}

// learn records a value and all values that follow from it.
func (b *peelBlock) learn(first learned) (news int, ok bool) {
	b.stack = append(b.stack[:0], first)
	for len(b.stack) > 0 {
		l := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.have.Has(l.hop) { // two digests have determined it
			if b.values[l.hop-1] != l.value {
				return news, false
			}
			continue
		}
		b.have.Add(l.hop)
		b.values[l.hop-1] = l.value
		news++
		for i := 0; i < len(b.waiting); {
			w := &b.waiting[i]
			if w.unknown.Has(l.hop) {
				w.unknown.Remove(l.hop)
				w.rest ^= l.value
				if w.unknown.Len() == 1 {
					b.stack = append(b.stack, learned{w.unknown.First(), w.rest})
					last := len(b.waiting) - 1
					b.waiting[i] = b.waiting[last]
					b.waiting = b.waiting[:last]
					continue
				}
			}
			i++
		}
	}
	return news, true
}
