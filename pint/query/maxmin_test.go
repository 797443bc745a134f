package query

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"
)

// maximalSets lists the query sets that fit the budget and to which no query can be added. For any plan there is a plan
// with only these sets that is at least as good.
func maximalSets(demands []demand, budget int) []uint64 {
	var out []uint64
	for set := uint64(0); set < 1<<len(demands); set++ {
		used := 0
		for i, d := range demands {
			used += d.bits * int(set>>i&1)
		}
		maximal := used <= budget
		for i, d := range demands {
			if set>>i&1 == 0 && used+d.bits <= budget {
				maximal = false
			}
		}
		if maximal {
			out = append(out, set)
		}
	}
	return out
}

// floatMaximum computes an independent solution with gonum: the maximum of Σ goal_i f_i + t·g subject to f_i >= floor_i
// + rise_i·t, over all maximal sets.
func floatMaximum(
	t interface{ Fatalf(string, ...any) }, sets []uint64, goal, floor, rise []float64, g float64,
) float64 {
	n, k := len(floor), len(sets)
	// The variables are x_S, then a surplus per query, then t+2 (which is positive) if it has a coefficient, because
	// gonum refuses columns of zeros.
	columns := k + n
	if g != 0 {
		columns++
	}
	a := mat.NewDense(n+1, columns, nil)
	b := make([]float64, n+1)
	c := make([]float64, columns)
	for s, set := range sets {
		a.Set(0, s, 1)
		for i := range n {
			if set>>i&1 == 1 {
				a.Set(i+1, s, 1)
				c[s] -= goal[i]
			}
		}
	}
	b[0] = 1
	for i := range n {
		a.Set(i+1, k+i, -1)
		b[i+1] = floor[i]
		if g != 0 {
			c[k+n] = -g
			a.Set(i+1, k+n, -rise[i])
			b[i+1] -= 2 * rise[i]
		}
	}
	best, _, err := lp.Simplex(c, a, b, 1e-10, nil)
	if err != nil {
		t.Fatalf("gonum: %v", err)
	}
	return float64(-best) - 2*g
}

// drawDemands returns a random request with frequencies that are multiples of 1/16.
func drawDemands(t *rapid.T) ([]demand, int) {
	budget := rapid.IntRange(1, 24).Draw(t, "budget")
	n := rapid.IntRange(1, 6).Draw(t, "queries")
	// Two thirds of the draws request low frequencies, so that feasible requests are common.
	most := rapid.SampledFrom([]int64{4, 8, 16}).Draw(t, "most")
	demands := make([]demand, n)
	for i := range demands {
		demands[i].bits = rapid.IntRange(1, budget).Draw(t, "bits")
		demands[i].want = big.NewRat(rapid.Int64Range(0, most).Draw(t, "want"), 16)
	}
	return demands, budget
}

func toFloat(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// The exact solution agrees with gonum's simplex over all maximal sets, and with the definitions. It is a distribution
// over sets that fit. Its smallest slack is the largest possible. No query can get more unless a query with no larger
// slack gets less (max-min fairness). The certificate of an infeasible request proves that the request is infeasible.
func TestMaxminAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		demands, budget := drawDemands(t)
		n := len(demands)
		sets := maximalSets(demands, budget)
		m := maxmin(demands, budget)

		floor, zero, one := make([]float64, n), make([]float64, n), make([]float64, n)
		for i, d := range demands {
			floor[i], one[i] = toFloat(d.want), 1
		}
		best := floatMaximum(t, sets, zero, floor, one, 1)
		if math.Abs(best-toFloat(m.slack)) > 1e-7 {
			t.Fatalf("slack %v, gonum finds %v", m.slack, best)
		}

		if m.slack.Sign() < 0 {
			// Σ y = 1, y >= 0, Σ y_i r_i > max_S Σ_{i∈S} y_i, and the gap is −t.
			sum, asked := new(big.Rat), new(big.Rat)
			for i, y := range m.blame {
				if y.Sign() < 0 {
					t.Fatalf("negative weight %v", y)
				}
				sum.Add(sum, y)
				asked.Add(asked, new(big.Rat).Mul(y, demands[i].want))
			}
			most := new(big.Rat)
			for _, set := range sets {
				worth := new(big.Rat)
				for i, y := range m.blame {
					if set>>i&1 == 1 {
						worth.Add(worth, y)
					}
				}
				if worth.Cmp(most) > 0 {
					most = worth
				}
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 || asked.Sub(asked, most).Cmp(new(big.Rat).Neg(m.slack)) != 0 {
				t.Fatalf("weights %v sum to %v, proof gap %v, slack %v", m.blame, sum, asked, m.slack)
			}
			return
		}

		sum := new(big.Rat)
		for j, set := range m.sets {
			sum.Add(sum, m.weight[j])
			if m.weight[j].Sign() <= 0 {
				t.Fatalf("weight %v", m.weight[j])
			}
			found := false
			for _, s := range sets {
				found = found || s == set
			}
			if !found {
				t.Fatalf("set %b is not a maximal one", set)
			}
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 || len(m.sets) > n+1 {
			t.Fatalf("%d sets, weights sum to %v", len(m.sets), sum)
		}
		excess := make([]*big.Rat, n)
		for i := range excess {
			excess[i] = new(big.Rat).Sub(m.frequency(i), demands[i].want)
			if excess[i].Cmp(m.slack) < 0 {
				t.Fatalf("query %d exceeds its request by %v, the smallest slack is %v", i, excess[i], m.slack)
			}
		}
		for i := range excess {
			goal := make([]float64, n)
			goal[i] = 1
			for j := range excess {
				floor[j] = 0
				if j != i && excess[j].Cmp(excess[i]) <= 0 {
					floor[j] = toFloat(m.frequency(j)) - 1e-9
				}
			}
			if more := floatMaximum(t, sets, goal, floor, zero, 0); more > toFloat(m.frequency(i))+1e-6 {
				t.Fatalf("query %d has %v and could have %v at nobody's cost", i, m.frequency(i), more)
			}
		}
	})
}

// If c of n uniform queries fit on a packet, each gets c/n.
func TestMaxminUniform(t *testing.T) {
	for n := 1; n <= 16; n++ {
		for c := 1; c <= n; c++ {
			demands := make([]demand, n)
			for i := range demands {
				demands[i] = demand{bits: 4, want: new(big.Rat)}
			}
			m := maxmin(demands, 4*c)
			if want := big.NewRat(int64(c), int64(n)); m.slack.Cmp(want) != 0 {
				t.Fatalf("%d of %d: slack %v, want %v", c, n, m.slack, want)
			}
			for i := range demands {
				if f := m.frequency(i); f.Cmp(m.slack) != 0 {
					t.Fatalf("%d of %d: query %d gets %v", c, n, i, f)
				}
			}
			for _, s := range m.sets {
				if bits.OnesCount64(s) != c {
					t.Fatalf("%d of %d: set %b", c, n, s)
				}
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{3, 16, 32} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := Spec{Bits: 32, Hops: 5, HashBits: 16}
			for i := range n {
				s.Queries = append(s.Queries, Query{
					Name: "q" + strconv.Itoa(i), Value: HopLatency, Aggregation: Quantiles + Aggregation(i/31&1),
					Bits: 3 + i*7%11, Space: 100, Flow: FlowDef(1 + i%31), Frequency: Share(uint64(1+i%5), 100)})
			}
			for b.Loop() {
				if _, err := Compile(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
