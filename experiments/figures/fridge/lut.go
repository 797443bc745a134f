package fridge

import (
	"context"
	_ "embed" // for known.csv
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
	"pintlab/int/fridge"
	"pintlab/int/fridge/tune"
	"pintlab/internal/lists"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/validate"
	"pintlab/plots"
	"pintlab/plots/report"
)

// LUT is the error of the correction factors of a switch (fridges paper, §6.2 and
// §6.3): whole factors in steps of 1.1, looked up by prefixes of x, against exact ones, on
// the same samples of fridges of several sizes.
//
// The fridges paper reports a maximum relative error of 0.2 % to 0.9 %, about ten times smaller
// than the error of the fridge's estimate.
var LUT = figure.Of[fridges.Sizes, LUTRow]{
	Name:    "fridge/lut",
	Title:   "Whole correction factors of a switch against exact ones",
	Source:  "fridges §6.2, §6.3",
	Claim:   "The table of whole factors changes the estimated distribution far less than the fridge errs anyway.",
	Scales:  fridges.SizeScales,
	Measure: measureLUT,
	Check:   checkLUT,
	Compare: compareLUT,
	Tables:  lutTables,
	Draw:    drawLUT,
	Why:     whyLUT,
}.Figure()

const whole = "The steps of 1.1 begin at factors above 10: below they are whole numbers, 2, 3, 4 for p = 1/2, and a factor is off by up to a quarter."

const resources = "Ours are of p4/src/fridge.p4 in the model of a Tofino (pintlab p4 stages fridge): all SRAM, of which registers are a part, and all TCAM. One table of prefixes of x takes the TCAM. The program that the authors published (Princeton-Cabernet/p4-projects, Fridge-tofino) matches ranges, not prefixes, in three tables: 20 bits of x for the factor, and either half of the delay for its logarithm. The printed share is 21 of 288 blocks. How many a range takes is up to Intel's compiler, so that the rest of the factor cannot be decided here. That program hashes all 128 bits of a flow with the switch's own CRC units, ours with two rounds that are the same on every target. Its 32-bit identifiers, times and counters of 2^16 entries are 768 KiB, 5 % of a Tofino's SRAM as the model counts it."

var readings = figure.Known(knownLUT, "readings", "The fridges paper says neither with which p and M it found 0.2 % to 0.9 %, nor of what these are errors. Shares and points of the CDF err about as much as printed while p is below the best, percentiles more with any p. Here p is from half to twice the best for each M. The error grows with p, because the first factors are 1/p and the next ones, and below 10 these are whole numbers: the largest error is that of p = 1/2.")

//go:embed lut/known.csv
var knownLUT string

var whyLUT = []string{
	whole,
	resources,
	"The ends of the ranges of x have four significant bits, as those of the fridges paper's example do (7·2^11, 9·2^12). A finer table would need more prefixes and err less; the fridges paper does not say how many it has.",
	readings.String(),
}

// Row is a line of rows.csv: a fridge with the factors of a switch.
type LUTRow struct {
	Source      string  `col:"source"`
	Memory      int     `col:"memory" unit:"entries"`
	Probability float64 `col:"p"`
	Multiple    float64 `col:"of_best_p"`
	Share       float64 `col:"table_error" unit:"%"`      // of a share from 5 % on, with the table instead of exact factors
	Estimate    float64 `col:"fridge_error" unit:"%"`     // the same of one seed, with exact factors instead of the truth
	Error       float64 `col:"percentile_error" unit:"%"` // of a percentile from 5 to 95, with the table instead of exact factors
	Factors     int     `col:"factors"`
	Prefixes    int     `col:"prefixes"` // that a switch matches
	Samples     float64 `col:"samples"`
	Seeds       int     `col:"seeds"`
}

// multiples are the p of each size, as multiples of the best one rounded to a power of two.
var multiples = []float64{0.5, 1, 2}

func measureLUT(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]LUTRow, error) {
	if err := fridges.NoScenario(j); err != nil {
		return nil, err
	}
	trace := fridges.ISP(j.Seed, z.Part)
	show := j.Progress(2 + z.To - z.From)
	defer show.Close()
	s := fridges.Study{Name: "ISP-like", Trace: trace, Seeds: j.SeedList(z.SeedCount), Workers: j.Campaign.Workers, Show: show}
	t, err := s.Truth(ctx)
	if err != nil {
		return nil, err
	}
	model, err := fridges.Tuner(&t)
	if err != nil {
		return nil, err
	}
	var rows []LUTRow
	for k := z.From; k <= z.To; k++ {
		best, err := model.Optimize(tune.Options{Entries: 1 << k, Fridges: 1})
		if err != nil {
			return nil, err
		}
		for _, multiple := range multiples {
			m, p := uint32(1)<<k, min(1, multiple*math.Exp2(math.Round(math.Log2(best[0].Probability))))
			f, err := fridge.NewFactors(fridge.FactorsConfig{Entries: m, Probability: p, Limit: 8 * m})
			if err != nil {
				return nil, err
			}
			d := fridges.Single("fridge", int(m), p)
			list, err := s.Measure(ctx, "M = "+fridges.Memory(int(m)), t.Delays, []fridges.Named{d}, fridges.Corrected, fridges.ByTable(f))
			if err != nil {
				return nil, err
			}
			exact, table := list[0].Means[0], list[0].Means[1]
			own := 0.0
			for _, one := range list[0].Each {
				own += 100 * shares(one, t.Delays, t.Delays) / float64(len(list[0].Each))
			}
			rows = append(rows, LUTRow{
				Source: "ours", Memory: int(m), Probability: p, Multiple: multiple,
				Share: 100 * shares(table, exact, exact), Estimate: own, Error: percent(fridge.MaxError(table, exact)),
				Factors: len(f.Steps()), Prefixes: len(fixedpoint.FactorPrefixes(f)), Samples: list[0].Row.Samples, Seeds: len(s.Seeds),
			})
		}
	}
	j.Footnote("ISP-like trace: %d requests, %d pairs; %s", t.Requests, t.Pairs, figure.Count(len(s.Seeds), "hash seed"))
	j.Setting("factors", "fridges §6.2", "from 1/p in steps of 1.1, x up to 8·M, ends of ranges with four significant bits")
	return rows, nil
}

