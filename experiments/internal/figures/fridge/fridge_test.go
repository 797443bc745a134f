package fridge

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/columns"
	"pintlab/int/fridge"
	"pintlab/plots"
	"pintlab/plots/report"
)

func TestFig2(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig2")
	if got, want := figuretest.Outcomes(check2(rows)),
		"undecided holds undecided undecided undecided holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	if list := figuretest.View(t, &Fig2, rows).Compared(); len(list) != 5 || list[0].Published != 0.08 ||
		list[2].Published != 1.68 || list[2].Reading != "" || list[3].Reading == "" ||
		!(list[0].Lo <= list[0].Ours && list[0].Ours <= list[0].Hi) || list[4].Ours < list[3].Ours {
		t.Errorf("compared with the paper: %+v", list)
	}
}

// A fridge with twice the error of the naive array contradicts the first claim. A fridge without correction that has
// a small error contradicts the last claim.
func TestFig2Fails(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig2")
	for i := range rows {
		r := &rows[i]
		switch r.Design {
		case corrected:
			r.Max.Value, r.One.Value, r.One.Lo, r.One.Hi = 1, 1, 0.9, 1.1
		case naive512:
			r.Max.Value, r.One.Value, r.One.Lo, r.One.Hi = 0.5, 0.5, 0.4, 0.6
		case raw:
			r.Max.Value = 0.01
		}
	}
	list := check2(rows)
	if list[0].Outcome != figure.Fails || list[5].Outcome != figure.Fails {
		t.Errorf("findings: %s", figuretest.Outcomes(list))
	}
}

// Each percentile is judged by its own interval. The claim holds if the whole interval is below half the array's
// error. It fails if the whole interval is above the array's error.
func TestFig2Percentiles(t *testing.T) {
	var rows []fridges.Row
	for i, hi := range []float64{0.4, 0.6, 2} {
		r := fridges.Blank(fridges.RatioTable, "ours", ispLike, corrected)
		r.Share, r.One.Value, r.One.Lo, r.One.Hi = fridges.Quantiles[i], 0.9*hi, 0.8*hi, hi
		rows = append(rows, r)
	}
	if got, want := figuretest.Outcomes(check2(rows)[2:5]), "holds undecided fails"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
}

func TestNoEffect(t *testing.T) {
	if _, err := measure2(t.Context(), &figure.Job{Scale: figure.Smoke, Set: []string{"a=b"}},
		scales2[figure.Smoke]); err == nil {
		t.Error("--set is accepted without effect")
	}
}

func TestFig3(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig3")
	// the golden rows have two seeds, and values of p that differ by a factor of eight
	if got, want := figuretest.Outcomes(check3(rows)), "undecided undecided undecided"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	list := figuretest.View(t, &Fig3, rows).Compared()
	if len(list) != 2 || list[0].Published != -9 || list[1].Published != -4 || math.Abs(list[0].Ours+9) > 2.5 ||
		math.Abs(list[1].Ours+4) > 2.5 {
		t.Errorf("compared with the paper: %+v", list)
	}
}

