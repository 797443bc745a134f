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

// ofFault returns the rows of a fault.
func ofFault(rows []lightguardian.Row, f lightguardian.Fault) []lightguardian.Row {
	return figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Fault == string(f) && r.Measured == "" })
}

// scoreAt returns the row of a threshold and memory, or nil.
func scoreAt(rows []lightguardian.Row, threshold float64, memory int) *lightguardian.Row {
	return figure.Find(rows, func(r *lightguardian.Row) bool { return r.Threshold == threshold && r.Memory == memory })
}

// printed are the memories, in buckets, for which the LightGuardian paper prints F1 (§8.3.1), and precision and recall (Appendix
// D.2). It says of jitter that F1 is close to 1 with more than 20 KB, which are 1700 buckets.
var printed = map[lightguardian.Fault]struct{ f1, scores int }{
	lightguardian.Blackhole: {1 << 16, 1 << 16}, lightguardian.Loop: {1 << 16, 1 << 16}, lightguardian.Jitter: {1700, 1 << 12},
}

// belowHalf is the largest of our memories below 0.5 MB, in buckets, with which accuracy is "almost 100%" (§1).
const belowHalf = 1 << 15

// bounds of what the LightGuardian paper prints there for its thresholds (Appendix D.2).
var bounds = map[lightguardian.Fault]struct{ f1, pLo, pHi, rLo, rHi float64 }{
	lightguardian.Blackhole: {0.99, 0.982, 0.997, 0.998, 0.999},
	lightguardian.Loop:      {0.99, 0.988, 0.994, 0.993, 0.998},
	lightguardian.Jitter:    {1, 0.998, 0.999, 0.994, 0.999},
}

// nearOne is for scores of which the LightGuardian paper says "close to 1" or "almost 100%".
var nearOne = figure.Tolerance{Absolute: 0.01, Why: "0.01: the paper says close to 1"}

// asCoded is the reading of rows that measure as the published code does.
const asCoded = "as in the published code"

// fewBuckets is why jitter is not found with little memory.
const fewBuckets = "With 49 KB a switch here has about half as many flows as buckets, with 20 KB somewhat more than buckets. If a flow shares its buckets in all three arrays, its longest time " +
	"between packets is that between other flows of the buckets, which at the next switch are others."

// halfMemory is all that is known of the accuracy with less than 0.5 MB.
const halfMemory = "The cause is not known. The LightGuardian paper prints F1 of 0.99 with 0.8 MB, where ours is near it, and no number for less than 0.5 MB but this one. " +
	"Scores as in the published code were measured with its memory alone."

// codedScores is why scores of single switches, with packets as they are sent, are lower.
const codedScores = "The published code inserts all packets of a flow before those of the next, and counts a flow as found if any switch reports it. Our scores are of the right switch, with packets as they are sent; those as in the published code stand beside them."

// sizesDecide and timesDecide are what the variants of the published code show.
const (
	sizesDecide = " What is left is the sizes of the flows, which the LightGuardian paper does not print: a small flow that shares its buckets with a larger one at one switch " +
		"and not at the next looks lost or looping. Where each loop is hardly matters. Nor does it print its thresholds, which trade precision for recall."
	timesDecide = " The published code leaves out times of 10 s and more, a thousand packets of a flow, so that times between two flows seldom count; Algorithm 1 counts them."
)

// checkScores compares the rows of a fault with what the LightGuardian paper says of it in words.
func checkScores(rows []lightguardian.Row, f lightguardian.Fault) []figure.Finding {
	rows = ofFault(rows, f)
	best := &lightguardian.Row{F1: math.NaN(), F1Lo: math.NaN(), F1Hi: math.NaN()}
	for i := range rows {
		if r := &rows[i]; r.Memory == 0 && !(r.F1 <= best.F1) {
			best = r
		}
	}
	small := rowsOfLeast(rows)
	worst, better, most := small != nil, false, math.Inf(-1)
	for _, r := range rows {
		most = max(most, r.F1)
		if small != nil && r.Memory > small.Memory {
			worst, better = worst && r.F1Lo > small.F1Hi, better || r.F1Hi < small.F1Lo
		}
	}
	// A higher threshold reports more blackholes, and fewer loops and jitters.
	th := lightguardian.Thresholds[f]
	few, many := th[0], th[len(th)-1]
	if f != lightguardian.Blackhole {
		few, many = many, few
	}
	return []figure.Finding{
		figure.Judge(fmt.Sprintf("%s: with exact counters F1 is at least 0.95 with some threshold", f), best.F1Lo >= 0.95, best.F1Hi < 0.95, "%.4f", best.F1).Own(),
		more(fmt.Sprintf("%s: recall is higher with the threshold %g than with %g, with any memory", f, many, few), rows, recall, many, few),
		more(fmt.Sprintf("%s: precision is lower with the threshold %g than with %g, with any memory", f, many, few), rows, precision, few, many),
		figure.Judge(fmt.Sprintf("%s: the least memory has the worst F1", f), worst, better, "%.4f of %.4f to %.4f", value(small), value(small), most).Own(),
	}
}

