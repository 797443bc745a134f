package coding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/internal/rng"
)

// Length is how common paths of some length are.
type Length struct {
	Hops   int     // 1 … global.MaxHops
	Weight float64 // > 0, relative to the others
}

// MeasureLengths is how many packets a code needs on paths whose lengths follow a
// distribution and whose hops have random values out of the given ones. The share of
// runs of each length is its weight, to within one run.
func MeasureLengths(ctx context.Context, t Trials, c Config, lengths []Length, values []uint64) (*Distribution, error) {
	t, err := t.check()
	if err != nil {
		return nil, err
	}
	code, err := New(c)
	if err != nil {
		return nil, err
	}
	hopsOf, err := spreadLengths(lengths)
	if err != nil {
		return nil, err
	}
	return t.Measure(ctx, func() (func(int) (int, error), error) {
		decoders := map[int]Decoder{}
		for _, l := range lengths {
			d, err := NewDecoder(code, l.Hops, values)
			if err != nil {
				return nil, err
			}
			decoders[l.Hops] = d
		}
		return func(run int) (int, error) {
			path := make([]uint64, hopsOf(run, t))
			r := rng.New(t.Seed, "coding/values", uint64(run))
			for i := range path {
				if values == nil {
					path[i] = r.Uint64() & (1<<c.ValueBits - 1)
				} else {
					path[i] = values[r.IntN(len(values))]
				}
			}
			d := decoders[len(path)]
			d.Reset()
			return packetsUntilDone(d, code, path, run, t.Limit)
		}, nil
	})
}

// spreadLengths assigns path lengths to runs in proportion to the weights.
func spreadLengths(lengths []Length) (func(run int, t Trials) int, error) {
	total := 0.0
	for _, l := range lengths {
		if err := checkHops(l.Hops); err != nil {
			return nil, err
		}
		if !(l.Weight > 0) || math.IsInf(l.Weight, 1) {
			return nil, fmt.Errorf("path length %d has weight %v, want a positive number", l.Hops, l.Weight)
		}
		total += l.Weight
	}
	if len(lengths) == 0 {
		return nil, errors.New("no path lengths")
	}
	return func(run int, t Trials) int {
		at := (float64(run-t.First) + 0.5) / float64(t.Runs) * total
		for _, l := range lengths {
			if at -= l.Weight; at < 0 {
				return l.Hops
			}
		}
		return lengths[len(lengths)-1].Hops
	}, nil
}

// Space is the codes among which Tune chooses: those that spend a bit budget.
type Space struct {
	Config          // Mode, ValueBits, VectorBits and Family of all; the rest is chosen
	Budget    int   // digest bits on a packet
	Instances []int // numbers of instances to try, each a divisor of Budget; nil: the powers of two up to 16 that are
	Layers    int   // number of XOR layers, 1 … 3; 0 is 1
	Typical   int   // typical number of hops, where the search starts
}

// Cost says how good a code is: lower is better, for instance the mean number of
// packets. It must be deterministic. Use the same random numbers for all codes, as
// MeasureLengths does: then even small differences are real.
type Cost func(ctx context.Context, c Config) (float64, error)

// Tuned is what Tune found.
type Tuned struct {
	Config      Config
	Cost        float64
	Evaluations int
}

// Tune looks for the code with the lowest cost: for every number of instances a compass
// search over tau and the XOR probabilities, which starts from the published choice
// (tau = 1/2, p = 1/d and its multiples) and halves its steps until they are below what
// matters (0.02 in tau, 5 % in p).
func Tune(ctx context.Context, s Space, cost Cost) (Tuned, error) {
	if s.Layers == 0 {
		s.Layers = 1
	}
	if s.Layers < 1 || s.Layers > 3 || s.Typical < 1 || s.Budget < 1 || s.Budget > 64 {
		return Tuned{}, fmt.Errorf("tuning: layers = %d (want 1 to 3), typical = %d (at least 1), budget = %d (1 to 64)", s.Layers, s.Typical, s.Budget)
	}
	if s.Instances == nil {
		for n := 1; n <= 16; n *= 2 {
			if s.Budget%n == 0 && (s.Budget/n <= 32 || s.Mode == Full || s.Mode == Fragments) {
				s.Instances = append(s.Instances, n)
			}
		}
	}
	best := Tuned{Cost: math.Inf(1)}
	for _, n := range s.Instances {
		if n < 1 || s.Budget%n != 0 {
			return Tuned{}, fmt.Errorf("tuning: %d instances do not divide a budget of %d bits", n, s.Budget)
		}
		c := s.Config
		c.Instances, c.Bits = n, s.Budget/n
		found, err := s.compass(ctx, c, cost)
		best.Evaluations += found.Evaluations
		if err != nil {
			return best, err
		}
		if found.Cost < best.Cost {
			best.Config, best.Cost = found.Config, found.Cost
		}
	}
	return best, nil
}

// point is tau and the XOR probabilities.
type point [4]float64

func (s *Space) scheme(x point) Scheme {
	return Scheme{Name: "tuned", Tau: x[0], XOR: slices.Clone(x[1 : 1+s.Layers])}
}

func (s *Space) compass(ctx context.Context, c Config, cost Cost) (Tuned, error) {
	seen := map[point]float64{}
	eval := func(x point) (float64, error) {
		if v, ok := seen[x]; ok {
			return v, nil
		}
		c.Schemes = []Scheme{s.scheme(x)}
		v, err := cost(ctx, c)
		seen[x] = v
		return v, err
	}
	at := point{0.5}
	for l := range s.Layers {
		at[1+l] = min(1, float64(int(1)<<(2*l))/float64(s.Typical))
	}
	best, err := eval(at)
	for step := 0.2; step > 0.02 && err == nil; step /= 2 {
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
	c.Schemes = []Scheme{s.scheme(at)}
	return Tuned{Config: c, Cost: best, Evaluations: len(seen)}, err
}

// around is the neighbours of a point: tau by the step, probabilities by a factor of
// one plus three times the step.
func (s *Space) around(x point, step float64) []point {
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