// The claims fail if the error is proportional to 1/p for long delays, and to p for short delays. Then long delays
// need the larger p, and a p that differs from the best p by a factor of 2 has twice the error. With noise, the
// points alone would confirm the claims, but the intervals leave the claims undecided.
func TestFig3Fails(t *testing.T) {
	measured := func(noise float64, of func(r *fridges.Row, k int) float64) (rows []fridges.Row) {
		for k, tr := range traces {
			for i := range least + 1 {
				r := fridges.Blank(fridges.ErrorTable, "ours", tr.name, swept)
				r.Probability = math.Ldexp(1, -i)
				r.One.Value = of(&r, k)
				r.One.Lo, r.One.Hi = (1-noise)*r.One.Value, (1+noise)*r.One.Value
				rows = append(rows, r)
			}
		}
		return rows
	}
	rows := measured(0.01, func(r *fridges.Row, k int) float64 { return math.Pow(r.Probability, float64(2*k-1)) })
	if c := figuretest.View(t, &Fig3, rows).Compared()[0]; c.Outcome != report.Deviates {
		t.Errorf("%+v, want it to deviate", c)
	}
	if got := figuretest.Outcomes(check3(rows)); got != "fails fails fails" {
		t.Errorf("findings: %s, want all to fail", got)
	}
	valley := func(r *fridges.Row, k int) float64 { // the error doubles at eight times and at an eighth of the best p
		return math.Exp2(math.Abs(math.Log2(r.Probability)-[]float64{-9, -3}[k]) / 3)
	}
	for _, c := range []struct {
		noise float64
		want  string
	}{{0.01, "holds holds holds"}, {0.5, "undecided undecided undecided"}} {
		rows := measured(c.noise, valley)
		if got := figuretest.Outcomes(check3(rows)); got != c.want {
			t.Errorf("noise of %v: %s, want %s: %v", c.noise, got, c.want, check3(rows))
		}
	}
}

// Even with few samples, a fridge in four stages with a short lifetime must be worse.
func TestFig4(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig4")
	list := figuretest.View(t, &Fig4, rows).Findings()
	if x := fridges.Ratio(rows, hastyStaged, hasty, fridges.Combined); x < 1.1 ||
		strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("four stages err %v times as much; findings: %v", x, list)
	}
}

// If two fridges are worse than one, the finding deviates, because the reason is known. If four stages are better
// than one, the finding fails.
func TestFig4Fails(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig4")
	for i := range rows {
		r, e := &rows[i], 0.3
		switch r.Design {
		case one, hasty:
			e = 0.1
		case hastyStaged:
			e = 0.05
		}
		r.P50, r.P95, r.P99 = e, e, e
		r.One.Value, r.One.Lo, r.One.Hi = e, 0.9*e, 1.1*e
	}
	if got, want := figuretest.Outcomes(figuretest.View(t, &Fig4, rows).Findings()),
		"deviates deviates found deviates fails holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
}

// Three seeds at one size do not decide whether two fridges are better.
func TestSearch(t *testing.T) {
	list := figuretest.View(t, &Search, figuretest.Golden[fridges.Row](t, "search")).Findings()
	if list[0].Outcome != figure.Undecided || strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
}

// searched returns rows of two sizes, for one fridge and for two fridges with each way to weigh their samples. `of`
// returns the errors, `noise` is half the relative width of their intervals, and `pairs` returns the estimated number
// of pairs relative to the true number.
func searched(of func(way, size int) float64, noise float64, pairs func(size int) float64) (rows []fridges.Row) {
	for k, memory := range []int{128, 512} {
		for i := -1; i < len(waysSearch); i++ {
			r := fridges.Blank(fridges.ErrorTable, "ours", "", one)
			if i >= 0 {
				r.Design = "two, " + waysSearch[i].Name
			}
			r.Memory, r.Params, r.One.Value = memory, "64 p=0.2, 64 p=0.1", of(i, k)
			r.One.Lo, r.One.Hi = r.One.Value*(1-noise), r.One.Value*(1+noise)
			r.Pairs.Value, r.Pairs.Lo, r.Pairs.Hi = pairs(k), pairs(k)-0.002, pairs(k)+0.002
			rows = append(rows, r)
		}
	}
	return rows
}

