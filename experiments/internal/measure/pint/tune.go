package pint

import (
	"context"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/trace"
)

// TunedAnswer compares the encoding that Tune found with the published one.
type TunedAnswer struct {
	Map         string     `json:"map"`
	Method      string     `json:"method"`
	Hops        []int      `json:"hops"`        // path lengths
	Bits        int        `json:"bits"`        // on a packet
	Evaluations int        `json:"evaluations"` // encodings measured
	Rows        []Encoding `json:"rows"`

	tuned coding.Scheme
}

// Encoding is a row: the encoding, and the packets that it needs on average.
type Encoding struct {
	Encoding  string  `json:"encoding" col:"encoding"` // `published` or `tuned`
	Instances int     `json:"instances" col:"instances"`
	Bits      int     `json:"instance_bits" col:"bits"`          // of each instance
	Scheme    string  `json:"scheme" col:"scheme"`               // with τ and p
	Packets   float64 `json:"packets" col:"mean" unit:"packets"` // mean over the lengths
}

// AskTuned searches for the encoding with which a decoder takes the fewest packets, on average over the lengths. The
// encoding has at most q.Bits bits per packet. AskTuned compares the best encoding with the published encoding: digests
// of at most 8 bits, such as 2×8 bits in Fig. 10, tau = 1/2 and p = 1/D. topology selects the decoder that knows the
// network, instead of the decoder that considers every switch possible. During the search, AskTuned calls the function
// show with the completed share of the search and the number of encodings that were measured.
func AskTuned(
	ctx context.Context, by study.Runner, name string, g *topo.Graph, q PathQuestion, topology bool, layers int,
	show func(share float64, evaluations int),
) (*TunedAnswer, error) {
	s, _, err := q.study(name, g)
	if err != nil {
		return nil, err
	}
	a := &TunedAnswer{Map: name, Method: "pint", Hops: s.Lengths, Bits: q.Bits}
	method := allSwitches
	if topology {
		a.Method, method = "topology", TopologyAware
	}
	found, err := search(ctx, space{Budget: q.Bits, Layers: layers, Typical: q.D, Show: show}, s.cost(by, method))
	if err != nil {
		return nil, err
	}
	digests := 1
	for q.Bits/digests > 8 && q.Bits%(2*digests) == 0 {
		digests *= 2
	}
	// The lowest of many noisy means is too low, so both encodings are measured on other packets.
	s.Trials.Seed = hash.Combine(hash.String("pint/tune"), s.Trials.Seed)
	published := trace.HashCode(digests, q.Bits/digests, coding.Interleaved(0.5, 1/float64(q.D)))
	for i, code := range []coding.Config{published, found.Config} {
		mean, err := s.cost(by, method)(ctx, code)
		if err != nil {
			return nil, err
		}
		label := [...]string{"published", "tuned"}[i]
		a.Rows = append(a.Rows, Encoding{label, code.Instances, code.Bits, code.Schemes[0].String(), mean})
	}
	a.Evaluations, a.Rows, a.tuned = found.Evaluations, columns.Rounded(a.Rows), found.Config.Schemes[0]
	return a, nil
}

// space describes the encodings among which the function search chooses.
type space struct {
	Budget  int // digest bits on a packet, 1 to 64, for instances of equal width
	Layers  int // XOR layers, 1 to 3
	Typical int // number of hops where the search starts

	// Show is called with the completed share of the search and the number of encodings that were measured. It may be
	// nil.
	Show func(share float64, evaluations int)
}

// tuned is the result of the function search.
type tuned struct {
	Config      coding.Config
	Packets     float64 // on average; runs that give up count as the limit
	Evaluations int     // encodings that were measured
}

// cost returns the mean number of packets that a method needs with a code.
type cost func(context.Context, coding.Config) (float64, error)

