package validate

import (
	"fmt"
	"math"
	"strings"

	"pintlab/internal/input"
)

// bands defines the largest differences between our numbers and the recorded ones, relative to the mean over the
// recorded seeds. A number whose band is 0 is not compared.
type bands struct {
	begins string // beginning of the text after "How to compare:"
	exact  bool   // each flow, to the nanosecond
	mean, p95, max,
	// Numbers of packets.
	rtx, trims, drops, ecn float64
	// A mean in the recorded range is accepted. If ordered is also set, a longest time is accepted if it lies outside
	// the recorded range by at most half the width of the range.
	spread  bool
	last    bool // the maximum is about the last finish
	twice   bool // trims within a factor of two, if more than fewTrims are recorded
	ordered bool // variants keep the order of their means, and of their trims, where recorded ranges do not overlap
}

// allBands lists the bands that the recorded cases use.
var allBands = []bands{
	{begins: "deterministic", exact: true},
	{begins: "per variant over at least 3 own seeds: last finish", mean: 0.05, max: 0.02, rtx: 0.15, trims: 0.15,
		ecn: 0.15, spread: true},
	{begins: "per variant over at least 3 own seeds: mean FCT", mean: 0.05, p95: 0.05, max: 0.1, twice: true,
		spread: true, ordered: true},
	{begins: "start order and dependencies", mean: 0.05, max: 0.03, last: true},
	{begins: "losses make this chaotic", mean: 0.15, max: 0.15, drops: 0.2, rtx: 0.2, ordered: true},
}

// fewTrims is the largest number of trimmed, dropped, marked or retransmitted packets that counts as noise.
const fewTrims = 100

// readBands reads the tolerances of a case.
func readBands(file string) (bands, error) {
	text, err := input.ReadFile(file, input.Settings)
	if err != nil {
		return bands{}, err
	}
	const head = "How to compare: "
	_, after, ok := strings.Cut(string(text), head)
	for _, b := range allBands {
		if ok && strings.HasPrefix(after, b.begins) {
			return b, nil
		}
	}
	return bands{}, fmt.Errorf("%s: want a line that begins with %q and one of the supported rules",
		file, head)
}

// HTSimRow compares a number of a variant.
type HTSimRow struct {
	Case     string  `col:"case" json:"case"`
	Variant  string  `col:"variant" json:"variant"`
	Number   string  `col:"number" json:"number"`
	Recorded float64 `col:"recorded" json:"recorded"` // mean over the recorded seeds
	From     float64 `col:"from" json:"from"`         // smallest recorded number
	To       float64 `col:"to" json:"to"`
	Ours     float64 `col:"ours" json:"ours"` // mean over our seeds
	Error    float64 `col:"error" json:"error"`
	Band     float64 `col:"band" json:"band"`
	Verdict  string  `col:"verdict" json:"verdict"` // inside, few or outside
}

// quantity is a number that is compared.
type quantity struct {
	name string
	of   func(*htsimNumbers) float64
	band float64
}

func (b *bands) quantities() []quantity {
	longest := quantity{"longest FCT (ns)", func(n *htsimNumbers) float64 { return n.Max }, b.max}
	if b.last {
		longest = quantity{"last finish (ns)", func(n *htsimNumbers) float64 { return n.Last }, b.max}
	}
	trims := b.trims
	if b.twice {
		trims = 1
	}
	return []quantity{
		{"mean FCT (ns)", func(n *htsimNumbers) float64 { return n.Mean }, b.mean},
		{"p95 FCT (ns)", func(n *htsimNumbers) float64 { return n.P95 }, b.p95},
		longest,
		{"sent again", func(n *htsimNumbers) float64 { return n.Rtx }, b.rtx},
		{"trims", func(n *htsimNumbers) float64 { return n.Trims }, trims},
		{"drops", func(n *htsimNumbers) float64 { return n.Drops }, b.drops},
		{"marks", func(n *htsimNumbers) float64 { return n.ECN }, b.ecn},
	}
}

// compare compares our runs of a variant with the recorded ones.
func (b *bands) compare(c *HTSimCase, v *htsimVariant, ours []htsimNumbers) (rows []HTSimRow) {
	for _, q := range b.quantities() {
		if q.band == 0 {
			continue
		}
		r := HTSimRow{Case: c.Name, Variant: v.Name, Number: q.name, Band: q.band}
		r.Recorded, r.From, r.To = over(v.Recorded, q.of)
		r.Ours, _, _ = over(ours, q.of)
		if r.Recorded != r.Ours {
			r.Error = r.Ours/r.Recorded - 1
		}
		if r.judge(b.inside(&r)); r.Verdict == inside && b.few(&r) {
			r.Verdict = few
		}
		rows = append(rows, r)
	}
	return rows
}

// inside reports whether our number is within its band.
func (b *bands) inside(r *HTSimRow) bool {
	switch {
	case r.Number == "mean FCT (ns)" && b.spread && r.From <= r.Ours && r.Ours <= r.To:
		return true
	case r.Number == "longest FCT (ns)" && b.ordered && b.spread && r.From-(r.To-r.From)/2 <= r.Ours &&
		r.Ours <= r.To+(r.To-r.From)/2:
		return true
	case b.few(r):
		return r.Ours <= 2*fewTrims
	case r.Number == "trims" && b.twice:
		return r.Ours >= r.Recorded/2 && r.Ours <= r.Recorded*2
	}
	return math.Abs(r.Error) <= r.Band
}

// few reports whether the row counts packets and the recorded number is so small that it is noise.
func (b *bands) few(r *HTSimRow) bool {
	return !strings.Contains(r.Number, "(ns)") && r.Recorded <= fewTrims
}

// over returns the mean, the smallest and the largest value of a number over several runs.
func over(list []htsimNumbers, of func(*htsimNumbers) float64) (mean, least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range list {
		x := of(&list[i])
		mean += x / float64(len(list))
		least, most = min(least, x), max(most, x)
	}
	return mean, least, most
}

// order checks the order of each pair of variants whose recorded ranges do not overlap. It returns a row for each
// wrong order.
func (b *bands) order(c *HTSimCase, ours map[string][]htsimNumbers) (rows []HTSimRow) {
	if !b.ordered {
		return nil
	}
	for _, q := range b.quantities() {
		if q.name != "mean FCT (ns)" && !(q.name == "trims" && b.twice) {
			continue
		}
		for i := range c.Variants {
			for j := range c.Variants {
				low, high := &c.Variants[i], &c.Variants[j]
				_, _, to := over(low.Recorded, q.of)
				_, from, _ := over(high.Recorded, q.of)
				if to >= from || b.twice && q.name == "trims" && from <= fewTrims {
					continue
				}
				a, _, _ := over(ours[low.Name], q.of)
				z, _, _ := over(ours[high.Name], q.of)
				if a < z {
					continue
				}
				mean, _, _ := over(low.Recorded, q.of)
				above, _, _ := over(high.Recorded, q.of)
				rows = append(rows, HTSimRow{
					Case: c.Name, Variant: low.Name, Number: q.name + " below " + high.Name + "'s",
					Recorded: mean / above, From: mean / above, To: 1, Ours: a / z, Error: a/z - 1, Verdict: outside,
				})
			}
		}
	}
	return rows
}

// The verdicts.
const (
	inside  = "inside"
	outside = "outside"
	few     = "few" // few packets in the recorded runs and not many in ours, so the band is not applied
)

func (r *HTSimRow) judge(is bool) {
	if r.Verdict = outside; is {
		r.Verdict = inside
	}
}

// Outside reports whether our number is outside its band.
func (r *HTSimRow) Outside() bool { return r.Verdict == outside }
