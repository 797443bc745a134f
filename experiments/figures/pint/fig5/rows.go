package fig5

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/decode"
	"pintlab/internal/progress"
	"pintlab/pint/coding"
)

// Row is a line of rows.csv.
type Row struct {
	// Table is "progress" for the curves of (a) and (b), "decode" for the packets until
	// all hops are known, "bound" for Theorem 3 and A.3.
	Table   string  `col:"table"`
	Source  string  `col:"source"` // ours or published
	Scheme  string  `col:"scheme"`
	Params  string  `col:"parameters"`
	Hops    int     `col:"hops"`
	Packets float64 `col:"packets"` // progress: so many have arrived
	Missing float64 `col:"missing" unit:"hops"`
	Decoded float64 `col:"decoded"` // share of the runs that know all hops
	Mean    float64 `col:"mean" unit:"packets"`
	Half    float64 `col:"half_width"` // of the 95 % interval of missing or mean
	P50     float64 `col:"p50" unit:"packets"`
	P99     float64 `col:"p99" unit:"packets"`
	Leading float64 `col:"leading_term" unit:"packets"` // k ln log*k, Theorem 3
	Revised float64 `col:"revised" unit:"packets"`      // k (ln log*k + 2), A.3
	Coupons float64 `col:"coupons" unit:"packets"`      // k H_k, Baseline's expectation
	Runs    int     `col:"runs"`
}

// The tables of the rows.
const (
	progressTable = "progress"
	decodeTable   = "decode"
	boundTable    = "bound"
)

// The schemes.
const (
	baseline   = "Baseline"
	xor        = "XOR"
	hybrid     = "Hybrid"
	multiLayer = "Multi-layer"
	lnc        = "Linear network coding"
	twoHops    = "Interleaved"
)

// hops is k = d of the figure, packets the end of its axis.
const hops, packets = 25, 200

// schemes are the curves.
var schemes = []struct {
	name   string
	scheme coding.Scheme
}{
	{baseline, coding.Baseline()},
	{xor, coding.XOR(1.0 / hops)},
	{hybrid, coding.Hybrid(hops)},
	{multiLayer, coding.MultiLayer(hops, 2)},
	{lnc, coding.LNC()},
}

// scale is what is run at a scale.
type scale struct {
	runs   int // of the figure
	bounds int // of Theorem 3, for each path length
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {300, 20},
	figure.Laptop: {10_000, 300},
	figure.Paper:  {100_000, 10_000},
}

// lengths are the path lengths for Theorem 3.
var lengths = []int{2, 4, 8, 16, 32, 64, 128, 256}

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("%d runs for each scheme, %d for each of %d path lengths of Theorem 3", z.runs, z.bounds, len(lengths))
}

var nan = math.NaN()

// blank is a row without numbers.
func blank(table, source, scheme, params string, hops, runs int) Row {
	return Row{table, source, scheme, params, hops, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, runs}
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if j.Seeds > 0 || len(j.Set) > 0 {
		return nil, errors.New("--seeds and --set have no effect on this figure: it simulates no network")
	}
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 2*len(schemes) + 1 + len(lengths)})
	defer show.Close()
	trials := func(name string, runs int) (decode.Trials, *progress.Task) {
		task := show.Begin(name)
		return decode.Trials{Seed: j.Seed, Runs: runs, Workers: j.Campaign.Workers, Done: func(n int) {
			task.Update(float64(n)/float64(runs), fmt.Sprintf("%d of %d runs", n, runs))
		}}, task
	}
	var rows []Row
	for _, s := range schemes {
		t, task := trials(s.name+", by packets", z.runs)
		list, err := decode.Progress(ctx, t, s.scheme, hops, packets)
		task.End()
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			r := blank(progressTable, "ours", s.name, s.scheme.String(), hops, z.runs)
			r.Packets, r.Missing, r.Decoded, r.Half = float64(p.Packets), p.Missing, p.Decoded, p.MissingE
			rows = append(rows, r)
		}
	}
	until := func(name string, scheme coding.Scheme, hops int) error {
		t, task := trials(fmt.Sprintf("%s, %d hops", name, hops), z.runs)
		defer task.End()
		d, err := decode.DecodeTime(ctx, t, scheme, hops)
		if err != nil {
			return err
		}
		r := blank(decodeTable, "ours", name, scheme.String(), hops, z.runs)
		r.Mean, r.Half, r.P50, r.P99 = d.Mean(), d.HalfWidth(), float64(d.Quantile(0.5)), float64(d.Quantile(0.99))
		rows = append(rows, r)
		return nil
	}
	for _, s := range schemes {
		if err := until(s.name, s.scheme, hops); err != nil {
			return nil, err
		}
	}
	if err := until(twoHops, coding.Interleaved(0.5, 1), 2); err != nil {
		return nil, err
	}
	for _, k := range lengths {
		t, task := trials(fmt.Sprintf("A.3, %d hops", k), z.bounds)
		list, err := decode.Bounds(ctx, t, []int{k})
		task.End()
		if err != nil {
			return nil, err
		}
		b := list[0]
		r := blank(boundTable, "ours", multiLayer, b.Scheme, k, z.bounds)
		r.Mean, r.Half, r.P99, r.Leading, r.Revised, r.Coupons = b.Mean, b.HalfWidth, b.P99, b.Theorem3, b.Revised, b.Coupons
		rows = append(rows, r)
	}
	j.Footnote("%d hops, a whole value in each packet; %d runs for each curve", hops, z.runs)
	j.Setting("path", "PINT Fig. 5", "k = d = %d hops, q bits each, digests of q bits", hops)
	return append(rows, published()...), nil
}

// published are the numbers that the PINT paper prints (§4.2).
func published() []Row {
	row := func(scheme string, hops int, mean, p50, p99 float64) Row {
		r := blank(decodeTable, "published", scheme, "", hops, 0)
		r.Mean, r.P50, r.P99 = mean, p50, p99
		return r
	}
	return []Row{row(baseline, hops, nan, 89, 189), row(hybrid, hops, nan, 41, 68), row(twoHops, 2, 8.0/3, nan, nan)}
}
