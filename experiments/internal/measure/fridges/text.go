package fridges

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// A Report is the result of a survey, with the directory that contains its rows and drawing.
type Report struct {
	*Findings
	Dir   string `json:"dir"`
	trace *Trace
}

// Save writes the CDFs of a survey of a trace, and a drawing of the CDFs, to a directory.
func (f *Findings) Save(dir string, t *Trace) (*Report, error) {
	f.Partial = t.Partial()
	r := &Report{f, dir, t}
	rows := f.rows()
	table, err := columns.Encode(rows)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := table.SaveCSV(filepath.Join(dir, "rows.csv")); err != nil || len(rows) == 0 {
		return r, err
	}
	d := f.draw(rows)
	if len(d.Panels[0].Series) == 0 { // all delays are 0
		return r, nil
	}
	_, err = plots.SaveAll(&d, filepath.Join(dir, "cdf"), "svg", "png")
	return r, err
}

// Text describes the trace and prints the estimates as a table.
func (r *Report) Text() (string, error) {
	var t columns.Text
	r.trace.print(&t)
	t.Printf("trace        %s, %s%s\n", number.Count(r.Requests, "request"), number.Count(r.Responses, "response"),
		r.perSecond())
	if r.Unmatched != nil && *r.Unmatched > 0 && r.trace.Matcher != nil {
		t.Printf("note         %d of the responses have no request within %v (--window): the true delays do not "+
			"include these\n",
			*r.Unmatched, r.trace.Window)
	}
	if r.Unordered > 0 {
		t.Printf("note         %s %s an earlier time than the event before in the file\n",
			number.Count(r.Unordered, "event"), number.Plural(r.Unordered, "has", "have"))
	}
	if r.Weights == byVariance {
		t.Printf("note         %s\n", biased)
	}
	t.Printf("\n")
	printEstimates(&t, r.Estimates)
	for _, e := range r.Estimates {
		c := e.Stats
		if c == nil || e.Name != fridgeName && e.Name != naiveName {
			continue
		}
		t.Printf("\n%-12s %d of %s entered, %d overwritten by others, %d sent again; %d of %s found %s request", e.Name,
			c.Entered, number.Count(c.Requests, "request"), c.Evicted, c.Duplicates, c.Samples,
			number.Count(c.Responses, "response"), number.Plural(c.Responses, "its", "their"))
		if c.Backward+c.Overflowed > 0 {
			t.Printf("; dropped: %d before their request, %d with a factor out of range", c.Backward, c.Overflowed)
		}
	}
	t.Printf("\n\nrows, drawing  %s\n", r.Dir)
	return t.Done()
}

// print describes packets: how many were used and how many were omitted.
func (t *Trace) print(to *columns.Text) {
	if t.Matcher == nil {
		return
	}
	what := "packets"
	if t.File != nil {
		what = "capture"
	}
	to.Printf("%-12s %d IP packets, %d of them requests or responses", what, t.Matcher.Packets(), t.Matcher.Matched())
	if t.File != nil && t.File.Skipped().Total() > 0 {
		to.Printf("; left out: %v", t.File.Skipped())
	}
	to.Printf("\n")
	if t.File != nil && t.File.Several() {
		to.Printf("note         packets of several interfaces: one that passes two of them counts twice (choose with " +
			"--interfaces)\n")
	}
	if t.Only != nil {
		to.Printf("only         %s of other flows left out (--only)\n", number.Count(t.Only.Others, "packet"))
	}
	if t.Once != nil {
		to.Printf("once         %s sent again and %s to such requests left out (--once)\n",
			number.Count(t.Once.Requests, "request"), number.Count(t.Once.Responses, "response"))
	}
}

// estimateLine is a row of the printed estimates.
type estimateLine struct {
	Name    string  `col:"estimate"`
	Entries int     `col:"entries"`
	Memory  int     `col:"memory" unit:"B"`
	Samples int     `col:"samples"`
	Pairs   float64 `col:"pairs"`
	P50     string  `col:"p50"`
	P95     string  `col:"p95"`
	P99     string  `col:"p99"`
	Error   string  `col:"errors, log2"`
}

func printEstimates(t *columns.Text, list []Estimate) {
	var lines []estimateLine
	few := false
	for _, e := range list {
		l := estimateLine{
			Name: e.Name, Entries: e.Entries, Memory: e.Bytes, Samples: int(e.Samples), Pairs: math.Round(e.Pairs),
		}
		var errs []string
		for i, v := range e.Values {
			*[]*string{&l.P50, &l.P95, &l.P99}[i] = v.text(e.Name == fridgeName)
			few = few || v.Few
			if v.Error != nil {
				errs = append(errs, strconv.FormatFloat(*v.Error, 'f', 3, 64))
			}
		}
		l.Error = strings.Join(errs, " ")
		lines = append(lines, l)
	}
	t.Rows(lines)
	if few {
		t.Printf("~ from too few samples\n")
	}
}

// text formats a percentile with its bounds. If bounded is set, it marks a percentile without bounds.
func (v Percentile) text(bounded bool) string {
	text := delay(v.Delay)
	if v.Few {
		text = "~" + text
	}
	switch {
	case v.Lo != nil && v.Hi != nil:
		text += " (" + delay(*v.Lo) + "–" + delay(*v.Hi) + ")"
	case v.Lo != nil:
		text += " (from " + delay(*v.Lo) + ")"
	case v.Hi != nil:
		text += " (up to " + delay(*v.Hi) + ")"
	case bounded:
		text += " (no bounds)"
	}
	return text
}

func delay(seconds float64) string { return number.Format(seconds, plots.InSeconds, 3) }

// A choiceRow is a row of the printed choices.
type choiceRow struct {
	Fridges int     `col:"fridges"`
	Error   float64 `col:"error"`
	Samples float64 `col:"samples"`
	Errors  string  `col:"predicted errors of the quantiles"`
	Entries string  `col:"entries and p of each"`
}

// Text describes the load and prints a line for each number of fridges.
func (c *Choices) Text() (string, error) {
	var t columns.Text
	t.Printf("load         %.4g requests/s, %.0f pairs\n", c.Rate, c.Pairs)
	for i, q := range c.Quantiles {
		t.Printf("delay        p%.10g = %s\n", 100*q, delay(c.Delays[i]))
	}
	reason := "the average lifetime M/p is within the requests during the delay of"
	if c.Advice == 1 {
		reason = "the entries suffice for all requests during the delay of"
	}
	t.Printf("advice       p = %.3g: %s p%g (§5.2)\n\n", c.Advice, reason, 100*slices.Max(c.Quantiles))
	few, rows := false, []choiceRow(nil)
	for _, x := range c.Choices {
		few = few || x.Samples < 0.99*fridge.FewSamples // allow 1 %, because the search has limited accuracy
		r := choiceRow{Fridges: x.Fridges, Error: x.Error, Samples: x.Samples}
		r.Errors = strings.Join(lists.Map(x.Errors, func(e float64) string { return number.Digits(e, 3) }), " ")
		for k := range x.Entries {
			r.Entries += fmt.Sprintf("%d p=%.3g  ", x.Entries[k], x.Probabilities[k])
		}
		rows = append(rows, r)
	}
	t.Rows(rows)
	if few {
		t.Printf("note         rows with fewer than %[1]d expected samples: no p gives %[1]d samples, so the "+
			"predicted errors mean little\n",
			fridge.FewSamples)
	}
	return t.Done()
}
