package query

import (
	"fmt"
	"math/big"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// Compile turns a Spec into an execution plan: a probability distribution over query sets that fit
// the global bit budget (§3.4). A plan in the Spec is checked. Otherwise Compile finds the max-min
// fair plan: it maximises the excess of the frequencies over the requested frequencies, the
// smallest excess first (see maxmin).
//
// The error comes from Validate, or is an *InfeasibleError with the queries that cannot run together,
// or names a query that would get no packet.
func Compile(s Spec) (*Plan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	demands := s.demands()
	var m mix
	if s.ByHand != nil {
		m = s.byHand()
	} else {
		m = maxmin(demands, s.Bits)
		if m.slack.Sign() < 0 {
			return nil, explain(&s, demands, m.blame)
		}
	}
	p := newPlan(s, m)
	for i := range p.Queries {
		q := &p.Queries[i]
		code, err := q.newCode(s.Hops)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Label(), err)
		}
		p.Codes = append(p.Codes, code)
		if p.Parts(i) == 0 {
			return nil, p.starved(i, m.frequency(i))
		}
	}
	return p, nil
}

func (s *Spec) demands() []demand {
	d := make([]demand, len(s.Queries))
	for i, q := range s.Queries {
		d[i] = demand{bits: q.Bits, want: q.Frequency.rat()}
	}
	return d
}

// frequency returns the share of the packets that carry query i, before rounding.
func (m mix) frequency(i int) *big.Rat {
	f := new(big.Rat)
	for j, set := range m.sets {
		if set>>i&1 == 1 {
			f.Add(f, m.weight[j])
		}
	}
	return f
}

// starved returns the error for a query that no packet carries.
func (p *Plan) starved(i int, share *big.Rat) error {
	q := &p.Queries[i]
	if share.Sign() == 0 {
		return fmt.Errorf("%s: frequency: with %s, the other queries leave no packet to this query; raise the global "+
			"bit budget or lower their frequencies", q.Label(), number.Count(p.Bits, "bit"))
	}
	return fmt.Errorf("%s: frequency: its share of the packets, %s, is below one part in 2^%d (accepted: hash_bits 32)",
		q.Label(), share.RatString(), p.HashBits)
}

// InfeasibleError is a proof that no plan meets the requested frequencies. Each query of Queries
// has a Weight. The weighted sum of the requested frequencies is Asked. But every query set that
// fits the budget weighs at most Fits, so no plan can deliver more than Fits. The proof is minimal:
// if any one of these queries is removed, a plan exists for the others.
type InfeasibleError struct {
	Bits    int // global bit budget
	Queries []Query
	Weight  []int64
	Asked   *big.Rat
	Fits    int64
}

// Error prints the proof.
func (e *InfeasibleError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no plan fits %s: ", number.Count(e.Bits, "bit"))
	equal := true
	for i := range e.Queries {
		q := &e.Queries[i]
		switch {
		case i == 0:
		case i == len(e.Queries)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s, frequency %s", q.Name, number.Count(q.Bits, "bit"), q.Frequency)
		if e.Weight[i] != e.Weight[0] {
			equal = false
		}
		b.WriteString(")")
	}
	if equal {
		fmt.Fprintf(&b, " together request %s digests per packet, but at most %d of them fit on one packet",
			show(e.Asked), e.Fits)
		return b.String()
	}
	b.WriteString(" exclude each other; with weights ")
	for i := range e.Queries {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", e.Queries[i].Name, e.Weight[i])
	}
	fmt.Fprintf(&b, " they request a weight of %s per packet, but no set that fits on a packet weighs more than %d",
		show(e.Asked), e.Fits)
	return b.String()
}

// show formats a rational number: exactly if that is short, otherwise as a decimal.
func show(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 11 {
		return s
	}
	return r.FloatString(6)
}

// explain makes the error from the dual prices of an infeasible program. It reduces the queries
// with positive prices to a minimal infeasible set, and solves for the weights of that set.
func explain(s *Spec, demands []demand, blame []*big.Rat) *InfeasibleError {
	var guilty []int
	for i, y := range blame {
		if y.Sign() > 0 {
			guilty = append(guilty, i)
		}
	}
	pick := func(of []int) []demand { return lists.Map(of, func(q int) demand { return demands[q] }) }
	for i := 0; i < len(guilty); {
		rest := append(append([]int{}, guilty[:i]...), guilty[i+1:]...)
		if len(rest) > 0 && maxmin(pick(rest), s.Bits).slack.Sign() < 0 {
			guilty = rest
		} else {
			i++
		}
	}
	d := pick(guilty)
	y := maxmin(d, s.Bits).blame
	e := &InfeasibleError{Bits: s.Bits, Asked: new(big.Rat)}
	_, fits := knapsack(d, y, s.Bits)
	// Scale the weights to the smallest whole numbers in the same ratio.
	scale := new(big.Int).SetInt64(1)
	for _, w := range y {
		g := new(big.Int).GCD(nil, nil, scale, w.Denom())
		scale.Mul(scale, new(big.Int).Quo(w.Denom(), g))
	}
	common := new(big.Int)
	for _, w := range y {
		common.GCD(nil, nil, common, new(big.Int).Quo(new(big.Int).Mul(w.Num(), scale), w.Denom()))
	}
	factor := new(big.Rat).SetFrac(scale, common)
	for i, q := range guilty {
		w := new(big.Rat).Mul(y[i], factor)
		e.Queries = append(e.Queries, s.Queries[q])
		e.Weight = append(e.Weight, w.Num().Int64())
		e.Asked.Add(e.Asked, w.Mul(w, d[i].want))
	}
	e.Fits = new(big.Rat).Mul(fits, factor).Num().Int64()
	return e
}
