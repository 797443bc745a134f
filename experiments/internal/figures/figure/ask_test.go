package figure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// Numbers with the same unit make an axis; words are categories.
func TestPlaced(t *testing.T) {
	for _, c := range []struct {
		labels []string
		unit   string
		scale  plots.Scale
		at     []float64
	}{
		{[]string{"0.3", "0.5", "1"}, "", plots.Linear, []float64{0.3, 0.5, 1}},
		{[]string{"1MB", "10KB", "100KB"}, plots.InBytes, plots.Log, []float64{1e6, 1e4, 1e5}},
		{[]string{"1us", "2us", "never"}, "", plots.Categorical, []float64{0, 1, 2}},
		{[]string{"10Gbps", "20Gbps", "40Gbps"}, plots.InBitsPerSecond, plots.Linear, []float64{1e10, 2e10, 4e10}},
		{[]string{"1", "2"}, "", plots.Linear, []float64{1, 2}},
		{[]string{"1", "off"}, "", plots.Categorical, []float64{0, 1}},
	} {
		if x, at := placed("k", c.labels); x.Unit != c.unit || x.Scale != c.scale || !cmp.Equal(at, c.at) {
			t.Errorf("%q: %+v at %v, want %v", c.labels, x, at, c.at)
		}
	}
}

