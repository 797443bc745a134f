package fig6

import (
	"fmt"
	"math"
	"strconv"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/accuracy"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// at is the row of a sketch; nil without one.
func at(rows []Row, k accuracy.Kind, lock string, goroutines int) *Row {
	for i := range rows {
		if r := &rows[i]; r.Sketch == k.Label() && r.Lock == lock && r.Goroutines == goroutines {
			return r
		}
	}
	return nil
}

// over is the ratio of the insertion into two sketches on one core; NaN without one of them.
func over(rows []Row, a, b accuracy.Kind) float64 {
	x, y := at(rows, a, alone, 1), at(rows, b, alone, 1)
	if x == nil || y == nil {
		return math.NaN()
	}
	return x.Insert / y.Insert
}

// unlocked calls visit with the rows of both towers without a lock and with one, for each number of goroutines
// above one.
func unlocked(rows []Row, visit func(free, locked *Row)) {
	for i := range rows {
		r := &rows[i]
		if r.Lock != lockFree || r.Goroutines < 2 {
			continue
		}
		for k := range rows {
			if x := &rows[k]; x.Lock == mutex && x.Sketch == r.Sketch && x.Goroutines == r.Goroutines {
				visit(r, x)
			}
		}
	}
}

// noise is the factor that other work on the machine may make between two rates.
const noise = 1.5

func check(rows []Row) []figure.Finding {
	var list []figure.Finding
	for _, k := range towers {
		least := math.Min(over(rows, k, accuracy.CM), over(rows, k, accuracy.CU))
		list = append(list, figure.Judge(fmt.Sprintf("%s takes in packets at least half as fast as CM and CU", k.Label()),
			least >= 0.5, least < 0.5/noise, "%.2f times as fast", least))
	}
	elastic := math.Inf(1)
	for _, k := range single {
		if x := over(rows, accuracy.Elastic, k); k != accuracy.Elastic && !math.IsNaN(x) {
			elastic = math.Min(elastic, x)
		}
	}
	list = append(list, figure.Judge("ElasticSketch takes in packets faster than all others", elastic > 1 && !math.IsInf(elastic, 1), elastic < 1/noise,
		"%.2f times as fast as the fastest other", elastic).
		Expect(oneByOne))
	faster, worse := math.Inf(1), 0.0
	unlocked(rows, func(free, locked *Row) {
		faster = math.Min(faster, free.Insert/locked.Insert)
		worse = math.Max(worse, free.Error/locked.Error)
	})
	known := !math.IsInf(faster, 1)
	return append(list,
		// Where other work takes the cores, goroutines take turns and nobody waits for a lock: this is never contradicted.
		figure.Judge("goroutines that share a sketch insert faster without a lock", known && faster > 1, false, "at least %.2f times as fast", faster),
		figure.Judge("without a lock the ARE is at most 1 % higher", known && worse <= 1.01, worse > 1.05, "at most %+.2f %%", stats.Percent(worse)))
}

const source = "SketchINT §VII-B2, Fig. 6"

// published are the speeds that the text of the SketchINT paper gives for one core, in Mpps.
var published = map[accuracy.Kind]float64{accuracy.TowerCM: 22.6, accuracy.CM: 27.1, accuracy.CU: 21.7}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	number := func(quantity, unit string, published, ours float64) {
		if !math.IsNaN(ours) {
			list = append(list, figure.Beside(report.Compared{
				Quantity: quantity, Unit: unit, Published: published, Ours: ours, Lo: math.NaN(), Hi: math.NaN(), Source: source,
			}))
		}
	}
	for _, k := range single {
		if x, ok := published[k]; ok {
			if r := at(rows, k, alone, 1); r != nil {
				number("insertion, "+k.Label(), "Mpps", x, r.Insert)
			}
		}
	}
	for _, k := range []accuracy.Kind{accuracy.CM, accuracy.CU} {
		number(fmt.Sprintf("insertion, %s over TowerCM", k.Label()), "", published[k]/published[accuracy.TowerCM], over(rows, k, accuracy.TowerCM))
	}
	most, ratio := 1, math.NaN()
	unlocked(rows, func(free, locked *Row) {
		if free.Sketch == accuracy.TowerCM.Label() && free.Goroutines > most {
			most, ratio = free.Goroutines, free.Insert/locked.Insert
		}
	})
	number(fmt.Sprintf("insertion, without a lock over with one, 30 threads (ours %d)", most), "", 1.96, ratio)
	return list
}