// cost returns a function that measures encodings on the lengths of the study. A length that occurs twice has twice the
// weight. All encodings are measured on the same paths and packets, so that small differences are real. The study's
// curves are not used.
func (s *PathStudy) cost(by study.Runner, method Method) cost {
	return func(ctx context.Context, code coding.Config) (float64, error) {
		one := *s
		one.Curves = []PathCurve{{Label: "tuning", Method: method, Code: code}}
		rows, err := one.Run(ctx, by)
		sum := 0.0
		for _, row := range rows {
			if ok := row.Runs - row.Failed; ok > 0 {
				sum += row.Mean * float64(ok) / float64(row.Runs)
			}
			sum += float64(s.Trials.limit()) * float64(row.Failed) / float64(row.Runs)
		}
		return sum / float64(len(s.Lengths)), err
	}
}

// maxWidth is the number of bits of the widest instance.
const maxWidth = 32

// sizes returns the numbers of instances that the search tries, each with as many bits as fit. It leaves out n
// instances of w bits if more instances of w bits fit: with the same tau and p, a digest that contains another one
// never needs more packets. So with a larger budget, one of the sizes contains the best digest of a smaller budget.
func (s *space) sizes() (list []coding.Config) {
	for n := 1; n <= s.Budget; n++ {
		if w := min(maxWidth, s.Budget/n); s.Budget/w == n {
			list = append(list, coding.Config{Mode: coding.Hash, Instances: n, Bits: w})
		}
	}
	return list
}

// search finds the encoding with the lowest cost. For every number of instances, it makes a compass search over tau and
// the XOR probabilities. The search starts from the published choice (tau = 1/2, p = 1/d and its multiples), and halves
// its steps until they no longer matter (0.02 in tau, 5 % in p).
func search(ctx context.Context, s space, measure cost) (tuned, error) {
	best := tuned{Packets: math.Inf(1)}
	sizes := s.sizes()
	for i, code := range sizes {
		found, err := s.compass(ctx, code, measure, func(share float64, evaluations int) {
			if s.Show != nil {
				s.Show((float64(i)+share)/float64(len(sizes)), best.Evaluations+evaluations)
			}
		})
		best.Evaluations += found.Evaluations
		if err != nil {
			return best, err
		}
		if found.Packets < best.Packets {
			best.Config, best.Packets = found.Config, found.Packets
		}
	}
	return best, nil
}

// point contains tau and the XOR probabilities.
type point [4]float64

func (s *space) scheme(x point) coding.Scheme {
	return coding.Scheme{Name: "tuned", Tau: x[0], XOR: slices.Clone(x[1 : 1+s.Layers])}
}

func (s *space) compass(
	ctx context.Context, c coding.Config, measure cost, show func(share float64, evaluations int),
) (tuned, error) {
	const first, last = 0.2, 0.02 // steps
	seen, step := map[point]float64{}, first
	eval := func(x point) (float64, error) {
		if v, ok := seen[x]; ok {
			return v, nil
		}
		show(math.Log(first/step)/math.Log(2*first/last), len(seen))
		c.Schemes = []coding.Scheme{s.scheme(x)}
		v, err := measure(ctx, c)
		seen[x] = v
		return v, err
	}
	at := point{0.5}
	for l := range s.Layers {
		at[1+l] = min(1, float64(int(1)<<(2*l))/float64(s.Typical))
	}
	best, err := eval(at)
	for ; step > last && err == nil; step /= 2 {
		for moved := true; moved && err == nil; {
			moved = false
			for _, next := range s.around(at, step) {
				v, e := eval(next)
				if e != nil {
					err = e
					break
				}
				if v < best {
					at, best, moved = next, v, true
				}
			}
		}
	}
	c.Schemes = []coding.Scheme{s.scheme(at)}
	return tuned{Config: c, Packets: best, Evaluations: len(seen)}, err
}

// around returns the neighbours of a point. In a neighbour, tau differs by the step, or a probability differs by a
// factor of one plus three times the step.
func (s *space) around(x point, step float64) []point {
	var out []point
	for i := range 1 + s.Layers {
		for _, up := range []bool{false, true} {
			y := x
			switch {
			case i == 0 && up:
				y[0] = min(1, x[0]+step)
			case i == 0:
				y[0] = max(0, x[0]-step)
			case up:
				y[i] = min(1, float64(x[i]*(1+3*step)))
			default:
				y[i] = x[i] / (1 + 3*step)
			}
			if y != x {
				out = append(out, y)
			}
		}
	}
	return out
}
