package query

import (
	"cmp"
	"math/big"
	"slices"
)

// Field is where a query's digest lies in the digest of a packet.
type Field struct {
	Query  int // index into Plan.Queries
	Offset int // lowest bit, 0 is the least significant of the packet's digest
	Bits   int
}

// Set is a query set with the share of the packets that serve it.
type Set struct {
	Parts  uint64  // the share is Parts / 2^HashBits
	Fields []Field // one per query, in ascending order of the offset
}

// Plan is an execution plan. It is made by Compile and must not be changed.
//
// The parts of the sets sum to exactly 2^HashBits, so the packets are divided exactly as
// the plan says by the HashBits most significant bits of q(packet).
type Plan struct {
	Spec
	Sets []Set
	// Wanted[i] is the frequency of query i in the exact plan, before the shares were
	// rounded to parts.
	Wanted []*big.Rat
	// Codes[i] writes the values of query i into its bits; nil for static queries.
	Codes []*Code
	// Steady says that every query has the same offset in all its sets, so that a
	// switch writes it to one place.
	Steady bool

	last []uint32 // last[j] is the largest q word, in parts, of set j
}

// Uses reports whether a query asks for a value.
func (p *Plan) Uses(v Value) bool {
	return slices.ContainsFunc(p.Queries, func(q Query) bool { return q.Value == v || q.With == v })
}

// Connections reports whether flows are connections for every query that records anything by flow.
func (p *Plan) Connections() bool {
	return !slices.ContainsFunc(p.Queries, func(q Query) bool {
		return q.Aggregation.Class() != PerPacket && q.Flow != ByFiveTuple
	})
}

func newPlan(s Spec, m mix) *Plan {
	p := &Plan{Spec: s}
	order := make([]int, len(m.sets))
	for i := range order {
		order[i] = i
	}
	// The largest share first; sets of equal shares by the queries that they name first.
	slices.SortFunc(order, func(a, b int) int {
		if c := m.weight[b].Cmp(m.weight[a]); c != 0 {
			return c
		}
		return cmp.Compare(reverse(m.sets[b]), reverse(m.sets[a]))
	})
	sets := make([]uint64, len(order))
	weights := make([]*big.Rat, len(order))
	for i, j := range order {
		sets[i], weights[i] = m.sets[j], m.weight[j]
	}
	parts := quantise(sets, weights, s.demands(), s.HashBits)
	fields, steady := layout(sets, s.Queries, s.Bits)
	p.Steady = steady
	end := uint64(0)
	for i := range sets {
		if parts[i] == 0 {
			continue
		}
		p.Sets = append(p.Sets, Set{Parts: parts[i], Fields: fields[i]})
		end += parts[i]
		p.last = append(p.last, uint32(end-1))
	}
	for i := range s.Queries {
		p.Wanted = append(p.Wanted, m.frequency(i))
	}
	return p
}

// reverse reverses the bits of a set, so that query 0 is the most significant.
func reverse(set uint64) uint64 {
	var r uint64
	for i := range 64 {
		r |= set >> i & 1 << (63 - i)
	}
	return r
}

