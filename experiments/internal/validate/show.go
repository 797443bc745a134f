package validate

import (
	"fmt"
	"io"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/internal/number"
)

func summary(results []Result) figure.Table {
	// flows returns a column with numbers of flows. Without a comparison, the number is NaN. words returns a column
	// of text.
	flows := func(head string, of func(*FlowResult) int) figure.Column[Result] {
		return figure.Real(head, "", func(r Result) float64 {
			if r.Flows == nil {
				return math.NaN()
			}
			return float64(of(r.Flows))
		})
	}
	words := func(head string, is func(*Result) bool, of func(*Result) string) figure.Column[Result] {
		return figure.Text(head, func(r Result) string {
			if !is(&r) {
				return "–"
			}
			return of(&r)
		})
	}
	compared, traced := func(r *Result) bool { return r.Flows != nil }, func(r *Result) bool { return r.Acks != nil }
	return figure.Lines("Errors are |ours - recorded| / recorded of the completion times.", results,
		figure.Text("case", func(r Result) string { return r.Name }),
		figure.Text("verdict", func(r Result) string { return string(r.Outcome) }),
		flows("flows", func(f *FlowResult) int { return f.Flows }),
		flows("exact", func(f *FlowResult) int { return f.Exact }),
		flows("differing", func(f *FlowResult) int { return f.Differing }),
		words("median error", compared, func(r *Result) string { return percent(r.Flows.MedianError) }),
		words("max error", compared, func(r *Result) string { return percent(r.Flows.MaxError) }),
		words("trace", traced, func(r *Result) string { return fmt.Sprintf("%d of %d", r.Acks.Same, r.Acks.Lines) }))
}

// percent formats a relative error; -1 stands for a flow that has not finished.
func percent(x float64) string {
	if x < 0 {
		return "unfinished"
	}
	return number.Share(x)
}

// slowdown returns a column of slowdowns, with enough digits to show small differences.
func slowdown[L any](head string, of func(L) float64) figure.Column[L] {
	return figure.Text(head, func(l L) string { return fmt.Sprintf("%8.4f", of(l)) })
}

// tables returns the tables of a case: a table of the statistics that vary over seeds or differ from the recording,
// and a table of slowdowns by size.
func (r *Result) tables() (list []figure.Table) {
	if r.Spread != nil {
		moving := figure.Pick(r.Spread.Rows, func(r *SpreadRow) bool { return r.Min < r.Max || r.Theirs != r.Min })
		list = append(list, figure.Lines("Each statistic, its prediction interval for an additional run, and the "+
			"recorded value.", moving,
			figure.Whole("size up to", "B", func(r SpreadRow) int64 { return r.MaxSize }),
			figure.Text("statistic", func(r SpreadRow) string { return r.Statistic }),
			slowdown("ours, mean", func(r SpreadRow) float64 { return r.Mean }),
			slowdown("sd", func(r SpreadRow) float64 { return r.SD }),
			slowdown("from", func(r SpreadRow) float64 { return r.Lo }),
			slowdown("to", func(r SpreadRow) float64 { return r.Hi }),
			slowdown("recorded", func(r SpreadRow) float64 { return r.Theirs }),
			figure.Text("inside", func(r SpreadRow) string {
				if r.inside() {
					return "yes"
				}
				return "no"
			})))
	}
	if len(r.Buckets) > 0 {
		list = append(list, figure.Lines("Slowdown by flow size.", r.Buckets,
			figure.Whole("size up to", "B", func(b BucketPair) int64 { return b.MaxSize }),
			figure.Whole("flows", "", func(b BucketPair) int64 { return int64(b.Flows) }),
			slowdown("p50 ours", func(b BucketPair) float64 { return b.P50Ours }),
			slowdown("p50 recorded", func(b BucketPair) float64 { return b.P50 }),
			slowdown("p95 ours", func(b BucketPair) float64 { return b.P95Ours }),
			slowdown("p95 recorded", func(b BucketPair) float64 { return b.P95 })))
	}
	return list
}

// String describes the result of a comparison of distributions.
func (s *Spread) String() string {
	text := fmt.Sprintf("%d of %d statistics lie outside the %s prediction interval over %d of our seeds; %d "+
		"statistics vary between these seeds, and %d lie outside the range of our seeds",
		s.Outside, len(s.Rows), number.Share(1-s.Level), s.Seeds, s.Moving, s.Beyond)
	if s.Seeds > MinSeeds {
		text += fmt.Sprintf("; if each of our own seeds is compared with the others, %d would count as "+
			"different", s.OwnOutside)
	}
	return text
}

// notes returns the statements about a case that its tables do not show.
func (r *Result) notes() []string {
	var list []string
	if r.Reason != "" {
		list = append(list, r.Reason)
	}
	if f := r.Flows; f != nil {
		if f.Identical {
			list = append(list, "fct.txt is identical, byte by byte")
		} else if f.Differing == 0 {
			list = append(list, "fct.txt has the same lines in another order")
		}
		for i := range f.First {
			list = append(list, f.First[i].String())
		}
	}
	if r.Acks != nil {
		list = append(list, r.Acks.String())
	}
	if r.Spread != nil {
		list = append(list, r.Spread.String())
	}
	if r.NoBuckets != "" {
		list = append(list, "no table by size: "+r.NoBuckets)
	}
	return list
}

// String describes how a flow differs.
func (f *Flow) String() string {
	who := fmt.Sprintf("%s:%d to %s:%d, %d B", f.SrcIP, f.SrcPort, f.DstIP, f.DstPort, f.Size)
	switch {
	case f.FCTOurs == notFinished:
		return fmt.Sprintf("%s: completion time %d ns, ours has not finished", who, f.FCT)
	case f.Start != f.StartOurs:
		return fmt.Sprintf("%s: start %d ns, ours %d ns", who, f.Start, f.StartOurs)
	case f.FCT != f.FCTOurs:
		return fmt.Sprintf("%s: completion time %d ns, ours %d ns (%s %%)",
			who, f.FCT, f.FCTOurs, number.Change(100*float64(f.FCTOurs-f.FCT)/float64(f.FCT), 4))
	}
	return fmt.Sprintf("%s: standalone time %d ns, ours %d ns", who, f.Standalone, f.StandaloneOurs)
}

// WriteText writes the results for a terminal: each case with its table by size,
// then the summary.
func WriteText(w io.Writer, results []Result) error {
	for i := range results {
		r := &results[i]
		fmt.Fprintf(w, "%s: %s\n", r.Name, r.Outcome)
		for _, n := range r.notes() {
			fmt.Fprintf(w, "  %s\n", n)
		}
		if t := r.tables(); len(t) > 0 {
			if err := write(w, t[0]); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	return write(w, summary(results))
}

func write(w io.Writer, t figure.Table) error {
	made, err := t.Plain()
	if err != nil {
		return err
	}
	return made.WriteText(w)
}
