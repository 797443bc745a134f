package pint

import (
	"context"
	"fmt"
	"math"
	"sync"

	"pintlab/internal/hash"
	"pintlab/internal/numeric"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// fullValues returns a code for whole 64-bit values: the setting of Fig. 5 and of the
// analysis, where a packet can hold a whole value.
func fullValues(s coding.Scheme, seed uint64) (*coding.Code, error) {
	return coding.New(coding.Config{Schemes: []coding.Scheme{s}, Mode: coding.Full, Bits: 64, Instances: 1,
		ValueBits: 64,
		Family:    global.Fast(hash.Combine(seed, hash.String("coding study")))})
}

// fullDecoder is elimination for linear network coding, peeling otherwise.
func fullDecoder(c *coding.Code, hops int) (coding.Decoder, error) {
	if s := c.Config().Schemes[0]; s.Name == coding.LNC().Name {
		return coding.NewSolver(c, hops)
	}
	return coding.NewPeeler(c, hops)
}

// randomPath is the values of a run's hops.
func randomPath(path []uint64, seed uint64, run int) {
	r := hash.Stream(seed, "coding/path", uint64(run))
	for i := range path {
		path[i] = r.Uint64()
	}
}

// ProgressRow is a point of Fig. 5: after this many packets, how many hops are still
// unknown on average (a) and how likely the whole path is known (b).
type ProgressRow struct {
	Scheme   string  // label with parameters
	Packets  int     // 0 …
	Missing  float64 // mean number of unknown hops
	Decoded  float64 // share of runs with the whole path known
	Hops     int
	Runs     int
	MissingE float64 // half width of the 95 % confidence interval of Missing
}

// DecodeProgress is Fig. 5 for one scheme: rows for 0 … packets packets on paths of the given
// number of hops, with whole values in the digests. (The figure: 25 hops, 200 packets,
// schemes XOR(1/25), Hybrid(25), Baseline.)
func DecodeProgress(ctx context.Context, t Trials, s coding.Scheme, hops, packets int) ([]ProgressRow, error) {
	code, err := fullValues(s, t.Seed)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	missing, squares, decoded := make([]int, packets+1), make([]int, packets+1), make([]int, packets+1)
	err = t.each(ctx, func() (func(int) error, error) {
		d, err := fullDecoder(code, hops)
		if err != nil {
			return nil, err
		}
		path := make([]uint64, hops)
		left := make([]int, packets+1)
		return func(run int) error {
			d.Reset()
			randomPath(path, t.Seed, run)
			left[0] = hops
			for n := 1; n <= packets; n++ {
				left[n] = 0
				if left[n-1] == 0 {
					continue
				}
				id := packetID(run, n)
				if err := d.Add(id, code.Encode(id, path)); err != nil {
					return err
				}
				left[n] = hops - d.Known()
			}
			mu.Lock()
			defer mu.Unlock()
			for n, l := range left {
				missing[n] += l
				squares[n] += l * l
				if l == 0 {
					decoded[n]++
				}
			}
			return nil
		}, nil
	})
	if err != nil {
		return nil, err
	}
	rows := make([]ProgressRow, packets+1)
	runs := float64(t.Runs)
	for n := range rows {
		mean := float64(missing[n]) / runs
		variance := max(0, float64(squares[n])/runs-float64(mean*mean))
		rows[n] = ProgressRow{
			Scheme: s.String(), Packets: n, Missing: mean, Decoded: float64(decoded[n]) / runs,
			Hops: hops, Runs: t.Runs, MissingE: 1.959963984540054 * math.Sqrt(variance/runs),
		}
	}
	return rows, nil
}

// DecodeTime returns the number of packets that a scheme needs to decode paths of the given number of
// hops, with whole values in the digests.
func DecodeTime(ctx context.Context, t Trials, s coding.Scheme, hops int) (*Distribution, error) {
	t = t.full()
	code, err := fullValues(s, t.Seed)
	if err != nil {
		return nil, err
	}
	return t.measure(ctx, func() (func(int) (int, error), error) {
		d, err := fullDecoder(code, hops)
		if err != nil {
			return nil, err
		}
		path := make([]uint64, hops)
		return func(run int) (int, error) {
			d.Reset()
			randomPath(path, t.Seed, run)
			return packetsUntilDone(d, code, path, run, t.Limit)
		}, nil
	})
}

// packetsUntilDone feeds packets of a path to a decoder until it is done, and checks its answer. It
// returns 0 if the decoder is not done after limit packets.
func packetsUntilDone(d coding.Decoder, code *coding.Code, path []uint64, run, limit int) (int, error) {
	for n := 1; n <= limit; n++ {
		id := packetID(run, n)
		if err := d.Add(id, code.Encode(id, path)); err != nil {
			return 0, err
		}
		if d.Done() {
			for i, want := range path {
				if got, ok := d.Value(i + 1); !ok || got != want {
					return 0, fmt.Errorf("hop %d decoded as %d (known: %v), want %d", i+1, got, ok, want)
				}
			}
			return n, nil
		}
	}
	return 0, nil
}

// BoundRow compares the packets that the multi-layer scheme of appendix A.3 needs on paths of k hops,
// with d = k, with the formulas.
type BoundRow struct {
	Hops      int
	Scheme    string
	Mean, P99 float64
	HalfWidth float64 // of the 95 % confidence interval of the mean
	Runs      int
	Theorem3  float64 // k ln log*k: the leading term
	Revised   float64 // k (ln log*k + 2): A.3, without its o(k)
	Coupons   float64 // k H_k: Baseline's expectation
}

// Bounds measures Theorem 3 and appendix A.3 for each path length.
func Bounds(ctx context.Context, t Trials, hops []int) ([]BoundRow, error) {
	var rows []BoundRow
	for _, k := range hops {
		s := coding.MultiLayerRevised(k, 0)
		dist, err := DecodeTime(ctx, t, s, k)
		if err != nil {
			return nil, fmt.Errorf("%d hops: %w", k, err)
		}
		harmonic := 0.0
		for i := k; i >= 1; i-- {
			harmonic += 1 / float64(i)
		}
		x := float64(k)
		log := numeric.Ln(float64(coding.LogStar(x)))
		rows = append(rows, BoundRow{
			Hops: k, Scheme: s.String(), Mean: dist.Mean(), P99: float64(dist.Quantile(0.99)),
			HalfWidth: dist.HalfWidth(), Runs: dist.Runs(),
			Theorem3: x * log, Revised: x * (log + 2), Coupons: x * harmonic,
		})
	}
	return rows, nil
}
