package estimate

import (
	"fmt"

	cols "pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// An Assessment is how far an estimate is off, and where its slow flows wait.
type Assessment struct {
	Check   []Error      `json:"check,omitempty"`   // errors by flow size, with `--check`
	Work    float64      `json:"work,omitempty"`    // packet-hops of the estimate over packet-hops of the run
	Explain *Explanation `json:"explain,omitempty"` // with `--explain`
	Drawing string       `json:"drawing,omitempty"` // file of the drawing
	Checked bool         `json:"-"`                 // whether packets were simulated
}

// linesOfLinks is the largest number of links in the text of an assessment.
const linesOfLinks = 10

// Text prints the errors by flow size and the links for which slow flows wait. heading formats the name of a part.
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
		t.Printf("%s of the estimate against packets, in %%; [95 %% interval]; %.2f of the packet-hops\n",
			name("error"), a.Work)
		a.printErrors(&t)
	}
	x := a.Explain
	if x == nil {
		return t.Done()
	}
	if len(x.Links) == 0 {
		t.Printf("%s no flow of the estimate ended\n", name("links"))
		return t.Done()
	}
	t.Printf("%s where the %d flows with a slowdown from %.2f (p99) wait\n", name("links"), x.Flows, x.Slowdown)
	t.Printf("%32s %8s %8s %14s\n", "", "share", "load", "worst of flows")
	for _, l := range x.Links[:min(linesOfLinks, len(x.Links))] {
		if l.Share == 0 {
			break
		}
		t.Printf("%32s %8s %8s %14d\n", l.Link, number.Share(l.Share), number.Share(l.Load), l.Flows)
	}
	t.Printf("%s %s\n", name("drawing"), a.Drawing)
	return t.Done()
}

func size(b unit.Bytes) string { return number.Format(float64(b), number.Bytes, 3) }

func (a *Assessment) printErrors(t *cols.Text) {
	t.Printf("%24s %8s %9s %9s %9s %9s %20s\n", "", "flows", "p50", "error", "p99", "error", "")
	for i, e := range a.Check {
		name := size(e.Least) + " to " + size(e.Most)
		switch {
		case i == len(a.Check)-1:
			name = "all"
		case e.Least == e.Most:
			name = size(e.Least)
		}
		interval := ""
		if e.Half > 0 {
			interval = fmt.Sprintf("[%+.1f, %+.1f]", e.P99Error-e.Half, e.P99Error+e.Half)
		}
		t.Printf("%24s %8d %9.2f %+9.1f %9.2f %+9.1f %20s\n",
			name, e.Flows, e.P50, e.P50Error, e.P99, e.P99Error, interval)
	}
}
