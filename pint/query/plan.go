package query

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"pintlab/internal/lists"
)

// Field is the position of a query's digest in the digest of a packet.
type Field struct {
	Query  int // index into Plan.Queries
	Offset int // lowest bit, where 0 is the least significant bit of the packet's digest
	Bits   int
}

// Set is a query set with the share of the packets that carry it.
type Set struct {
	Parts  uint64  // the share is Parts / 2^HashBits
	Fields []Field // one field per query, by ascending offset
}

// Plan is an execution plan. Compile makes a Plan, and callers must not change it.
//
// The parts of the sets sum to exactly 2^HashBits. So the HashBits most significant bits of
// q(packet) divide the packets exactly as planned.
type Plan struct {
	Spec
	Sets []Set
	// Wanted[i] is the frequency of query i in the exact plan, before rounding to parts.
	Wanted []*big.Rat
	// Codes[i] encodes the values of query i; nil for static queries.
	Codes []*Code
	// Steady reports that every query has the same offset in all its sets, so that a switch always
	// writes it to the same bits.
	Steady bool

	last []uint32 // last[j] is the largest q word, in parts, of set j
}

// position returns the index of the query of that name.
func (p *Plan) position(name string) (int, error) {
	for i := range p.Queries {
		if p.Queries[i].Name == name {
			return i, nil
		}
	}
	names := lists.Map(p.Queries, func(q Query) string { return q.Name })
	return -1, fmt.Errorf("the plan has no query %q (accepted: %s)", name, strings.Join(names, ", "))
}

// must returns the position of a query. It panics if the plan does not contain the query.
func (p *Plan) must(name string) int {
	i, err := p.position(name)
	if err != nil {
		panic(err)
	}
	return i
}

// Named returns the name of the first query that aggregates v by g, or "" if there is none.
func (p *Plan) Named(v Value, g Aggregation) string {
	for _, q := range p.Queries {
		if q.Value == v && q.Aggregation == g {
			return q.Name
		}
	}
	return ""
}

// Uses reports whether a query uses a value.
func (p *Plan) Uses(v Value) bool {
	return slices.ContainsFunc(p.Queries, func(q Query) bool { return q.Value == v || q.With == v })
}

// Lane returns the index of the checksum of switch_id that every packet with a query of flows carries, or -1 if there
// is none. Recorders then keep packets over different paths apart.
func (p *Plan) Lane() int {
	return slices.IndexFunc(p.Queries, func(q Query) bool {
		if q.Aggregation != Checksum || q.Value != SwitchID {
			return false
		}
		flows, lane := false, true
		for _, s := range p.Sets {
			of := slices.ContainsFunc(s.Fields, func(f Field) bool {
				return p.Queries[f.Query].Aggregation.Class() != PerPacket
			})
			with := slices.ContainsFunc(s.Fields, func(f Field) bool { return p.Queries[f.Query].Name == q.Name })
			flows, lane = flows || of, lane && (with || !of)
		}
		return flows && lane
	})
}

// Records reports whether a query records flows.
func (p *Plan) Records() bool {
	return slices.ContainsFunc(p.Queries, func(q Query) bool { return q.Aggregation.Class() != PerPacket })
}

// Connections reports whether every query that records flows defines a flow as a connection.
func (p *Plan) Connections() bool {
	return !slices.ContainsFunc(p.Queries, func(q Query) bool {
		return q.Aggregation.Class() != PerPacket && q.Flow != ByFiveTuple
	})
}

func newPlan(s Spec, m mix) *Plan {
	p := &Plan{Spec: s}
	order := lists.Indices(len(m.sets))
	// Sort by share, largest first; sets of equal shares by their queries.
	slices.SortFunc(order, func(a, b int) int {
		if c := m.weight[b].Cmp(m.weight[a]); c != 0 {
			return c
		}
		return cmp.Compare(bits.Reverse64(m.sets[b]), bits.Reverse64(m.sets[a])) // query 0 first
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

// quantise rounds shares down to multiples of 2^-hashBits, counted in parts. It then distributes
// the remaining parts, of which there are fewer than sets, one by one. Each part goes to the set
// that contains the most queries below their requested frequency. Among equal sets, it goes to the
// set that lost most by rounding. So a frequency is less than one part per set below the exact
// plan, and exact if all shares are whole parts.
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
	short := make([]*big.Rat, len(demands)) // parts that each query lacks
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

// layout places the digests of each set in the packet's digest. It first tries one offset per query
// for all sets: queries that are in the most sets come first, each at the lowest offset at which it
// overlaps no query that is in a set with it. If the digest then exceeds the budget, layout packs
// each set separately.
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

// Choose returns the index of the set that a packet carries. word is q(packet), with purpose
// global.QuerySet.
func (p *Plan) Choose(word uint32) int {
	part := word >> (32 - p.HashBits)
	j := 0
	for p.last[j] < part {
		j++
	}
	return j
}

// Parts returns the number of the 2^HashBits parts that carry query i.
func (p *Plan) Parts(i int) uint64 {
	sum := uint64(0)
	for _, s := range p.Sets {
		if _, ok := s.Field(i); ok {
			sum += s.Parts
		}
	}
	return sum
}

// Frequency returns the share of the packets that carry query i.
func (p *Plan) Frequency(i int) Fraction { return reduced(p.Parts(i), 1<<p.HashBits) }

// Share returns the share of the packets that carry set j.
func (p *Plan) Share(j int) Fraction { return reduced(p.Sets[j].Parts, 1<<p.HashBits) }

// Field returns the position of the digest of query i in packets of set s; it returns false if
// these packets do not carry the query.
func (s *Set) Field(i int) (Field, bool) {
	for _, f := range s.Fields {
		if f.Query == i {
			return f, true
		}
	}
	return Field{}, false
}