// measured returns rows with two seeds of two schemes at two loads.
func measured(t *testing.T) *plots.Table {
	t.Helper()
	table, err := plots.ReadCSV(strings.NewReader("workload.0.load:string,cc.kind:string,seed:string,hash:string,"+
		"mean_fct:float:s,p95_slowdown:float\n"+
		"0.3,hpcc,1,a,0.001,1.5\n0.3,hpcc,2,b,0.003,2.5\n0.5,hpcc,1,c,0.002,2\n0.5,hpcc,2,d,0.002,2\n"+
		"0.3,dctcp,1,e,0.004,3\n0.3,dctcp,2,f,0.006,3\n0.5,dctcp,1,g,0.005,4\n0.5,dctcp,2,h,0.005,4\n"), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Curves of very different sizes have a logarithmic axis, the same in all panels. Bars begin at zero. The axis contains
// intervals of up to a third and three times of their value.
func TestLogarithmicCurves(t *testing.T) {
	table, err := plots.ReadCSV(strings.NewReader("load:string,delay:string,kind:string,mean_fct:float:s\n"+
		"0.3,1us,a,0.001\n0.5,1us,b,0.002\n0.3,1ms,c,0.021\n0.5,1ms,d,0.042\n"), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range [][2][]string{{{"delay"}, nil}, {nil, {"delay"}}} {
		panels, err := (&Picture{X: "load", Y: "mean_fct", By: by[0], Panels: by[1]}).Draw(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range panels {
			if p.Y.Scale != plots.Log || by[1] != nil && (*p.Y.Min > 0.001 || *p.Y.Max < 0.042) {
				t.Errorf("by %q: y axis %+v", by, p.Y)
			}
		}
	}
	panels, err := (&Picture{X: "kind", Y: "mean_fct"}).Draw(table)
	if err != nil || panels[0].Y.Scale != plots.Linear {
		t.Errorf("%+v, %v", panels, err)
	}
	table, err = plots.ReadCSV(strings.NewReader("load:string,delay:string,mean_fct:float:s,mean_fct_lo:float:s,"+
		"mean_fct_hi:float:s\n0.3,1us,0.003,0.002,0.004\n0.5,1us,0.006,0.001,0.04\n0.3,1ms,0.5,0.4,0.6\n"+
		"0.5,1ms,0.5,0.4,2\n"), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	panels, err = (&Picture{X: "load", Y: "mean_fct", Panels: []string{"delay"}}).Draw(table)
	y := panels[0].Y // 0.006/3/1.05 = 0.001905, 3·0.5·1.05 = 1.575
	if err != nil || math.Round(1e6**y.Min) != 1905 || math.Round(1e3**y.Max) != 1575 {
		t.Errorf("y axis from %v to %v, %v", *y.Min, *y.Max, err)
	}
}

// Seeds are pooled. The rows determine everything that the options leave open: numbers are along x, and each scheme
// has a curve, which is named in words.
func TestPictures(t *testing.T) {
	o := Options{Y: []string{"mean_fct"}}
	list, err := o.pictures(measured(t), nil, nil, "two seeds")
	if err != nil || len(list) != 1 || len(list[0].Plot.Panels) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list[0].Plot.Panels[0]
	if p.X.Label != "Load" || p.X.Scale != plots.Linear || p.Y.Label != "Mean FCT" ||
		p.Y.Unit != plots.InSeconds || list[0].Plot.Footnote != "two seeds; bars: 95 % intervals over the seeds" {
		t.Errorf("axes %+v and %+v, footnote %q", p.X, p.Y, list[0].Plot.Footnote)
	}
	if len(p.Series) != 2 || p.Series[0].Name != "HPCC" || p.Series[1].Name != "DCTCP" ||
		!cmp.Equal(p.Series[0].Y, plots.Values{0.002, 0.002}) || p.Series[0].Lo[0] != 0 || !(p.Series[0].Hi[0] > 0.01) {
		t.Errorf("series %+v", p.Series)
	}
	o = Options{X: "load", Panels: []string{"cc.kind"}, Y: []string{"mean_fct_s", "p95_slowdown"}}
	if list, err = o.pictures(measured(t), nil, nil, ""); err != nil || len(list) != 2 ||
		list[1].Plot.Panels[1].Title != "DCTCP" || list[1].Name != "p95-slowdown-by-load" {
		t.Errorf("%+v, %v", list, err)
	}
	o = Options{X: "mean_fct", By: []string{"cc.kind", "load", "seed"}}
	list, err = o.pictures(measured(t), []string{"mean_fct", "p95_slowdown"}, nil, "")
	if err != nil || len(list) != 1 || list[0].Name != "p95-slowdown-by-mean-fct" {
		t.Errorf("%+v, %v; want no drawing of mean_fct over itself", list, err)
	}
}

// Each part has a separate file, values have units, and means of negative numbers have intervals.
func TestParts(t *testing.T) {
	table, err := plots.ReadCSV(strings.NewReader("table:string,measure:string,unit:string,load:string,seed:string,"+
		"value:float,flows:int\n"+
		"fct,p95,s,0.3,1,-6,10\nfct,p95,s,0.3,2,-4,10\nfct,p95,s,0.5,1,1,10\nfct,p95,s,0.5,2,1,10\n"+
		"slowdown,p95,,0.3,1,2,10\nslowdown,p95,,0.3,2,2,10\nslowdown,p95,,0.5,1,3,10\nslowdown,p95,,0.5,2,3,10\n"),
		"rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{X: "load", Y: []string{"value", "flows"}}
	list, err := o.pictures(table, []string{"table", "measure", "unit"}, nil, "")
	if err != nil || len(list) != 4 {
		t.Fatalf("%d drawings, %v", len(list), err)
	}
	seen := map[string]bool{}
	for _, d := range list {
		if seen[d.Name] {
			t.Errorf("two drawings are called %s", d.Name)
		}
		seen[d.Name] = true
	}
	p := list[0].Plot.Panels[0]
	if s := p.Series[0]; p.Y.Unit != plots.InSeconds || s.Y[0] != -5 || !(s.Lo[0] < -6) || !(s.Hi[0] > -4) {
		t.Errorf("%+v of %+v", p.Y, s)
	}
	if u := list[2].Plot.Panels[0].Y.Unit; u != "" {
		t.Errorf("flows are in %q", u)
	}
}

// A ratio is labelled as a ratio; other measures are not.
func TestRatiosAreNamed(t *testing.T) {
	table, err := plots.ReadCSV(strings.NewReader("table:string,scheme:string,versus:string,measure:string,"+
		"value:float\n"+
		"measure,INT,,mean FCT,2\nmeasure,PINT,,mean FCT,1\nratio,PINT,INT,mean FCT,0.5\nratio,Reno,INT,mean FCT,3\n"),
		"rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{"ratio": "Mean FCT, ratio to INT", "measure": "Mean FCT"} {
		o := Options{Where: []string{"table=" + of}, X: "scheme"}
		_, list, err := o.Asked(table, "")
		if err != nil || len(list) != 1 || list[0].Plot.Panels[0].Y.Label != want {
			t.Errorf("%s: %+v, %v", of, list, err)
		}
	}
}

// With --ratio, words along x have points on a logarithmic axis with a line at 1. The interval of a column is in the
// columns whose names end in lo and hi.
func TestPicturesOfRatios(t *testing.T) {
	table, err := plots.ReadCSV(strings.NewReader("system:string,p95:float,p95 lo:float,p95 hi:float\n"+
		"INT,1.2,1.1,1.3\nPINT,1.01,0.9,1.1\n"), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{X: "system", Y: []string{"p95"}, Ratio: true}
	_, list, err := o.Asked(table, "")
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list[0].Plot.Panels[0]
	s := p.Series[0]
	if p.Y.Scale != plots.Log || len(p.Y.Lines) != 1 || p.Y.Lines[0].At != 1 || s.Style != plots.Points ||
		!cmp.Equal(s.Lo, plots.Values{1.1, 0.9}) || !cmp.Equal(s.Hi, plots.Values{1.3, 1.1}) {
		t.Errorf("axis %+v, series %+v", p.Y, s)
	}
}

// Errors list the accepted values.
func TestPictureErrors(t *testing.T) {
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{X: "size"}, "--x size: want one of the columns workload.0.load, cc.kind, … p95_slowdown"},
		{Options{X: "load", Y: []string{"cc.kind"}}, "--y cc.kind: want one of the columns mean_fct, p95_slowdown"},
		{Options{X: "mean_fct", Y: []string{"mean_fct"}}, "--y mean_fct: want a column other than the one along x"},
		{Options{X: "load", By: []string{"none"}}, "--by none: want one of the columns workload.0.load, …"},
		{Options{X: "seed", By: []string{"load"}, Y: []string{"mean_fct"}},
			"--y mean_fct: 2 rows are at one point, because they differ in cc.kind (hpcc, dctcp): … --where"},
		{Options{Where: []string{"cc.kind=reno"}},
			"--where cc.kind=reno: no row has cc.kind=reno, want one of: hpcc, dctcp"},
		{Options{Where: []string{"cc.kind"}}, "--where cc.kind: want COLUMN=VALUE"},
		{Options{X: "load", Y: []string{"mean_fct"}, Ratio: true},
			`--y mean_fct: --ratio: mean_fct is not a ratio: it has the unit "s"`},
	} {
		rows, err := x.o.chosen(measured(t))
		if err == nil {
			_, err = x.o.pictures(rows, nil, nil, "")
		}
		if !errtest.Says(err, x.want) {
			t.Errorf("%+v: %v, want %s", x.o, err, x.want)
		}
	}
	commas, err := plots.NewTable(plots.Text("scheme"))
	for _, s := range []string{"HPCC, INT", "HPCC, PINT", "NDP", ""} {
		err = errors.Join(err, commas.Append(s))
	}
	if err != nil {
		t.Fatal(err)
	}
	for where, n := range map[string]int{
		"scheme=NDP,HPCC, INT": 2, "scheme=HPCC, INT,HPCC, PINT": 2, "scheme=HPCC, PINT": 1,
	} {
		o := Options{Where: []string{where}}
		if rows, err := o.chosen(commas); err != nil || rows.Len() != n {
			t.Errorf("%s: %v, %v, want %d rows", where, rows, err, n)
		}
	}
	o := Options{Where: []string{"scheme=HPCC"}}
	if _, err := o.chosen(commas); !errtest.Says(err,
		"--where scheme=HPCC: no row has scheme=HPCC, want one of: HPCC, INT; HPCC, PINT; NDP; \"\"") {
		t.Error(err)
	}
	o = Options{Where: []string{"load=0.5", "kind=dctcp"}}
	if rows, err := o.chosen(measured(t)); err != nil || rows.Len() != 2 {
		t.Errorf("%v, %v", rows, err)
	}
}

// Legends have words.
func TestSettingsInWords(t *testing.T) {
	got := (Names{}).InWords([]string{"cc.kind", "telemetry.kind", "workload.0.load", "network.port_limit",
		"network.ecn.enabled", "topology.kind", "topology.host_rate", "topology.link_delay"},
		[]string{"hpcc", "pint", "0.5", "100KB", "true", "star", "25Gbps", "2us"})
	if want := "HPCC, PINT, load 0.5, port limit 100 KB, ECN on, topology star, host rate 25 Gb/s, " +
		"link delay 2 µs"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, key := range []string{"telemetry", "telemetry.kind"} {
		if got = (Names{}).InWords([]string{key}, []string{"none"}); got != "no telemetry" {
			t.Errorf("%s: %q", key, got)
		}
	}
	got = (Names{}).InWords([]string{"cc.kind", "telemetry.kind"}, []string{"swift", "none"})
	if axis := (Names{}).ValueInWords("telemetry.kind", "none"); got != "Swift" || axis != "none" {
		t.Errorf("%q, and %q on an axis", got, axis)
	}
}

// Curves are in the order of their values, and so are the commands of runs.
func TestValuesAreInOrder(t *testing.T) {
	table, err := plots.ReadCSV(strings.NewReader("telemetry:string,load:string,mean_fct:float:s\n"+
		"108B,0.5,1\n1B,0.5,2\n48B,0.5,3\nnone,0.5,4\n108B,0.7,1\n1B,0.7,2\n48B,0.7,3\nnone,0.7,4\n"), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := Picture{X: "load", Y: "mean_fct", By: []string{"telemetry"}}
	panels, err := p.Draw(table)
	if err != nil {
		t.Fatal(err)
	}
	names := lists.Map(panels[0].Series, func(s plots.Series) string { return s.Name })
	if want := []string{"no telemetry", "telemetry 1 B", "telemetry 48 B", "telemetry 108 B"}; !cmp.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	commands := []string{"run x --set t.bytes=108B", "run x --set t.bytes=1B", "run x --set t.bytes=2KB",
		"run x --set t.bytes=48B", "run x --set t.kind=none", "run x"}
	slices.SortFunc(commands, CompareWords)
	if want := []string{"run x", "run x --set t.bytes=1B", "run x --set t.bytes=48B", "run x --set t.bytes=108B",
		"run x --set t.bytes=2KB", "run x --set t.kind=none"}; !cmp.Equal(commands, want) {
		t.Errorf("%q, want %q", commands, want)
	}
}
