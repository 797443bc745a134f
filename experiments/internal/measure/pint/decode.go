package pint

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/internal/hash"
	"pintlab/internal/numeric"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// Coding is a coding scheme on paths with a number of hops. Digests contain whole 64-bit values, as in Fig. 5 and in
// the analysis.
type Coding struct {
	coding.Scheme
	Hops    int
	Packets int // number of packets; the unknown hops are counted after each of them
}

// Decoded contains the numbers of packets until all hops are known, and the curves of Fig. 5.
type Decoded struct {
	Distribution
	Curve []Progress // after 0, 1 … packets
}

// Progress describes how much of the paths is decoded after a number of packets.
type Progress struct {
	Missing float64 // mean number of unknown hops
	Half    float64 // half width of its 95 % confidence interval
	Decoded float64 // share of runs with the whole path known
}

// Decode decodes random paths of each coding.
func Decode(ctx context.Context, by study.Runner, t Trials, codings []Coding) ([]Decoded, error) {
	var points []study.Cell
	for _, c := range codings {
		code, err := coding.New(coding.Config{Schemes: []coding.Scheme{c.Scheme}, Mode: coding.Full, Bits: 64,
			Instances: 1, ValueBits: 64,
			Family: global.Fast(hash.Combine(t.Seed, hash.String("coding study")))})
		if err != nil {
			return nil, err
		}
		points = append(points, batched(t, fmt.Sprintf("%v, %d hops", c.Scheme, c.Hops),
			func(made *decoding) (func(int) error, error) {
				*made = newDecoding(c.Packets)
				d, err := c.decoder(code)
				path := make([]uint64, c.Hops)
				return func(run int) error { return made.run(d, code, path, t, run) }, err
			}))
	}
	results, err := t.study(points).Run(ctx, by)
	if err != nil {
		return nil, err
	}
	list := make([]Decoded, len(points))
	for i, p := range points {
		all := newDecoding(codings[i].Packets)
		for _, batch := range study.Made[*decoding](results, p) {
			all.merge(&batch.Distribution)
			for n := range all.missing {
				all.missing[n] += batch.missing[n]
				all.squares[n] += batch.squares[n]
				all.known[n] += batch.known[n]
			}
		}
		list[i] = Decoded{all.Distribution, all.curve(float64(t.Runs))}
	}
	return list, nil
}

// decoder returns a decoder for the coding. It eliminates for linear network coding, and peels otherwise.
func (c *Coding) decoder(code *coding.Code) (coding.Decoder, error) {
	if c.Name == coding.LNC().Name {
		return coding.NewSolver(code, c.Hops)
	}
	return coding.NewPeeler(code, c.Hops)
}

// decoding contains sums over some runs.
type decoding struct {
	Distribution
	missing, squares, known []int // by packets: unknown hops, the squares of their numbers, and fully known paths
}

func newDecoding(packets int) decoding {
	return decoding{missing: make([]int, packets+1), squares: make([]int, packets+1), known: make([]int, packets+1)}
}

// run decodes a random path and checks the decoded values.
func (s *decoding) run(d coding.Decoder, code *coding.Code, path []uint64, t Trials, run int) error {
	d.Reset()
	r := hash.Stream(t.Seed, "coding/path", uint64(run))
	for i := range path {
		path[i] = r.Uint64()
	}
	s.note(0, len(path))
	for n := 1; n <= t.limit(); n++ {
		id := packetID(run, n)
		if err := d.Add(id, code.Encode(id, path)); err != nil {
			return err
		}
		s.note(n, len(path)-d.Known())
		if !d.Done() {
			continue
		}
		for i, want := range path {
			if got, ok := d.Value(i + 1); !ok || got != want {
				return fmt.Errorf("hop %d decoded as %d (known: %v), want %d", i+1, got, ok, want)
			}
		}
		s.Add(n)
		for ; n < len(s.known); n++ {
			s.known[n]++
		}
		return nil
	}
	s.AddFailure()
	return nil
}

// note records the unknown hops of a run after n packets.
func (s *decoding) note(n, missing int) {
	if n < len(s.missing) {
		s.missing[n] += missing
		s.squares[n] += missing * missing
	}
}

func (s *decoding) curve(runs float64) []Progress {
	list := make([]Progress, len(s.missing))
	for n := range list {
		mean := float64(s.missing[n]) / runs
		variance := max(0, float64(s.squares[n])/runs-float64(mean*mean))
		list[n] = Progress{mean, z95 * math.Sqrt(variance/runs), float64(s.known[n]) / runs}
	}
	return list
}

// Bounds contains the results of the formulas for the packets that the multi-layer scheme of appendix A.3 needs on
// paths of k hops, with d = k.
type Bounds struct {
	Theorem3 float64 // k ln log*k: the leading term
	Revised  float64 // k (ln log*k + 2): A.3, without its o(k)
	Coupons  float64 // k H_k: Baseline's expectation
}

// BoundsOf returns the formulas for k hops.
func BoundsOf(k int) Bounds {
	x := float64(k)
	log := numeric.Ln(float64(coding.LogStar(x)))
	return Bounds{Theorem3: x * log, Revised: x * (log + 2), Coupons: x * harmonic(k)}
}

// harmonic returns the harmonic number H_k. It adds the smallest terms first.
func harmonic(k int) (sum float64) {
	for i := k; i >= 1; i-- {
		sum += 1 / float64(i)
	}
	return sum
}
