package fridge

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/analysis"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/validate"
	"pintlab/plots"
	"pintlab/plots/report"
)

// LUT measures the error that the correction factors of a switch cause (fridges paper, §6.2 and §6.3). The switch
// uses whole factors in steps of 1.1, and looks up the factors by prefixes of x. LUT compares these factors with
// exact factors, on the same samples of fridges of several sizes.
var LUT = figure.Of[fridges.Sizes, LUTRow]{
	Name:    "fridge/lut",
	Files:   files,
	Scales:  fridges.SizeScales,
	Measure: measureLUT,
	Check:   checkLUT,
	Ours: map[string]figure.Ours[LUTRow]{
		"table, points": ofSettings, "table, percentiles": ofSettings, "table, shares": ofSettings,
		"fridge, points": ofSettings, "fridge, percentiles": ofSettings, "fridge, shares": ofSettings, "units": units,
	},
	Tables: lutTables,
	Draw:   drawLUT,
}.Figure()

// LUTRow is a line of rows.csv: a fridge that uses the factors of a switch.
type LUTRow struct {
	Source      string  `col:"source"`
	Memory      int     `col:"memory" unit:"entries"`
	Probability float64 `col:"p"`
	Multiple    float64 `col:"of_best_p"`
	// Largest relative errors. Share and Error compare the table with exact factors; Estimate and Own compare exact
	// factors with the truth. Share and Estimate are errors of shares of at least 5 %: the largest error with one hash
	// seed, averaged over the seeds. Error and Own are errors of the 5th to 95th percentiles of the mean CDF of all
	// seeds, the measure of §5.
	Share    float64 `col:"table_error" unit:"%"`
	Estimate float64 `col:"fridge_error" unit:"%"`
	Error    float64 `col:"percentile_error" unit:"%"`
	Own      float64 `col:"fridge_percentile_error" unit:"%"`
	// Points and OwnPoints make the same two comparisons. They are the largest vertical distances between the CDFs,
	// with the mean CDF of all seeds.
	Points    float64 `col:"table_cdf_error" unit:"points"`
	OwnPoints float64 `col:"fridge_cdf_error" unit:"points"`
	Factors   int     `col:"factors"`
	Prefixes  int     `col:"prefixes"` // prefixes that a switch matches
	Samples   float64 `col:"samples"`
	Seeds     int     `col:"seeds"`
}

// multiples lists the values of p for each size. They are multiples of the best p, which is rounded to a power of
// two.
var multiples = []float64{0.5, 1, 2}

func measureLUT(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]LUTRow, error) {
	s, err := fridges.Open(j, "ISP-like", fridges.ISP(j.Seed, z.Part), z.SeedCount)
	if err != nil {
		return nil, err
	}
	var rows []LUTRow
	for k := z.From; k <= z.To; k++ {
		best, err := s.Model.Optimize(fridge.Choice{Entries: 1 << k, Fridges: 1})
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
			list, err := s.Measure(ctx, []fridges.Named{d}, fridges.Corrected, fridges.ByTable(f))
			if err != nil {
				return nil, err
			}
			r := LUTRow{
				Source: "ours", Memory: int(m), Probability: p, Multiple: multiple,
				Error:     percent(fridge.MaxError(list[0].Means[1], list[0].Means[0])),
				Own:       percent(list[0].Row.Max.Value),
				Points:    vertical(list[0].Means[1], list[0].Means[0], s.Delays),
				OwnPoints: vertical(list[0].Means[0], s.Delays, s.Delays),
				Factors:   len(f.Steps()), Prefixes: len(fixedpoint.FactorPrefixes(f)), Samples: list[0].Row.Samples,
				Seeds: len(s.Seeds),
			}
			for i, exact := range list[0].Each[0] {
				table, n := list[0].Each[1][i], float64(len(s.Seeds))
				r.Share += 100 * shares(table, exact, exact) / n
				r.Estimate += 100 * shares(exact, s.Delays, s.Delays) / n
			}
			rows = append(rows, r)
		}
	}
	j.Footnote("ISP-like trace: %d requests, %d pairs; %s", s.Requests, s.Pairs,
		figure.Count(len(s.Seeds), "hash seed"))
	j.Setting("factors", "fridges §6.2", "from 1/p in steps of 1.1, x up to 8·M, "+
		"ends of ranges with four significant bits")
	return rows, nil
}

// percent converts a |log2 ratio| to a relative error in percent.
func percent(log2 float64) float64 { return 100 * (math.Exp2(log2) - 1) }

// inLog2 converts a relative error in percent to 100·|log2 ratio|.
func inLog2(percent float64) float64 { return 100 * math.Log2(1+percent/100) }

// shares returns the largest relative error of a CDF. It compares the CDFs at delays from the 5th percentile of the
// distribution `at` on.
func shares(estimate, exact, at *fridge.Distribution) float64 {
	worst := 0.0
	for i := 50; i < 1000; i++ {
		t := at.Quantile(float64(i) / 1000)
		worst = max(worst, math.Abs(estimate.CDF(t)/exact.CDF(t)-1))
	}
	return worst
}

// vertical returns the largest vertical distance between the CDFs of a and b, in percentage points, at the
// percentiles of a third distribution.
func vertical(a, b, at *fridge.Distribution) float64 {
	worst := 0.0
	for i := 1; i < 1000; i++ {
		t := at.Quantile(float64(i) / 1000)
		worst = max(worst, 100*math.Abs(a.CDF(t)-b.CDF(t)))
	}
	return worst
}