// These rows contradict the claims in three ways. Two fridges are worse than one fridge, but less so with more
// memory. The weights of Eq. 7 are better than the expected weights. The estimated numbers of pairs are 10 % too low
// at one size and 10 % too high at the other.
func TestSearchFails(t *testing.T) {
	rows := searched(func(way, size int) float64 {
		e := math.Exp2(-float64(size)) // the error halves from 128 to 512 entries
		switch way {
		case -1:
			return e
		case 0:
			return e * (2.5 - float64(size))
		}
		return e
	}, 0.05, func(size int) float64 { return 0.9 + 0.2*float64(size) }) // the biases of the sizes cancel in the mean
	list := figuretest.View(t, &Search, rows).Findings()
	if got, want := figuretest.Outcomes(list), "deviates fails holds deviates fails fails"; got != want {
		t.Errorf("findings: %s, want %s: %v", got, want, list)
	}
	for _, want := range []string{
		"0: 1.94 (1.84 to 2.04) times its error with expected weights, so that one needs 0.27 (0.24 to " +
			"0.29) times the memory",
		"1: with a quarter of the memory, their error over that of one changes 1.67 (1.51 to 1.84) times",
		"2: the search chooses p1 ≠ p2 for 2 of 2 sizes",
		"3: over the true number of pairs, in bins of 1 %: M = 2^7 0.900 (0.898 to 0.902), M = 2^9 1.100",
	} {
		if got := fmt.Sprintf("%c: %s", want[0], list[want[0]-'0'].Detail); !strings.HasPrefix(got, want) {
			t.Errorf("%s: want %q", got, want)
		}
	}
	better := func(way, size int) float64 {
		e := []float64{2, 1.5}[size] * math.Exp2(-float64(size))
		switch way {
		case -1:
			return e
		case 0:
			return []float64{0.5, 0.75}[size] * e / 2
		}
		return e
	}
	right := func(int) float64 { return 1 }
	if got, want := figuretest.Outcomes(figuretest.View(t, &Search, searched(better, 0.05, right)).Findings()),
		"holds holds holds holds holds holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	if got, want := figuretest.Outcomes(figuretest.View(t, &Search, searched(better, 3, right)).Findings()),
		"undecided undecided holds holds holds undecided"; got != want {
		t.Errorf("with noise: %s, want %s", got, want)
	}
}

// The grid has each pair of entry probabilities once, and no pair that picks more than every packet.
func TestPairs(t *testing.T) {
	for p, want := range map[float64]int{0.01: 15, 0.5: 9, 0.8: 7} {
		list := pairs(&fridges.Study{}, 64, p)
		seen := map[string]bool{}
		for _, d := range list {
			seen[d.Params] = true
		}
		if len(list) != want || len(seen) != want {
			t.Errorf("p = %v: %d designs, %d of them different, want %d", p, len(list), len(seen), want)
		}
	}
}

func TestFig5(t *testing.T) {
	rows := figuretest.Golden[fridges.Row](t, "fig5")
	list := figuretest.View(t, &Fig5, rows).Findings()
	if list[4].Outcome != figure.Holds || list[0].Outcome != figure.Undecided ||
		strings.Contains(figuretest.Outcomes(list), string(figure.Fails)) {
		t.Errorf("findings: %v", list)
	}
	if list := figuretest.View(t, &Fig5, rows).Compared(); len(list) != 10 || list[0].From != 2 || list[0].To != 4 ||
		list[0].Reading != "" ||
		list[3].Reading == "" || math.Abs(list[1].Ours/list[0].Ours-2./3) > 1e-9 {
		t.Errorf("compared with the paper: %+v", list)
	}
	// There is one row for each design and size. Naive arrays have their best threshold.
	seen := map[string]bool{}
	for _, r := range rows {
		key := r.Design + fridges.Memory(r.Memory)
		if seen[key] {
			t.Errorf("two rows of %s, %d entries", r.Design, r.Memory)
		}
		seen[key] = true
	}
}

