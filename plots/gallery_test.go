package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// gallery has a figure of every kind, from made-up rows.
func gallery(t testing.TB) map[string]Figure {
	t.Helper()
	return map[string]Figure{
		"slowdown": demoSlowdown(t), "slowdown-column": demoSlowdownColumn(t), "fctcdf": demoFCT(t), "bars": demoBars(t),
		"overhead": demoOverhead(t), "timeseries": demoTime(t), "incast": demoIncast(t), "scatter": demoScatter(t),
		"queue": demoQueue(t), "heat": demoHeat(t), "heat-diverging": demoDiverging(t), "decode": demoDecode(t),
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

func must(t testing.TB, f Figure, err error) Figure {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

var hadoopSizes = []float64{323, 400, 500, 600, 1000, 7000, 46e3, 120e3, 400e3, 10e6}

func demoSlowdown(t testing.TB) Figure {
	tab := table(t, Text("percentile"), Text("scheme"), Text("source"), Real("size", "B"), Real("slowdown", ""), Real("lo", ""), Real("hi", ""), Whole("flows", ""))
	r := random(1)
	for q, p := range []string{"p50", "p95", "p99"} {
		for k, scheme := range []string{"HPCC (INT)", "HPCC (PINT)", "TCP Reno"} {
			for i, size := range hadoopSizes {
				v := (1.1 + 0.2*float64(i)*float64(q+1)) * (1 + 0.15*float64(k*k)) * math.Exp(0.03*r.NormFloat64())
				flows := 4000
				if k == 0 && i == 9 {
					flows = 60
				}
				add(t, tab, p, scheme, "ours", size, v, v*0.95, v*1.06, flows)
			}
		}
	}
	for i, size := range hadoopSizes {
		add(t, tab, "p95", "HPCC (PINT)", "published", size, 1.2+0.45*float64(i), math.NaN(), math.NaN(), 0)
	}
	f, err := SlowdownBySize(tab, Mapping{MinCount: 100})
	f = must(t, f, err)
	f.Title = "Slowdown by flow size, Hadoop traffic"
	f.Subtitle = "320 servers, 100 Gb/s; every tenth of the flows has equal room on the axis"
	f.Footnote = "Load 50 % of the host links (payload); 5 seeds, paired; 10 ms of arrivals; MTU 1000 B payload; buffer 32 MB; base RTT 13 us. Bars: 95 % confidence intervals."
	return f
}

func demoSlowdownColumn(t testing.TB) Figure {
	tab := table(t, Text("scheme"), Real("size", "B"), Real("slowdown", ""))
	for k, scheme := range []string{"INT", "PINT"} {
		for i, size := range hadoopSizes {
			add(t, tab, scheme, size, 1.3+0.5*float64(i)*(1-0.12*float64(k)))
		}
	}
	f, err := SlowdownBySize(tab, Mapping{YLabel: "95th-percentile slowdown"})
	f = must(t, f, err)
	f.Panels[0].Y.Scale = Linear
	f.Panels[0].Notes = []Note{{X: 70, Y: 3.9, Text: "longer than one BDP"}}
	return f
}

func demoFCT(t testing.TB) Figure {
	tab := table(t, Text("scheme"), Real("fct", "us"))
	r := random(2)
	for k, scheme := range []string{"INT", "PINT", "DCQCN"} {
		for range 3000 {
			add(t, tab, scheme, 12*math.Exp(1.4*math.Abs(r.NormFloat64())+0.2*float64(k)))
		}
	}
	f, err := FCTCDF(tab, Mapping{})
	f = must(t, f, err)
	f.Title = "Flow completion times"
	f.Panels[0].X.Lines = []RefLine{{At: 13e-6, Label: "base RTT"}}
	return f
}

func demoBars(t testing.TB) Figure {
	tab := table(t, Text("scheme"), Text("source"), Real("load", "%"), Real("gain", "%"), Real("lo", "%"), Real("hi", "%"))
	for i, load := range []float64{30, 50, 70} {
		for k, scheme := range []string{"PINT", "PINT, p = 1/16"} {
			v := []float64{4, 18, 64}[i] - 6*float64(k*i)
			add(t, tab, scheme, "ours", load, v, v-3-float64(i), v+3+2*float64(i))
		}
		add(t, tab, "PINT", "published", load, []float64{5, 22, 71}[i], math.NaN(), math.NaN())
	}
	f, err := BarsByLoad(tab, Mapping{Y: "gain", YLabel: "Goodput gain over INT"})
	f = must(t, f, err)
	f.Title = "Goodput of flows above 10 MB, relative to INT feedback"
	f.Footnote = "Web search; 5 seeds, paired; bars: 95 % confidence intervals."
	return f
}

func demoOverhead(t testing.TB) Figure {
	tab := table(t, Text("panel"), Text("scheme"), Text("source"), Whole("overhead", "B"), Real("normalised", ""), Real("lo", ""), Real("hi", ""))
	for _, load := range []int{30, 70} {
		for _, b := range []int{0, 28, 48, 68, 88, 108} {
			up := 1 + float64(b)*float64(load)/70*0.0024
			down := 1 - float64(b)*float64(load)/70*0.0019
			scheme := fmt.Sprintf("load %d %%", load)
			add(t, tab, "Average FCT", scheme, "ours", b, up, up-0.01, up+0.015)
			add(t, tab, "Goodput, flows > 10 MB", scheme, "ours", b, down, down-0.02, down+0.02)
		}
	}
	add(t, tab, "Average FCT", "load 70 %", "published", 48, 1.10, math.NaN(), math.NaN())
	add(t, tab, "Average FCT", "load 70 %", "published", 108, 1.25, math.NaN(), math.NaN())
	add(t, tab, "Goodput, flows > 10 MB", "load 70 %", "published", 48, 0.9, math.NaN(), math.NaN())
	add(t, tab, "Goodput, flows > 10 MB", "load 70 %", "published", 108, 0.8, math.NaN(), math.NaN())
	f, err := ByOverhead(tab, Mapping{YLabel: "Relative to no overhead"})
	f = must(t, f, err)
	f.Title = "TCP Reno under telemetry overhead"
	return f
}

// traces draws the values of a table over time.
func traces(t testing.TB, tab *Table, label string) Figure {
	m := common
	m.X, m.Y, m.XLabel, m.YLabel = "time", "value", "Time", label
	d, err := gather(tab, Mapping{}.fill(tab, m))
	if err != nil {
		t.Fatal(err)
	}
	return d.figure(Axis{Scale: Linear}, Axis{Scale: Linear}, Trace)
}

func demoTime(t testing.TB) Figure {
	tab := table(t, Text("panel"), Text("scheme"), Real("time", "us"), Real("value", "KB"))
	r := random(3)
	for k, scheme := range []string{"INT", "PINT"} {
		q := 0.0
		for i := range 20000 {
			q = max(0, q+r.NormFloat64()*3-0.01*q)
			if i == 6000 {
				q += 900 - 100*float64(k)
			}
			add(t, tab, "Queue of the bottleneck", scheme, float64(i)*0.1, q)
		}
	}
	return traces(t, tab, "Queue length")
}

func demoIncast(t testing.TB) Figure {
	tab := table(t, Text("scheme"), Real("time", "us"), Real("value", "Gbps"))
	for k := range 16 {
		for i := range 400 {
			v := 0.0
			if i > 20*k {
				v = 100 / float64(min(1+i/20, 16)) * (1 + 0.2*math.Sin(float64(i+13*k)/9))
			}
			add(t, tab, fmt.Sprintf("flow %d", k), float64(i)*5, v)
		}
	}
	f := traces(t, tab, "Rate")
	for i := range f.Panels[0].Series {
		f.Panels[0].Series[i].Muted = true
		f.Panels[0].Series[i].Name = "flows 1 to 15"
	}
	s := &f.Panels[0].Series[0]
	s.Muted, s.Name = false, "flow 0"
	f.Panels[0].Y.Max = At(100e9)
	f.Title = "Fairness staircase"
	return f
}

func demoScatter(t testing.TB) Figure {
	tab := table(t, Text("scheme"), Real("reference", "us"), Real("ours", "us"))
	r := random(4)
	for k, scheme := range []string{"HPCC", "DCTCP"} {
		for range 4000 {
			v := 10 * math.Exp(2*math.Abs(r.NormFloat64()))
			add(t, tab, scheme, v, v*math.Exp((0.01+0.1*float64(k))*r.NormFloat64()))
		}
	}
	f, err := Scatter(tab, Mapping{XLabel: "FCT, published simulator", YLabel: "FCT, pintlab"})
	f = must(t, f, err)
	f.Title = "Completion time of each flow, ours against the published simulator's"
	return f
}

func demoQueue(t testing.TB) Figure {
	tab := table(t, Text("panel"), Text("scheme"), Real("queue", "B"))
	r := random(5)
	for i, layer := range []string{"ToR", "Aggregation", "Core"} {
		for k, scheme := range []string{"INT", "PINT"} {
			for range 2000 {
				add(t, tab, layer, scheme, max(0, 30e3*(1+0.3*float64(k))*r.ExpFloat64()/float64(i+1)-8e3))
			}
		}
	}
	f, err := FCTCDF(tab, Mapping{X: "queue", XLabel: "Queue length"})
	f = must(t, f, err)
	for i := range f.Panels {
		f.Panels[i].X.Scale = Linear
	}
	f.Title = "Queues by layer"
	return f
}

func demoHeat(t testing.TB) Figure {
	tab := table(t, Whole("memory", "KB"), Whole("packets", ""), Real("error", "%"))
	for i, m := range []int{1, 2, 4, 8, 16, 32} {
		for j, p := range []int{100, 200, 500, 1000, 2000} {
			if i == 5 && j == 0 {
				continue
			}
			add(t, tab, m, p, 30/math.Sqrt(float64(m))+200/math.Sqrt(float64(p)*float64(j+1)))
		}
	}
	f, err := HeatMap(tab, Mapping{X: "memory", Y: "packets", Z: "error", XLabel: "Memory", YLabel: "Packets", ZLabel: "Median relative error"})
	f = must(t, f, err)
	f.Title = "Latency quantile error by memory and packets"
	return f
}

func demoDiverging(t testing.TB) Figure {
	tab := table(t, Text("x"), Text("y"), Real("value", "%"))
	for i := range 24 {
		for j := range 8 {
			add(t, tab, fmt.Sprintf("port %d", i), fmt.Sprintf("switch %d", j), 12*math.Sin(float64(i*j)/9)+4)
		}
	}
	f, err := HeatMap(tab, Mapping{XLabel: "Egress port", YLabel: "Switch", ZLabel: "Deviation"})
	f = must(t, f, err)
	f.Panels[0].Heat.Center = At(0)
	f.Panels[0].Heat.Max = At(10)
	f.Title = "Utilisation against the mean of the layer"
	return f
}

func demoDecode(t testing.TB) Figure {
	tab := table(t, Text("panel"), Text("scheme"), Text("statistic"), Whole("hops", ""), Real("packets", ""))
	for i, topo := range []string{"Kentucky Datalink (D = 59)", "US Carrier (D = 36)", "Fat tree (D = 5)"} {
		for k, scheme := range []string{"PINT 2×(b = 8)", "PINT b = 4", "PPM", "AMS2"} {
			for s, stat := range []string{"mean", "p99"} {
				for h := 2 + i; h <= []int{59, 36, 5}[i]; h += []int{6, 4, 1}[i] {
					v := float64(h) * math.Log(float64(h)+1) * (1 + 2.2*float64(k)) * (1 + 0.9*float64(s))
					add(t, tab, topo, scheme, stat, h, v)
				}
			}
		}
	}
	f, err := DecodeByPathLength(tab, Mapping{})
	f = must(t, f, err)
	for i := range f.Panels {
		f.Panels[i].Y.Scale = Log
	}
	f.Title = "Packets until a path is known"
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

// Every kind of figure can be drawn in every format. With -artifacts the drawings
// are kept for people to look at.
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
