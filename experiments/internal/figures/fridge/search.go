package fridge

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// Search measures two fridges as in §5.3 of the fridges paper. A grid search over measured errors finds the entry
// probabilities (p1, p2). Search also measures three fridges. It shows the gain from p1 ≠ p2, and the effect of the
// weights of Eq. 7 in bins of 1 to 50 %.
var Search = figure.Of[scaleSearch, fridges.Row]{
	Name:    "fridge/search",
	Files:   files,
	Scales:  scalesSearch,
	Measure: measureSearch,
	Check:   checkSearch,
	Tables:  errorTables,
	Draw:    drawSearch,
}.Figure()

// scaleSearch holds what the figure runs at one scale. Sizes of memory differ by factors of 4.
type scaleSearch struct {
	fridges.Sizes
	grids []fridges.Grid
}

// fine, coarse and quick list entry probabilities, as multiples of the best p of a single fridge.
var (
	fine   = []float64{0.125, 0.25, 0.5, 1, 2, 4}
	coarse = []float64{0.125, 0.5, 2}
	quick  = []float64{0.25, 0.5, 1}
	full   = []fridges.Grid{{Name: one, Parts: 1, Steps: []float64{0.5, 0.71, 1, 1.41, 2}},
		{Name: "two", Parts: 2, Steps: fine}, {Name: "three", Parts: 3, Steps: coarse}}

	scalesSearch = map[figure.Scale]scaleSearch{
		figure.Smoke: {fridges.Sizes{Part: 128, SeedCount: 3, From: 6, To: 6},
			[]fridges.Grid{{Name: one, Parts: 1, Steps: quick}, {Name: "two", Parts: 2, Steps: quick},
				{Name: "three", Parts: 3, Steps: quick}}},
		figure.Laptop: {fridges.Sizes{Part: 8, SeedCount: 40, From: 7, To: 11}, full},
		figure.Paper:  {fridges.Sizes{Part: 1, SeedCount: 20, From: 10, To: 16}, full},
	}
	// Numbers of bins of 1 % that together make 5, 20 and 50 %.
	waysSearch = []fridges.Way{{Name: "expected weights"}, {Name: "Eq. 7, bins of 1 %", Bins: 1},
		{Name: "Eq. 7, variances of another seed", Bins: 1, Apart: true},
		{Name: "Eq. 7, bins of 5 %", Bins: 5}, {Name: "Eq. 7, bins of 20 %", Bins: 18},
		{Name: "Eq. 7, bins of 50 %", Bins: 41}}
)

// thin, borrowed and widest are indices of waysSearch.
const thin, borrowed, widest = 1, 2, 5

// nearly is the ratio of errors below which two fridges count as more accurate: they must be better by 5 %.
const nearly = 0.95

