package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// gallery returns a figure of every kind, with invented rows.
func gallery(t testing.TB) map[string]Figure {
	t.Helper()
	return map[string]Figure{
		"slowdown": demoSlowdown(t), "slowdown-column": demoSlowdownColumn(t), "fctcdf": demoFCT(), "bars": demoBars(),
		"overhead": demoOverhead(), "timeseries": demoTime(), "incast": demoIncast(), "scatter": demoScatter(),
		"queue": demoQueue(), "heat": demoHeat(t), "heat-diverging": demoDiverging(t), "decode": demoDecode(),
		"palette": demoPalette(),
	}
}

func table(t testing.TB, columns ...Column) *Table {
	t.Helper()
	tab, err := NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func add(t testing.TB, tab *Table, row ...any) {
	t.Helper()
	if err := tab.Append(row...); err != nil {
		t.Fatal(err)
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

var hadoopSizes = []float64{323, 400, 500, 600, 1000, 7000, 46e3, 120e3, 400e3, 10e6}

func demoSlowdown(t testing.TB) Figure {
	var points []Point
	r := random(1)
	for q, p := range []string{"p50", "p95", "p99"} {
		for k, scheme := range []string{"HPCC (INT)", "HPCC (PINT)", "TCP Reno"} {
			for i, size := range hadoopSizes {
				v := (1.1 + 0.2*float64(i)*float64(q+1)) * (1 + 0.15*float64(k*k)) * math.Exp(0.03*r.NormFloat64())
				points = append(points, Point{
					Panel: p, Series: scheme, X: 10 * float64(i+1), Size: size, Y: v, Lo: v * 0.95, Hi: v * 1.06,
					Weak: k == 0 && i == 9,
				})
			}
		}
	}
	for i, size := range hadoopSizes {
		points = append(points, Point{Panel: "p95", Series: "HPCC (PINT)", X: 10 * float64(i+1), Size: size,
			Y: 1.2 + 0.45*float64(i), Published: true})
	}
	f := bySize(t, points, Axis{Label: "Slowdown", Scale: Log})
	f.Title = "Slowdown by flow size, Hadoop traffic"
	f.Subtitle = "320 servers, 100 Gb/s; every tenth of the flows has equal room on the axis"
	f.Footnote = "Load 50 % of the host links (payload); 5 seeds, paired; 10 ms of arrivals; MTU 1000 B payload; " +
		"buffer 32 MB; base RTT 13 us. Bars: 95 % confidence intervals."
	return f
}

func bySize(t testing.TB, points []Point, y Axis) Figure {
	t.Helper()
	list, err := BySize(points, y)
	if err != nil {
		t.Fatal(err)
	}
	return Figure{Panels: list}
}

func demoSlowdownColumn(t testing.TB) Figure {
	var points []Point
	for k, scheme := range []string{"INT", "PINT"} {
		for i, size := range hadoopSizes {
			points = append(points,
				Point{Series: scheme, X: 10 * float64(i+1), Size: size, Y: 1.3 + 0.5*float64(i)*(1-0.12*float64(k))})
		}
	}
	f := bySize(t, points, Axis{Label: "95th-percentile slowdown", Scale: Linear})
	f.Panels[0].Notes = []Note{{X: 70, Y: 3.9, Text: "longer than one BDP"}}
	return f
}

// distributions returns the points of the distributions of samples.
func distributions(points []Point) []Point {
	var list []Point
	for _, p := range Panels(points, Step, Axis{}, Axis{}) {
		for _, s := range p.Series {
			x, y := ECDF(s.X)
			for i := range x {
				list = append(list, Point{Panel: p.Title, Series: s.Name, X: x[i], Y: y[i]})
			}
		}
	}
	return list
}

func demoFCT() Figure {
	var points []Point
	r := random(2)
	for k, scheme := range []string{"INT", "PINT", "DCQCN"} {
		for range 3000 {
			points = append(points,
				Point{Series: scheme, X: 12e-6 * math.Exp(1.4*math.Abs(r.NormFloat64())+0.2*float64(k))})
		}
	}
	f := Figure{Title: "Flow completion times",
		Panels: CDF(distributions(points), Axis{Label: "Flow completion time", Unit: InSeconds})}
	f.Panels[0].X.Lines = []RefLine{{At: 13e-6, Label: "base RTT"}}
	return f
}

func demoBars() Figure {
	var points []Point
	for i := range 3 {
		for k, scheme := range []string{"PINT", "PINT, p = 1/16"} {
			v := []float64{4, 18, 64}[i] - 6*float64(k*i)
			points = append(points,
				Point{Series: scheme, X: float64(i), Y: v, Lo: v - 3 - float64(i), Hi: v + 3 + 2*float64(i)})
		}
		points = append(points, Point{Series: "PINT", Published: true, X: float64(i), Y: []float64{5, 22, 71}[i]})
	}
	return Figure{
		Title: "Goodput of flows above 10 MB, relative to INT feedback",
		Panels: Panels(points, Bar,
			Axis{Label: "Load", Scale: Categorical, Categories: []string{"30 %", "50 %", "70 %"}},
			Axis{Label: "Goodput gain over INT", Unit: "%", Scale: Linear}),
		Footnote: "Web search; 5 seeds, paired; bars: 95 % confidence intervals.",
	}
}

func demoOverhead() Figure {
	var points []Point
	for _, load := range []float64{30, 70} {
		for _, b := range []float64{0, 28, 48, 68, 88, 108} {
			up, down, scheme := 1+b*load/70*0.0024, 1-b*load/70*0.0019, fmt.Sprintf("load %g %%", load)
			points = append(points,
				Point{Panel: "Average FCT", Series: scheme, X: b, Y: up, Lo: up - 0.01, Hi: up + 0.015},
				Point{Panel: "Goodput, flows > 10 MB", Series: scheme, X: b, Y: down, Lo: down - 0.02, Hi: down + 0.02})
		}
	}
	for i, panel := range []string{"Average FCT", "Goodput, flows > 10 MB"} {
		points = append(points,
			Point{Panel: panel, Series: "load 70 %", Published: true, X: 48, Y: []float64{1.10, 0.9}[i]},
			Point{Panel: panel, Series: "load 70 %", Published: true, X: 108, Y: []float64{1.25, 0.8}[i]})
	}
	return Figure{Title: "TCP Reno under telemetry overhead", Panels: Panels(points, Line,
		Axis{Label: "Overhead per packet", Unit: InBytes, Scale: Linear},
		Axis{Label: "Relative to no overhead", Scale: Linear, Lines: []RefLine{{At: 1}}})}
}

// timeAxis is the axis of values over time.
var timeAxis = Axis{Label: "Time", Unit: InSeconds, Scale: Linear}

func demoTime() Figure {
	var points []Point
	r := random(3)
	for k, scheme := range []string{"INT", "PINT"} {
		q := 0.0
		for i := range 20000 {
			q = max(0, q+r.NormFloat64()*3-0.01*q)
			if i == 6000 {
				q += 900 - 100*float64(k)
			}
			points = append(points,
				Point{Panel: "Queue of the bottleneck", Series: scheme, X: float64(i) * 1e-7, Y: 1e3 * q})
		}
	}
	return Figure{Panels: Panels(points, Trace, timeAxis, Axis{Label: "Queue length", Unit: InBytes, Scale: Linear})}
}

func demoIncast() Figure {
	var points []Point
	for k := range 16 {
		for i := range 400 {
			v := 0.0
			if i > 20*k {
				v = 100 / float64(min(1+i/20, 16)) * (1 + 0.2*math.Sin(float64(i+13*k)/9))
			}
			points = append(points, Point{Series: fmt.Sprintf("flow %d", k), X: float64(i) * 5e-6, Y: 1e9 * v})
		}
	}
	f := Figure{Title: "Fairness staircase",
		Panels: Panels(points, Trace, timeAxis,
			Axis{Label: "Rate", Unit: InBitsPerSecond, Scale: Linear, Max: At(100e9)})}
	for i := range f.Panels[0].Series {
		f.Panels[0].Series[i].Muted = true
		f.Panels[0].Series[i].Name = "flows 1 to 15"
	}
	s := &f.Panels[0].Series[0]
	s.Muted, s.Name = false, "flow 0"
	return f
}

func demoScatter() Figure {
	var points []Point
	r := random(4)
	for k, scheme := range []string{"HPCC", "DCTCP"} {
		for range 4000 {
			v := 10e-6 * math.Exp(2*math.Abs(r.NormFloat64()))
			points = append(points, Point{Series: scheme, X: v, Y: v * math.Exp((0.01+0.1*float64(k))*r.NormFloat64())})
		}
	}
	return Figure{Title: "Completion time of each flow, ours against the published simulator's", Panels: Scatter(points,
		Axis{Label: "FCT, published simulator", Unit: InSeconds}, Axis{Label: "FCT, pintlab", Unit: InSeconds})}
}

func demoQueue() Figure {
	var points []Point
	r := random(5)
	for i, layer := range []string{"ToR", "Aggregation", "Core"} {
		for k, scheme := range []string{"INT", "PINT"} {
			for range 2000 {
				points = append(points,
					Point{Panel: layer, Series: scheme,
						X: max(0, 30e3*(1+0.3*float64(k))*r.ExpFloat64()/float64(i+1)-8e3)})
			}
		}
	}
	f := Figure{Title: "Queues by layer",
		Panels: CDF(distributions(points), Axis{Label: "Queue length", Unit: InBytes})}
	for i := range f.Panels {
		f.Panels[i].X.Scale = Linear
	}
	return f
}

func heat(t testing.TB, cells []Cell, x, y string, h Heat) Figure {
	t.Helper()
	h.Unit, h.Values = "%", true
	list, err := HeatMaps(cells, Axis{Label: x}, Axis{Label: y}, h)
	if err != nil {
		t.Fatal(err)
	}
	return Figure{Panels: list}
}

func demoHeat(t testing.TB) Figure {
	var cells []Cell
	for i, m := range []int{1, 2, 4, 8, 16, 32} {
		for j, p := range []int{100, 200, 500, 1000, 2000} {
			if i == 5 && j == 0 {
				continue
			}
			v := 30/math.Sqrt(float64(m)) + 200/math.Sqrt(float64(p)*float64(j+1))
			cells = append(cells, Cell{X: fmt.Sprintf("%d KB", m), Y: fmt.Sprint(p), Value: v})
		}
	}
	f := heat(t, cells, "Memory", "Packets", Heat{Label: "Median relative error"})
	f.Title = "Latency quantile error by memory and packets"
	return f
}

func demoDiverging(t testing.TB) Figure {
	var cells []Cell
	for i := range 24 {
		for j := range 8 {
			cells = append(cells,
				Cell{X: fmt.Sprintf("port %d", i), Y: fmt.Sprintf("switch %d", j), Value: 12*math.Sin(float64(i*j)/9) +
					4})
		}
	}
	f := heat(t, cells, "Egress port", "Switch", Heat{Label: "Deviation", Center: At(0), Max: At(10)})
	f.Title = "Utilisation against the mean of the layer"
	return f
}

func demoDecode() Figure {
	var points []Point
	for i, topo := range []string{"Kentucky Datalink (D = 59)", "US Carrier (D = 36)", "Fat tree (D = 5)"} {
		for k, scheme := range []string{"PINT 2×(b = 8)", "PINT b = 4", "PPM", "AMS2"} {
			for s, stat := range []string{"mean", "p99"} {
				for h := 2 + i; h <= []int{59, 36, 5}[i]; h += []int{6, 4, 1}[i] {
					v := float64(h) * math.Log(float64(h)+1) * (1 + 2.2*float64(k)) * (1 + 0.9*float64(s))
					points = append(points, Point{Panel: topo, Series: scheme + ", " + stat, X: float64(h), Y: v})
				}
			}
		}
	}
	f := Figure{Title: "Packets until a path is known", Panels: Panels(points, Line,
		Axis{Label: "Path length (hops)", Scale: Linear, Whole: true}, Axis{Label: "Packets to decode", Scale: Log})}
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			s.Hue = strings.TrimSuffix(strings.TrimSuffix(s.Name, ", mean"), ", p99")
			s.Pattern = []Pattern{Solid, Dotted}[j%2]
		}
	}
	return f
}

func demoPalette() Figure {
	p := Panel{X: Axis{Label: "x", Scale: Linear}, Y: Axis{Label: "y", Scale: Log}}
	for k := range 10 {
		s := Series{Name: fmt.Sprintf("series %d", k+1), Style: Line}
		for i := range 6 {
			s.X = append(s.X, float64(i))
			s.Y = append(s.Y, math.Pow(10, float64(k)*0.8+0.4*math.Sin(float64(i+k))))
		}
		p.Series = append(p.Series, s)
		if k < 3 {
			s.Published = true
			s.Y = append(Values(nil), s.Y...)
			for i := range s.Y {
				s.Y[i] *= 1.6
			}
			p.Series = append(p.Series, s)
		}
	}
	return Figure{Title: "All colours and markers", Panels: []Panel{p}}
}

// Every kind of figure can be drawn in every format. With -artifacts the drawings are kept for inspection.
func TestGallery(t *testing.T) {
	dir := t.ArtifactDir()
	for name, f := range gallery(t) {
		for _, format := range formats {
			if err := Save(&f, filepath.Join(dir, name+"."+format)); err != nil {
				t.Errorf("%s.%s: %v", name, format, err)
			}
		}
	}
}
