package query

import "math/big"

// demand contains the bits and the requested frequency of one query.
type demand struct {
	bits int
	want *big.Rat // smallest frequency, in [0, 1]
}

// mix is a solution of the program below.
type mix struct {
	sets   []uint64   // distinct query sets, bit i for query i
	weight []*big.Rat // probabilities of the sets, > 0, with the sum 1
	slack  *big.Rat   // smallest slack over all queries; negative means infeasible
	blame  []*big.Rat // dual prices of the queries in the first round, >= 0, sum 1
}

// maxmin finds the max-min fair distribution over query sets of at most budget bits: it maximises
// the smallest excess of a frequency over the requested frequency, then the smallest excess of the
// queries that can get more, and so on. The frequencies of this plan are unique.
//
// A round solves, with x_S the probability of set S, r_i the requested frequency of query i, and t
// the slack:
//
//	maximise t  subject to  Σ_S x_S = 1                         (row 0)
//	                        Σ_{S∋i} x_S − s_i = r_i + t         (row i, i unsettled)
//	                        Σ_{S∋i} x_S − s_i = f_i             (row i, settled at f_i)
//
// where t = t₀ + u with u >= 0. Each set has a column, which makes too many columns to list. But
// finding the set with the best price is a knapsack problem over at most 64 bits. A query whose
// dual price is positive cannot get more than r_i + t in any best plan. Such queries are settled,
// and the next round starts from the solution of this one.
//
// If the first round ends with t < 0, its prices y prove that no plan exists: Σ y_i r_i > max over
// sets of Σ_{i∈S} y_i, whereas the frequencies f of any plan satisfy Σ y_i f_i <= that maximum
// (Farkas' lemma for this program).
func maxmin(demands []demand, budget int) mix {
	p := newProgram(demands, budget)
	var out mix
	for {
		y := p.solve()
		if out.slack == nil {
			out.slack, out.blame = new(big.Rat).Set(p.slack), y[1:]
		}
		if p.slack.Sign() < 0 || !p.settle(y) {
			break
		}
	}
	out.sets, out.weight = p.sets()
	return out
}

// program is the linear program of maxmin.
type program struct {
	simplex
	demands []demand
	budget  int
	slack   *big.Rat // t of the rounds so far
	settled []bool   // by query
}

// newProgram starts with one set on all packets, t₀ = −1, and s_i = [i∈S] − r_i + 1 >= 0.
func newProgram(demands []demand, budget int) *program {
	p := &program{newSimplex(len(demands) + 1), demands, budget, big.NewRat(-1, 1), make([]bool, len(demands))}
	first := widen(0, demands, budget)
	p.basic[0] = variable{kind: probability, set: first}
	p.x[0] = big.NewRat(1, 1)
	p.tab[0][0].SetInt64(1)
	for i, d := range demands {
		row := i + 1
		in := int64(first >> i & 1)
		p.basic[row] = variable{kind: surplus, row: row}
		p.tab[row][0].SetInt64(in)
		p.tab[row][row].SetInt64(-1)
		p.x[row] = new(big.Rat).Sub(big.NewRat(in+1, 1), d.want)
	}
	return p
}

// column returns the column of a variable.
func (p *program) column(v variable) []*big.Rat {
	a, one, minus := make([]*big.Rat, p.m), big.NewRat(1, 1), big.NewRat(-1, 1)
	switch v.kind {
	case slack:
		for i, settled := range p.settled {
			if !settled {
				a[i+1] = minus
			}
		}
	case surplus:
		a[v.row] = minus
	case probability:
		a[0] = one
		for i := range p.demands {
			if v.set>>i&1 == 1 {
				a[i+1] = one
			}
		}
	}
	return a
}

// solve does a round: it adds the largest u to the slack, and returns the prices of the rows.
func (p *program) solve() []*big.Rat {
	p.restart()
	for {
		y := p.prices()
		next := variable{kind: slack}
		if p.slackRow >= 0 {
			if row := firstNegative(y); row > 0 {
				next = variable{kind: surplus, row: row}
			} else {
				set, worth := knapsack(p.demands, y[1:], p.budget)
				if worth.Add(worth, y[0]).Sign() <= 0 {
					p.slack.Add(p.slack, p.x[p.slackRow])
					return y
				}
				next = variable{kind: probability, set: set}
			}
		}
		p.enter(next, p.column(next))
	}
}

// settle settles the queries with a positive price, and reports whether unsettled queries are left. The surplus of a
// settled query replaces u in the basis, so that in the next round u is the slack of the unsettled queries only.
func (p *program) settle(y []*big.Rat) (left bool) {
	leader := variable{kind: surplus}
	for i := range p.demands {
		if y[i+1].Sign() > 0 {
			p.settled[i] = true
			leader.row = i + 1
		}
		left = left || !p.settled[i]
	}
	if left {
		p.x[p.slackRow].SetInt64(0)
		p.pivot(p.slackRow, p.direction(p.column(leader)), leader)
	}
	return left
}

// sets returns the query sets of the solution, each extended by widen, and their probabilities.
func (p *program) sets() (sets []uint64, weight []*big.Rat) {
	at := map[uint64]int{}
	for i, v := range p.basic {
		if v.kind != probability || p.x[i].Sign() == 0 {
			continue
		}
		set := widen(v.set, p.demands, p.budget)
		j, ok := at[set]
		if !ok {
			j = len(sets)
			at[set] = j
			sets = append(sets, set)
			weight = append(weight, new(big.Rat))
		}
		weight[j].Add(weight[j], p.x[i])
	}
	return sets, weight
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

// knapsack returns the query set with the largest total worth within the budget, and this worth. No worth may be
// negative. Queries with a worth of 0 are omitted.
func knapsack(demands []demand, worth []*big.Rat, budget int) (uint64, *big.Rat) {
	// best[b] is the largest worth that b bits of the queries so far can have, and take[b] is the set with this worth.
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

// widen goes through the queries in order and adds each one that still fits to the set, so no
// packet has room for another digest.
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