func measureSearch(ctx context.Context, j *figure.Job, z scaleSearch) ([]fridges.Row, error) {
	s, err := fridges.Open(j, "ISP-like", fridges.ISP(j.Seed, z.Part), z.SeedCount)
	if err != nil {
		return nil, err
	}
	var rows []fridges.Row
	for k := z.From; k <= z.To; k += 2 {
		list, err := s.Search(ctx, 1<<k, z.grids, waysSearch)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	j.Footnote("ISP-like trace: %d requests, %d pairs; %s for the search and as many for the errors", s.Requests,
		s.Pairs, figure.Count(len(s.Seeds), "hash seed"))
	return rows, nil
}

func checkSearch(rows []fridges.Row) []figure.Finding {
	way := func(k int) string { return "two, " + waysSearch[k].Name }
	times := func(m stats.Number) string { return fmt.Sprintf("%.2f (%.2f to %.2f)", m.Value, m.Lo, m.Hi) }
	// Some choices were also measured with a tenth of the seeds. The error with the most seeds counts.
	over := func(a, b string) string { return times(fridges.OneSeedRatio(rows, a, b)) }
	three := "three, " + waysSearch[0].Name
	apart, all, texts := 0, 0, ""
	for _, r := range fridges.Select(rows, fridges.ErrorTable, way(0)) {
		if all++; !r.Alike() {
			apart++
		}
		texts += fmt.Sprintf("; M = %s: %s", fridges.Memory(r.Memory), r.Params)
	}
	alone := fridges.OneSeedRatio(rows, way(0), one)
	other := fridges.OneSeedRatio(rows, way(thin), way(0))
	trend := fridges.Trend(rows, way(0), one)
	quarter := func(slope float64) float64 { return math.Pow(4, -slope) }
	chosen, again := 0.0, 0.0
	for _, r := range fridges.Select(rows, fridges.SearchTable, way(0)) {
		o := fridges.At(rows, way(0), r.Memory)
		chosen, again = chosen+r.One.Value, again+o.One.Value
	}
	unbiased, biased, pairs := estimatedPairs(rows, way(thin), 0.01)
	_, _, threePairs := estimatedPairs(rows, "three, "+waysSearch[thin].Name, 0.01)
	_, _, widePairs := estimatedPairs(rows, way(widest), 0.01)
	free, bound, freePairs := estimatedPairs(rows, way(borrowed), 0.03)
	return []figure.Finding{
		figure.Judge("two fridges with the best measured (p1, p2) are more accurate than one", alone.Below(1),
			alone.Hi >= 1 && alone.Above(nearly),
			"%s times its error with expected weights, so that one needs %s times the memory for the same error; "+
				"with Eq. 7 in bins of 1 %% %s, of 50 %% %s times its error; three fridges %s",
			over(way(0), one), times(fridges.OneSeedSaving(rows, way(0), one)), over(way(thin), one),
			over(way(widest), one), over(three, one)).Because("few gains"),
		figure.Judge("two fridges provide more benefits as memory decreases (Fig. 4)", trend.Above(0), trend.Below(0),
			"with a quarter of the memory, their error over that of one changes %s times",
			times(stats.Number{Value: quarter(trend.Value), Lo: quarter(trend.Hi), Hi: quarter(trend.Lo)})),
		figure.Judge("the best two fridges have different lifetimes (§4.2)", all > 0 && apart == all, false,
			"the search chooses p1 ≠ p2 for %d of %d sizes%s; with other hash seeds its choices err %.2f times as "+
				"much as in the search", apart, all, texts, again/chosen),
		figure.Judge("the combination by Eq. 7 is unbiased (§4.2)", unbiased, biased,
			"over the true number of pairs, in bins of 1 %%: %s; of three fridges %s; in bins of 50 %% %s", pairs,
			threePairs, widePairs).Because("estimated weights").By(report.NothingKnown),
		figure.Judge("our own, not the fridges paper's: it is unbiased if its weights are independent of the "+
			"samples that they weigh", free, bound,
			"with variances of another hash seed's samples, over the true number of pairs: %s; "+
				"%s times the error of expected weights", freePairs, over(way(borrowed), way(0))).Own(),
		figure.Judge("our own, not the fridges paper's: the weights of Eq. 7 err more than expected ones",
			other.Above(1), other.Below(1),
			"in bins of 1 %% %s times as much, of 5 %% %s, of 20 %% %s, of 50 %% %s", over(way(thin), way(0)),
			over(way(borrowed+1), way(0)), over(way(widest-1), way(0)), over(way(widest), way(0))).Own(),
	}
}

// estimatedPairs judges whether the estimated number of pairs of a design differs from the true number by at most the
// share `within` at every size. A single size contradicts this if its whole interval differs more. Sizes are not
// pooled, because biases with opposite signs would cancel.
func estimatedPairs(rows []fridges.Row, design string, within float64) (confirmed, contradicted bool, text string) {
	list := fridges.Select(rows, fridges.ErrorTable, design)
	confirmed = len(list) > 0
	var sizes []string
	for _, r := range list {
		confirmed = confirmed && r.Pairs.Lo > 1-within && r.Pairs.Hi < 1+within
		contradicted = contradicted || r.Pairs.Hi < 1-within || r.Pairs.Lo > 1+within
		sizes = append(sizes, fmt.Sprintf("M = %s %.3f (%.3f to %.3f)", fridges.Memory(r.Memory), r.Pairs.Value,
			r.Pairs.Lo, r.Pairs.Hi))
	}
	return confirmed, contradicted, strings.Join(sizes, ", ")
}

func drawSearch(rows []fridges.Row) ([]figure.Drawing, error) {
	names := []string{one}
	for _, w := range []int{0, thin, borrowed, widest} {
		names = append(names, "two, "+waysSearch[w].Name)
	}
	names = append(names, "three, "+waysSearch[0].Name)
	return []figure.Drawing{figure.Draw("search", "Two fridges, by search", byMemory(rows, names, false)...)}, nil
}
