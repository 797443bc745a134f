package lightguardian

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// score is a column of scores.
type score struct {
	label string
	of    func(*lightguardian.Row) stats.Number
}

// The scores of appendix C.
var (
	f1        = score{"F1", func(r *lightguardian.Row) stats.Number { return r.F1 }}
	precision = score{"Precision", func(r *lightguardian.Row) stats.Number { return r.Precision }}
	recall    = score{"Recall", func(r *lightguardian.Row) stats.Number { return r.Recall }}
	scores    = []score{f1, precision, recall}
)

// ofFault returns the rows of a fault.
func ofFault(rows []lightguardian.Row, f lightguardian.Fault) []lightguardian.Row {
	return figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Fault == string(f) && r.Measured == "" })
}

// scoreClaims returns the kinds of claims about the scores of a fault. The case of a claim is the fault.
func scoreClaims[R any](located func([]R) []lightguardian.Row) map[string]func(*figure.Claim, []R) figure.Finding {
	list := map[string]func(*figure.Claim, []R) figure.Finding{}
	for kind, judge := range map[string]func(*figure.Claim, []lightguardian.Row) figure.Finding{
		"exact counters": exactCounters, "more at every memory": more, "least memory": leastMemory,
	} {
		list[kind] = func(c *figure.Claim, rows []R) figure.Finding {
			return judge(c, ofFault(located(rows), lightguardian.Fault(c.Case)))
		}
	}
	return list
}

// exactCounters judges whether the best F1 with exact counters is at least 0.95.
func exactCounters(_ *figure.Claim, rows []lightguardian.Row) figure.Finding {
	best := stats.None()
	for _, r := range rows {
		if r.Memory == 0 && !(r.F1.Value <= best.Value) {
			best = r.F1
		}
	}
	return figure.Judge("", best.Lo >= 0.95, best.Below(0.95), "%.4f", best.Value)
}

// leastMemory judges whether the lowest memory has the lowest F1.
func leastMemory(_ *figure.Claim, rows []lightguardian.Row) figure.Finding {
	small := rowsOfLeast(rows)
	worst, better, most := small != nil, false, math.Inf(-1)
	for _, r := range rows {
		most = max(most, r.F1.Value)
		if small != nil && r.Memory > small.Memory {
			worst, better = worst && small.F1.Under(1, r.F1), better || r.F1.Under(1, small.F1)
		}
	}
	return figure.Judge("", worst, better, "%.4f of %.4f to %.4f", value(small), value(small), most)
}

// more makes a finding about two thresholds, Scheme and Against. The finding holds if a score is significantly higher
// with Scheme than with Against at every memory. It fails if the score is significantly lower at one memory.
func more(c *figure.Claim, rows []lightguardian.Row) figure.Finding {
	s := *figure.Find(scores, func(s *score) bool { return s.label == c.Quantity })
	confirmed, contradicted, n, detail := true, false, 0, "no rows"
	for i := range rows {
		r := &rows[i]
		if fmt.Sprint(r.Threshold) != c.Scheme || r.Memory == 0 {
			continue
		}
		if o := figure.Find(rows, func(o *lightguardian.Row) bool {
			return fmt.Sprint(o.Threshold) == c.Against && o.Memory == r.Memory
		}); o != nil {
			a, b := s.of(r), s.of(o)
			n++
			confirmed, contradicted = confirmed && a.Lo > b.Hi, contradicted || a.Hi < b.Lo
			detail = fmt.Sprintf("%.4f and %.4f with %s", a.Value, b.Value, size(r.Memory))
		}
	}
	return figure.Judge("", confirmed && n > 0, contradicted, "%s", detail)
}

// rowsOfLeast returns the row with the least memory. If there are several such rows, it returns the row with the
// lowest F1.
func rowsOfLeast(rows []lightguardian.Row) *lightguardian.Row {
	var least *lightguardian.Row
	for i := range rows {
		r := &rows[i]
		if r.Memory > 0 &&
			(least == nil || r.Memory < least.Memory || r.Memory == least.Memory && r.F1.Value < least.F1.Value) {
			least = r
		}
	}
	return least
}

func value(r *lightguardian.Row) float64 {
	if r == nil {
		return math.NaN()
	}
	return r.F1.Value
}

// size formats a memory.
func size(b int) string { return fmt.Sprintf("%.0f KB", float64(b)/1000) }

// extremes contains functions that return the largest and the smallest score over the thresholds.
var extremes = map[string]figure.Ours[lightguardian.Row]{
	"largest": extreme(1, ""), "largest, published code": extreme(1, lightguardian.Code),
	"least": extreme(-1, ""), "least, published code": extreme(-1, lightguardian.Code),
}

