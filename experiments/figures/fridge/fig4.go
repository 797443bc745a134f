package fridge

import (
	"context"
	_ "embed" // for known.csv
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge/tune"
	"pintlab/plots"
)

// Fig4 is Figure 4 of the fridges paper (§5.3): the error of two fridges against
// that of one, by memory, with the best entry probabilities for each; and what §5.3
// leaves open, three and four fridges, and fridges of different sizes. Beside them, the
// fridge in four pipeline stages that §4.1 advises against.
//
// The fridges paper reports that two fridges of half the size each are more accurate than one,
// and more so with less memory. It prints no numbers.
var Fig4 = figure.Of[fridges.Sizes, fridges.Row]{
	Name:    "fridge/fig4",
	Title:   "One fridge against several, by memory",
	Source:  "fridges §4.1, §5.3, Fig. 4",
	Claim:   "Several fridges are more accurate than one, and a fridge in several stages is less accurate.",
	Scales:  fridges.SizeScales,
	Measure: measure4,
	Check:   check4,
	Tables:  errorTables,
	Draw:    draw4,
	Why:     why4,
}.Figure()

const lifetimes = "Eq. 4 is about delays beyond the average lifetime M/p, of which several stages lose more. " +
	"Delays below it they lose less often, because a request hardly dies young. With the best p of one stage, " +
	"M/p is about the longest delay of interest, so that stages hurt little there."

var (
	gains     = figure.Known(knownText, "variance formula", gainsWhy)
	estimated = figure.Known(knownText, "exact times", weightsWhy)
)

const weightsWhy = "§4.2 weighs the fridges by variances that are estimated from the samples that they weigh, " +
	"so that weight and sample are not independent. " +
	"With exact times each delay t has one sample, and its fridge all the weight: Eq. 7 is then the plain sum of the " +
	"factors of all fridges, which counts the pairs once for each fridge, while the normalised CDF is that of equal " +
	"weights and is right. " +
	"In bins of several samples the weights 1/V̂ make the harmonic mean of the fridges' numbers of samples " +
	"(TestHarmonicMean of package int/fridge), of 1 and 3 samples 1.5 in place of 2, " +
	"and a fridge without a sample drops out. " +
	"So bins of few samples, those of the tail, count up to twice as much beside the others, which wider bins lessen " +
	"but do not end. Weights from the factors to be expected for a delay, at the mean rate of requests, avoid that."

//go:embed fig4/known.csv
var knownText string

const gainsWhy = "With the delays of our trace, the variance formula leaves two fridges of equal size almost nothing " +
	"to gain over one, and a few percent with unequal sizes: the 99th percentile asks for nearly all of the " +
	"memory at one lifetime."

var why4 = []string{
	gainsWhy,
	"The fridges paper chooses (p1, p2) by a grid search over measured errors. The best of many noisy errors is " +
		"lower than that of any one choice; ours are chosen from the variance formula and then measured.",
	lifetimes,
	weightsWhy,
}

// The designs.
const (
	one         = "one fridge"
	narrow      = "two, estimated weights"
	twoExpected = "two, expected weights"
	split2      = "two, free sizes"
	split3      = "three, free sizes"
	split4      = "four, free sizes"
	staged      = "one in four stages"
	// With an eighth of the best lifetime.
	hasty       = "one fridge, short lifetime"
	hastyStaged = "in four stages, short lifetime"
)

var names4 = []string{one, narrow, twoExpected, split2, split3, split4}

