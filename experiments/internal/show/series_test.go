package show

import (
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

var update = flag.Bool("update", false, "write the golden tables")

const us = unit.Microsecond

func TestJain(t *testing.T) {
	tests := []struct {
		shares []float64
		want   float64
	}{
		{nil, math.NaN()}, {[]float64{3}, math.NaN()}, {[]float64{0, 0}, math.NaN()},
		{[]float64{5, 5, 5, 5}, 1}, {[]float64{1, 0, 0, 0}, 0.25},
		{[]float64{1, 2, 3}, 36.0 / 42}, // 6² / (3·14)
		{[]float64{10, 20}, 0.9},        // 30² / (2·500)
	}
	for _, tt := range tests {
		if got := Jain(tt.shares); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%v: got %v, want %v", tt.shares, got, tt.want)
		}
	}
}

// Jain's index is between 1/n and 1 and does not depend on the unit.
func TestJainProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 2, 20).Draw(t, "shares")
		x[0]++ // not all are 0
		j := Jain(x)
		if n := float64(len(x)); j < 1/n-1e-9 || j > 1+1e-9 {
			t.Errorf("%v of %v", j, x)
		}
		for i := range x {
			x[i] *= 8
		}
		if again := Jain(x); math.Abs(again-j) > 1e-9 {
			t.Errorf("%v in another unit, %v before", again, j)
		}
	})
}

func TestSpread(t *testing.T) {
	w := weights{}
	w.add(0, 94*us)
	w.add(1000, 5*us)
	w.add(9000, 1*us)
	w.add(math.NaN(), 50*us)
	w.add(77, 0)
	want := &Spread{Mean: 140, P50: 0, P95: 1000, P99: 1000, Min: 0, Max: 9000}
	if diff := cmp.Diff(want, w.spread()); diff != "" {
		t.Error(diff)
	}
	x, y := w.cdf()
	if !slices.Equal(x, []float64{0, 0, 1000, 9000}) || !slices.Equal(y, []float64{0, 0.94, 0.99, 1}) {
		t.Errorf("distribution %v, %v", x, y)
	}
	if (weights{}).spread() != nil {
		t.Error("a distribution of nothing")
	}
}

// Percentiles of weighted values equal the percentiles of a list in which each value occurs as often as its weight.
func TestSpreadAgainstALongList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := weights{}
		var list []float64
		for _, v := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 30).Draw(t, "values") {
			n := rapid.IntRange(1, 40).Draw(t, "times")
			w.add(float64(v), unit.Time(n))
			list = append(list, slices.Repeat([]float64{float64(v)}, n)...)
		}
		slices.Sort(list)
		at := func(percent int) float64 { return list[(percent*len(list)+99)/100-1] }
		s := w.spread()
		if s.P50 != at(50) || s.P95 != at(95) || s.P99 != at(99) || s.Min != list[0] || s.Max != list[len(list)-1] {
			t.Errorf("%+v of %v", *s, list)
		}
	})
}

func sampling(rows string) *scenario.Sampling {
	return &scenario.Sampling{Enabled: true, Series: "both", Period: 10 * us, To: unit.Never, Rows: rows}
}

