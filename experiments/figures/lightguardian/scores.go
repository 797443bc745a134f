package lightguardian

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/plots"
	"pintlab/plots/report"
)

// score is one of the columns of a row.
type score struct {
	label string
	of    func(*lightguardian.Row) (value, lo, hi float64)
}

// The scores of appendix C.
var (
	f1        = score{"F1", func(r *lightguardian.Row) (float64, float64, float64) { return r.F1, r.F1Lo, r.F1Hi }}
	precision = score{"Precision", func(r *lightguardian.Row) (float64, float64, float64) { return r.Precision, r.PLo, r.PHi }}
	recall    = score{"Recall", func(r *lightguardian.Row) (float64, float64, float64) { return r.Recall, r.RLo, r.RHi }}
)

// of are the rows of a fault.
func ofFault(rows []lightguardian.Row, f lightguardian.Fault) []lightguardian.Row {
	return figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Fault == string(f) && r.Measured == "" })
}

// at is the row of a threshold and memory; nil without one.
func scoreAt(rows []lightguardian.Row, threshold float64, memory int) *lightguardian.Row {
	return figure.Find(rows, func(r *lightguardian.Row) bool { return r.Threshold == threshold && r.Memory == memory })
}

// printed is the memory, in buckets, for which the LightGuardian paper prints numbers.
var printed = map[lightguardian.Fault]int{lightguardian.Blackhole: 1 << 16, lightguardian.Loop: 1 << 16, lightguardian.Jitter: 1 << 12}

// bounds of what the LightGuardian paper prints there for its thresholds (Appendix D.2).
var bounds = map[lightguardian.Fault]struct{ f1, pLo, pHi, rLo, rHi float64 }{
	lightguardian.Blackhole: {0.99, 0.982, 0.997, 0.998, 0.999},
	lightguardian.Loop:      {0.99, 0.988, 0.994, 0.993, 0.998},
	lightguardian.Jitter:    {1, 0.998, 0.999, 0.994, 0.999},
}

// fewBuckets is why jitter is not found with little memory.
const fewBuckets = "A switch here has about half as many flows as buckets. If a flow shares its buckets in all three arrays, its longest time " +
	"between packets is that between other flows of the buckets, which at the next switch are others."

// codedScores is why scores of single switches, with packets as they are sent, are lower.
const codedScores = "The published code inserts all packets of a flow before those of the next, and counts a flow as found if any switch reports it. Our scores are of the right switch, with packets as they are sent; those as in the published code stand beside them."

// sizesDecide and timesDecide are what the variants of the published code show.
const (
	sizesDecide = " What is left is the sizes of the flows, which the LightGuardian paper does not print: a small flow that shares its buckets with a larger one at one switch " +
		"and not at the next looks lost or looping. Where each loop is hardly matters."
	timesDecide = " The published code leaves out times of 10 s and more, a thousand packets of a flow, so that times between two flows seldom count; Algorithm 1 counts them."
)

// Check compares the rows of a fault with what the LightGuardian paper says of it in words.
func checkScores(rows []lightguardian.Row, f lightguardian.Fault) []figure.Finding {
	rows = ofFault(rows, f)
	exact := math.Inf(-1)
	for _, r := range rows {
		if r.Memory == 0 {
			exact = max(exact, r.F1)
		}
	}
	list := []figure.Finding{
		figure.Judge(fmt.Sprintf("%s: with exact counters F1 is at least 0.95 with some threshold", f), exact >= 0.95, exact < 0.9 && exact >= 0, "%.4f", exact).Own(),
	}
	// A higher threshold reports more blackholes, and fewer loops and jitters.
	th := lightguardian.Thresholds[f]
	first, last := th[0], th[len(th)-1]
	if f != lightguardian.Blackhole {
		first, last = last, first
	}
	more, known, detail := true, false, ""
	less := false
	for _, r := range rows {
		if r.Threshold != first || r.Memory == 0 {
			continue
		}
		if o := scoreAt(rows, last, r.Memory); o != nil {
			known = true
			more = more && o.Recall >= r.Recall
			less = less || o.RHi < r.RLo
			detail = fmt.Sprintf("%.4f and %.4f with %s", r.Recall, o.Recall, size(r.Memory))
		}
	}
	list = append(list, figure.Judge(fmt.Sprintf("%s: recall is not lower with the threshold %g than with %g, with any memory", f, last, first), known && more, less, "%s", detail))
	worst, most := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if r.Memory > 0 {
			worst, most = min(worst, r.F1), max(most, r.F1)
		}
	}
	small := rowsOfLeast(rows)
	better := false // than one with more memory, for certain
	for _, r := range rows {
		better = better || small != nil && r.Memory > small.Memory && r.F1Hi < small.F1Lo
	}
	return append(list, figure.Judge(fmt.Sprintf("%s: the least memory has the worst F1", f), small != nil && small.F1 <= worst+0.005, better, "%.4f of %.4f to %.4f", value(small), worst, most))
}