// If errors are proportional to 1/√memory, a design with a quarter of the error needs a sixteenth of the memory for
// the same error.
func TestSaving(t *testing.T) {
	var rows []fridges.Row
	for k := 8; k <= 12; k++ {
		for _, d := range []struct {
			name  string
			times float64
		}{{twoFridges, 0.25}, {gridded, 0.25}, {naive1, 1}, {naive4, 2}} {
			r := fridges.Blank(fridges.ErrorTable, "ours", "", d.name)
			e := d.times / math.Sqrt(float64(int(1)<<k))
			r.Memory, r.One.Value, r.P50, r.P95, r.P99, r.Seeds = 1<<k, e, e, e, e, fridges.Seeds
			rows = append(rows, r)
		}
	}
	if got := fridges.Saving(rows, twoFridges, naive1, fridges.Combined); math.Abs(got-16) > 1e-9 {
		t.Errorf("%v times less memory, want 16", got)
	}
	if got := fridges.Ratio(rows, twoFridges, naive4, fridges.OneSeed); math.Abs(got-0.125) > 1e-9 {
		t.Errorf("%v times the error, want 1/8", got)
	}
	for i := range rows {
		rows[i].One.Lo, rows[i].One.Hi = 0.99*rows[i].One.Value, 1.01*rows[i].One.Value
	}
	if list := figuretest.View(t, &Fig5, rows).Findings(); list[0].Outcome != figure.Holds ||
		list[2].Outcome != figure.Holds {
		t.Errorf("%v and %v, want them to hold", list[0], list[2])
	}
	worse := func(r *fridges.Row, times float64) {
		r.P50, r.P95, r.P99, r.One.Value, r.One.Lo, r.One.Hi = times*r.P50, times*r.P95, times*r.P99, times*r.One.Value,
			times*r.One.Lo, times*r.One.Hi
	}
	for i := range rows { // only at one size
		if r := &rows[i]; r.Design == gridded && r.Memory == 1<<8 {
			worse(r, 8)
		}
	}
	if f := figuretest.View(t, &Fig5, rows).Findings()[2]; f.Outcome != figure.Deviates {
		t.Errorf("%v, want it to deviate", f)
	}
	for i := range rows { // at every size
		if r := &rows[i]; r.Design == twoFridges {
			worse(r, 16)
		}
	}
	if f := figuretest.View(t, &Fig5, rows).Findings()[0]; f.Outcome != figure.Fails {
		t.Errorf("%v, want it to fail", f)
	}
}

// A saving without a number says so, and an interval of many orders of magnitude is left out.
func TestSavingWithoutNumber(t *testing.T) {
	var rows []fridges.Row
	for k := 8; k <= 10; k++ {
		for _, d := range []struct {
			name  string
			error float64
		}{
			{twoFridges, []float64{1e-3, 1, 1e-3}[k-8]}, {naive1, 1 / math.Sqrt(float64(int(1)<<k))}, {naive4, 1},
		} {
			r := fridges.Blank(fridges.ErrorTable, "ours", "", d.name)
			r.Memory, r.Seeds = 1<<k, fridges.Seeds
			r.One.Value, r.P50, r.P95, r.P99 = d.error, d.error, d.error, d.error
			rows = append(rows, r)
		}
	}
	v := figuretest.View(t, &Fig5, rows)
	list := v.Findings()
	if !strings.Contains(list[0].Detail, "interval over 3 sizes spans more than") ||
		!strings.HasPrefix(list[1].Detail, "not measured") {
		t.Errorf("%q and %q", list[0].Detail, list[1].Detail)
	}
	if c := v.Compared()[0]; math.IsNaN(c.Ours) || !math.IsNaN(c.Lo) || !math.IsNaN(c.Hi) ||
		!strings.HasSuffix(c.Note, "spans more than a factor of 1000.") {
		t.Errorf("%+v", c)
	}
}

// Sizes below 2^12 entries are extremely limited, so their runs may differ.
func TestAlikeRuns(t *testing.T) {
	for _, c := range []struct {
		memory int
		hi     float64
		want   figure.Verdict
	}{{1 << 11, 0.5, figure.Holds}, {1 << 12, 0.2, figure.Undecided}, {1 << 12, 0.5, figure.Fails}} {
		var rows []fridges.Row
		for _, memory := range []int{1 << 11, 1 << 12, 1 << 16} {
			r := fridges.Blank(fridges.ErrorTable, "ours", "", one)
			r.Memory, r.One.Lo, r.One.Value, r.One.Hi = memory, 0.01, 0.02, 0.03
			if memory == c.memory {
				r.One.Lo, r.One.Value, r.One.Hi = c.hi/2, c.hi*0.75, c.hi
			}
			rows = append(rows, r)
		}
		if f := alikeRuns(rows); f.Outcome != c.want {
			t.Errorf("%+v: %v", c, f)
		}
	}
}