func from[T any](rows []T) source[T] {
	return func(use func(*T) error) error {
		for i := range rows {
			if err := use(&rows[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// port returns a row of a port whose link is half utilised.
func port(at unit.Time, node int32, queue unit.Bytes, marks int64) store.PortSample {
	p := store.PortSample{Time: at, Node: node, Peer: 9, Layer: "edge-core", Queue: queue, Utilisation: 0.5,
		Marks: marks}
	if at == 0 {
		p.Utilisation = math.NaN()
	}
	return p
}

// Samples are taken at 0, 10, 20, 30, 40 and 45 us. A sample counts for the time before it. Port 1 has a queue of 100 B
// for 20 us, a queue of 300 B for 20 us and an empty queue for 5 us. Port 2 has an empty queue for 45 us.
var portRows = []store.PortSample{
	port(0, 1, 7777, 2), port(0, 2, 0, 0),
	port(10*us, 1, 100, 2), port(10*us, 2, 0, 0),
	port(20*us, 1, 100, 2), port(20*us, 2, 0, 0),
	port(30*us, 1, 300, 5), port(30*us, 2, 0, 0),
	port(40*us, 1, 300, 5), port(40*us, 2, 0, 1),
	port(45*us, 1, 0, 5), port(45*us, 2, 0, 1),
}

// digits returns the number of a node as its name.
func digits(node int32) string { return strconv.Itoa(int(node)) }

func ports(t *testing.T, rows []store.PortSample, s *scenario.Sampling, o SeriesOptions) *Series {
	t.Helper()
	v := &Series{Dir: "run", node: digits}
	if err := v.addPorts(from(rows), s, 45*us, &o); err != nil {
		t.Fatal(err)
	}
	return v
}

func curveOf(t *testing.T, v *Series, measure, name string) *curve {
	t.Helper()
	for i, c := range v.curves {
		if c.measure == measure && c.name == name {
			return &v.curves[i]
		}
	}
	t.Fatalf("no curve %q of %q", measure, name)
	return nil
}

func TestPorts(t *testing.T) {
	v := ports(t, portRows, sampling("all"), SeriesOptions{Interval: 20 * us})
	if len(v.Layers) != 1 || v.Looks != 6 || v.To != int64(45*us) {
		t.Fatalf("%+v", v)
	}
	l := v.Layers[0]
	// Of 90 us, the queue has 100 B for 20 us and 300 B for 20 us. The link is half utilised in all samples except the
	// first.
	want := Spread{Mean: 88.8889, P50: 0, P95: 300, P99: 300, Min: 0, Max: 300}
	if diff := cmp.Diff(&want, l.Queue); diff != "" {
		t.Error(diff)
	}
	if l.Ports != 2 || l.Utilisation.Mean != 0.5 || l.Marks != 4 || l.Drops != 0 || l.Paused != 0 {
		t.Errorf("layer %+v", l)
	}
	c := curveOf(t, v, queueCDF, "edge-core")
	if diff := cmp.Diff([][]float64{{0, 0, 100, 300}, {0, 0.555556, 0.777778, 1}}, [][]float64{c.x, c.y}); diff != "" {
		t.Error(diff)
	}
	if len(v.Ports) != 1 || v.Ports[0].Port != "1-9" || v.Ports[0].Marks != 3 {
		t.Errorf("ports %+v; want the one whose queue is not always empty", v.Ports)
	}
	q := curveOf(t, v, queue, "1 to 9 (edge-core)")
	if !slices.Equal(q.x, []float64{0, 10e-6, 20e-6, 30e-6, 40e-6, 45e-6}) ||
		!slices.Equal(q.y, []float64{7777, 100, 100, 300, 300, 0}) {
		t.Errorf("queue %+v", q)
	}
	m := curveOf(t, v, marks, "edge-core")
	if !slices.Equal(m.x, []float64{0, 20e-6, 40e-6}) || !slices.Equal(m.y, []float64{0, 0, 4}) {
		t.Errorf("marks %+v", m)
	}
}

// Omitting rows without a change only removes points on horizontal lines.
func TestRowsOfChanges(t *testing.T) {
	var changed []store.PortSample
	last := map[int32]store.PortSample{}
	for _, p := range portRows {
		before, ok := last[p.Node]
		before.Time = p.Time
		if !ok || !cmp.Equal(before, p) {
			changed = append(changed, p)
		}
		last[p.Node] = p
	}
	if len(changed) >= len(portRows)-2 {
		t.Fatalf("%d rows of %d have changed", len(changed), len(portRows))
	}
	all := ports(t, portRows, sampling("all"), SeriesOptions{})
	some := ports(t, changed, sampling("changed"), SeriesOptions{})
	for _, v := range []*Series{all, some} {
		for i := range v.Layers {
			v.Layers[i] = Layer{Queue: v.Layers[i].Queue, Utilisation: v.Layers[i].Utilisation,
				Marks: v.Layers[i].Marks}
		}
	}
	if diff := cmp.Diff(all.Layers, some.Layers, cmp.AllowUnexported(Layer{})); diff != "" {
		t.Error(diff)
	}
	for _, c := range all.curves {
		other := curveOf(t, some, c.measure, c.name)
		if c.measure != queue && c.measure != utilisation && !cmp.Equal(c.y, other.y) {
			t.Errorf("%s: %v and %v", c.measure, c.y, other.y)
		}
	}
}

// A pause from 12 us to 33 us lasts 21 us of the measured 40 us. The result is the same whether or not the sample at 30
// us has a row.
func TestPauses(t *testing.T) {
	row := func(at unit.Time, paused bool, sum unit.Time) store.PortSample {
		return store.PortSample{Time: at, Node: 1, Peer: 2, Layer: "x", Paused: paused, PausedTime: sum}
	}
	all := []store.PortSample{row(0, false, 0), row(10*us, false, 0), row(20*us, true, 8*us), row(30*us, true, 18*us),
		row(40*us, false, 21*us)}
	for rows, list := range map[string][]store.PortSample{"all": all, "changed": {all[0], all[2], all[4]}} {
		v := &Series{node: digits}
		if err := v.addPorts(from(list), sampling(rows), 40*us, &SeriesOptions{}); err != nil {
			t.Fatal(err)
		}
		c := curveOf(t, v, pausedShare, "x")
		if v.Layers[0].Paused != 0.525 || v.Layers[0].MostPaused != 0.525 ||
			!slices.Equal(c.y, []float64{0, 0.8, 1, 0.3}) {
			t.Errorf("%s: %v of the time, %v", rows, v.Layers[0].Paused, c.y)
		}
	}
	// A pause that has not ended.
	v := &Series{node: digits}
	if err := v.addPorts(from(all[:3]), sampling("changed"), 40*us, &SeriesOptions{}); err != nil ||
		v.Layers[0].Paused != 0.7 {
		t.Errorf("%v of the time, %v; want 28 us of 40", v.Layers[0].Paused, err)
	}
}

// flowRow returns a row of a flow. The sender knows of none of the bytes that were delivered.
func flowRow(at unit.Time, flow int64, delivered unit.Bytes) store.FlowSample {
	return store.FlowSample{Time: at, Flow: flow, Src: int32(flow), Dst: 9, Delivered: delivered,
		Window: store.NoWindow, Rate: 10 * unit.Gbps, Load: math.NaN()}
}

// Flow 0 is always active and delivers 1000 B in each 10 us (0.8 Gb/s). Flow 1 is active from 8 us to 31 us and
// delivers three times as much.
var flowRows = []store.FlowSample{
	flowRow(0, 0, 0),
	flowRow(10*us, 0, 1000), flowRow(10*us, 1, 500),
	flowRow(20*us, 0, 2000), flowRow(20*us, 1, 3500),
	flowRow(30*us, 0, 3000), flowRow(30*us, 1, 6500),
	flowRow(40*us, 0, 4000),
}

func records() *store.Flows {
	var f store.Flows
	f.Append(store.FlowRecord{ID: 0, Outcome: store.Unfinished, Size: 9000, FCT: unit.Never})
	f.Append(store.FlowRecord{ID: 1, Outcome: store.Finished, Size: 7000, Start: 8 * us, FCT: 23 * us})
	return &f
}

func TestFlows(t *testing.T) {
	v := &Series{node: digits}
	if err := v.addFlows(from(flowRows), records(), sampling("all"), 40*us, &SeriesOptions{}); err != nil {
		t.Fatal(err)
	}
	first, second := curveOf(t, v, goodput, "flow 0"), curveOf(t, v, goodput, "flow 1")
	if !slices.Equal(first.y, []float64{8e8, 8e8, 8e8, 8e8}) || !slices.Equal(second.x, []float64{20e-6, 30e-6}) ||
		!slices.Equal(second.y, []float64{2.4e9, 2.4e9}) {
		t.Errorf("goodput %+v and %+v", first, second)
	}
	// The index is (1 + 3)² / (2·10) while two flows are active.
	j := curveOf(t, v, fairness, allFlowsName)
	if !slices.Equal(j.x, []float64{20e-6, 30e-6}) || !slices.Equal(j.y, []float64{0.8, 0.8}) {
		t.Errorf("fairness %+v", j)
	}
	n := curveOf(t, v, underWay, allFlowsName)
	// Flow 1 is active for 2 us of the first interval and for 1 us of the last.
	if !slices.Equal(n.y, []float64{1.2, 2, 2, 1.1}) {
		t.Errorf("flows %+v", n)
	}
	// 1500 B in 12 us, 4000 B in 20 us twice, and 1500 B in 11 us.
	if m := curveOf(t, v, meanGoodput, allFlowsName); !slices.Equal(m.y, []float64{1e9, 1.6e9, 1.6e9, 1.09091e9}) {
		t.Errorf("mean goodput %+v", m)
	}
	if a := v.AllFlows; a.Flows != 2 || a.Jain.Mean != 0.8 || a.Load != nil || a.Rate.Mean != 1e10 ||
		a.Goodput.P50 != 8e8 || a.Between != 0 || a.Goodput.Mean != 1.39683e9 { // 11000 B in 63 us
		t.Errorf("%+v", a)
	}
	if f := v.Flows[1]; f.From != int64(10*us) || f.To != int64(30*us) || f.Src != 1 ||
		f.Goodput.Mean != 2.43478e9 || f.Goodput.P50 != 2.4e9 { // 7000 B in 23 us
		t.Errorf("%+v", f)
	}
}

// Flows count from their start to their end, also a flow that begins and ends between two looks. The mean goodput does
// not depend on the intervals.
func TestShortFlows(t *testing.T) {
	all := records()
	for i, at := range []unit.Time{11 * us, 12 * us} {
		all.Append(store.FlowRecord{ID: int64(2 + i), Outcome: store.Finished, Size: 500, Start: at, FCT: 5 * us})
	}
	s := sampling("all")
	s.Flows = []string{"0-2"} // flow 3 is not sampled
	var means []float64
	for _, interval := range []unit.Time{10 * us, 20 * us} {
		v := &Series{node: digits}
		if err := v.addFlows(from(flowRows), all, s, 40*us, &SeriesOptions{Interval: interval}); err != nil {
			t.Fatal(err)
		}
		if a := v.AllFlows; a.Flows != 3 || a.Between != 1 {
			t.Errorf("%d flows, %d between looks", a.Flows, a.Between)
		}
		means = append(means, v.AllFlows.Goodput.Mean)
		n, m := curveOf(t, v, underWay, allFlowsName), curveOf(t, v, meanGoodput, allFlowsName)
		if want := []float64{1.2, 2.5, 2, 1.1}; interval == 10*us &&
			(!slices.Equal(n.y, want) || m.y[1] != 1.44e9) { // 4500 B in 25 us
			t.Errorf("%v flows with a mean goodput of %v", n.y, m.y)
		}
		if want := []float64{1.85, 1.55}; interval == 20*us && !slices.Equal(n.y, want) {
			t.Errorf("%v flows", n.y)
		}
		tables, err := v.Tables()
		if err != nil || tables[0].Caption != "The 2 flows that were sampled, and 1 flow that began and ended between "+
			"two samples." {
			t.Errorf("%+v, %v", tables, err)
		}
	}
	if math.Abs(means[0]-means[1]) > 1e4 || math.Abs(means[0]-1.35294e9) > 1e4 { // 11500 B in 68 us
		t.Errorf("mean goodputs %v", means)
	}
	if one := (&AllFlows{Flows: 1}); one.caption() != "The flow that was sampled." {
		t.Error(one.caption())
	}
}

// Faults are marked where they begin and end, as in traces.
func TestFaultsInDrawings(t *testing.T) {
	down := scenario.Fault{Kind: scenario.LinkDown, A: 1, B: 9, At: 10 * us, Until: 30 * us}
	late := scenario.Fault{Kind: scenario.HostPause, Host: 3, At: 35 * us, Until: 80 * us}
	one := &Series{label: "one", from: 0, to: 45 * us, faults: []scenario.Fault{down, late}}
	two := &Series{label: "two", from: 0, to: 45 * us, faults: []scenario.Fault{down}}
	panels := make([]plots.Panel, 2)
	markFaults(panels, one)
	if want := []plots.RefLine{{At: 1e-5, Label: "link-down 1-9"}, {At: 3e-5, Label: "end of link-down 1-9"},
		{At: 3.5e-5, Label: "host-pause host 3"}}; !slices.Equal(panels[0].X.Lines, want) {
		t.Errorf("%+v, want %+v", panels[0].X.Lines, want)
	}
	if l := panels[1].X.Lines; len(l) != 3 || l[0] != (plots.RefLine{At: 1e-5}) {
		t.Errorf("second panel: %+v", l)
	}
	markFaults(panels, one, two)
	if l := panels[0].X.Lines; len(l) != 3 || l[0].Label != "link-down 1-9" || l[2].Label != "host-pause host 3, one" {
		t.Errorf("two runs: %+v", l)
	}
	many := &Series{to: 45 * us}
	for i := range namedFaults {
		f := scenario.Fault{Kind: scenario.HostPause, Host: i, At: 10 * us, Until: 20 * us}
		many.faults = append(many.faults, f)
	}
	markFaults(panels, many)
	if l := panels[0].X.Lines; len(l) == 0 || l[0].Label != "" {
		t.Errorf("many faults: %+v", l)
	}
}

// The interval in which the last byte arrives does not count, although the flow ends later, with its last ACK.
func TestGoodputEndsWithTheLastByte(t *testing.T) {
	v := &Series{node: digits}
	rows := []store.FlowSample{flowRow(0, 0, 0), flowRow(10*us, 0, 4000), flowRow(20*us, 0, 8000),
		flowRow(30*us, 0, 9000), flowRow(40*us, 0, 9000)}
	if err := v.addFlows(from(rows), records(), sampling("all"), 40*us, &SeriesOptions{}); err != nil {
		t.Fatal(err)
	}
	if c := curveOf(t, v, goodput, "flow 0"); !slices.Equal(c.y, []float64{3.2e9, 3.2e9}) {
		t.Errorf("goodput %+v", c)
	}
}

// Nine flows that all have the same rate, and whose control knows no load, have one line, and no flow has the highest
// mean.
func TestEqualRates(t *testing.T) {
	var rows []store.FlowSample
	var records store.Flows
	for id := range int64(9) {
		records.Append(store.FlowRecord{ID: id, Outcome: store.Unfinished, Size: 9000, FCT: unit.Never})
	}
	for look := range unit.Time(3) {
		for id := range int64(9) {
			rows = append(rows, flowRow(10*us*look, id, 1000*unit.Bytes(look)))
		}
	}
	v := &Series{node: digits}
	if err := v.addFlows(from(rows), &records, sampling("all"), 20*us, &SeriesOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, d := range v.Drawings() {
		if d.Name != "series-rates" {
			continue
		}
		if p := d.Plot.Panels; d.Plot.Title != "Rate by flow" || len(p) != 1 || len(p[0].Series) != 1 {
			t.Errorf("%q has %d panels, the first with %d lines", d.Plot.Title, len(p), len(p[0].Series))
		}
		return
	}
	t.Error("no drawing of rates")
}

// If rows without a change are omitted, a flow is active until the end in its record. A flow without progress has a
// goodput of 0.
func TestFlowsThatStandStill(t *testing.T) {
	rows := []store.FlowSample{flowRow(0, 0, 0), flowRow(10*us, 0, 1000), flowRow(10*us, 1, 500),
		flowRow(20*us, 0, 2000), flowRow(20*us, 1, 3500)}
	v := &Series{node: digits}
	o := &SeriesOptions{Interval: 10 * us}
	if err := v.addFlows(from(rows), records(), sampling("changed"), 45*us, o); err != nil {
		t.Fatal(err)
	}
	first, second := curveOf(t, v, goodput, "flow 0"), curveOf(t, v, goodput, "flow 1")
	if !slices.Equal(first.y, []float64{8e8, 8e8, 0, 0, 0}) || !slices.Equal(second.y, []float64{2.4e9, 0}) ||
		v.Flows[1].To != int64(30*us) || v.Flows[0].To != int64(45*us) {
		t.Errorf("goodput %+v and %+v, %+v", first, second, v.Flows)
	}
	v = &Series{node: digits}
	err := v.addFlows(from(rows), &store.Flows{}, sampling("all"), 45*us, &SeriesOptions{})
	if !errtest.Says(err, "flow 0 … no record") {
		t.Errorf("without records: %v", err)
	}
}

func TestFilters(t *testing.T) {
	v := ports(t, portRows, sampling("all"), SeriesOptions{Nodes: []string{"2-5"}})
	if v.Layers[0].Ports != 1 || v.Layers[0].Queue.Max != 0 || len(v.Ports) != 1 {
		t.Errorf("node 2: %+v", v.Layers[0])
	}
	v = ports(t, portRows, sampling("all"), SeriesOptions{Ports: []string{"1-9", "2-9"}, Layers: []string{"edge-core"}})
	if v.Layers[0].Ports != 2 {
		t.Errorf("both ports: %+v", v.Layers[0])
	}
	v = &Series{node: digits}
	if err := v.addFlows(from(flowRows), records(), sampling("all"), 40*us,
		&SeriesOptions{Flows: []string{"1"}}); err != nil || v.AllFlows.Flows != 1 || v.AllFlows.Jain != nil {
		t.Errorf("flow 1: %+v, %v", v.AllFlows, err)
	}
	const there = " matches nothing in the series, which has the ports 1 to 9 (edge-core), 2 to 9 (edge-core)"
	tests := []struct {
		o    SeriesOptions
		want string
	}{
		{SeriesOptions{Nodes: []string{"1", "3"}}, "--node 3" + there},
		{SeriesOptions{Ports: []string{"9-1"}}, "--port 9-1" + there},
		{SeriesOptions{Layers: []string{"core-edge"}}, "--layer core-edge" + there},
		{SeriesOptions{Nodes: []string{"one"}}, `--node: "one": want a number (3) or a range (16-19)`},
		{SeriesOptions{Ports: []string{"1"}},
			`--port: "1": want the numbers of two nodes, such as 16-3 for the port of node 16 towards node 3`},
		{SeriesOptions{Nodes: []string{"1"}, Ports: []string{"2-9"}}, "no port matches all of --node, --port and " +
			"--layer: the series has the ports 1 to 9 (edge-core), 2 to 9 (edge-core)"},
		{SeriesOptions{Interval: us},
			"run: --interval 1us: want a time from 10us (the period of sampling) to 45us (the whole run)"},
	}
	for _, tt := range tests {
		err := (&Series{Dir: "run", node: digits}).addPorts(from(portRows), sampling("all"), 45*us, &tt.o)
		if !errtest.Says(err, tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.o, err, tt.want)
		}
	}
	o := &SeriesOptions{Flows: []string{"7-8"}}
	err := (&Series{node: digits}).addFlows(from(flowRows), records(), sampling("all"), 40*us, o)
	if !errtest.Says(err, "--flow 7-8 … 0 and 1") {
		t.Errorf("flow 7-8: %v", err)
	}
	only := sampling("all")
	only.Series = "ports"
	if err := (&SeriesOptions{Flows: []string{"1"}}).without(only); !errtest.Says(err, "--flow 1 has no effect: "+
		"the run has no series of flows (run.sampling.series = ports)") {
		t.Errorf("no flows: %v", err)
	}
}

func TestWindow(t *testing.T) {
	s := sampling("all")
	s.To = 38 * us
	w, err := windowOf(s, 100*us, 0, 0)
	if err != nil || w.end != 30*us || w.n != 4 {
		t.Errorf("to 38 us: %+v, %v", w, err)
	}
	for _, at := range []unit.Time{5 * us, 38 * us, 40 * us} {
		if _, err := w.place(at); err == nil || !strings.HasSuffix(err.Error(), "is not a time at which the run was "+
			"sampled: it was sampled every 10us from 0s to 30us") {
			t.Errorf("%v: %v", at, err)
		}
	}
	s.From, s.To = 20*us, unit.Never
	for ended, looks := range map[unit.Time]int{20 * us: 1, 19 * us: 0} {
		if w, err = windowOf(s, ended, 0, 0); err != nil || w.n != looks || w.end != 20*us {
			t.Errorf("to %v: %+v, %v", ended, w, err)
		}
	}
	if w, err = windowOf(s, 25*us, 0, 0); err != nil || w.n != 2 || w.weight(0, 2) != 5*us {
		t.Errorf("from 20 us: %+v, %v", w, err)
	}
}

// Tables and rows, as text.
func TestGolden(t *testing.T) {
	v := ports(t, portRows, sampling("all"), SeriesOptions{})
	if err := v.addFlows(from(flowRows), records(), sampling("all"), 45*us, &SeriesOptions{}); err != nil {
		t.Fatal(err)
	}
	tables, err := v.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, x := range tables {
		b.WriteString(x.Caption + "\n")
		if err := x.Table.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n")
	}
	rows, err := v.Rows()
	if err := errors.Join(err, rows.WriteCSV(&b)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "tables.txt")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, d := range v.Drawings() {
		names = append(names, d.Name)
	}
	if want := []string{"series-queue-cdf", "series-ports", "series-fairness", "series-rates",
		"series-marks"}; !slices.Equal(names, want) {
		t.Errorf("drawings %v, want %v", names, want)
	}
}