// percent returns |log2 ratio| as a relative error.
func percent(log2 float64) float64 { return 100 * (math.Exp2(log2) - 1) }

// shares returns the largest relative error of the share of delays up to t, where the exact
// share is from 5 % on.
func shares(estimate, exact, at *fridge.Distribution) float64 {
	worst := 0.0
	for i := 50; i < 1000; i++ {
		t := at.Quantile(float64(i) / 1000)
		worst = max(worst, math.Abs(estimate.CDF(t)/exact.CDF(t)-1))
	}
	return worst
}

func checkLUT(rows []LUTRow) []figure.Finding {
	fine := figure.Pick(rows, func(r *LUTRow) bool { return r.Probability <= 0.125 })
	_, hi := within(fine)
	_, coarse := within(rows)
	sum := lists.Sum(rows, func(r LUTRow) float64 { return math.Log(r.Share/r.Estimate) / float64(len(rows)) })
	ratio := math.Exp(sum)
	return []figure.Finding{
		figure.Judge("with p of at most 1/8, the table changes shares by a few percent at most", hi < 3, hi > 10, "%.2f %% at most", hi),
		{Statement: "the largest change with any p", Outcome: figure.Found, Detail: fmt.Sprintf("%.2f %%", coarse), Known: whole},
		figure.Judge("which is several times less than the fridge errs with exact factors", ratio < 0.34, ratio > 1, "%.2f times as much on average", ratio),
	}
}

// within returns the least and the largest error of shares.
func within(rows []LUTRow) (lo, hi float64) {
	lo = math.Inf(1)
	for _, r := range rows {
		lo, hi = min(lo, r.Share), max(hi, r.Share)
	}
	return lo, hi
}

func compareLUT(rows []LUTRow) []report.Compared {
	lo, hi := within(rows)
	const source = "fridges §6.3"
	list := []report.Compared{
		beside("least error of the table", "%", 0.2, lo, 0, figure.AtLeast, source, whyLUT[3]),
		beside("largest error of the table", "%", 0.9, hi, 0, figure.AtMost, source, whyLUT[3]),
	}
	memory, ternary, hashes := takes()
	return append(list,
		beside("register memory of a switch, M = 2^16", "%", 6.4, memory, 0, figure.OpenSetting, source, resources),
		beside("TCAM of a switch", "%", 7.3, ternary, 0, figure.OpenSetting, source, resources),
		beside("hash units of a switch", "%", 23.6, hashes, 0, figure.OpenSetting, source, resources))
}

// takes returns the shares of a Tofino's SRAM, TCAM and hash bits that the switch program uses, in percent.
func takes() (memory, ternary, hashes float64) {
	used, limit, err := validate.Uses("fridge")
	if err != nil {
		panic(err) // built in, as the target
	}
	share := func(r analysis.Resource) float64 { return 100 * float64(used[r]) / float64(limit[r]) }
	return share(analysis.SRAM), share(analysis.TCAM), share(analysis.HashBits)
}

func lutTables(rows []LUTRow) []figure.Table {
	return []figure.Table{{Caption: "Relative errors of shares of the pairs: of the table of factors, and of the fridge itself", Rows: rows}}
}

func drawLUT(rows []LUTRow) ([]figure.Drawing, error) {
	sizes := lists.Map(rows, func(r LUTRow) int { return r.Memory })
	p := plots.Panel{
		X: memoryAxis(sizes),
		Y: plots.Axis{Label: "Largest relative error of a share", Unit: "%", Scale: plots.Log, Min: plots.At(0.1), Lines: []plots.RefLine{{At: 0.2, Label: "published, least"}, {At: 0.9, Label: "published, largest"}}},
	}
	for _, multiple := range multiples {
		table := plots.Series{Name: fmt.Sprintf("table, %g × the best p", multiple), Hue: fmt.Sprint(multiple), Style: plots.Line}
		own := plots.Series{Name: fmt.Sprintf("the fridge itself, %g ×", multiple), Hue: fmt.Sprint(multiple), Style: plots.Line, Pattern: plots.Dotted}
		of := figure.Pick(rows, func(r *LUTRow) bool { return r.Multiple == multiple })
		p.Series = append(p.Series,
			figure.Curve(table, of, func(r *LUTRow) (x, y float64) { return float64(r.Memory), r.Share }),
			figure.Curve(own, of, func(r *LUTRow) (x, y float64) { return float64(r.Memory), r.Estimate }))
	}
	return []figure.Drawing{{
		Name: "lut", Caption: "What a switch's whole correction factors change in the distribution, beside the error of the fridge with exact factors.",
		Plot: plots.Figure{Title: "§6.3: error of the table of factors", Width: 400, Panels: []plots.Panel{p}},
	}}, nil
}
