package fridge

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
	"pintlab/plots"
)

// Search is the two fridges of §5.3 of the fridges paper with the entry probabilities (p1, p2) that a grid search over
// measured errors finds, and three fridges, which §5.3 leaves open. It shows what the choice of p1 ≠ p2 gains, and what the
// weights of Eq. 7 do in bins of 1 to 50 %.
//
// The fridges paper does not say how fine the delays t are at which Eq. 7 weighs the fridges.
var Search = figure.Of[scaleSearch, fridges.Row]{
	Name:    "fridge/search",
	Title:   "Two and three fridges, by a search over measured errors",
	Source:  "fridges §4.2, §5.3, Fig. 4",
	Claim:   "Two fridges with different lifetimes are more accurate than one.",
	Scales:  scalesSearch,
	Measure: measureSearch,
	Check:   checkSearch,
	Tables:  errorTables,
	Draw:    drawSearch,
	Why:     []string{harmonic, gainsWhy, "A search takes the best of many noisy errors, and ten seeds hardly tell p1 = p2 from p1 ≠ p2: the choices differ from one number of seeds to the next. The errors here are of its choices with other hash seeds; rows of the table \"searched\" in rows.csv have those by which it chose."},
}.Figure()

const harmonic = "Where the factors of two fridges are alike, the weights 1/V̂ of Eq. 7 make the harmonic mean of their numbers of samples, and a fridge without a sample drops out: of 1 and 3 samples come 1.5 in place of 2, of 0 and 2 come 2 in place of 1. So bins of few samples, which are those of the tail, count up to twice as much beside the others. The error falls as bins widen, until each holds many samples of both fridges."

// scaleSearch is what is run at a scale: sizes of memory, a factor of 4 apart.
type scaleSearch struct {
	fridges.Sizes
	grids []fridges.Grid
}

// fine, coarse and quick are entry probabilities over the best one of a single fridge.
var (
	fine   = []float64{0.125, 0.25, 0.5, 1, 2, 4}
	coarse = []float64{0.125, 0.5, 2, 8}
	quick  = []float64{0.25, 0.5, 1}
	full   = []fridges.Grid{{Name: one, Parts: 1, Steps: []float64{0.5, 0.71, 1, 1.41, 2}}, {Name: "two", Parts: 2, Steps: fine}, {Name: "three", Parts: 3, Steps: coarse}}

	scalesSearch = map[figure.Scale]scaleSearch{
		figure.Smoke:  {fridges.Sizes{Part: 128, SeedCount: 3, From: 6, To: 6}, []fridges.Grid{{Name: one, Parts: 1, Steps: quick}, {Name: "two", Parts: 2, Steps: quick}, {Name: "three", Parts: 3, Steps: quick}}},
		figure.Laptop: {fridges.Sizes{Part: 8, SeedCount: fridges.Seeds, From: 7, To: 11}, full},
		figure.Paper:  {fridges.Sizes{Part: 1, SeedCount: fridges.Seeds, From: 10, To: 16}, full},
	}
	// Bins of 1 % that make 5, 10, 20 and 50 %.
	waysSearch = []fridges.Way{{Name: "expected weights"}, {Name: "Eq. 7, bins of 1 %", Bins: 1}, {Name: "Eq. 7, bins of 5 %", Bins: 5},
		{Name: "Eq. 7, bins of 10 %", Bins: 10}, {Name: "Eq. 7, bins of 20 %", Bins: 18}, {Name: "Eq. 7, bins of 50 %", Bins: 41}}
)

func measureSearch(ctx context.Context, j *figure.Job, z scaleSearch) ([]fridges.Row, error) {
	if err := fridges.NoScenario(j); err != nil {
		return nil, err
	}
	show := j.Progress(1 + 2*((z.To-z.From)/2+1))
	defer show.Close()
	s := fridges.Study{Name: "ISP-like", Trace: fridges.ISP(j.Seed, z.Part), Seeds: j.SeedList(z.SeedCount), Workers: j.Campaign.Workers, Show: show}
	t, err := s.Truth(ctx)
	if err != nil {
		return nil, err
	}
	var rows []fridges.Row
	for k := z.From; k <= z.To; k += 2 {
		list, err := s.Search(ctx, &t, 1<<k, z.grids, waysSearch)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	j.Footnote("ISP-like trace: %d requests, %d pairs; %s for the search and as many for the errors", t.Requests, t.Pairs, figure.Count(len(s.Seeds), "hash seed"))
	return rows, nil
}

func checkSearch(rows []fridges.Row) []figure.Finding {
	expected, thin, wide := "two, "+waysSearch[0].Name, "two, "+waysSearch[1].Name, "two, "+waysSearch[len(waysSearch)-1].Name
	apart, all, texts := 0, 0, ""
	for _, r := range fridges.Select(rows, fridges.ErrorTable, expected) {
		if all++; !r.Alike() {
			apart++
		}
		texts += fmt.Sprintf("; M = %s: %s", fridges.Memory(r.Memory), r.Params)
	}
	both := func(a, b string) string {
		return fmt.Sprintf("%.2f (of the mean of all seeds %.2f)", fridges.Ratio(rows, a, b, fridges.OneSeed), fridges.Ratio(rows, a, b, fridges.Combined))
	}
	// certain says whether a has a lower error of one seed than b at every size, or a higher one at some, beyond the intervals over seeds.
	certain := func(a, b string) (lower, higher bool) {
		list := fridges.Select(rows, fridges.ErrorTable, a)
		lower = len(list) > 0
		for _, r := range list {
			o := fridges.At(rows, b, r.Memory)
			lower = lower && r.Hi < o.Lo
			higher = higher || r.Lo > o.Hi
		}
		return lower, higher
	}
	better, worse := certain(expected, one)
	less, more := certain(expected, thin)
	return []figure.Finding{
		figure.Judge("two fridges with the best measured (p1, p2) are more accurate than one", better, worse,
			"with expected weights %s times its error; with Eq. 7 in bins of 1 %% %s, of 50 %% %s; three fridges, expected weights: %s", both(expected, one), both(thin, one), both(wide, one), both("three, "+waysSearch[0].Name, one)),
		{Statement: "memory of one fridge over that of two with the same error", Outcome: figure.Found,
			Detail: fmt.Sprintf("%.2f with expected weights; p1 ≠ p2 for %d of %d sizes%s", fridges.Saving(rows, expected, one, fridges.OneSeed), apart, all, texts)},
		figure.Judge("our own, not the fridges paper's: the weights of Eq. 7 err more than expected ones", less, more,
			"in bins of 1 %% %s times as much, of 5 %% %s, of 20 %% %s, of 50 %% %s", both(thin, expected), both("two, "+waysSearch[2].Name, expected), both("two, "+waysSearch[4].Name, expected), both(wide, expected)),
	}
}

func drawSearch(rows []fridges.Row) ([]figure.Drawing, error) {
	names := []string{one}
	for _, w := range []int{0, 1, 3, 5} {
		names = append(names, "two, "+waysSearch[w].Name)
	}
	return []figure.Drawing{{
		Name: "search", Caption: "Error of percentiles that one fridge and two estimate, with the entry probabilities of a search over measured errors: of one hash seed on average.",
		Plot: plots.Figure{Title: "Two fridges, by search", Panels: byMemory(rows, append(names, "three, "+waysSearch[0].Name), false)},
	}}, nil
}
