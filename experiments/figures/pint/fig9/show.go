package fig9

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/plots"
)

var (
	workloads = []string{congestion.Web.Name, congestion.Hadoop.Name}
	quantiles = []float64{0.5, 0.99}
	widths    = []int{4, 8}
)

// curve is the rows of one line of the figure, in the order of its x axis. sketch says
// with a sketch or without; in part 2 the line without has one point.
func curve(rows []Row, part int, workload string, quantile float64, bits int, sketch bool) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return r.Part == part && r.Workload == workload && r.Quantile == quantile && r.Bits == bits && (r.Sketch > 0) == sketch && r.Count > 0
	})
}

// each calls f for every panel and width.
func each(f func(workload string, quantile float64, bits int)) {
	for _, w := range workloads {
		for _, q := range quantiles {
			for _, b := range widths {
				f(w, q, b)
			}
		}
	}
}

func name(quantile float64) string {
	if quantile == 0.5 {
		return "median"
	}
	return fmt.Sprintf("p%g", 100*quantile)
}

func check(rows []Row) []figure.Finding {
	return []figure.Finding{settles(rows), sketchCostsLittle(rows), moreBits(rows), bounded(rows), commonCodes(rows)}
}

// settles holds the error after most packets against that after fewest.
func settles(rows []Row) figure.Finding {
	confirmed, contradicted, detail := true, false, ""
	each(func(w string, q float64, bits int) {
		c := curve(rows, 1, w, q, bits, false)
		if len(c) < 2 {
			confirmed = false
			return
		}
		a, b := c[0], c[len(c)-1]
		noise := 2 * math.Hypot(a.StdErr, b.StdErr)
		confirmed = confirmed && b.Error <= math.Max(a.Error, a.Epsilon)+1
		contradicted = contradicted || b.Error > math.Max(a.Error, a.Epsilon)+1.5*noise+1
		if bits == 8 {
			detail += fmt.Sprintf("%s %s: %.1f %% to %.1f %%; ", w, name(q), a.Error, b.Error)
		}
	})
	return figure.Judge("the error does not grow with the number of packets, unless it is below that of the code", confirmed, contradicted, "%s8 bits, all samples kept", detail)
}

// little is what a sketch may add to the error, %.
const little = 5

// sketchCostsLittle averages over the points of a line.
func sketchCostsLittle(rows []Row) figure.Finding {
	worst, noise, at := math.Inf(-1), 0.0, ""
	each(func(w string, q float64, bits int) {
		with, without := curve(rows, 1, w, q, bits, true), curve(rows, 1, w, q, bits, false)
		n := min(len(with), len(without))
		sum, dev := 0.0, 0.0
		for i := range n {
			sum += with[i].Error - without[i].Error
			dev = math.Max(dev, 2*math.Hypot(with[i].StdErr, without[i].StdErr))
		}
		if n > 0 && sum/float64(n) > worst {
			worst, noise, at = sum/float64(n), dev, fmt.Sprintf("%s, %s, b = %d", w, name(q), bits)
		}
	})
	return figure.Judge(fmt.Sprintf("row 1: a sketch of 100 digests adds at most %d %% to the error, on average over the numbers of packets", little),
		at != "" && worst <= little, worst > little+noise, "at worst %+.2f %% (%s)", worst, at)
}

func moreBits(rows []Row) figure.Finding {
	better, worse := 0, 0
	for _, w := range workloads {
		for _, q := range quantiles {
			four, eight := curve(rows, 1, w, q, 4, false), curve(rows, 1, w, q, 8, false)
			for i := range min(len(four), len(eight)) {
				switch noise := 2 * math.Hypot(four[i].StdErr, eight[i].StdErr); {
				case eight[i].Error < four[i].Error-noise:
					better++
				case eight[i].Error > four[i].Error+noise:
					worse++
				}
			}
		}
	}
	return figure.Judge("8 bits err less than 4", better > 0 && worse == 0, worse > better, "significantly less at %d points, more at %d", better, worse)
}

func bounded(rows []Row) figure.Finding {
	most, ok := 0.0, true
	for _, r := range rows {
		if r.Count > 0 && r.Bits == 8 && r.Part < 3 {
			most = math.Max(most, r.Rank/r.Bound)
			ok = ok && r.Rank <= r.Bound
		}
	}
	return figure.Judge("the mean rank error with 8 bits is within the bound of Theorem 1", ok && most > 0, !ok, "at most %.2f of it", most)
}

// commonCodes holds row 3 against Theorem 2.
func commonCodes(rows []Row) figure.Finding {
	broken, most, any := 0.0, 0.0, false
	for _, r := range rows {
		if r.Part == 3 && r.Count > 0 {
			any = true
			broken = math.Max(broken, float64(r.Broken)/float64(r.Count))
			most = math.Max(most, r.Rank/r.Bound)
		}
	}
	ok := broken <= delta && most <= 1
	return figure.Judge(fmt.Sprintf("Theorem 2 fails for at most %g %% of the hops, and the mean error of a share is within its bound", 100*delta),
		any && ok, any && !ok, "fails for at most %.3g %%; the error is at most %.2f of the bound", 100*broken, most)
}

