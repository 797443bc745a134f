package faults

import (
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/guard"
	"pintlab/experiments/scenario"
	"pintlab/plots"
	"pintlab/plots/report"
)

// lossy are the kinds that lose packets.
var lossy = []string{scenario.Blackhole, scenario.BlackholeEntry, scenario.Loop, LoopWithoutPFC, scenario.RandomDrop, scenario.HostFailure, scenario.SwitchFailure}

// names are the views in the legend.
var names = map[guard.View]string{guard.Exact: "exact counters", guard.Whole: "LightGuardian, sketches read whole", guard.Sketches: "LightGuardian", guard.Voting: "LightGuardian + host votes", "pint": "PINT, 16 bits"}

// at is the row of a kind by a view; nil without one.
func at(rows []Row, kind string, v guard.View) *Row {
	for i := range rows {
		if rows[i].Fault == kind && rows[i].View == string(v) {
			return &rows[i]
		}
	}
	return nil
}

func check(rows []Row) []figure.Finding {
	return []figure.Finding{
		located("exact counters of every switch locate some fault of every kind", rows, guard.Exact),
		located("16 bits of PINT do, too", rows, "pint"),
		better("over all kinds, PINT has a higher F1 than LightGuardian's sketches and rules in runs of milliseconds", rows, "pint", guard.Sketches, Kinds...),
		better("LightGuardian's sketches have a higher F1 with the comparison of flows that PINT has, too", rows, guard.Voting, guard.Sketches, Kinds...),
		better("they have a higher F1 when they are read whole than when packets carry them", rows, guard.Whole, guard.Sketches, Kinds...),
		better("of faults that lose packets, exact counters have a higher F1 than PINT", rows, guard.Exact, "pint", lossy...),
		pauses(rows),
	}
}

// pauses says what PFC does to the location of loops.
func pauses(rows []Row) figure.Finding {
	var list []string
	for _, v := range views {
		if a, b := at(rows, scenario.Loop, v), at(rows, LoopWithoutPFC, v); a != nil && b != nil {
			list = append(list, fmt.Sprintf("%s %.3f and %.3f", names[v], a.F1, b.F1))
		}
	}
	return figure.Finding{Outcome: figure.Found, Statement: "F1 of loops with PFC and without", Detail: strings.Join(list, ", ")}
}

// located holds if some fault of each kind is located, and fails if none of a kind is.
func located(statement string, rows []Row, v guard.View) figure.Finding {
	missed, n := "", 0
	for _, k := range Kinds {
		r := at(rows, k, v)
		if r == nil || math.IsNaN(r.Located) {
			continue
		}
		n++
		if r.Located == 0 {
			missed += " " + k
		}
	}
	if missed == "" {
		missed = " none"
	}
	return figure.Judge(statement, missed == " none" && n == len(Kinds), missed != " none", "missed:%s, of %s with victims", missed, figure.Count(n, "kind"))
}

// mean is the mean F1 over some kinds, and of the ends of the intervals.
func mean(rows []Row, v guard.View, of []string) (f1, lo, hi float64) {
	n := 0
	for _, k := range of {
		if r := at(rows, k, v); r != nil {
			f1, lo, hi, n = f1+r.F1, lo+r.F1Lo, hi+r.F1Hi, n+1
		}
	}
	return f1 / float64(n), lo / float64(n), hi / float64(n)
}

// better compares means over the kinds; the mean of the ends of the intervals is wider than that of the mean.
func better(statement string, rows []Row, a, b guard.View, of ...string) figure.Finding {
	x, _, xHi := mean(rows, a, of)
	y, yLo, _ := mean(rows, b, of)
	return figure.Judge(statement, x > y, xHi < yLo, "%.3f against %.3f", x, y)
}

// published are the numbers of LightGuardian's testbed (§8.3.1, Fig. 7), with ten million packets and 0.8 MB or more in a switch.
var published = []struct {
	kind string
	f1   float64
}{{scenario.Blackhole, 0.99}, {scenario.Loop, 0.99}, {scenario.Jitter, 1}}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		for _, v := range views[1:] {
			if r := at(rows, p.kind, v); r != nil {
				list = append(list, figure.Beside(report.Compared{
					Quantity: fmt.Sprintf("F1 of %s, %s", p.kind, names[v]), Published: p.f1, Ours: r.F1, Lo: r.F1Lo, Hi: r.F1Hi,
					Source: "LightGuardian §8.3.1, Fig. 7, sketches",
				}))
			}
		}
	}
	return list
}

// line is a row as people read it.
type line struct {
	Fault     string  `col:"fault"`
	View      string  `col:"by"`
	Precision float64 `col:"precision"`
	Recall    float64 `col:"recall"`
	F1        float64 `col:"F1"`
	Located   float64 `col:"faults located" unit:"%"`
	After     float64 `col:"first after" unit:"s"`
	Faults    int     `col:"faults"`
	Victims   int     `col:"victims"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	for i := range rows {
		r := &rows[i]
		lines = append(lines, line{r.Fault, names[guard.View(r.View)], r.Precision, r.Recall, r.F1, 100 * r.Located, r.After, r.Faults, r.Victims})
	}
	return []figure.Table{{Caption: "Which fault is located by what, on the same packets. Precision and recall count victims; a fault is located when one victim names it.", Rows: lines}}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Which faults 16 bits of PINT locate", Columns: 2}
	var ticks []plots.Tick
	for i, k := range Kinds {
		ticks = append(ticks, plots.Tick{At: float64(i), Label: k})
	}
	value := func(x float64) *float64 { return &x }
	x := plots.Axis{Label: "Fault", Scale: plots.Linear, Ticks: ticks, Min: value(-0.5), Max: value(float64(len(Kinds)) - 0.5)}
	share := func(label string) plots.Axis {
		return plots.Axis{Label: label, Scale: plots.Linear, Min: value(0), Max: value(1.05)}
	}
	for _, p := range []struct {
		title string
		y     plots.Axis
		of    func(*Row) (y, lo, hi float64)
	}{
		{"precision", share("Right among named"), func(r *Row) (float64, float64, float64) { return r.Precision, r.PLo, r.PHi }},
		{"recall", share("Right among victims of faults"), func(r *Row) (float64, float64, float64) { return r.Recall, r.RLo, r.RHi }},
		{"faults located", share("Share of the faults"), func(r *Row) (float64, float64, float64) { return r.Located, math.NaN(), math.NaN() }},
		{"time to the first right name", plots.Axis{Label: "Time from the fault", Unit: plots.InSeconds, Scale: plots.Log}, func(r *Row) (float64, float64, float64) { return r.After, math.NaN(), math.NaN() }},
	} {
		panel := plots.Panel{Title: p.title, X: x, Y: p.y}
		for v, view := range views {
			s := plots.Series{Name: names[view], Style: plots.Points}
			for i, k := range Kinds {
				r := at(rows, k, view)
				if r == nil {
					continue
				}
				if y, lo, hi := p.of(r); !math.IsNaN(y) {
					s.X, s.Y = append(s.X, float64(i)+0.15*float64(v-2)), append(s.Y, y)
					s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
				}
			}
			if len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return []figure.Drawing{{Name: "faults", Caption: "Precision, recall, faults located and the time that took, by kind of fault.", Plot: f}}, nil
}
