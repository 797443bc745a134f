package stats

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/experiments/results/store"
	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

func TestPercentile(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	tests := []struct {
		values []float64
		p      float64
		want   float64
	}{
		{ten, 0.5, 5}, {ten, 0.51, 6}, {ten, 0.95, 10}, {ten, 1, 10}, {ten, 0.01, 1}, {ten, 0.1, 1}, {ten, 0.11, 2},
		{hundred, 0.07, 7}, {hundred, 0.95, 95}, {hundred, 0.99, 99}, {hundred, 0.991, 100}, {hundred, 0.29, 29},
		{[]float64{4}, 0.5, 4},
	}
	for _, tt := range tests {
		if got := Percentile(tt.values, tt.p); got != tt.want {
			t.Errorf("percentile %v of 1..%d is %v, want %v", tt.p, len(tt.values), got, tt.want)
		}
	}
}

// The percentile equals its definition: the smallest value that at least p·n values do not exceed. In the test, p is a
// fraction of integers, so that p·n is exact.
func TestPercentileIsNearestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 200).Draw(t, "values")
		slices.Sort(values)
		permille := rapid.IntRange(1, 1000).Draw(t, "permille")
		got := Percentile(values, float64(permille)/1000)
		want := math.Inf(1)
		for _, v := range values {
			notAbove := 0
			for _, w := range values {
				if w <= v {
					notAbove++
				}
			}
			if 1000*notAbove >= permille*len(values) {
				want = min(want, v)
			}
		}
		if got != want {
			t.Fatalf("percentile %d/1000 of %v is %v, want %v", permille, values, got, want)
		}
	})
}

func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		n    int
		p    float64
		want bool
	}{
		{99, 0.95, false}, {100, 0.95, true}, {499, 0.99, false}, {500, 0.99, true}, {10, 0.5, true}, {9, 0.5, false},
		{0, 0.5, false},
	} {
		if got := Enough(tt.n, tt.p); got != tt.want {
			t.Errorf("Enough(%d, %v) = %v", tt.n, tt.p, got)
		}
	}
}

// flow returns a finished flow of the given size and slowdown.
func flow(id int64, size unit.Bytes, start, ideal unit.Time, slowdown float64) store.FlowRecord {
	return store.FlowRecord{
		ID: id, Src: 1, Dst: 2, Size: size, Start: start, Ideal: ideal, FCT: unit.Time(slowdown * float64(ideal)),
	}
}

func flowsOf(rs ...store.FlowRecord) *store.Flows {
	f := &store.Flows{}
	for _, r := range rs {
		f.Append(r)
	}
	return f
}