// rowsOfLeast returns the row with the least memory and the lowest F1.
func rowsOfLeast(rows []lightguardian.Row) *lightguardian.Row {
	var least *lightguardian.Row
	for i := range rows {
		r := &rows[i]
		if r.Memory > 0 && (least == nil || r.Memory < least.Memory || r.Memory == least.Memory && r.F1 < least.F1) {
			least = r
		}
	}
	return least
}

func value(r *lightguardian.Row) float64 {
	if r == nil {
		return math.NaN()
	}
	return r.F1
}

// size returns a memory in words.
func size(b int) string { return fmt.Sprintf("%.0f KB", float64(b)/1000) }

// compareScores puts the numbers at the printed memory beside the published ones, then those measured as in the published
// code: the least and the largest over the thresholds.
func compareScores(rows []lightguardian.Row, f lightguardian.Fault, source string, scores bool) []report.Compared {
	code := figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Fault == string(f) && r.Measured == lightguardian.Code })
	return append(compareRows(ofFault(rows, f), f, source, scores, "", causes(rows, f)), compareRows(code, f, source, scores, ", as in the published code", causes(rows, f))...)
}

// causes returns why the scores of a fault are not those that are printed, with the rows that show it.
func causes(rows []lightguardian.Row, f lightguardian.Fault) string {
	text := map[lightguardian.Fault]string{lightguardian.Blackhole: codedScores + sizesDecide, lightguardian.Loop: codedScores + sizesDecide, lightguardian.Jitter: fewBuckets + timesDecide}[f]
	for _, variant := range lightguardian.Variants[f] {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range rows {
			if r.Fault == string(f) && r.Measured == variant {
				lo, hi = min(lo, r.Precision), max(hi, r.Precision)
			}
		}
		text += fmt.Sprintf(" Precision over the thresholds, %s: %.3f to %.3f.", variant, lo, hi)
	}
	return text
}

func compareRows(rows []lightguardian.Row, f lightguardian.Fault, source string, scores bool, how, why string) []report.Compared {
	memory := lightguardian.Bucket * printed[f]
	var list []report.Compared
	extreme := func(s score, largest bool) *lightguardian.Row {
		var best *lightguardian.Row
		for i := range rows {
			r := &rows[i]
			if r.Memory != memory {
				continue
			}
			if best == nil {
				best = r
				continue
			}
			v, _, _ := s.of(r)
			if b, _, _ := s.of(best); largest == (v > b) && v != b {
				best = r
			}
		}
		return best
	}
	add := func(s score, largest bool, published float64) {
		word := "least"
		if largest {
			word = "largest"
		}
		c := report.Compared{
			Quantity: fmt.Sprintf("%s, %s, %s over the thresholds", f, s.label, word) + ", " + size(memory) + how, Published: published, Source: source, Ours: math.NaN(),
		}
		if r := extreme(s, largest); r != nil {
			c.Ours, c.Lo, c.Hi = s.of(r)
			c.Over = figure.Count(r.Seeds, "seed")
		}
		c.Note = why
		list = append(list, figure.Beside(c, figure.Score))
	}
	b := bounds[f]
	if !scores {
		add(f1, true, b.f1)
		return list
	}
	add(precision, false, b.pLo)
	add(precision, true, b.pHi)
	add(recall, false, b.rLo)
	add(recall, true, b.rHi)
	return list
}

