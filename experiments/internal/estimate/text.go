package estimate

import (
	"fmt"

	cols "pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// An Assessment reports the error of an estimate, and the links on which the estimate's slow flows wait.
type Assessment struct {
	Check   []Error      `json:"check,omitempty"`   // errors by flow size, with `--check`
	Work    float64      `json:"work,omitempty"`    // packet-hops of the estimate, divided by packet-hops of the run
	Explain *Explanation `json:"explain,omitempty"` // with `--explain`
	Drawing string       `json:"drawing,omitempty"` // file of the drawing
	Checked bool         `json:"-"`                 // whether the whole network was simulated to check the estimate
}

// linesOfLinks is the largest number of links in the text of an assessment.
const linesOfLinks = 10

// Text formats the errors by flow size, and the links at which slow flows wait. `heading` formats the headings.
func (a *Assessment) Text(heading func(string) string) (string, error) {
	var t cols.Text
	if a == nil {
		return t.Done()
	}
	name := func(part string) string { return heading(fmt.Sprintf("%-12s", part)) }
	if a.Checked && a.Check == nil {
		t.Printf("%s no flow ended in both the estimate and the run\n", name("error"))
	}
	if a.Check != nil {
		t.Printf("%s of the estimated slowdown relative to the packet simulation (95 %% interval), with %.2f times "+
			"its packet-hops\n",
			name("error"), a.Work)
		t.Rows(a.errorRows())
	}
	x := a.Explain
	if x == nil {
		return t.Done()
	}
	if len(x.Links) == 0 {
		t.Printf("%s no flow of the estimate ended\n", name("links"))
		return t.Done()
	}
	t.Printf("%s where the %s with a slowdown of %.2f (p99) or more %s\n", name("links"), number.Count(x.Flows, "flow"),
		x.Slowdown, number.Plural(x.Flows, "waits", "wait"))
	var rows []linkRow
	for _, l := range x.Links[:min(linesOfLinks, len(x.Links))] {
		if l.Share > 0 {
			rows = append(rows, linkRow{l.Link, number.Share(l.Share), number.Share(l.Load), l.Flows})
		}
	}
	t.Rows(rows)
	t.Printf("%s %s\n", name("drawing"), a.Drawing)
	return t.Done()
}

func size(b unit.Bytes) string { return number.Format(float64(b), number.Bytes, 3) }

// linkRow and errorRow are rows of the printed tables.
type linkRow struct {
	Link  string `col:"link"`
	Share string `col:"share"`
	Load  string `col:"load"`
	Flows int    `col:"worst of flows"`
}

type errorRow struct {
	Size  string  `col:"flow size"`
	Flows int     `col:"flows"`
	P50   float64 `col:"p50"`
	Off50 string  `col:"p50 off by"`
	P99   float64 `col:"p99"`
	Off99 string  `col:"p99 off by"`
}

// errorRows returns the errors by flow size. An error with an interval shows the interval.
func (a *Assessment) errorRows() (rows []errorRow) {
	percent := func(v float64) string { return number.Change(v, 1) + " %" }
	for i, e := range a.Check {
		r := errorRow{size(e.Least) + " to " + size(e.Most), e.Flows, e.P50, percent(e.P50Error), e.P99,
			percent(e.P99Error)}
		switch {
		case i == len(a.Check)-1:
			r.Size = "all"
		case e.Least == e.Most:
			r.Size = size(e.Least)
		}
		if e.Half > 0 {
			r.Off99 += fmt.Sprintf(" (%s to %s)", number.Change(e.P99Low, 1), number.Change(e.P99High, 1))
		}
		rows = append(rows, r)
	}
	return rows
}