// Five flows are divided into two buckets. The first contains sizes 1 and 2, and the second 3, 3 and 4. Equal sizes
// stay together, in the order of their IDs.
func TestTable(t *testing.T) {
	points := []Point{
		{ID: 4, Size: 3, Slowdown: 8}, {ID: 0, Size: 4, Slowdown: 1.5}, {ID: 1, Size: 1, Slowdown: 1},
		{ID: 2, Size: 3, Slowdown: 2}, {ID: 3, Size: 2, Slowdown: 3},
	}
	before := slices.Clone(points)
	got, err := Table(points, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []Bucket{
		{From: 0, To: 0.5, MinSize: 1, MaxSize: 2, N: 2, Mean: 2, P50: 1, P95: 3, P99: 3, Max: 3},
		{From: 0.5, To: 1, MinSize: 3, MaxSize: 4, N: 3, Mean: 11.5 / 3, P50: 2, P95: 8, P99: 8, Max: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, points); diff != "" {
		t.Errorf("the points were reordered:\n%s", diff)
	}
	if !got[0].Few(0.95) {
		t.Error("two flows are enough for a 95th percentile")
	}
	for _, n := range []int{0, 6} {
		if _, err := Table(points, n); !errtest.Says(err, fmt.Sprintf("5 flows … %d buckets", n)) {
			t.Errorf("%d buckets: %v", n, err)
		}
	}
}

// If flows at the edge of a bucket have equal sizes, their IDs decide which flow belongs to the bucket. So two runs
// with the same flows compare the same flows, regardless of the slowdowns.
func TestTableSplitsEqualSizesByID(t *testing.T) {
	var a, b []Point
	for i := range 10 {
		a = append(a, Point{ID: int64(i), Size: 1000, Slowdown: float64(i)})
		b = append(b, Point{ID: int64(9 - i), Size: 1000, Slowdown: float64(10 * (9 - i))})
	}
	x, errX := Table(a, 2)
	y, errY := Table(b, 2)
	if errX != nil || errY != nil {
		t.Fatal(errX, errY)
	}
	for i := range x {
		if 10*x[i].Mean != y[i].Mean {
			t.Errorf("bucket %d: %v and %v", i, x[i].Mean, y[i].Mean)
		}
	}
}

// Runs with the same flows have the same buckets, even if flows of one run have no completion time. Such flows count
// when the edges of buckets are computed, but have no slowdown.
func TestBucketsOfUntimedFlows(t *testing.T) {
	var ended, open []store.FlowRecord
	for i := range 10 {
		f := flow(int64(i), unit.Bytes(100*(i+1)), 0, 10, 2)
		ended = append(ended, f)
		if i < 4 {
			f.Outcome, f.FCT = store.Unfinished, unit.Never
		}
		open = append(open, f)
	}
	a, errA := Table(AllPoints(flowsOf(ended...), Everything()), 2)
	b, errB := Table(AllPoints(flowsOf(open...), Everything()), 2)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for i, n := range []int{1, 5} {
		if a[i].MinSize != b[i].MinSize || a[i].MaxSize != b[i].MaxSize || a[i].N != 5 || b[i].N != n ||
			b[i].Mean != a[i].Mean {
			t.Errorf("bucket %d: %+v and %+v", i, a[i], b[i])
		}
	}
	if _, err := Table(AllPoints(flowsOf(open...), Everything()), 5); !errors.Is(err, ErrOpen) ||
		!errtest.Says(err, "2 flows of 100B to 200B: …") {
		t.Errorf("a bucket without slowdowns: %v", err)
	}
}

func TestPoints(t *testing.T) {
	failed := flow(5, 1, 30, 10, 1)
	failed.Outcome, failed.FCT = store.OutOfTries, unit.Never
	unfinished := flow(6, 1, 30, 10, 1)
	unfinished.Outcome, unfinished.FCT = store.Unfinished, unit.Never
	flows := flowsOf(flow(7, 5, 20, 10, 2), failed, flow(1, 4, 10, 10, 3), unfinished, flow(2, 3, 40, 10, 4))
	w := Arrivals(flows, 5, 10)
	if (w != Window{From: 15, To: 31}) {
		t.Errorf("window %+v", w)
	}
	points := Points(flows, w)
	if diff := cmp.Diff([]Point{{ID: 7, Size: 5, Slowdown: 2}}, points); diff != "" {
		t.Error(diff)
	}
	points = Points(flows, Everything())
	if len(points) != 3 || points[0].ID != 1 || points[2].ID != 7 {
		t.Errorf("%+v", points)
	}
	if w := Arrivals(&store.Flows{}, 0, 0); w.Contains(0) {
		t.Error("the window of no arrivals is not empty")
	}
}

func TestMatch(t *testing.T) {
	a := flowsOf(flow(1, 10, 0, 10, 2), flow(0, 20, 5, 10, 3))
	b := flowsOf(flow(0, 20, 5, 10, 4), flow(1, 10, 0, 10, 5))
	x, y, err := Match(a, b, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]Point{{{0, 20, 3}, {1, 10, 2}}, {{0, 20, 4}, {1, 10, 5}}}, [][]Point{x, y}); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		b    *store.Flows
		want string
	}{
		{flowsOf(flow(1, 10, 0, 10, 2)), "flow 0 occurs in only one of the runs"},
		{flowsOf(flow(0, 20, 5, 10, 2), flow(1, 10, 0, 10, 2), flow(2, 10, 0, 10, 2)),
			"one run has 2 flows, the other 3"},
		{flowsOf(flow(0, 21, 5, 10, 2), flow(1, 10, 0, 10, 2)),
			"flow 0 differs between the runs: 1 to 2, 20 B at 5ps in one, and 1 to 2, 21 B at 5ps in the other"},
	} {
		if _, _, err := Match(a, tt.b, false); !errtest.Says(err, tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	// Flows of a job start when other flows finish, and may never start.
	later := flowsOf(flow(0, 20, 9, 10, 4), flow(2, 30, 1, 10, 5))
	if x, y, err = Match(a, later, true); err != nil || len(x) != 1 || x[0] != (Point{0, 20, 3}) ||
		y[0] != (Point{0, 20, 4}) {
		t.Errorf("flows of a job: %v, %v, %v", x, y, err)
	}
	if _, _, err := Match(a, flowsOf(flow(0, 21, 9, 10, 4)), true); !errtest.Says(err,
		"flow 0 differs between the runs: …") {
		t.Errorf("another flow of a job: %v", err)
	}
}

// The table of a published run agrees in every digit with the output of the simulator's script. This is tested for all
// flows, and for the flows that ended before the end of arrivals at 2.002 s.
func TestHPCCScriptsPublished(t *testing.T) {
	const dir = "../../../../shared/reference/hpcc-pint-ns3/fat320-web-2ms"
	f, err := os.Open(filepath.Join(dir, "slowdown.csv"))
	if os.IsNotExist(err) {
		t.Skipf("needs ../shared/reference/hpcc-pint-ns3/fat320-web-2ms next to the checkout: " +
			"slowdown.csv, the table of the published simulator's own script, and hpcc/fct.txt and pint1/fct.txt, " +
			"the recorded runs that it is of")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, r := range rows[1:] {
		key := r[0] + " " + r[1]
		want[key] = append(want[key], strings.Join(r[2:], ","))
	}
	if len(want) != 4 {
		t.Fatalf("%d tables, want 4", len(want))
	}
	for _, subset := range []struct {
		name string
		end  unit.Time
	}{{"all", unit.Never}, {"before_arrivals_end", 2002 * unit.Millisecond}} {
		for _, scheme := range []string{"hpcc", "pint1"} {
			f, err := os.Open(filepath.Join(dir, scheme, "fct.txt"))
			if err != nil {
				t.Fatal(err)
			}
			lines, err := store.ReadFCT(f, "fct.txt")
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			table, err := HPCCScripts(lines, 100, subset.end)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range table {
				got = append(got,
					fmt.Sprintf("%.2f,%d,%d,%.4f,%.4f,%.4f", b.From, int64(b.MaxSize), b.N, b.P50, b.P95, b.P99))
			}
			if diff := cmp.Diff(want[subset.name+" "+scheme], got); diff != "" {
				t.Errorf("%s %s:\n%s", subset.name, scheme, diff)
			}
		}
	}
}

// There are 41 flows of 1 to 41 bytes, in descending order. The slowdown of each flow equals its size. The largest flow
// is dropped, so that each bucket has two flows.
func TestHPCCScripts(t *testing.T) {
	var lines []store.FCT
	for i := 41; i >= 1; i-- {
		lines = append(lines,
			store.FCT{DstPort: 100, Size: unit.Bytes(i), Start: 5 * unit.Nanosecond,
				FCT: unit.Time(i) * unit.Nanosecond, Standalone: unit.Nanosecond})
	}
	lines = append(lines,
		store.FCT{DstPort: 200, Size: 1, FCT: unit.Nanosecond, Standalone: unit.Nanosecond}, // incast
		// ends at 100 ns
		store.FCT{DstPort: 100, Size: 1, Start: 99 * unit.Nanosecond, FCT: unit.Nanosecond, Standalone: 1},
	)
	table, err := HPCCScripts(lines, 100, 100*unit.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(table) != 20 {
		t.Fatalf("%d buckets", len(table))
	}
	want := Bucket{From: 0.95, To: 1, MinSize: 39, MaxSize: 40, N: 2, Mean: 39.5, P50: 40, P95: 40, P99: 40, Max: 40}
	if diff := cmp.Diff(want, table[19]); diff != "" {
		t.Error(diff)
	}
	if _, err := HPCCScripts(lines[:20], 100, unit.Never); !errtest.Says(err, "19 flows to port 100 … 20 buckets") {
		t.Errorf("too few: %v", err)
	}
	// If a flow is faster than it is alone, it counts as if it took the time that it takes alone.
	lines[0].FCT, lines[0].Size = 1, 1
	table, err = HPCCScripts(lines, 100, 100*unit.Nanosecond)
	if err != nil || table[0].P50 != 1 {
		t.Errorf("%+v, %v", table[0], err)
	}
}

func TestFCT(t *testing.T) {
	var flows store.Flows
	for i := range 4 { // flows of 1, 2, 3 and 4 KB take 1, 2, 3 and 4 us
		flows.Append(flow(int64(i), unit.Bytes(i+1)*unit.KB, 0, unit.Microsecond, float64(i+1)))
	}
	got := FCT(&flows, Everything(), 2*unit.KB, AnySize)
	if got.N != 3 || math.Abs(got.Mean-3e-6) > 1e-18 || got.P50 != 3e-6 || got.P99 != 4e-6 || got.Max != 4e-6 {
		t.Errorf("%+v", got)
	}
	if got := FCT(&flows, Everything(), 0, 2*unit.KB); got.N != 1 || got.Mean != 1e-6 {
		t.Errorf("%+v", got)
	}
	if got := FCT(&flows, Window{}, 0, AnySize); got != (Times{}) {
		t.Errorf("%+v", got)
	}
}

// 20 MB in 4 ms are 40 Gb/s, and 30 MB in 4 ms are 60 Gb/s. The mean is 50 Gb/s.
func TestLongFlows(t *testing.T) {
	flows := flowsOf(flow(0, 20*unit.MB, 0, unit.Millisecond, 4), flow(1, 30*unit.MB, 0, unit.Millisecond, 4),
		flow(2, 10*unit.MB, 0, unit.Millisecond, 1))
	got := LongFlows(flows, Everything(), 10*unit.MB)
	if got.N != 2 || math.Abs(got.Mean-50e9) > 1 {
		t.Errorf("%+v", got)
	}
	// 20 MB in 4 ms are 40 Gb/s, and 30 MB in 12 ms are 20 Gb/s. Each flow counts once.
	flows = flowsOf(flow(0, 20*unit.MB, 0, unit.Millisecond, 4), flow(1, 30*unit.MB, 0, unit.Millisecond, 12))
	got = LongFlows(flows, Everything(), 10*unit.MB)
	if math.Abs(got.Mean-30e9) > 1 {
		t.Errorf("%+v", got)
	}
	if got := LongFlows(flows, Everything(), 30*unit.MB); got != (Goodput{}) {
		t.Errorf("%+v", got)
	}
}

func TestCDF(t *testing.T) {
	got := CDF([]float64{3, 1, 2, 2}, 10)
	if diff := cmp.Diff([]CDFPoint{{1, 0.25}, {2, 0.75}, {3, 1}}, got); diff != "" {
		t.Error(diff)
	}
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i)
	}
	got = CDF(values, 4)
	if diff := cmp.Diff([]CDFPoint{{0, 0.001}, {333, 0.334}, {666, 0.667}, {999, 1}}, got); diff != "" {
		t.Error(diff)
	}
	if CDF(nil, 5) != nil || len(CDF([]float64{7}, 1)) != 1 {
		t.Error("of no or one value")
	}
}

// For 1, 2 and 3, the mean is 2 and s = 1. t(0.975, 2) = 4.302653 (any table), and 4.302653/√3 = 2.484138.
func TestMean(t *testing.T) {
	i, err := Mean([]float64{1, 2, 3}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if i.Value != 2 || math.Abs(i.Lo-(2-2.484138)) > 1e-6 || math.Abs(i.Hi-(2+2.484138)) > 1e-6 || i.Seeds != 3 {
		t.Errorf("%+v", i)
	}
	one, err := Mean([]float64{7}, 0.95)
	if err != nil || one.Bounded() || one.Value != 7 {
		t.Errorf("%+v, %v", one, err)
	}
	for _, tt := range []struct {
		values []float64
		level  float64
	}{
		{nil, 0.95}, {[]float64{1, 2}, 1}, {[]float64{1, 2}, math.NaN()}, {[]float64{1, math.NaN()}, 0.95},
		{[]float64{1, math.Inf(1)}, 0.95},
	} {
		if _, err := Mean(tt.values, tt.level); err == nil {
			t.Errorf("Mean(%v, %v) has no error", tt.values, tt.level)
		}
	}
}

// The interval covers the true mean with the stated probability. There are 2000 intervals of 95 %, each computed from
// five normal values. About 1900 of them should cover the mean, with a standard error of 9.7. The bounds are five
// standard errors away, so that the error rate is below 1e-6; the seed is fixed.
func TestMeanCovers(t *testing.T) {
	r := hash.Stream(1, "stats/coverage")
	covered := 0
	for range 2000 {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 10 + 3*r.NormFloat64()
		}
		i, err := Mean(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if i.Lo <= 10 && 10 <= i.Hi {
			covered++
		}
	}
	if covered < 1851 || covered > 1949 {
		t.Errorf("%d of 2000 intervals cover the mean, want 1900 ± 49", covered)
	}
}

func TestPaired(t *testing.T) {
	// The differences are 1, 2 and 3, as in TestMean, although a and b vary by hundreds.
	a, b := []float64{101, 502, 903}, []float64{100, 500, 900}
	d, err := PairedDifference(a, b, 0.95)
	if err != nil || d.Value != 2 || math.Abs(d.Hi-4.484138) > 1e-6 {
		t.Errorf("%+v, %v", d, err)
	}
	// The ratios are e, e² and e³. Their geometric mean is e², and the ends are exp(2 ± 2.484138).
	a = []float64{math.E * 7, math.E * math.E * 8, math.E * math.E * math.E * 9}
	r, err := PairedRatio(a, []float64{7, 8, 9}, 0.95)
	if err != nil || math.Abs(r.Value-math.Exp(2)) > 1e-9 || math.Abs(math.Log(r.Lo)-(2-2.484138)) > 1e-6 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, tt := range [][2][]float64{{{1}, {1, 2}}, {{1, 0}, {1, 1}}, {{1, 1}, {1, -1}}} {
		if _, err := PairedRatio(tt[0], tt[1], 0.95); err == nil {
			t.Errorf("PairedRatio(%v, %v) has no error", tt[0], tt[1])
		}
	}
	if _, err := PairedDifference([]float64{1}, nil, 0.95); !errtest.Says(err, "1 values … 0") {
		t.Errorf("unequal lengths: %v", err)
	}
}

// Numbers do not depend on the order in which flows ended.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(20, 60).Draw(t, "n")
		rs := make([]store.FlowRecord, n)
		for i := range rs {
			rs[i] = flow(int64(i), unit.Bytes(rapid.IntRange(1, 5).Draw(t, "size")), unit.Time(i), unit.Microsecond,
				rapid.Float64Range(1, 9).Draw(t, "slowdown"))
		}
		a := flowsOf(rs...)
		shuffled := &store.Flows{}
		for _, r := range rapid.Permutation(rs).Draw(t, "order") {
			shuffled.Append(r)
		}
		table := func(f *store.Flows) []Bucket {
			points := Points(f, Everything())
			tab, err := Table(points, 20)
			if err != nil {
				t.Fatal(err)
			}
			return tab
		}
		if diff := cmp.Diff(table(a), table(shuffled)); diff != "" {
			t.Fatal(diff)
		}
		if FCT(a, Everything(), 0, AnySize) != FCT(shuffled, Everything(), 0, AnySize) ||
			LongFlows(a, Everything(), 2) != LongFlows(shuffled, Everything(), 2) {
			t.Fatal("completion times or goodput differ")
		}
	})
}