// extreme returns a function that finds the largest score over the thresholds (sign 1), or the smallest score (sign
// −1). It only considers rows that were measured in the given way. The printed number names the fault as its panel,
// the score as its scheme, and the memory as X.
func extreme(sign float64, measured string) figure.Ours[lightguardian.Row] {
	return func(rows []lightguardian.Row, p *figure.Published, c *report.Compared) stats.Number {
		best := stats.None()
		for _, s := range scores {
			for i := range rows {
				r := &rows[i]
				if s.label != p.Scheme || r.Fault != p.Panel || r.Measured != measured || float64(r.Memory) != p.X {
					continue
				}
				if n := s.of(r); best.Missing() || sign*n.Value > sign*best.Value {
					best, c.Over = n, figure.Count(r.Seeds, "seed")
				}
			}
		}
		return best
	}
}

// variants maps each fault to a function that returns a text from the rows. The text explains why the scores of the
// fault differ from the printed scores.
func variants[R any](located func([]R) []lightguardian.Row) map[string]func([]R) []any {
	list := map[string]func([]R) []any{}
	for f := range lightguardian.Variants {
		list[string(f)] = func(rows []R) []any { return []any{shownBy(located(rows), f)} }
	}
	return list
}

func shownBy(rows []lightguardian.Row, f lightguardian.Fault) (text string) {
	between := func(of score, is func(*lightguardian.Row) bool) (lo, hi float64) {
		lo, hi = math.Inf(1), math.Inf(-1)
		for i := range rows {
			if r := &rows[i]; r.Fault == string(f) && is(r) {
				lo, hi = min(lo, of.of(r).Value), max(hi, of.of(r).Value)
			}
		}
		return lo, hi
	}
	if f == lightguardian.Jitter {
		lo, hi := between(recall, func(r *lightguardian.Row) bool { return r.Measured == "" && r.Memory == 0 })
		text = fmt.Sprintf(" Exact counters have a recall of %.3f to %.3f over the thresholds in these runs, "+
			"so that no memory gives the printed one by our definition of an instance.", lo, hi)
	}
	for _, variant := range lightguardian.Variants[f] {
		lo, hi := between(precision,
			func(r *lightguardian.Row) bool { return r.Measured == variant && r.Memory == f.Memory() })
		text += fmt.Sprintf(" Precision over the thresholds, %s: %.3f to %.3f.", variant, lo, hi)
	}
	return text
}

// scorePanel draws a score of a fault against the memory, with a curve for each threshold.
func scorePanel(rows []lightguardian.Row, f lightguardian.Fault, s score) plots.Panel {
	rows = ofFault(rows, f)
	p := plots.Panel{
		Title: string(f),
		X:     figure.Log("Memory of a switch", plots.InBytes),
		Y:     figure.Linear(s.label, ""),
	}
	for _, t := range lightguardian.Thresholds[f] {
		of := figure.Pick(rows, func(r *lightguardian.Row) bool { return r.Threshold == t && r.Memory > 0 })
		line := plots.Series{Name: fmt.Sprintf("%s: P/L = %g", f, t), Style: plots.Line}
		p.Series = append(p.Series,
			figure.Drawn(figure.Ranges(line, of, func(r *lightguardian.Row) (x, y, lo, hi float64) {
				n := s.of(r)
				return float64(r.Memory), n.Value, n.Lo, n.Hi
			}))...)
	}
	return p
}

// scoreTable returns the rows of a fault.
func scoreTable(rows []lightguardian.Row, f lightguardian.Fault) figure.Table {
	return figure.Show("located", ofFault(rows, f), "memory", "threshold", "F1=f1", "precision", "recall").With(f)
}

// ofScores returns the figure of precision and recall of a fault: Figure 8, 9 or 10. A run of Fig. 8 with 10 M packets
// (paper scale) takes 14 s of CPU and 251 MB.
func ofScores(name string, f lightguardian.Fault) figure.Figure {
	all := func(rows []lightguardian.Row) []lightguardian.Row { return rows }
	return figure.Of[lightguardian.LocateScale, lightguardian.Row]{
		Name: name, Files: files, Scales: lightguardian.LocateScales,
		Measure: func(ctx context.Context, j *figure.Job, z lightguardian.LocateScale) ([]lightguardian.Row, error) {
			rows, err := lightguardian.Locate(ctx, j, z, f)
			if err == nil {
				footnote(j, rows)
			}
			return rows, err
		},
		Claims: scoreClaims(all),
		Ours:   extremes,
		Values: variants(all),
		Tables: func(rows []lightguardian.Row) []figure.Table { return []figure.Table{scoreTable(rows, f)} },
		Draw: func(rows []lightguardian.Row) ([]figure.Drawing, error) {
			plot := plots.Figure{Columns: 2}
			for _, s := range scores[1:] {
				p := scorePanel(rows, f, s)
				p.Title = "" // all are of this fault
				plot.Panels = append(plot.Panels, p)
			}
			return []figure.Drawing{{Name: "scores", Plot: plot}}, nil
		},
	}.Figure()
}

// footnote describes what was run.
func footnote(j *figure.Job, rows []lightguardian.Row) {
	if len(rows) > 0 {
		j.Footnote("fat tree of 16 hosts, at least %d flows and %d instances, %s; bars: 95 %% intervals", rows[0].Flows,
			rows[0].Instances, figure.Count(rows[0].Seeds, "seed"))
	}
}