// line is a line of the tables.
type line struct {
	Workload string  `col:"workload"`
	Quantile string  `col:"quantile"`
	Bits     int     `col:"bits" unit:"b"`
	Packets  int     `col:"packets"`
	Sketch   string  `col:"sketch"`
	Error    float64 `col:"error" unit:"%"`
	StdErr   float64 `col:"±" unit:"%"`
	Rank     float64 `col:"rank error"`
	Bound    float64 `col:"Theorem 1"`
	Count    int     `col:"estimates"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for part, caption := range []string{"Row 1: by the number of packets", "Row 2: by the size of the sketch"} {
		var lines []line
		for _, r := range rows {
			if r.Part != part+1 {
				continue
			}
			sketch := "all samples"
			if r.Sketch > 0 {
				sketch = fmt.Sprintf("%d digests", r.Sketch)
			}
			lines = append(lines, line{r.Workload, name(r.Quantile), r.Bits, r.Packets, sketch, r.Error, 2 * r.StdErr, r.Rank, r.Bound, r.Count})
		}
		list = append(list, figure.Table{Caption: caption, Rows: lines, Folded: true})
	}
	var lines []frequentLine
	for _, r := range rows {
		if r.Part == 3 {
			lines = append(lines, frequentLine{r.Workload, r.Bits, r.Packets, r.Sketch, r.Frequent, r.Found, r.Rank, r.Bound, r.Broken, r.Count})
		}
	}
	return append(list, figure.Table{Rows: lines, Folded: true, Caption: fmt.Sprintf(
		"Codes that make up %g %% or more of a hop's latencies, with Space-Saving (Theorem 2)", 100*theta)})
}

// frequentLine is a line of the table of row 3.
type frequentLine struct {
	Workload string  `col:"workload"`
	Bits     int     `col:"bits" unit:"b"`
	Packets  int     `col:"packets"`
	Counters int     `col:"counters"`
	Frequent int     `col:"frequent codes"`
	Found    int     `col:"found"`
	Error    float64 `col:"largest error of a share"`
	Bound    float64 `col:"Theorem 2"`
	Broken   int     `col:"hops where it fails"`
	Count    int     `col:"hops"`
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for part, d := range []struct{ file, title, x, caption string }{
		{"row1", "Fig. 9, row 1: error by the number of packets", "Packets", "Relative error of latency quantiles against the number of packets; the sketch of a hop holds 100 digests."},
		{"row2", "Fig. 9, row 2: error by the size of the sketch", "Digests in the sketch of a hop", "Relative error of latency quantiles against the size of the sketch, after a fixed number of packets; dotted: all samples kept."},
	} {
		f := plots.Figure{Title: d.title, Columns: 2}
		letter := 'a'
		for _, w := range workloads {
			for _, q := range quantiles {
				p := plots.Panel{
					Title: fmt.Sprintf("(%c) %s, %s", letter, w, name(q)),
					X:     plots.Axis{Label: d.x, Scale: plots.Linear, Min: plots.At(0)},
					Y:     plots.Axis{Label: "Relative error", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
				}
				letter++
				for _, b := range widths {
					for _, sketch := range []bool{true, false} {
						p.Series = append(p.Series, series(rows, part+1, w, q, b, sketch))
					}
				}
				f.Panels = append(f.Panels, p)
			}
		}
		list = append(list, figure.Drawing{Name: d.file, Caption: d.caption, Plot: f})
	}
	return list, nil
}

// series is a line; without a sketch it is dotted.
func series(rows []Row, part int, w string, q float64, bits int, sketch bool) plots.Series {
	s := plots.Series{Name: fmt.Sprintf("b = %d, sketch", bits), Hue: fmt.Sprint(bits), Style: plots.Line}
	if !sketch {
		s.Name, s.Pattern = fmt.Sprintf("b = %d, all samples", bits), plots.Dotted
	}
	c := curve(rows, part, w, q, bits, sketch)
	if part == 2 && !sketch && len(c) == 1 {
		// No sketch: one value across the panel.
		if with := curve(rows, part, w, q, bits, true); len(with) > 0 {
			c = []Row{c[0], c[0]}
			c[0].Sketch, c[1].Sketch = with[0].Sketch, with[len(with)-1].Sketch
		}
	}
	for _, r := range c {
		x := r.Packets
		if part == 2 {
			x = r.Sketch
		}
		s.X, s.Y = append(s.X, float64(x)), append(s.Y, r.Error)
		s.Lo, s.Hi = append(s.Lo, math.Max(0, r.Error-2*r.StdErr)), append(s.Hi, r.Error+2*r.StdErr)
	}
	return s
}
