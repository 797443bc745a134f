package pint

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/numeric"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/trace"
)

// Remarks measures three statements of the PINT paper that no figure of the paper shows. They are about linear
// network coding with fragments (§4.2), about statistics that samples cannot provide (§4.1), and about the number of
// packets until a path is known, as a function of the probability of failure (appendix A.2.2).
var Remarks = figure.Spec[remarksScale]{
	Name:    "pint/remarks",
	Files:   files,
	Columns: columns.View{"table", "case", "x", "scheme", "quantity", "unit", "value", "lo", "hi"},
	Scales: map[figure.Scale]remarksScale{
		figure.Smoke:  {20, 200, []int{16, 64}},
		figure.Laptop: {1000, 10_000, []int{16, 64}},
		figure.Paper:  {10_000, 100_000, []int{16, 64, 256}},
	},
	Measure: measureRemarks,
	Claims:  map[string]func(*figure.Claim, []study.Row) figure.Finding{"poorly": poorly, "slope": slope},
	Tables:  remarksTables,
	Draw:    drawRemarks,
}.Figure()

// remarksScale contains the settings of a scale.
type remarksScale struct {
	runs    int   // runs of codes and of samples
	failing int   // number of simulated paths, a share δ of which stays unknown
	lengths []int // lengths of these paths
}

func (z remarksScale) String() string {
	return fmt.Sprintf("%d runs for codes and samples, %d for each of %d path lengths", z.runs, z.failing,
		len(z.lengths))
}

// The tables of the rows.
const (
	codesTable    = "codes"
	samplesTable  = "samples"
	failuresTable = "failures"
)

// allLayers is the multi-layer scheme with log*d XOR layers, as in A.2.2. multiLayer has one layer fewer.
const allLayers = multiLayer + ", log*d layers"

const (
	perDigest = 8 // bits
	ofStream  = 10_000
)

func measureRemarks(ctx context.Context, j *figure.Job, z remarksScale) ([]study.Row, error) {
	if j.Seeds > 0 || len(j.Set) > 0 {
		return nil, errors.New("--seeds and --set have no effect on this figure: it simulates no network")
	}
	rows, err := measureCodes(ctx, j, z.runs)
	if err != nil {
		return nil, err
	}
	estimates, err := pint.SampleErrors(j.Seed, z.runs, ofStream, hops)
	if err != nil {
		return nil, err
	}
	for _, e := range estimates {
		rows = append(rows, study.Row{Table: samplesTable, Case: e.Stream, X: math.NaN(), Scheme: e.Estimator,
			Quantity: e.Quantity, Sized: stats.Whole(e.Error)})
	}
	j.Footnote("%v; bars: 95 %% intervals", z)
	return failing(ctx, j, z, rows)
}

// measureCodes traces paths in two ways: with hashes of switch IDs, and with fragments of switch IDs and linear
// network coding.
func measureCodes(ctx context.Context, j *figure.Job, runs int) ([]study.Row, error) {
	g, err := topo.DefaultISP().Build()
	if err != nil {
		return nil, err
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return nil, err
	}
	pieces := func(bits int) pint.PathCurve {
		return pint.PathCurve{Label: fmt.Sprintf("LNC, fragments of %d bits", bits), Method: pint.Eliminated,
			Code: coding.Config{Mode: coding.Fragments, ValueBits: bits, Bits: perDigest, Instances: 1,
				Schemes: []coding.Scheme{coding.LNC()}}}
	}
	s := pint.PathStudy{Topology: "kdl", Map: m, Ends: trace.HostSwitches(g), Lengths: []int{hops},
		Trials: pint.Trials{Seed: j.Seed, Runs: runs, Limit: limit},
		Curves: []pint.PathCurve{
			{Label: "Hybrid, hashing", Code: trace.HashCode(1, perDigest, coding.Hybrid(hops))},
			{Label: "Multi-layer, hashing", Code: trace.HashCode(1, perDigest, coding.MultiLayer(hops, 2))},
			pieces(32), pieces(10),
		}}
	got, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	var rows []study.Row
	for _, r := range got {
		rows = append(rows, study.Row{Table: codesTable, X: hops, Scheme: r.Method, Quantity: "packets",
			Unit: "packets", Sized: stats.Whole(stats.Around(r.Mean, float64(r.Half)))})
	}
	return rows, nil
}