// The measurements in fig5/known.csv were computed from the stored rows.
func TestFig5Known(t *testing.T) {
	table, err := plots.LoadCSV("fig5/paper.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := columns.Decode[fridges.Row](table)
	if err != nil {
		t.Fatal(err)
	}
	fridge, array := fridges.At(rows, twoFridges, 1<<11), fridges.At(rows, naive1, 1<<11)
	for i, want := range []float64{fridge.Samples, array.Samples, fridge.One99, array.One99} {
		if s := figure.StoredOf("fridge/fig5", "one seed", files)[i]; s.Value != want {
			t.Errorf("%s: stored %v, want %v", s.Quantity, s.Value, want)
		}
	}
}

func TestLUT(t *testing.T) {
	rows := figuretest.Golden[LUTRow](t, "lut")
	if got, want := figuretest.Outcomes(checkLUT(rows)), "holds found holds"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	list := figuretest.View(t, &LUT, rows).Compared()
	if len(list) != 12 || math.Abs(list[0].From-0.2) > 1e-9 || math.Abs(list[0].To-0.9) > 1e-9 ||
		list[0].Reading != "" || list[1].Reading == "" || list[4].Published != 10 {
		t.Errorf("compared with the paper: %+v", list)
	}
	for i, units := range []float64{69, 24, 2, 14} { // SRAM with 2^16 and 2^12 entries, TCAM, hash units
		if c := list[7+i]; c.Ours != units || c.Lo != units || c.To-c.From != 1 {
			t.Errorf("%+v, want %v units", c, units)
		}
	}
}

// A published range holds if our numbers of all settings are within the range, and deviates if none is. The first
// range only covers settings with fine steps. Errors of percentiles are compared as |log2 ratio|: 100·log2(1.006) is
// 0.863, and 100·log2(1.0085) is 1.22.
func TestLUTRange(t *testing.T) {
	for _, c := range []struct {
		errors []float64
		want   report.Mark
	}{{[]float64{0.25, 0.6}, report.Holds}, {[]float64{0.5, 2}, report.Undecided}, {[]float64{1, 2}, report.Deviates}} {
		var rows []LUTRow
		for _, e := range c.errors {
			rows = append(rows, LUTRow{Probability: fineSteps, Error: e, Own: 10 * e, Share: e, Estimate: e, Points: e,
				OwnPoints: 10 * e})
		}
		rows = append(rows, rows...)
		for i := range c.errors {
			rows[i].Probability, rows[i].Points = 2*fineSteps, 20
		}
		list := figuretest.View(t, &LUT, rows).Compared()
		if list[0].Outcome != c.want || list[2].Outcome != c.want || list[1].Outcome == report.Holds ||
			list[4].Outcome != report.Holds || list[5].Outcome != report.Holds || list[6].Outcome != report.Deviates {
			t.Errorf("%v: %v", c.errors, list[:7])
		}
	}
}

// A table of factors contradicts the claims if its error is 20 %, twice the error of the fridge.
func TestLUTFails(t *testing.T) {
	rows := figuretest.Golden[LUTRow](t, "lut")
	for i := range rows {
		rows[i].Share, rows[i].Estimate = 20, 10
	}
	list := checkLUT(rows)
	if list[0].Outcome != figure.Fails || list[2].Outcome != figure.Fails {
		t.Errorf("findings: %s", figuretest.Outcomes(list))
	}
}

// published returns a function that looks up an exact factor in a table like the table that the authors published.
// The table divides the exact factors into ranges. The ends of the ranges grow by a factor of 1.1 from 1/p on,
// rounded to whole numbers, minus one half. The factor of a range is its middle, rounded down.
func published(p float64) func(exact float64) float64 {
	var steps []float64
	for x := 1 / p; x < 1e9; x *= 1.1 {
		if end := math.Round(x) - 0.5; len(steps) == 0 || end > steps[len(steps)-1] {
			steps = append(steps, end)
		}
	}
	return func(exact float64) float64 {
		i := max(1, sort.SearchFloat64s(steps, exact))
		return math.Floor((steps[i-1] + steps[i]) / 2)
	}
}

// The error of the table depends on p and on the compared quantity; lut/known.csv contains the numbers. The vertical
// error of the CDF is within the published range of 0.2 to 0.9 % if p is below the best p. The error of percentiles
// is never within this range, not even with the authors' table.
func TestLUTReadings(t *testing.T) {
	if testing.Short() {
		t.Skip("eight fridges with five hash seeds each, which take seconds; needs go test without -short")
	}
	j := &figure.Job{Seed: 1, Campaign: campaign.Options{Quiet: true, Messages: io.Discard}}
	s, err := fridges.Open(j, "ISP-like", fridges.ISP(1, 16), 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{8, 12} {
		best, err := s.Model.Optimize(fridge.Choice{Entries: 1 << k, Fridges: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, multiple := range []float64{1. / 32, 1. / 8, 1. / 2, 1} {
			m, p := uint32(1)<<k, multiple*math.Exp2(math.Round(math.Log2(best[0].Probability)))
			f, err := fridge.NewFactors(fridge.FactorsConfig{Entries: m, Probability: p, Limit: 8 * m})
			if err != nil {
				t.Fatal(err)
			}
			theirs := published(p)
			list, err := s.Measure(t.Context(), []fridges.Named{fridges.Single("fridge", int(m), p)},
				fridges.Corrected, fridges.ByTable(f),
				func(x fridge.Sample[uint64]) float64 { return theirs(x.Factor) })
			if err != nil {
				t.Fatal(err)
			}
			exact, table, authors := list[0].Means[0], list[0].Means[1], list[0].Means[2]
			points, share := vertical(table, exact, s.Delays), 100*shares(table, exact, exact)
			percentile, of := percent(fridge.MaxError(table, exact)), percent(fridge.MaxError(authors, exact))
			t.Logf("M = 2^%d, %g of the best p: shares %.2f %%, percentiles %.2f %%, CDF %.2f points; "+
				"with the authors' table percentiles %.2f %%, CDF %.2f points", k, multiple,
				share, percentile, points, of, vertical(authors, exact, s.Delays))
			if percentile < 1.5 || of < 1.5 || share < 0.2 || multiple < 1 && (share > 1.1 || points > 0.7) {
				t.Errorf("M = 2^%d, %g of the best p: shares err by %v %%, percentiles by %v and %v %%, "+
					"the CDF by %v points", k, multiple, share, percentile, of, points)
			}
		}
	}
}

// All panels have the same ticks, for any number of sizes and designs. The first tick is at the smallest or at the
// second smallest size. Rows without a memory, such as CDFs, have no tick.
func TestMemoryAxis(t *testing.T) {
	rows := []fridges.Row{{Source: "ours", Table: fridges.CDFTable}}
	for k := range 5 {
		r := fridges.Row{Source: "ours", Table: fridges.ErrorTable, Memory: 1 << k}
		rows = append(rows, r, r)
		for _, p := range byMemory(rows, nil, false) {
			if ticks := p.X.Ticks; len(ticks) != k/2+1 || ticks[0].At < 1 ||
				ticks[len(ticks)-1].At != float64(int(1)<<k) {
				t.Errorf("%d sizes: ticks %v", k+1, ticks)
			}
		}
	}
}