// line is a line of the table of one core.
type line struct {
	Sketch string  `col:"sketch"`
	Insert float64 `col:"insert" unit:"Mpps"`
	Query  float64 `col:"query" unit:"Mpps"`
}

// sharedLine is a line of the table of several goroutines.
type sharedLine struct {
	Sketch     string  `col:"sketch"`
	Lock       string  `col:"lock"`
	Goroutines int     `col:"goroutines"`
	Insert     float64 `col:"insert" unit:"Mpps"`
	Error      float64 `col:"ARE of flow sizes"`
}

func tables(rows []Row) []figure.Table {
	var lines []line
	var several []sharedLine
	for _, r := range rows {
		if r.Lock == alone {
			lines = append(lines, line{r.Sketch, r.Insert, r.Query})
		} else {
			several = append(several, sharedLine{r.Sketch, r.Lock, r.Goroutines, r.Insert, r.Error})
		}
	}
	return []figure.Table{
		{Caption: "One core, millions of packets per second.", Rows: lines},
		{Caption: "One TowerSketch that goroutines share.", Rows: several},
	}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Speed", Columns: 2}
	for _, x := range []struct {
		label string
		of    func(*Row) float64
	}{
		{"Insertion on one core", func(r *Row) float64 { return r.Insert }},
		{"Queries on one core", func(r *Row) float64 { return r.Query }},
	} {
		p := plots.Panel{
			X: plots.Axis{Label: "Sketch", Scale: plots.Categorical},
			Y: plots.Axis{Label: x.label, Unit: "Mpps", Scale: plots.Linear, Min: plots.At(0)},
		}
		bars := plots.Series{Name: "one core", Style: plots.Bar}
		for _, k := range single {
			if r := at(rows, k, alone, 1); r != nil {
				bars.X, bars.Y = append(bars.X, float64(len(bars.X))), append(bars.Y, x.of(r))
				p.X.Categories = append(p.X.Categories, k.Label())
			}
		}
		p.Series = []plots.Series{bars}
		f.Panels = append(f.Panels, p)
	}
	most := 1
	for _, r := range rows {
		most = max(most, r.Goroutines)
	}
	for _, x := range []struct {
		label, unit string
		of          func(*Row) float64
	}{
		{"Insertion by goroutines", "Mpps", func(r *Row) float64 { return r.Insert }},
		{"ARE of flow sizes", "", func(r *Row) float64 { return r.Error }},
	} {
		p := plots.Panel{
			X: plots.Axis{Label: "Goroutines", Scale: plots.Log, Min: plots.At(1), Max: plots.At(float64(most))},
			Y: plots.Axis{Label: x.label, Unit: x.unit, Scale: plots.Linear, Min: plots.At(0)},
		}
		for _, k := range towers {
			for _, lock := range []string{lockFree, mutex} {
				s := plots.Series{Name: k.Label() + ", lock-free", Hue: k.Label(), Style: plots.Line}
				if lock == mutex {
					s.Name, s.Pattern = k.Label()+", mutex", plots.Dotted
				}
				for i := range rows {
					if r := &rows[i]; r.Sketch == k.Label() && r.Lock == lock {
						s.X, s.Y = append(s.X, float64(r.Goroutines)), append(s.Y, x.of(r))
						if k == towers[0] && lock == lockFree {
							p.X.Ticks = append(p.X.Ticks, plots.Tick{At: float64(r.Goroutines), Label: strconv.Itoa(r.Goroutines)})
						}
					}
				}
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{
		Name: "speed", Plot: f,
		Caption: "Packets per second on one core, and into one TowerSketch that several goroutines share, without a lock and with one, with the error that is left.",
	}}, nil
}