// failing adds rows with the number of packets after which all paths are known, except a share δ of the paths.
func failing(ctx context.Context, j *figure.Job, z remarksScale, rows []study.Row) ([]study.Row, error) {
	var list []pint.Coding
	for _, k := range z.lengths {
		for _, s := range []coding.Scheme{coding.MultiLayerRevised(k, coding.LogStar(float64(k))),
			coding.MultiLayerRevised(k, 0), coding.Baseline()} {
			list = append(list, pint.Coding{Scheme: s, Hops: k})
		}
	}
	decoded, err := pint.Decode(ctx, j, pint.Trials{Seed: j.Seed, Runs: z.failing}, list)
	if err != nil {
		return nil, err
	}
	for i := range decoded {
		d, name := &decoded[i], []string{allLayers, multiLayer, baseline}[i%3]
		for delta := 0.1; delta*float64(z.failing) > 9; delta /= 10 {
			n := stats.Alone(float64(d.Quantile(1 - delta)))
			if lo, hi := d.QuantileInterval(1 - delta); hi > 0 {
				n.Lo, n.Hi = float64(lo), float64(hi)
			}
			rows = append(rows, study.Row{Table: failuresTable, Case: figure.Count(list[i].Hops, "hop"),
				X: columns.Round(1 / delta), Scheme: name, Quantity: "packets", Unit: "packets", Sized: stats.Whole(n)})
		}
	}
	return rows, nil
}

// poorly makes a finding. The finding holds if the error of each estimator exceeds the amount of the claim on at
// least one stream.
func poorly(c *figure.Claim, rows []study.Row) figure.Finding {
	worst := map[string]stats.Number{}
	for _, r := range rows {
		if r.Table == samplesTable && r.Quantity == c.Quantity && !(worst[r.Scheme].Value > r.Value) {
			worst[r.Scheme] = r.Number
		}
	}
	confirmed, contradicted, least := len(worst) > 0, false, math.Inf(1)
	for _, n := range worst {
		confirmed, contradicted = confirmed && n.Above(c.Amount), contradicted || n.Below(c.Amount)
		least = min(least, n.Value)
	}
	return figure.Judge("", confirmed, contradicted, "the best of %s errs by %.3g on one of the streams",
		figure.Count(len(worst), "estimator"), least)
}

// slope makes a finding about the additional packets that reduce the share of failures by a factor e. The finding
// holds if Scheme needs fewer than Amount times the additional packets of Against, at each path length.
func slope(c *figure.Claim, rows []study.Row) figure.Finding {
	confirmed, contradicted, text := true, false, ""
	of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == failuresTable })
	for _, where := range study.Cases(of) {
		a, b := steepness(of, where, c.Scheme), steepness(of, where, c.Against)
		confirmed, contradicted = confirmed && a < c.Amount*b, contradicted || a >= b
		text += fmt.Sprintf("%s: %.3g packets against %.3g; ", where, a, b)
	}
	return figure.Judge("", confirmed && text != "", contradicted, "%s", text)
}

// steepness returns the number of additional packets that reduce the share of failures by a factor e.
func steepness(rows []study.Row, where, scheme string) float64 {
	of := study.Pick(rows, where, scheme, "", "packets")
	if len(of) < 2 {
		return math.NaN()
	}
	a, b := of[0], of[len(of)-1]
	return (b.Value - a.Value) / numeric.Ln(b.X/a.X)
}

func remarksTables(rows []study.Row) []figure.Table {
	of := func(table string) []study.Row {
		return figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
	}
	return []figure.Table{
		figure.Show("codes", of(codesTable), "scheme", "packets=value", "lo", "hi"),
		figure.Show("samples", of(samplesTable), "quantity", "scheme", "stream=case", "error=value", "lo", "hi"),
		figure.Show("failures", of(failuresTable), "path=case", "scheme", "1/δ=x", "packets=value", "lo", "hi"),
	}
}

func drawRemarks(rows []study.Row) ([]figure.Drawing, error) {
	of := figure.Pick(rows, func(r *study.Row) bool { return r.Table == failuresTable })
	panels := figure.Panels(of, "packets", figure.Log("1/δ", ""), figure.Linear("Packets", ""))
	return []figure.Drawing{figure.Draw("delta", "Packets until a path is known but for a share δ", panels...)}, nil
}
