package validate

import (
	"fmt"
	"io"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

// summaryRow is what people read of a case.
type summaryRow struct {
	Case      string  `col:"case"`
	Outcome   string  `col:"verdict"`
	Flows     float64 `col:"flows"` // NaN if there is nothing to tell
	Exact     float64 `col:"exact"`
	Differing float64 `col:"differing"`
	Median    string  `col:"median error"`
	Max       string  `col:"max error"`
	Acks      string  `col:"trace"`
}

// Summary is a row for each case.
func Summary(results []Result) (*plots.Table, error) {
	var rows []summaryRow
	for i := range results {
		r := &results[i]
		s := summaryRow{Case: r.Name, Outcome: string(r.Outcome), Flows: math.NaN(), Exact: math.NaN(), Differing: math.NaN(), Median: "–", Max: "–", Acks: "–"}
		if f := r.Flows; f != nil {
			s.Flows, s.Exact, s.Differing = float64(f.Flows), float64(f.Exact), float64(f.Differing)
			s.Median, s.Max = percent(f.MedianError), percent(f.MaxError)
		}
		if a := r.Acks; a != nil {
			s.Acks = fmt.Sprintf("%d of %d", a.Same, a.Lines)
		}
		rows = append(rows, s)
	}
	return columns.Encode(rows)
}

// percent prints a relative error; -1 is that of a flow that has not finished.
func percent(x float64) string {
	switch {
	case x < 0:
		return "unfinished"
	case x == 0:
		return "0"
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// bucketRow is what people read of a bucket.
type bucketRow struct {
	Size    int64  `col:"size up to" unit:"B"`
	Flows   int    `col:"flows"`
	P50Ours string `col:"p50 ours"`
	P50     string `col:"p50 recorded"`
	P95Ours string `col:"p95 ours"`
	P95     string `col:"p95 recorded"`
}

// slowdown prints a slowdown so precisely that small differences can be seen.
func slowdown(x float64) string { return fmt.Sprintf("%8.4f", x) }

func (r *Result) bucketTable() (*plots.Table, error) {
	var rows []bucketRow
	for _, b := range r.Buckets {
		rows = append(rows, bucketRow{b.MaxSize, b.Flows, slowdown(b.P50Ours), slowdown(b.P50), slowdown(b.P95Ours), slowdown(b.P95)})
	}
	return columns.Encode(rows)
}

// spreadLine is what people read of a statistic over seeds.
type spreadLine struct {
	Size      int64  `col:"size up to" unit:"B"`
	Statistic string `col:"statistic"`
	Mean      string `col:"ours, mean"`
	SD        string `col:"sd"`
	Lo        string `col:"from"`
	Hi        string `col:"to"`
	Theirs    string `col:"recorded"`
	Inside    string `col:"inside"`
}

// table has the statistics that differ between runs; of the others there is nothing to
// tell.
func (s *Spread) table() (*plots.Table, error) {
	var rows []spreadLine
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Min == r.Max && r.Theirs == r.Min {
			continue
		}
		inside := "yes"
		if !r.Inside() {
			inside = "no"
		}
		rows = append(rows, spreadLine{r.MaxSize, r.Statistic, slowdown(r.Mean), slowdown(r.SD), slowdown(r.Lo), slowdown(r.Hi), slowdown(r.Theirs), inside})
	}
	return columns.Encode(rows)
}

// String says in words what a comparison of distributions came to.
func (s *Spread) String() string {
	text := fmt.Sprintf("%d of %d statistics lie outside the %g %% prediction interval over %d seeds of ours; %d differ between these seeds, and %d lie outside their range",
		s.Outside, len(s.Rows), 100*(1-s.Level), s.Seeds, s.Moving, s.Beyond)
	if s.Seeds > MinSeeds {
		text += fmt.Sprintf("; of our own seeds, held against the others, %d would be said to differ", s.OwnOutside)
	}
	return text
}

// notes are the statements about a case beside its tables.
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

// String tells what is not the same about a flow.
func (f *Flow) String() string {
	who := fmt.Sprintf("%s:%d to %s:%d, %d B", f.SrcIP, f.SrcPort, f.DstIP, f.DstPort, f.Size)
	switch {
	case f.FCTOurs < 0:
		return fmt.Sprintf("%s: completion time %d ns, ours has not finished", who, f.FCT)
	case f.Start != f.StartOurs:
		return fmt.Sprintf("%s: start %d ns, ours %d ns", who, f.Start, f.StartOurs)
	case f.FCT != f.FCTOurs:
		return fmt.Sprintf("%s: completion time %d ns, ours %d ns (%+.3g %%)", who, f.FCT, f.FCTOurs, 100*float64(f.FCTOurs-f.FCT)/float64(f.FCT))
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
		if err := r.writeTable(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	t, err := Summary(results)
	if err != nil {
		return err
	}
	return t.WriteText(w)
}

func (r *Result) writeTable(w io.Writer) error {
	var t *plots.Table
	var err error
	switch {
	case r.Spread != nil:
		t, err = r.Spread.table()
	case len(r.Buckets) > 0:
		t, err = r.bucketTable()
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return t.WriteText(w)
}
