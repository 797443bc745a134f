package workloads

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// Two hosts have links of 8 Mb/s, which is 1 MB/s. The window is one second.
func TestMeasure(t *testing.T) {
	hosts := []Host{{0, 8 * unit.Mbps}, {1, 8 * unit.Mbps}}
	flows := []Flow{
		{ID: 0, Src: 0, Dst: 1, Size: 999, Start: 0},
		{ID: 1, Src: 0, Dst: 1, Size: 1000, Start: 5, Class: ClassIncast},
		{ID: 2, Src: 1, Dst: 0, Size: 200_000, Start: unit.Second - 1},
		{ID: 3, Src: 1, Dst: 0, Size: 10_000_000, Start: unit.Second}, // outside the window
	}
	got, err := Measure(Slice(flows), hosts, 0, unit.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := &Stats{
		Flows: 4, Bytes: 10_201_999, MeanSize: 2_550_499.75, FirstStart: 0, LastStart: unit.Second,
		Classes: []Count{{"background", 3, 10_200_999}, {"incast", 1, 1000}},
		Bins: []Bin{
			{0, 1000, 1, 999}, {1000, 10_000, 1, 1000}, {10_000, 100_000, 0, 0},
			{100_000, 1_000_000, 1, 200_000}, {1_000_000, 10_000_000, 0, 0}, {10_000_000, 0, 1, 10_000_000},
		},
		Load: &Load{
			Start: 0, End: unit.Second, Hosts: 2, Overall: 0.1009995,
			Send:    Spread{Mean: 0.1009995, Min: 0.001999, Max: 0.2},
			Receive: Spread{Mean: 0.1009995, Min: 0.001999, Max: 0.2},
		},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Errorf("as JSON: %v", err)
	}
	for _, s := range []struct {
		hosts []Host
		end   unit.Time
	}{{nil, unit.Second}, {hosts, 0}} {
		if got, err := Measure(Slice(flows), s.hosts, 0, s.end); err != nil || got.Load != nil {
			t.Errorf("hosts %v to %v: load %v, %v; want none", s.hosts, s.end, got.Load, err)
		}
	}
	if got, err := Measure(Slice(nil), hosts, 0, 1); err != nil || got.MeanSize != 0 || got.Load.Overall != 0 {
		t.Errorf("no flows: %+v, %v", got, err)
	}
}

type failing struct{ Source }

func (failing) Err() error { return errors.New("disk on fire") }

func TestMeasureErrors(t *testing.T) {
	tests := []struct {
		flows Source
		want  string
	}{
		{Slice([]Flow{{ID: 7, Src: 0, Dst: 9, Size: 1}}), "workloads: flow 7 … 0 to 9, … hosts here (3 hosts, 0 to 2)"},
		{Slice([]Flow{{ID: 7, Src: 0, Dst: 1, Size: 1, Class: 5}}), "workloads: flow 7: unknown class Class(5)"},
		{Slice([]Flow{{ID: 7, Src: 0, Dst: 1, Size: math.MaxInt64}, {ID: 8, Src: 0, Dst: 1, Size: 1}}),
			"workloads: flow 8: sizes do not add up to a number of bytes in range"},
		{failing{Slice(nil)}, "disk on fire"},
	}
	for _, tt := range tests {
		if _, err := Measure(tt.flows, someHosts(3), 0, 1); !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// A long trace has the planned load: web search on 40 hosts for 100 ms, 14 600 flows. The standard error of the load is
// sqrt(N·s)/(N·m), which is below 2 % for s/m² = 5.3. The test allows five standard errors; the seed is fixed.
func TestRealisedLoadIsNominal(t *testing.T) {
	hosts := someHosts(40)
	w := Workload{Seed: 41, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 100 * unit.Millisecond}}}}
	plan, err := w.Plan(hosts)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Load(hosts); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("planned load %v, want 0.5", got)
	}
	if got := plan.MeanSize(); math.Abs(got-1_711_250) > 1e-6 {
		t.Errorf("planned mean size %v, want 1711250", got)
	}
	if got, want := plan.Flows, 40*100e-3*0.5*100e9/8/1_711_250; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v flows planned, want %v", got, want)
	}
	s, err := w.Stream(hosts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Measure(s, hosts, plan.Start, plan.End)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Load.Overall-0.5) > 5*0.02*0.5 || got.Load.Send.Min >= 0.5 || got.Load.Send.Max <= 0.5 {
		t.Errorf("load %+v, want 0.5 ± 10 %%", got.Load)
	}
}

