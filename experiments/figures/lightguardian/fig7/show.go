package fig7

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
	"pintlab/plots"
	"pintlab/plots/report"
)

// located are the rows of (a) to (c).
func located(rows []Row) []locate.Row {
	var list []locate.Row
	for _, r := range rows {
		if r.Broken < 0 {
			list = append(list, r.Row)
		}
	}
	return list
}

// with is the row of a number of broken hosts; nil without one.
func with(rows []Row, broken int) *Row {
	for i := range rows {
		if rows[i].Broken == broken {
			return &rows[i]
		}
	}
	return nil
}

// chance is, of a number of broken hosts, the probability that no edge switch has lost both of
// its hosts, and the expected share of the switches from which some host that works can hear.
func chance(broken int) (frr, rsr float64) {
	all := choose(hosts, broken)
	frr = choose(hosts/2, broken) * math.Pow(2, float64(broken)) / all
	edges, pods := 8*choose(hosts-2, broken-2)/all, 4*choose(hosts-4, broken-4)/all
	return frr, 1 - (edges+2*pods)/20
}

func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

func check(rows []Row) []figure.Finding {
	var list []figure.Finding
	for _, f := range faults {
		list = append(list, scores.Check(located(rows), f)...)
	}
	if r := with(rows, 0); r != nil {
		list = append(list, figure.Judge("without broken hosts every sketch is recovered", r.FRR == 1, r.FRRHi < 1, "FRR %.3f", r.FRR))
	}
	inside, outside, detail := true, false, ""
	for _, r := range rows {
		if r.Broken >= 0 {
			off := math.Abs(r.RSR - r.RSRMost)
			inside, outside = inside && off <= 0.01, outside || off > 0.05
			detail = fmt.Sprintf("%.4f of %.4f with %d", r.RSR, r.RSRMost, r.Broken)
		}
	}
	return append(list, figure.Judge("RSR is the share of the switches from which some host that works can hear, within 0.01", inside && detail != "", outside, "%s", detail))
}

// published are the numbers of the text for broken hosts.
var published = []struct {
	broken int
	full   bool // FRR, not RSR
	text   string
	value  float64
}{{4, true, "more than", 0.6}, {7, false, "more than", 0.9}, {8, false, "", 0.89}}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, f := range faults {
		list = append(list, scores.Compare(located(rows), f, source, false)...)
	}
	for _, p := range published {
		r := with(rows, p.broken)
		if r == nil {
			continue
		}
		c := report.Compared{Quantity: fmt.Sprintf("RSR, %d of 16 hosts broken", p.broken), Published: p.value, Ours: r.RSR, Lo: r.RSRLo, Hi: r.RSRHi, Source: source}
		if p.full {
			c.Quantity, c.Ours, c.Lo, c.Hi = fmt.Sprintf("FRR, %d of 16 hosts broken", p.broken), r.FRR, r.FRRLo, r.FRRHi
		}
		if p.text != "" {
			c.Quantity += " (published: " + p.text + ")"
		}
		list = append(list, figure.Beside(c))
	}
	return list
}

func tables(rows []Row) []figure.Table {
	type line struct {
		Broken  int     `col:"broken hosts"`
		FRR     float64 `col:"FRR"`
		FRRMost float64 `col:"possible"`
		FRRMean float64 `col:"expected"`
		RSR     float64 `col:"RSR"`
		RSRMost float64 `col:"possible with these hosts"`
		RSRMean float64 `col:"expected share"`
		Runs    int     `col:"runs"`
	}
	var lines []line
	for _, r := range rows {
		if r.Broken >= 0 {
			frr, rsr := chance(r.Broken)
			lines = append(lines, line{r.Broken, r.FRR, r.FRRMost, frr, r.RSR, r.RSRMost, rsr, r.Runs})
		}
	}
	var list []figure.Table
	for _, f := range faults {
		list = append(list, scores.Tables(located(rows), f)...)
	}
	return append(list, figure.Table{Caption: "Recovery of sketches, what the broken hosts of these runs leave possible, and what any choice of them does on average.", Rows: lines})
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var panels []plots.Panel
	for _, f := range faults {
		panels = append(panels, scores.F1Panel(located(rows), f))
	}
	d := plots.Panel{
		Title: "broken hosts",
		X:     plots.Axis{Label: "Broken hosts of 16", Scale: plots.Linear, Whole: true},
		Y:     plots.Axis{Label: "Share recovered", Scale: plots.Linear},
	}
	frr, rsr := plots.Series{Name: "all sketches (FRR)", Style: plots.Line}, plots.Series{Name: "sketches (RSR)", Style: plots.Line}
	theirs := plots.Series{Name: "sketches (RSR)", Style: plots.Points, Published: true}
	all := plots.Series{Name: "all sketches (FRR)", Style: plots.Points, Published: true}
	for _, r := range rows {
		if r.Broken < 0 {
			continue
		}
		x := float64(r.Broken)
		frr.X, frr.Y, frr.Lo, frr.Hi = append(frr.X, x), append(frr.Y, r.FRR), append(frr.Lo, r.FRRLo), append(frr.Hi, r.FRRHi)
		rsr.X, rsr.Y, rsr.Lo, rsr.Hi = append(rsr.X, x), append(rsr.Y, r.RSR), append(rsr.Lo, r.RSRLo), append(rsr.Hi, r.RSRHi)
	}
	for _, p := range published {
		s := &theirs
		if p.full {
			s = &all
		}
		s.X, s.Y = append(s.X, float64(p.broken)), append(s.Y, p.value)
	}
	d.Series = []plots.Series{frr, rsr, all, theirs}
	return []figure.Drawing{{Name: "faults", Caption: "F1 against the memory of a switch, and what is recovered when hosts are broken. Hollow marks: numbers of the paper's text.",
		Plot: plots.Figure{Title: "Locating faults", Columns: 2, Panels: append(panels, d)}}}, nil
}
