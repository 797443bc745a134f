package query

import (
	"fmt"
	"math/big"

	"pintlab/internal/number"
)

// checkByHand checks a plan of the operator against the queries and the budget.
func (s *Spec) checkByHand(c *complaints) {
	if len(s.ByHand) == 0 {
		c.fail("plan", "empty, want at least one query set (or leave it out to have one computed)")
		return
	}
	index := map[string]int{}
	for i := range s.Queries {
		index[s.Queries[i].Name] = i
	}
	sum := new(big.Rat)
	seen := map[uint64]int{}
	frequency := make([]*big.Rat, len(s.Queries))
	for i := range frequency {
		frequency[i] = new(big.Rat)
	}
	for i, line := range s.ByHand {
		var set uint64
		at, bits := fmt.Sprintf("plan.%d.", i), 0
		for _, name := range line.Queries {
			q, ok := index[name]
			switch {
			case !ok:
				c.fail(at+"queries", "%q is not a query of this file", name)
				continue
			case set>>q&1 == 1:
				c.fail(at+"queries", "%q occurs twice", name)
				continue
			}
			set |= 1 << q
			bits += s.Queries[q].Bits
			frequency[q].Add(frequency[q], line.Probability.rat())
		}
		if bits > s.Bits {
			c.fail(at+"queries", "their digests need %s, but the global bit budget is %d", number.Count(bits, "bit"),
				s.Bits)
		}
		if j, again := seen[set]; again {
			c.fail(at+"queries", "the same set as entry %d; give it one probability", j+1)
		}
		seen[set] = i
		if line.Probability.IsZero() {
			c.fail(at+"probability", "missing or 0, want more than 0")
		}
		sum.Add(sum, line.Probability.rat())
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		c.fail("plan", "probabilities sum to %s, want 1", show(sum))
	}
	for i := range s.Queries {
		q := &s.Queries[i]
		if frequency[i].Cmp(q.Frequency.rat()) < 0 {
			c.fail("plan", "serves %s on %s of the packets, but the frequency of this query is %s",
				q.Label(), show(frequency[i]), q.Frequency)
		} else if frequency[i].Sign() == 0 {
			c.fail("plan", "never serves %s", q.Label())
		}
	}
}

// byHand returns the operator's plan, which checkByHand has accepted.
func (s *Spec) byHand() mix {
	var m mix
	for _, line := range s.ByHand {
		var set uint64
		for _, name := range line.Queries {
			for i := range s.Queries {
				if s.Queries[i].Name == name {
					set |= 1 << i
				}
			}
		}
		m.sets = append(m.sets, set)
		m.weight = append(m.weight, line.Probability.rat())
	}
	return m
}
