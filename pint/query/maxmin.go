package query

import "math/big"

// demand is the bits and the requested frequency of one query.
type demand struct {
	bits int
	want *big.Rat // smallest frequency, in [0, 1]
}

// mix is a solution of the program below.
type mix struct {
	sets   []uint64   // distinct query sets, bit i for query i
	weight []*big.Rat // their probabilities, > 0, sum 1
	slack  *big.Rat   // smallest slack over all queries; negative means infeasible
	blame  []*big.Rat // dual prices of the queries in the first round, >= 0, sum 1
}

// maxmin finds the max-min fair distribution over query sets of at most budget bits: it maximises
// the smallest excess of a frequency over the requested one, then the smallest excess of the
// queries that can have more, and so on. The frequencies of this plan are unique.
//
// A round solves, with x_S the probability of set S, r_i the requested frequency of query i, and t
// the slack:
//
//	maximise t  subject to  Σ_S x_S = 1                         (row 0)
//	                        Σ_{S∋i} x_S − s_i = r_i + t         (row i, i unsettled)
//	                        Σ_{S∋i} x_S − s_i = f_i             (row i, settled at f_i)
//
// where t = t₀ + u with u >= 0. There is a column for each set, too many to list. But finding the
// set with the best price is a knapsack problem over at most 64 bits. A query whose dual price is
// positive cannot have more than r_i + t in any best plan. Such queries are settled, and the next
// round starts from the solution of this one.
//
// If the first round ends with t < 0, its prices y prove that no plan exists: Σ y_i r_i > max over
// sets of Σ_{i∈S} y_i, whereas the frequencies f of any plan satisfy Σ y_i f_i <= that maximum
// (Farkas' lemma for this program).
func maxmin(demands []demand, budget int) mix {
	n := len(demands)
	m := n + 1
	s := &simplex{m: m, slack: -1, basic: make([]variable, m), x: make([]*big.Rat, m), tab: make([][]*big.Rat, m)}
	for i := range m {
		s.tab[i] = make([]*big.Rat, 2*m)
		for j := range s.tab[i] {
			s.tab[i][j] = new(big.Rat)
		}
	}
	// Start with one set on all packets, t₀ = −1, and s_i = [i∈S] − r_i + 1 >= 0.
	first := widen(0, demands, budget)
	s.basic[0] = variable{kind: probability, set: first}
	s.x[0] = big.NewRat(1, 1)
	s.tab[0][0].SetInt64(1)
	for i := range n {
		row := i + 1
		in := int64(first >> i & 1)
		s.basic[row] = variable{kind: surplus, row: row}
		s.tab[row][0].SetInt64(in)
		s.tab[row][row].SetInt64(-1)
		s.x[row] = new(big.Rat).Sub(big.NewRat(in+1, 1), demands[i].want)
	}

	one, minus := big.NewRat(1, 1), big.NewRat(-1, 1)
	settled := make([]bool, n)
	t := big.NewRat(-1, 1)
	var out mix
	for round := 0; ; round++ {
		s.restart()
		for {
			y := s.prices()
			if s.slack < 0 {
				a := make([]*big.Rat, m)
				for i := range n {
					if !settled[i] {
						a[i+1] = minus
					}
				}
				s.enter(variable{kind: slack}, a)
				continue
			}
			if row := firstNegative(y); row > 0 {
				a := make([]*big.Rat, m)
				a[row] = minus
				s.enter(variable{kind: surplus, row: row}, a)
				continue
			}
			set, worth := knapsack(demands, y[1:], budget)
			if worth.Add(worth, y[0]).Sign() <= 0 {
				break
			}
			a := make([]*big.Rat, m)
			a[0] = one
			for i := range n {
				if set>>i&1 == 1 {
					a[i+1] = one
				}
			}
			s.enter(variable{kind: probability, set: set}, a)
		}
		// u is 0 at this point. The surplus of a settled query replaces it in the basis, so that in
		// the next round u is the slack of the unsettled queries only.
		t.Add(t, s.x[s.slack])
		y := s.prices()
		leader := 0
		left := false
		for i := range n {
			if y[i+1].Sign() > 0 {
				settled[i] = true
				leader = i + 1
			}
			left = left || !settled[i]
		}
		if round == 0 {
			out.slack = new(big.Rat).Set(t)
			out.blame = y[1:]
		}
		if !left || t.Sign() < 0 {
			break
		}
		r := s.slack
		s.x[r].SetInt64(0)
		a := make([]*big.Rat, m)
		a[leader] = minus
		s.pivot(r, s.direction(a), variable{kind: surplus, row: leader})
	}
	at := map[uint64]int{}
	for i, v := range s.basic {
		if v.kind != probability || s.x[i].Sign() == 0 {
			continue
		}
		set := widen(v.set, demands, budget)
		j, ok := at[set]
		if !ok {
			j = len(out.sets)
			at[set] = j
			out.sets = append(out.sets, set)
			out.weight = append(out.weight, new(big.Rat))
		}
		out.weight[j].Add(out.weight[j], s.x[i])
	}
	return out
}

// firstNegative returns the first row after row 0 with a negative price, or 0.
func firstNegative(y []*big.Rat) int {
	for i := 1; i < len(y); i++ {
		if y[i].Sign() < 0 {
			return i
		}
	}
	return 0
}

// knapsack returns the query set of the largest total worth within the budget, and this worth. No
// worth may be negative. Queries without worth are left out.
func knapsack(demands []demand, worth []*big.Rat, budget int) (uint64, *big.Rat) {
	// best[b] is the largest worth in b bits of the queries so far, and take[b] its set.
	best := make([]*big.Rat, budget+1)
	take := make([]uint64, budget+1)
	for b := range best {
		best[b] = new(big.Rat)
	}
	var t big.Rat
	for i, d := range demands {
		if worth[i].Sign() == 0 {
			continue
		}
		for b := budget; b >= d.bits; b-- {
			if t.Add(best[b-d.bits], worth[i]).Cmp(best[b]) > 0 {
				best[b].Set(&t)
				take[b] = take[b-d.bits] | 1<<i
			}
		}
	}
	return take[budget], best[budget]
}

// widen adds the queries that still fit to a set, in their order, so that no packet has room for
// another digest.
func widen(set uint64, demands []demand, budget int) uint64 {
	for i, d := range demands {
		if set>>i&1 == 1 {
			budget -= d.bits
		}
	}
	for i, d := range demands {
		if set>>i&1 == 0 && d.bits <= budget {
			set |= 1 << i
			budget -= d.bits
		}
	}
	return set
}