func checkLUT(rows []LUTRow) []figure.Finding {
	_, _, hi := spread(figure.Pick(rows, isFine), ofShares)
	_, _, coarse := spread(rows, ofShares)
	times, _, _ := spread(rows, func(r *LUTRow) float64 { return r.Share / r.Estimate })
	return []figure.Finding{
		figure.Judge("with p of at most 1/8, the table changes shares by a few percent at most", hi < 3, hi > 10,
			"%s %% at most", number.Fixed(hi, 2)).Own(),
		figure.Finding{Statement: "the largest change with any p", Outcome: figure.Found,
			Detail: number.Fixed(coarse, 2) + " %"}.Explained("whole"),
		figure.Judge("which is several times less than the fridge errs with exact factors", times < 0.34, times > 1,
			"%s times as much on average", number.Fixed(times, 2)).Own(),
	}
}

// ofShares and ofPercentiles return the error of the table in percent. Errors of percentiles are compared as |log2
// ratio| (fridges §5).
func ofShares(r *LUTRow) float64      { return r.Share }
func ofPercentiles(r *LUTRow) float64 { return inLog2(r.Error) }

// spread returns the geometric mean of a number over all rows, the smallest value and the largest.
func spread(rows []LUTRow, of func(*LUTRow) float64) (mean, lo, hi float64) {
	lo = math.Inf(1)
	for _, r := range rows {
		mean, lo, hi = mean+math.Log(of(&r))/float64(len(rows)), min(lo, of(&r)), max(hi, of(&r))
	}
	return math.Exp(mean), lo, hi
}

// ofRows contains the numbers that published.csv names. They are errors of the table of factors, and errors of the
// fridge divided by errors of the table.
var ofRows = map[string]func(*LUTRow) float64{
	"table, points":       func(r *LUTRow) float64 { return r.Points },
	"table, percentiles":  ofPercentiles,
	"table, shares":       ofShares,
	"fridge, points":      func(r *LUTRow) float64 { return r.OwnPoints / r.Points },
	"fridge, percentiles": func(r *LUTRow) float64 { return inLog2(r.Own) / inLog2(r.Error) },
	"fridge, shares":      func(r *LUTRow) float64 { return r.Estimate / r.Share },
}

// fineSteps is the largest p for which factors can rise in steps of about 1.1. Factors are whole numbers from 1/p on,
// so the steps are coarser if p is larger. For 2^12 entries, which suffice for the trace of the paper (§6.3), the
// best p is 1/64.
const fineSteps = 1.0 / 8

func isFine(r *LUTRow) bool { return r.Probability <= fineSteps }

// ofSettings returns the geometric mean of a number over all rows, or over the rows with fine steps. The interval
// extends from the smallest value to the largest.
func ofSettings(rows []LUTRow, p *figure.Published, c *report.Compared) (m stats.Number) {
	if p.Panel == "fine steps" {
		rows = figure.Pick(rows, isFine)
	}
	m.Value, m.Lo, m.Hi = spread(rows, ofRows[p.Ours])
	c.Over = "mean, least and largest of " + figure.Count(len(rows), "setting")
	return m
}

// units returns the amount of a switch's resource that our program uses. p.Scheme names the resource, and the result
// is in units of this resource. If p.Scheme names no resource, the result is the largest used share of the other
// resources, in percent.
func units(_ []LUTRow, p *figure.Published, _ *report.Compared) stats.Number {
	used, limit, err := validate.Uses("fridge")
	if err != nil {
		panic(err) // the program and the target are built in
	}
	ours, named := map[string]float64{
		"SRAM": float64(used[analysis.SRAM]), "TCAM": float64(used[analysis.TCAM]),
		"hash units": float64(used[analysis.HashBits]) / hashUnit, "SRAM, M = 2^12": registers.Value,
	}[p.Scheme]
	if !named {
		for r := range used {
			if k := analysis.Resource(r); k != analysis.SRAM && k != analysis.TCAM && k != analysis.HashBits {
				ours = max(ours, 100*float64(used[r])/float64(limit[r]))
			}
		}
	}
	return stats.Exactly(ours)
}

// registers is the stored number of SRAM blocks that the program uses with 2^12 entries.
var registers = figure.StoredOf("fridge/lut", "resources", files)[0]

// hashUnit is the number of index bits that one hash unit provides. A stage has six hash units.
const hashUnit = 16

func lutTables(rows []LUTRow) []figure.Table {
	return []figure.Table{{Caption: "rows", Rows: rows}}
}

func drawLUT(rows []LUTRow) ([]figure.Drawing, error) {
	sizes := lists.Map(rows, func(r LUTRow) int { return r.Memory })
	p := plots.Panel{
		X: memoryAxis(sizes),
		Y: plots.Axis{Label: "Largest vertical error of the CDF", Unit: "points", Scale: plots.Log, Min: plots.At(0.03),
			Lines: []plots.RefLine{{At: 0.2, Label: "published, least"}, {At: 0.9, Label: "published, largest"}}},
	}
	for _, multiple := range multiples {
		table := plots.Series{Name: fmt.Sprintf("table, %g × the best p", multiple), Style: plots.Line}
		own := plots.Series{Name: fmt.Sprintf("the fridge itself, %g ×", multiple), Style: plots.Line}
		of := figure.Pick(rows, func(r *LUTRow) bool { return r.Multiple == multiple })
		p.Series = append(p.Series,
			figure.Curve(table, of, func(r *LUTRow) (x, y float64) { return float64(r.Memory), r.Points }),
			figure.Curve(own, of, func(r *LUTRow) (x, y float64) { return float64(r.Memory), r.OwnPoints }))
	}
	d := figure.Draw("lut", "§6.3: error of the table of factors", p)
	d.Plot.Width = 400
	return []figure.Drawing{d}, nil
}
