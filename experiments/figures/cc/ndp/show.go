package ndp

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/plots"
)

// published is NDP's mean goodput in a permutation of 432 hosts, % of the links (Fig. 14).
const published = 92

// one is the row of a scheme in a table of means, at x if that is not NaN.
func one(rows []Row, table string, s scheme, x float64) Row {
	for _, r := range rows {
		if r.Table == table && r.Scheme == s.name && (math.IsNaN(x) || r.X == x) {
			return r
		}
	}
	return Row{Scheme: s.name, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

// senders are the sizes of the incasts.
func senders(rows []Row) []float64 {
	var list []float64
	for _, r := range rows {
		if r.Table == incasts && r.Scheme == ndp.name {
			list = append(list, r.X)
		}
	}
	return list
}

// String is the value of a row with its unit.
func (r Row) String() string { return plots.FormatValue(r.Value, r.Unit, 3) }

// below holds if a is certainly below the factor times b, and fails if it is certainly above.
func below(statement string, a, b Row, factor float64) figure.Finding {
	return figure.Judge(statement, a.Hi < factor*b.Lo, a.Lo > factor*b.Hi, "%s: %v; %s: %v", a.Scheme, a, b.Scheme, b)
}

// at is a number as a row to compare with.
func at(name string, value float64, unit string) Row {
	return Row{Scheme: name, Value: value, Lo: value, Hi: value, Unit: unit}
}

func check(rows []Row) []figure.Finding {
	of := func(table string, s scheme) Row { return one(rows, table, s, math.NaN()) }
	list := []figure.Finding{
		below("in a permutation NDP gives hosts more than 90 % of their links", at("90 %", 0.9*linkRate, plots.InBitsPerSecond), of(mean, ndp), 1),
		below("DCTCP, with one path for each flow, gives them at most two thirds of that", of(mean, dctcp), of(mean, ndp), 2.0/3),
		below("so does DCQCN", of(mean, dcqcn), of(mean, ndp), 2.0/3),
		below("NDP's slowest host has more than DCTCP's mean", of(mean, dctcp), of(slowest, ndp), 1),
		below("the longest short flow under load takes at most half of the time of DCTCP's", of(longest, ndp), of(longest, dctcp), 0.5),
		below("and less than DCQCN's", of(longest, ndp), of(longest, dcqcn), 1),
	}
	for _, n := range senders(rows) {
		if n >= 16 {
			list = append(list, below(fmt.Sprintf("an incast of %g ends within 5 %% of what the link needs", n), one(rows, incasts, ndp, n), at("the link", 1, ""), 1.05))
		}
	}
	return list
}

// line is a scheme.
type line struct {
	Scheme    string  `col:"scheme"`
	Mean      float64 `col:"mean goodput" unit:"Gb/s"`
	Share     float64 `col:"of the links" unit:"%"`
	Published float64 `col:"published" unit:"%"`
	Slowest   float64 `col:"slowest host" unit:"Gb/s"`
	Median    float64 `col:"short flows, median" unit:"us"`
	Longest   float64 `col:"longest" unit:"us"`
}

// incastLine is an incast.
type incastLine struct {
	Senders float64 `col:"senders"`
	NDP     float64 `col:"NDP"`
	DCTCP   float64 `col:"DCTCP"`
	DCQCN   float64 `col:"DCQCN"`
	HPCC    float64 `col:"HPCC"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	for _, s := range schemes {
		of := func(table string) float64 { return one(rows, table, s, math.NaN()).Value }
		l := line{s.name, of(mean) / 1e9, 100 * of(mean) / linkRate, math.NaN(), of(slowest) / 1e9, 1e6 * of(median), 1e6 * of(longest)}
		if s.name == ndp.name {
			l.Published = published
		}
		lines = append(lines, l)
	}
	var in []incastLine
	for _, n := range senders(rows) {
		of := func(s scheme) float64 { return one(rows, incasts, s, n).Value }
		in = append(in, incastLine{n, of(ndp), of(dctcp), of(dcqcn), of(hpcc)})
	}
	return []figure.Table{
		{Rows: lines, Caption: "Goodput of a permutation, and completion times of short flows between two other hosts under load."},
		{Rows: in, Caption: "When the last flow of an incast has ended, over what the receiver's link needs for the payload of all."},
	}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	panel := func(table string, x, y plots.Axis, turned bool) plots.Figure {
		p := plots.Panel{X: x, Y: y}
		for _, s := range schemes {
			l := plots.Series{Name: s.name, Style: plots.Trace}
			for _, r := range rows {
				if r.Table != table || r.Scheme != s.name {
					continue
				}
				if turned {
					l.X, l.Y = append(l.X, r.Value), append(l.Y, r.X)
				} else {
					l.X, l.Y = append(l.X, r.X), append(l.Y, r.Value)
				}
				if table == incasts && !math.IsNaN(r.Lo) {
					l.Lo, l.Hi = append(l.Lo, r.Lo), append(l.Hi, r.Hi)
				}
			}
			if table == incasts {
				l.Style = plots.Line
			}
			p.Series = append(p.Series, l)
		}
		return plots.Figure{Panels: []plots.Panel{p}}
	}
	percent := func(label string) plots.Axis {
		return plots.Axis{Label: label, Unit: "%", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(100)}
	}
	perm := panel(goodputs, percent("Hosts, from the slowest on"), plots.Axis{Label: "Goodput", Unit: plots.InBitsPerSecond, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(linkRate)}, false)
	perm.Title = "A permutation: goodput of each host"
	incast := panel(incasts, plots.Axis{Label: "Senders", Scale: plots.Log}, plots.Axis{Label: "Completion time over the ideal", Scale: plots.Linear, Min: plots.At(0.9)}, false)
	incast.Title = "Incasts: when the last flow has ended"
	short := panel(shorts, plots.Axis{Label: "Completion time", Unit: plots.InSeconds, Scale: plots.Log}, percent("Flows up to there"), true)
	short.Title = "Short flows between idle hosts of a busy network"
	return []figure.Drawing{
		{Name: "permutation", Caption: "Goodput of hosts, from the slowest to the fastest, over all seeds.", Plot: perm},
		{Name: "incast", Caption: "Time until the last flow of 450 KB has ended, over what the receiver's link needs.", Plot: incast},
		{Name: "short", Caption: "Completion times of flows of 90 KB, over all seeds.", Plot: short},
	}, nil
}