// Each kind of part follows its plan exactly if it is not random.
func TestPlanIsExact(t *testing.T) {
	hosts := someHosts(7)
	for _, g := range []Generator{
		Incast{FanIn: 3, Sizes: Fixed(100), Start: 50},
		Incast{FanIn: 3, Sizes: Fixed(100), Start: 50, Every: 7, Duration: 22},
		Permutation{Sizes: Fixed(100), Start: 3},
		AllToAll{Sizes: Fixed(100), Start: 3},
		Staircase{To: 5, From: hostIDs(3), Start: 9, Step: 1000, Rate: 50 * unit.Gbps},
		Trace{{Src: 0, Dst: 1, Size: 8, Start: 4}, {Src: 0, Dst: 1, Size: 8, Start: 9}},
		Trace{},
	} {
		w := Workload{Parts: []Part{{Name: "x", Generator: g}}}
		plan, err := w.Plan(hosts)
		if err != nil {
			t.Fatal(err)
		}
		flows, err := w.Generate(hosts)
		if err != nil {
			t.Fatal(err)
		}
		bytes := 0.0
		for _, f := range flows {
			bytes += float64(f.Size)
			if f.Start < plan.Start || f.Start > plan.End || f.Start == plan.End && plan.Start < plan.End &&
				len(flows) != 2 {
				t.Errorf("%T: flow at %v, planned from %v to %v", g, f.Start, plan.Start, plan.End)
			}
		}
		if plan.Flows != float64(len(flows)) || plan.Bytes != bytes {
			t.Errorf("%T: planned %v flows, %v B; made %d, %v", g, plan.Flows, plan.Bytes, len(flows), bytes)
		}
	}
	w := Workload{Parts: []Part{
		{Name: "x", Generator: Trace{}},
		{Name: "y", Generator: Permutation{Sizes: Fixed(100), Start: 8}},
		{Name: "z", Generator: Incast{FanIn: 2, Sizes: Fixed(50), Start: 5, Every: 3, Duration: 6}},
		{Name: "w", Generator: Trace{}},
	}}
	if plan, err := w.Plan(hosts); err != nil || plan != (Plan{Flows: 11, Bytes: 900, Start: 5, End: 11}) {
		t.Errorf("plan of the mixture: %+v, %v", plan, err)
	}
	w = Workload{Parts: []Part{{Name: "x", Generator: Permutation{Sizes: Fixed(100)}}}}
	if plan, err := w.Plan(hosts); err != nil || !math.IsNaN(plan.Load(hosts)) {
		t.Errorf("flows that all start at once have the load %v, %v; want NaN", plan.Load(hosts), err)
	}
}