// The interval of one long run contains the truth in 95 % of the runs. Here, the truth is the median of exponential
// numbers, ln 2. A run consists of 4000 such numbers in ten sections. Of 400 runs, 380 ± 4.4 should contain the truth.
// Fewer than 360 or more than 396 have a probability below 10⁻⁴ (binomial), and the seed is fixed.
func TestSectionedCoverage(t *testing.T) {
	r := hash.Stream(7, "stats/sectioned")
	median := func(x []float64) float64 { return Percentile(slices.Sorted(slices.Values(x)), 0.5) }
	hit := 0
	for range 400 {
		run := make([]float64, 4000)
		for i := range run {
			run[i] = r.ExpFloat64()
		}
		var sections []float64
		for part := range slices.Chunk(run, 400) {
			sections = append(sections, median(part))
		}
		iv, err := Sectioned(median(run), sections, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if iv.Lo <= math.Ln2 && math.Ln2 <= iv.Hi {
			hit++
		}
	}
	if hit < 360 || hit > 396 {
		t.Errorf("%d of 400 intervals contain the median, want about 380", hit)
	}
}

func TestSectionedRefuses(t *testing.T) {
	if iv, err := Sectioned(3, []float64{3}, 0.95); err != nil || iv.Bounded() || iv.Value != 3 {
		t.Errorf("one section: %+v, %v; want 3 without ends", iv, err)
	}
	for _, c := range []struct {
		b        float64
		of, base []float64
	}{
		{1, []float64{1, 2}, []float64{1}}, {0, []float64{1, 2}, []float64{1, 2}},
		{1, []float64{1, -2}, []float64{1, 2}}, {1, nil, nil},
	} {
		if _, err := SectionedRatio(1, c.b, c.of, c.base, 0.95); err == nil {
			t.Errorf("1/%v with sections %v and %v has no error", c.b, c.of, c.base)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	points := make([]Point, 100_000)
	r := hash.Stream(1, "stats/bench")
	for i := range points {
		points[i] = Point{ID: int64(i), Size: unit.Bytes(1 + r.IntN(1<<24)), Slowdown: 1 + r.ExpFloat64()}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Table(points, 20); err != nil {
			b.Fatal(err)
		}
	}
}

// The interval of a median is computed by hand. For 8 values, the interval from the smallest to the largest value
// misses the median with probability 2/256, and the interval from the second to the seventh value would miss it with
// probability 18/256. For 20 values, the interval may begin at the sixth value (2·21700/2^20), but not later. For 5
// values, only the interval from the smallest to the largest value remains.
func TestMedian(t *testing.T) {
	for n, want := range map[int]struct{ value, lo, hi, level float64 }{
		1:  {1, 1, 1, 0},
		5:  {3, 1, 5, 1 - 2.0/32},
		8:  {4.5, 1, 8, 1 - 2.0/256},
		20: {10.5, 6, 15, 1 - 2*21700.0/(1<<20)},
	} {
		var values []float64
		for i := range n {
			values = append(values, float64(n-i))
		}
		got, level, err := Median(values, 0.95)
		same := got.Value == want.value && got.Lo == want.lo && got.Hi == want.hi && got.Seeds == n
		if err != nil || !same || math.Abs(level-want.level) >= 1e-12 {
			t.Errorf("%d values: %+v at %v, %v; want %+v", n, got, level, err, want)
		}
	}
	for _, bad := range [][]float64{nil, {1, math.NaN()}} {
		if i, _, err := Median(bad, 0.95); err == nil {
			t.Errorf("%v: %+v", bad, i)
		}
	}
}