func measure4(ctx context.Context, j *figure.Job, z fridges.Sizes) ([]fridges.Row, error) {
	return fridges.OverMemory(ctx, j, z, func(m *tune.Model, rate float64, entries int) ([]fridges.Named, error) {
		var list []fridges.Named
		for _, d := range []struct {
			name string
			o    tune.Options
		}{
			{one, tune.Options{Entries: entries, Fridges: 1}},
			{narrow, tune.Options{Entries: entries, Fridges: 2}},
			{twoExpected, tune.Options{Entries: entries, Fridges: 2}},
			{split2, tune.Options{Entries: entries, Fridges: 2, Split: true}},
			{split3, tune.Options{Entries: entries, Fridges: 3, Split: true}},
			{split4, tune.Options{Entries: entries, Fridges: 4, Split: true}},
		} {
			n, err := fridges.Optimized(m, d.name, d.o, rate)
			if err != nil {
				return nil, err
			}
			n.Eq7 = d.name == narrow
			list = append(list, n)
		}
		p := list[0].Probability
		fast := min(8*p, 1)
		return append(list, inStages(staged, entries, p), fridges.Single(hasty, entries, fast),
			inStages(hastyStaged, entries, fast)), nil
	})
}

// inStages returns a design of a fridge in four stages.
func inStages(name string, entries int, p float64) fridges.Named {
	return fridges.Named{
		Name: name, Params: fmt.Sprintf("4 × %d p=%.3g", entries/4, p), Memory: entries, Probability: p,
		Design: fridges.Stages(entries, 4, p),
	}
}

func check4(rows []fridges.Row) []figure.Finding {
	ratio := func(a, b string) (m stats.Number, text string) {
		m = fridges.OneSeedRatio(rows, a, b)
		return m, fmt.Sprintf("%s times its error, of one hash seed; of the mean CDF of all %.2f",
			m.Format("%.2f"), fridges.Ratio(rows, a, b, fridges.Combined))
	}
	better := func(statement, a string) figure.Finding {
		m, text := ratio(a, one)
		return figure.Judge(statement, m.Below(1), m.Hi >= 1 && m.Above(nearly), "%s", text)
	}
	worse := func(statement, a, b string) figure.Finding {
		m, text := ratio(a, b)
		return figure.Judge(statement, m.Above(1), m.Below(1), "%s", text)
	}
	return []figure.Finding{
		better("two fridges of equal size are more accurate than one (with p1 = p2, whose equal weights are those of "+
			"Eq. 7 with exact times)", twoExpected).Expect(gains),
		better("two fridges of free sizes are more accurate than one", split2).Expect(gains).Own(),
		{Statement: "the same of more fridges", Outcome: figure.Found, Detail: fmt.Sprintf("three and four of free "+
			"sizes %.2f and %.2f times the error of one",
			fridges.Ratio(rows, split3, one, fridges.OneSeed), fridges.Ratio(rows, split4, one, fridges.OneSeed)),
			Known: gainsWhy},
		better("two fridges weighted by Eq. 7 in bins of 1 % are more accurate than one",
			narrow).Expect(estimated).Own(),
		worse("with lifetimes shorter than the delays, a fridge in four stages is less accurate than one (§4.1)",
			hastyStaged, hasty),
		worse("with the best lifetime of a single stage, a fridge in four stages is less accurate than one: "+
			"\"never use a multi-stage fridge\" (§4.1)", staged, one),
	}
}

func draw4(rows []fridges.Row) ([]figure.Drawing, error) {
	return []figure.Drawing{{
		Name: "fig4", Caption: "Error of percentiles that one fridge and several estimate: " +
			"of the mean CDF of all hash seeds.",
		Plot: plots.Figure{Title: "Fig. 4: one fridge and several", Panels: byMemory(rows, names4, true)},
	}, {
		Name: "one-seed", Caption: "The same of one hash seed on average.",
		Plot: plots.Figure{Title: "One fridge and several, one hash seed", Panels: byMemory(rows, names4, false)},
	}, {
		Name: "stages", Caption: "Fridges in one and in four stages (§4.1), with the best entry probability of one " +
			"stage and with eight times that; of one hash seed on average.",
		Plot: plots.Figure{Title: "§4.1: fridges in stages, one hash seed",
			Panels: byMemory(rows, []string{one, staged, hasty, hastyStaged}, false)},
	}}, nil
}