// The example prints a small trace as flow.txt, with its description. It detects any change of the draws, the order or
// the formats. (Most of Hadoop's bytes are in a few percent of its flows. So short a trace contains none of these and
// has much less load than planned.)
func Example() {
	hosts := make([]Host, 4)
	for i := range hosts {
		hosts[i].Node, hosts[i].Rate = hostIDs(4)[i], 100*unit.Gbps
	}
	const load = 0.3
	parts := []Part{
		{Name: "hadoop", Priority: 3, Generator: Poisson{Sizes: Hadoop(), Load: 0.95 * load, Start: 2 * unit.Second,
			Duration: 100 * unit.Microsecond}},
		{Name: "incast", Priority: 3, Generator: Incast{FanIn: 3, Sizes: Fixed(20_000), Load: 0.05 * load,
			Start: 2 * unit.Second, Duration: 100 * unit.Microsecond}},
	}
	w := Workload{Seed: 2, Parts: parts}
	plan, err := w.Plan(hosts)
	if err != nil {
		fmt.Println(err)
		return
	}
	flows, err := w.Generate(hosts)
	if err != nil {
		fmt.Println(err)
		return
	}
	stats, err := Measure(Slice(flows), hosts, plan.Start, plan.End)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(WriteFlows(os.Stdout, len(flows), Slice(flows)),
		Describe(os.Stdout, stats, &plan, hosts)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 16
	// 0 2 3 200 20000 2.000000000
	// 1 2 3 200 20000 2.000000000
	// 3 2 3 200 20000 2.000000000
	// 0 1 3 100 53353 2.000008971408
	// 0 1 3 100 1328 2.000011047633
	// 3 0 3 100 33227 2.000037600247
	// 0 3 3 100 23237 2.000045535553
	// 2 0 3 100 519 2.000059054613
	// 1 2 3 100 342 2.000061008118
	// 3 1 3 100 418 2.000072658699
	// 1 2 3 100 539 2.000075053785
	// 0 3 3 200 20000 2.000080000
	// 1 3 3 200 20000 2.000080000
	// 2 3 3 200 20000 2.000080000
	// 3 0 3 100 183 2.000083177756
	// 1 2 3 100 847 2.000093097093
	// flows      16 (planned 17.8), starting from 2.000000000 s to 2.000093097093 s
	// bytes      233993 (planned 1545000)
	// mean size  14624.6 B (planned 86634.7 B)
	// load       4.68 % (planned 30.9 %) of 4 host links from 2.000000000 s to 2.000100000 s
	//   sending    mean 4.68 %, lowest host 1.64 %, highest 9.43 %
	//   receiving  mean 4.68 %, lowest host 2.71 %, highest 6.66 %
	// background 10 flows, 62.5 % of all; 48.7 % of the bytes
	// incast     6 flows, 37.5 % of all; 51.3 % of the bytes
	//
	// size                  flows      share            bytes      share
	// below 1 KB                6     37.5 %             2848     1.22 %
	// 1 KB to 10 KB             1     6.25 %             1328    0.568 %
	// 10 KB to 100 KB           9     56.2 %           229817     98.2 %
	// 100 KB to 1 MB            0        0 %                0        0 %
	// 1 MB to 10 MB             0        0 %                0        0 %
	// from 10 MB                0        0 %                0        0 %
}

func TestDescribeNothing(t *testing.T) {
	stats, err := Measure(Slice(nil), nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Describe(&b, stats, &Plan{}, nil); err != nil {
		t.Fatal(err)
	}
	if want := "mean size  0.0 B\n"; !strings.Contains(b.String(), want) || !strings.Contains(b.String(), " – ") {
		t.Errorf("no flows are described as\n%s", b.String())
	}
}

// Without a plan the description has no brackets, and without a window it has no load.
func TestDescribeWithoutPlan(t *testing.T) {
	stats, err := Measure(Slice([]Flow{{Src: 0, Dst: 1, Size: 10, Start: unit.Second}}), nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Describe(&b, stats, nil, nil); err != nil {
		t.Fatal(err)
	}
	want := `flows      1, starting from 1.000000000 s to 1.000000000 s
bytes      10
mean size  10.0 B
background 1 flow, 100 % of all; 100 % of the bytes

size                  flows      share            bytes      share
below 1 KB                1      100 %               10      100 %
1 KB to 10 KB             0        0 %                0        0 %
10 KB to 100 KB           0        0 %                0        0 %
100 KB to 1 MB            0        0 %                0        0 %
1 MB to 10 MB             0        0 %                0        0 %
from 10 MB                0        0 %                0        0 %
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