// Panel draws a score of a fault against the memory, a line for each threshold.
func scorePanel(rows []lightguardian.Row, f lightguardian.Fault, s score) plots.Panel {
	rows = ofFault(rows, f)
	p := plots.Panel{
		Title: string(f),
		X:     plots.Axis{Label: "Memory of a switch", Unit: plots.InBytes, Scale: plots.Log},
		Y:     plots.Axis{Label: s.label, Scale: plots.Linear},
	}
	for _, t := range lightguardian.Thresholds[f] {
		s := figure.Ranges(plots.Series{Name: fmt.Sprintf("%s: P/L = %g", f, t), Style: plots.Line},
			figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Threshold == t && r.Memory > 0 }), func(r *lightguardian.Row) (x, y, lo, hi float64) {
				y, lo, hi = s.of(r)
				return float64(r.Memory), y, lo, hi
			})
		p.Series = append(p.Series, figure.Drawn(s)...)
	}
	return p
}

// F1Panel draws F1.
func f1Panel(rows []lightguardian.Row, f lightguardian.Fault) plots.Panel {
	return scorePanel(rows, f, f1)
}

// Tables are the rows of a fault.
func scoreTables(rows []lightguardian.Row, f lightguardian.Fault) []figure.Table {
	return []figure.Table{figure.Show(fmt.Sprintf("Locating a %s, mean over the seeds. Memory 0: exact counters.", f), ofFault(rows, f),
		"memory", "threshold", "F1=f1", "precision", "recall")}
}

// why they differ from the LightGuardian paper's numbers.
var scoresWhy = []string{
	"The LightGuardian paper prints neither the sizes of its flows nor its loads nor the thresholds. Errors of a sketch depend on how many flows pass a switch and how large they are; ours are uniform.",
	fewBuckets + timesDecide,
	"Mininet forwards with software switches, whose queues and delays are not those of a simulator: times between packets are steadier here.",
}

// Why explains the differences.
func whyScores() []string { return scoresWhy }

// Scores is a figure of precision and recall of a fault: Figures 8, 9 and 10.
func scores(name, title, source, claim string, f lightguardian.Fault) figure.Of[lightguardian.LocateScale, lightguardian.Row] {
	return figure.Of[lightguardian.LocateScale, lightguardian.Row]{
		Name: name, Title: title, Source: source, Claim: claim, Scales: lightguardian.LocateScales, Why: scoresWhy,
		Measure: func(ctx context.Context, j *figure.Job, z lightguardian.LocateScale) ([]lightguardian.Row, error) {
			rows, err := lightguardian.Locate(ctx, j, z, f)
			if err == nil {
				footnote(j, rows)
			}
			return rows, err
		},
		Check:   func(rows []lightguardian.Row) []figure.Finding { return checkScores(rows, f) },
		Compare: func(rows []lightguardian.Row) []report.Compared { return compareScores(rows, f, source, true) },
		Tables:  func(rows []lightguardian.Row) []figure.Table { return scoreTables(rows, f) },
		Draw: func(rows []lightguardian.Row) ([]figure.Drawing, error) {
			plot := plots.Figure{Title: title, Columns: 2, Panels: []plots.Panel{scorePanel(rows, f, precision), scorePanel(rows, f, recall)}}
			return []figure.Drawing{{Name: "scores", Caption: "Precision and recall against the memory of a switch; memory is that of the LightGuardian paper's scale.", Plot: plot}}, nil
		},
	}
}

// Footnote says what was run.
func footnote(j *figure.Job, rows []lightguardian.Row) {
	if len(rows) > 0 {
		j.Footnote("fat tree of 16 hosts, at least %d flows and %d instances, %s; bars: 95 %%", rows[0].Flows, rows[0].Instances, figure.Count(rows[0].Seeds, "seed"))
	}
}