// more holds if a score is certainly higher with one threshold than with another one with every memory, and fails if it is certainly
// lower with one.
func more(statement string, rows []lightguardian.Row, s score, higher, lower float64) figure.Finding {
	confirmed, contradicted, n := true, false, 0
	detail := "no rows"
	for i := range rows {
		r := &rows[i]
		if r.Threshold != higher || r.Memory == 0 {
			continue
		}
		if o := scoreAt(rows, lower, r.Memory); o != nil {
			a, aLo, aHi := s.of(r)
			b, bLo, bHi := s.of(o)
			n++
			confirmed, contradicted = confirmed && aLo > bHi, contradicted || aHi < bLo
			detail = fmt.Sprintf("%.4f and %.4f with %s", a, b, size(r.Memory))
		}
	}
	return figure.Judge(statement, confirmed && n > 0, contradicted, "%s", detail)
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

// number is a score that the LightGuardian paper prints: the least or the largest over the thresholds with a memory, in buckets.
type number struct {
	score
	largest bool
	value   float64
	buckets int
	within  figure.Tolerance
}

// compareScores puts F1, or precision and recall, beside the published numbers, as the LightGuardian paper describes them and as
// the published code measures them.
func compareScores(rows []lightguardian.Row, f lightguardian.Fault, source string, scores bool) []report.Compared {
	own, code := ofFault(rows, f), figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Fault == string(f) && r.Measured == lightguardian.Code })
	p, b, why := printed[f], bounds[f], causes(rows, f)
	if scores {
		three := figure.Digits(0.001)
		list := []number{{precision, false, b.pLo, p.scores, three}, {precision, true, b.pHi, p.scores, three}, {recall, false, b.rLo, p.scores, three}, {recall, true, b.rHi, p.scores, three}}
		all := append(compareRows(own, f, list, source, "", why), compareRows(code, f, list, source, asCoded, why)...)
		if f == lightguardian.Jitter {
			all = append(all, figure.Beside(report.Compared{Quantity: "jitter, precision and recall, more than 500 KB", Published: 1, Source: source,
				Ours: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Note: "393 KB is our largest memory"}, nearOne))
		}
		return all
	}
	within := figure.Digits(0.01)
	if b.f1 == 1 {
		within = nearOne
	}
	all := compareRows(own, f, []number{{f1, true, b.f1, p.f1, within}}, source, "", why)
	all = append(all, compareRows(code, f, []number{{f1, true, b.f1, p.scores, within}}, source, asCoded, why)...)
	return append(all, compareRows(own, f, []number{{f1, true, 1, belowHalf, nearOne}}, "LightGuardian §1", "", halfMemory)...)
}

// causes returns why the scores of a fault are not those that are printed, with the rows that show it.
func causes(rows []lightguardian.Row, f lightguardian.Fault) string {
	text := map[lightguardian.Fault]string{lightguardian.Blackhole: codedScores + sizesDecide, lightguardian.Loop: codedScores + sizesDecide, lightguardian.Jitter: fewBuckets + timesDecide}[f]
	if f == lightguardian.Jitter {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range ofFault(rows, f) {
			if r.Memory == 0 {
				lo, hi = min(lo, r.Recall), max(hi, r.Recall)
			}
		}
		text += fmt.Sprintf(" Exact counters have a recall of %.3f to %.3f over the thresholds in these runs, so that no memory gives the printed one by our definition of an instance.", lo, hi)
	}
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

func compareRows(rows []lightguardian.Row, f lightguardian.Fault, numbers []number, source, reading, why string) []report.Compared {
	var list []report.Compared
	for _, p := range numbers {
		memory, word := lightguardian.Bucket*p.buckets, "least"
		if p.largest {
			word = "largest"
		}
		c := report.Compared{
			Quantity: fmt.Sprintf("%s, %s, %s over the thresholds, %s", f, p.label, word, size(memory)), Reading: reading,
			Published: p.value, Source: source, Ours: math.NaN(), Note: why,
		}
		for i := range rows {
			r := &rows[i]
			if v, lo, hi := p.of(r); r.Memory == memory && (math.IsNaN(c.Ours) || p.largest && v > c.Ours || !p.largest && v < c.Ours) {
				c.Ours, c.Lo, c.Hi, c.Over = v, lo, hi, figure.Count(r.Seeds, "seed")
			}
		}
		list = append(list, figure.Beside(c, p.within))
	}
	return list
}

// scorePanel draws a score of a fault against the memory, a line for each threshold.
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

// f1Panel draws F1.
func f1Panel(rows []lightguardian.Row, f lightguardian.Fault) plots.Panel {
	return scorePanel(rows, f, f1)
}

// scoreTables returns the rows of a fault.
func scoreTables(rows []lightguardian.Row, f lightguardian.Fault) []figure.Table {
	return []figure.Table{figure.Show(fmt.Sprintf("Locating a %s, mean over the seeds. Memory 0: exact counters.", f), ofFault(rows, f),
		"memory", "threshold", "F1=f1", "precision", "recall")}
}

// why they differ from the LightGuardian paper's numbers.
var scoresWhy = []string{
	"The LightGuardian paper prints neither the sizes of its flows nor its loads nor the thresholds. Errors of a sketch depend on how many flows pass a switch and how large they are; ours are uniform.",
	fewBuckets + timesDecide,
	"Rows that are read as in the published code have its order of packets and its scores of flows. They do not have its thresholds (its last version has 0.1 for blackholes, 3 for loops and 1.9 for jitter), " +
		"nor its hashes, nor the sizes and times of its packets, which are from logs of Mininet that are not published.",
	"Mininet forwards with software switches, whose queues and delays are not those of a simulator: times between packets are steadier here.",
}

// whyScores explains the differences.
func whyScores() []string { return scoresWhy }

// scores returns a figure of precision and recall of a fault: Figures 8, 9 and 10.
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

// footnote reports what was run.
func footnote(j *figure.Job, rows []lightguardian.Row) {
	if len(rows) > 0 {
		j.Footnote("fat tree of 16 hosts, at least %d flows and %d instances, %s; bars: 95 %%", rows[0].Flows, rows[0].Instances, figure.Count(rows[0].Seeds, "seed"))
	}
}
