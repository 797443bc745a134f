package validate

import (
	"fmt"
	"math"
	"slices"

	"pintlab/internal/number"
	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/plots"
)

// Draw makes the drawings. The key is the name of the file: "errors" shows errors by the size of tables, "curves" by
// the argument of the tables, "loads" by load and queue, and "recorded" the distribution over a recorded run, if
// there is one.
func (r *Report) Draw() (map[string]plots.Figure, error) {
	loads, err := r.drawLoads()
	if err != nil {
		return nil, err
	}
	curves, err := drawCurves()
	if err != nil {
		return nil, err
	}
	drawings := map[string]plots.Figure{"errors": r.drawErrors(), "curves": curves, "loads": loads}
	if len(r.Recorded) > 0 {
		drawings["recorded"] = r.drawRecorded()
	}
	return drawings, nil
}

// drawRecorded draws the distribution of the error of U over the packets of a recorded run. There is a panel for
// each form.
func (r *Report) drawRecorded() plots.Figure {
	f := plots.Figure{
		Title:    "Error of U over the packets of a recorded run",
		Footnote: "without the 1 % of the packets with the smallest and the 1 % with the largest error",
	}
	for _, d := range r.Recorded {
		if d.Bits%2 != 0 {
			continue
		}
		s := plots.Series{Name: fmt.Sprintf("q = %d", d.Bits), Style: plots.Trace}
		for i, e := range d.Quantiles {
			if i == 0 || i == len(d.Quantiles)-1 {
				continue // a few packets with large errors would take up the whole axis
			}
			s.X, s.Y = append(s.X, 100*e), append(s.Y, float64(i)/100)
		}
		i := slices.IndexFunc(f.Panels, func(p plots.Panel) bool { return p.Title == d.Form })
		if i < 0 {
			i = len(f.Panels)
			f.Panels = append(f.Panels, plots.Panel{
				Title: d.Form,
				X:     plots.Axis{Label: "Error of U", Unit: "%", Scale: plots.Linear},
				Y:     plots.Axis{Label: "Share of packets", Scale: plots.Linear},
			})
		}
		f.Panels[i].Series = append(f.Panels[i].Series, s)
	}
	return f
}

// drawErrors draws the errors as functions of q.
func (r *Report) drawErrors() plots.Figure {
	operations := []string{opLog, opExp, opMul, opDiv, opDirectMul, opDirectDiv, opCode}
	var results []string
	for _, form := range fixedpoint.Forms() {
		results = append(results, opLoad(form), OpRecorded(form))
	}
	panel := func(title string, names []string, value func(ErrorRow) float64) plots.Panel {
		p := plots.Panel{
			Title: title,
			X:     plots.Axis{Label: "q: tables of 2^q entries", Scale: plots.Linear, Whole: true},
			Y:     plots.Axis{Label: "Error", Unit: "%", Scale: plots.Log},
		}
		for _, name := range names {
			s := plots.Series{Name: name, Style: plots.Line}
			for _, e := range r.Errors {
				if e.Operation == name {
					s.X, s.Y = append(s.X, float64(e.Bits)), append(s.Y, 100*value(e))
				}
			}
			if len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		return p
	}
	return plots.Figure{
		Title: "Error against the size of the tables",
		Panels: []plots.Panel{
			panel("One operation, largest", operations, func(e ErrorRow) float64 { return e.Max }),
			panel("U of a port, mean", results, func(e ErrorRow) float64 { return e.Mean }),
		},
		Footnote: fmt.Sprintf("log2: absolute error times 100, the others relative; U at %v, T = %v, "+
			"bursts at 10 to 100 %% load", p4.Rate, p4.Horizon),
	}
}

// drawCurves draws the errors of the two tables as functions of their argument.
func drawCurves() (plots.Figure, error) {
	panels := []plots.Panel{
		{Title: "log2(x)", X: plots.Axis{Label: "x", Scale: plots.Linear},
			Y: plots.Axis{Label: "Error (absolute)", Scale: plots.Linear}},
		{Title: "2^x", X: plots.Axis{Label: "x", Scale: plots.Linear},
			Y: plots.Axis{Label: "Error (relative)", Unit: "%", Scale: plots.Linear}},
	}
	for _, q := range []int{4, 6, 8} {
		t, err := fixedpoint.NewTables(q)
		if err != nil {
			return plots.Figure{}, err
		}
		l := plots.Series{Name: fmt.Sprintf("q = %d", q), Style: plots.Trace}
		e := l
		for i := range 1024 {
			x := uint64(1<<20 + i<<10) // 1 to 2, with 20 fractional bits
			l.X = append(l.X, float64(x)/(1<<20))
			l.Y = append(l.Y, t.Log2(x).Real()-20-math.Log2(float64(x)/(1<<20)))
			y := fixedpoint.Log(i << 10) // 0 to 1, the range of the table
			e.X = append(e.X, y.Real())
			e.Y = append(e.Y, 100*(float64(t.Exp2(y, 30))/(1<<30)/math.Exp2(y.Real())-1))
		}
		panels[0].Series = append(panels[0].Series, l)
		panels[1].Series = append(panels[1].Series, e)
	}
	return plots.Figure{Title: "Errors of the tables over the argument", Panels: panels}, nil
}

// drawLoads draws the error of U as a function of load and queue. There is a panel for each form.
func (r *Report) drawLoads() (plots.Figure, error) {
	var cells []plots.Cell
	for _, c := range r.Loads {
		cells = append(cells, plots.Cell{
			Panel: c.Form, Value: 100 * c.Error,
			X: number.Share(c.Load), Y: number.Format(c.Queue, plots.InBytes, 3),
		})
	}
	panels, err := plots.HeatMaps(cells, plots.Axis{Label: "Load of the link"}, plots.Axis{Label: "Queue"},
		plots.Heat{Label: "Error of U", Unit: "%", Center: plots.At(0), Values: true})
	return plots.Figure{
		Title: "Error of U over load and queue", Panels: panels,
		Footnote: fmt.Sprintf("the tables of the programs, %v, T = %v, packets of 1048 B; for a recorded run, the "+
			"mean over its packets", p4.Rate, p4.Horizon),
	}, err
}
