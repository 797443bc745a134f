package query

import "math/big"

// The linear programs of the engine are small (one row per query). They are usually on the edge of
// feasibility, because operators request frequencies that sum to exactly what fits. They are solved
// in exact rational arithmetic, so that feasibility needs no tolerance, and the dual solution is a
// proof that can be checked by hand.

// variable is a column of the program in maxmin.go.
type variable struct {
	kind variableKind
	set  uint64 // for x_S: the query set, bit i for query i
	row  int    // for s_i: the query's row
}

type variableKind uint8

const (
	probability variableKind = iota // x_S, the probability of a query set
	surplus                         // s_i, excess of query i over the requested frequency
	slack                           // u, which the program maximises
)

// simplex is the state of the revised simplex method for
//
//	maximise u  subject to  A·x = b, x >= 0.
//
// tab is the matrix [B⁻¹ | L]. B⁻¹ is the inverse of the basis matrix. L is the identity
// when a search starts and undergoes the same row operations. The leaving variable is the
// lexicographic minimum of (x_i, L_i)/d_i (Dantzig, Orden and Wolfe 1955), so that every search
// ends, even if it is degenerate.
type simplex struct {
	m        int
	basic    []variable
	x        []*big.Rat   // values of the basic variables, >= 0
	tab      [][]*big.Rat // m rows of 2m
	slackRow int          // row in which u is basic, -1 if it is not
}

// newSimplex makes the state of a program of m rows, all 0.
func newSimplex(m int) simplex {
	s := simplex{m: m, basic: make([]variable, m), x: make([]*big.Rat, m), tab: make([][]*big.Rat, m), slackRow: -1}
	for i := range s.tab {
		s.tab[i] = make([]*big.Rat, 2*m)
		for j := range s.tab[i] {
			s.tab[i][j] = new(big.Rat)
		}
	}
	return s
}

// restart makes the current basis the reference of the lexicographic rule.
func (s *simplex) restart() {
	for i, row := range s.tab {
		for j := range s.m {
			row[s.m+j].SetInt64(0)
		}
		row[s.m+i].SetInt64(1)
	}
}

// prices returns the dual variables of the rows, all 0 if u is not basic.
func (s *simplex) prices() []*big.Rat {
	y := make([]*big.Rat, s.m)
	for j := range y {
		y[j] = new(big.Rat)
		if s.slackRow >= 0 {
			y[j].Neg(s.tab[s.slackRow][j])
		}
	}
	return y
}

// direction returns B⁻¹·a: the decrease of each basic variable per unit of the variable whose
// column is a. A nil coefficient is 0.
func (s *simplex) direction(a []*big.Rat) []*big.Rat {
	d := make([]*big.Rat, s.m)
	var t big.Rat
	for i := range d {
		d[i] = new(big.Rat)
		for j, aj := range a {
			if aj != nil && aj.Sign() != 0 && s.tab[i][j].Sign() != 0 {
				d[i].Add(d[i], t.Mul(s.tab[i][j], aj))
			}
		}
	}
	return d
}

// enter brings a variable with column a into the basis, in the row whose basic variable reaches 0
// first.
func (s *simplex) enter(v variable, a []*big.Rat) {
	d := s.direction(a)
	leave := -1
	for i := range d {
		if d[i].Sign() > 0 && (leave < 0 || s.sooner(i, leave, d)) {
			leave = i
		}
	}
	if leave < 0 {
		// Every frequency is at most 1, so u is bounded.
		panic("query: the linear program of a plan is unbounded")
	}
	s.pivot(leave, d, v)
}

// sooner reports whether (x, L)/d of row i is lexicographically smaller than for row k.
func (s *simplex) sooner(i, k int, d []*big.Rat) bool {
	var a, b big.Rat
	if c := a.Quo(s.x[i], d[i]).Cmp(b.Quo(s.x[k], d[k])); c != 0 {
		return c < 0
	}
	for j := s.m; j < 2*s.m; j++ {
		if c := a.Quo(s.tab[i][j], d[i]).Cmp(b.Quo(s.tab[k][j], d[k])); c != 0 {
			return c < 0
		}
	}
	return false
}

// pivot replaces the variable of row r by v, whose direction is d.
func (s *simplex) pivot(r int, d []*big.Rat, v variable) {
	var f, t big.Rat
	f.Inv(d[r])
	s.x[r].Mul(s.x[r], &f)
	for _, e := range s.tab[r] {
		e.Mul(e, &f)
	}
	for i, row := range s.tab {
		if i == r || d[i].Sign() == 0 {
			continue
		}
		s.x[i].Sub(s.x[i], t.Mul(d[i], s.x[r]))
		for j, e := range s.tab[r] {
			if e.Sign() != 0 {
				row[j].Sub(row[j], t.Mul(d[i], e))
			}
		}
	}
	if s.slackRow == r {
		s.slackRow = -1
	}
	if v.kind == slack {
		s.slackRow = r
	}
	s.basic[r] = v
}