// quantise rounds shares to whole parts of 2^hashBits that sum to 2^hashBits. It rounds
// down. Then it gives the remaining parts, fewer than there are sets, one by one to the
// set that brings most queries to their wanted frequency, or else to the set that lost
// most by rounding. A frequency thus ends less than one part per set below the exact
// plan's, and is exact if all shares are multiples of a part.
func quantise(sets []uint64, weights []*big.Rat, demands []demand, hashBits int) []uint64 {
	total := new(big.Int).Lsh(big.NewInt(1), uint(hashBits))
	parts := make([]uint64, len(sets))
	lost := make([]*big.Rat, len(sets))
	left := total.Uint64()
	for i, w := range weights {
		scaled := new(big.Int).Mul(w.Num(), total)
		rest := new(big.Int)
		scaled.QuoRem(scaled, w.Denom(), rest)
		parts[i] = scaled.Uint64()
		lost[i] = new(big.Rat).SetFrac(rest, w.Denom())
		left -= parts[i]
	}
	short := make([]*big.Rat, len(demands)) // parts that query i lacks
	for q, d := range demands {
		short[q] = new(big.Rat).Mul(d.want, new(big.Rat).SetInt(total))
		for i, set := range sets {
			if set>>q&1 == 1 {
				short[q].Sub(short[q], new(big.Rat).SetInt(new(big.Int).SetUint64(parts[i])))
			}
		}
	}
	one := big.NewRat(1, 1)
	for ; left > 0; left-- {
		best, helped := 0, -1
		for i, set := range sets {
			h := 0
			for q := range demands {
				if set>>q&1 == 1 && short[q].Sign() > 0 {
					h++
				}
			}
			if h > helped || h == helped && lost[i].Cmp(lost[best]) > 0 {
				best, helped = i, h
			}
		}
		parts[best]++
		lost[best].Sub(lost[best], one)
		for q := range demands {
			if sets[best]>>q&1 == 1 {
				short[q].Sub(short[q], one)
			}
		}
	}
	return parts
}

// layout places the digests of each set inside the packet's digest. It first looks for
// one offset per query that serves all sets (the queries that are in most sets first,
// each at the lowest offset that overlaps with no query of a common set) and otherwise
// packs each set on its own.
func layout(sets []uint64, queries []Query, budget int) (fields [][]Field, steady bool) {
	var all uint64
	uses := make([]int, len(queries))
	for _, set := range sets {
		all |= set
		for q := range queries {
			uses[q] += int(set >> q & 1)
		}
	}
	order := make([]int, 0, len(queries))
	for q := range queries {
		if all>>q&1 == 1 {
			order = append(order, q)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(uses[b], uses[a]) })
	offset := make([]int, len(queries))
	steady = true
	for i, q := range order {
		at := 0
		for moved := true; moved; {
			moved = false
			for _, r := range order[:i] {
				together := slices.ContainsFunc(sets, func(set uint64) bool { return set>>q&1 == 1 && set>>r&1 == 1 })
				if together && at < offset[r]+queries[r].Bits && offset[r] < at+queries[q].Bits {
					at = offset[r] + queries[r].Bits
					moved = true
				}
			}
		}
		offset[q] = at
		steady = steady && at+queries[q].Bits <= budget
	}
	fields = make([][]Field, len(sets))
	for i, set := range sets {
		at := 0
		for _, q := range order {
			if set>>q&1 == 0 {
				continue
			}
			f := Field{Query: q, Offset: at, Bits: queries[q].Bits}
			if steady {
				f.Offset = offset[q]
			}
			at += f.Bits
			fields[i] = append(fields[i], f)
		}
		slices.SortFunc(fields[i], func(a, b Field) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return fields, steady
}

// Choose returns the index of the set that a packet serves, given the word q(packet) of
// purpose global.QuerySet.
func (p *Plan) Choose(word uint32) int {
	part := word >> (32 - p.HashBits)
	j := 0
	for p.last[j] < part {
		j++
	}
	return j
}

// Parts returns how many of the 2^HashBits parts serve query i.
func (p *Plan) Parts(i int) uint64 {
	sum := uint64(0)
	for _, s := range p.Sets {
		if _, ok := s.Field(i); ok {
			sum += s.Parts
		}
	}
	return sum
}

// Frequency returns the share of the packets that serve query i.
func (p *Plan) Frequency(i int) Fraction { return reduced(p.Parts(i), 1<<p.HashBits) }

// Share returns the share of the packets that serve set j.
func (p *Plan) Share(j int) Fraction { return reduced(p.Sets[j].Parts, 1<<p.HashBits) }

// Field returns where the digest of query i lies in packets of set s, if they serve it.
func (s *Set) Field(i int) (Field, bool) {
	for _, f := range s.Fields {
		if f.Query == i {
			return f, true
		}
	}
	return Field{}, false
}
