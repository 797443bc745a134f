package trace

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/rng"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
)

func testRand(n uint64) *rand.Rand { return rng.New(n, "test/trace") }

// bar is the most packets that a curve may take on 59 switches.
type bar struct {
	curve     string
	mean, p99 float64
}

// checkBars runs the named curves on a map and holds them against limits.
func checkBars(t *testing.T, m *Map, runs int, bars []bar) {
	all := slices.Concat(PublishedCurves(10), OurCurves(m, 10, 59))
	for _, b := range bars {
		i := slices.IndexFunc(all, func(c Curve) bool { return c.Label == b.curve })
		if i < 0 {
			t.Fatalf("no curve is called %q", b.curve)
		}
		s := Study{Topology: "test", Map: m, Lengths: []int{59}, Curves: all[i : i+1], Trials: coding.Trials{Seed: 1, Runs: runs}}
		rows, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r := rows[0]; r.Mean > b.mean || float64(r.P99) > b.p99 || r.Failed > 0 {
			t.Errorf("%s: %v packets, p99 %d, want at most %v, %v", b.curve, r.Mean, r.P99, b.mean, b.p99)
		}
	}
}

// The limits are far from what is measured (the package comment has 10000 runs), so that
// some dozen runs suffice.
var bars = []bar{
	{"linear 2×(b=8)", 36.2, 37},
	{"topology 2×(b=8)", 5, 12},
	{"topology b=4", 16, 28},
	{"topology b=1", 60, 80},
	{"topology 2×(b=8), published encoding", 13, 60},
}

func TestLongestPathsOfTheTwin(t *testing.T) { checkBars(t, ispMap(t, topo.DefaultISP()), 25, bars) }

func TestLongestPathsOfKentuckyDatalink(t *testing.T) { checkBars(t, kentucky(t), 25, bars) }

// The published decoder on Kentucky Datalink's twin: our own first measurement had 83
// packets with all switches and 53 with those of the true path only. 60 runs have a
// standard error of 0.9 and 1.3.
func TestPublishedReference(t *testing.T) {
	m := ispMap(t, topo.DefaultISP())
	for label, want := range map[string][2]float64{
		"PINT 2×(b=8)": {78, 88},
		"PINT 2×(b=8), true path's switches only": {46, 59},
	} {
		all := PublishedCurves(10)
		i := slices.IndexFunc(all, func(c Curve) bool { return c.Label == label })
		s := Study{Topology: "isp", Map: m, Lengths: []int{59}, Curves: all[i : i+1], Trials: coding.Trials{Seed: 1, Runs: 60}}
		rows, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if mean := rows[0].Mean; mean < want[0] || mean > want[1] {
			t.Errorf("%s: %v packets, want %v to %v", label, mean, want[0], want[1])
		}
	}
}

// A promise of shortest paths saves packets.
func TestShortestPathsHelp(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	s := Study{Topology: "isp", Map: m, Lengths: []int{25}, Trials: coding.Trials{Seed: 4, Runs: 40}, Curves: []Curve{
		{Label: "any", Method: TopologyAware, Code: AwareCode(m, 36, 1, 4)},
		{Label: "shortest", Method: TopologyAware, Code: AwareCode(m, 36, 1, 4), Options: Options{ShortestPaths: true}},
	}}
	rows, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rows[1].Mean > rows[0].Mean-1 {
		t.Errorf("%v packets with the promise, %v without", rows[1].Mean, rows[0].Mean)
	}
}

// Tuning for the topology-aware decoder moves from the published encoding towards one
// with fewer hops XORed out: it gets better, and a code that cannot decode costs the
// limit.
func TestTuneForTheNetwork(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	s := Study{Topology: "isp", Map: m, Lengths: []int{15}, Trials: coding.Trials{Seed: 4, Runs: 10, Limit: 60}}
	cost, err := s.Cost(TopologyAware, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := coding.Tune(t.Context(), coding.Space{Config: coding.Config{Mode: coding.Hash}, Budget: 4, Instances: []int{1}, Typical: 20}, cost)
	if err != nil {
		t.Fatal(err)
	}
	published, err := cost(t.Context(), hashed(1, 4, coding.Interleaved(0.5, 0.1)))
	if err != nil {
		t.Fatal(err)
	}
	if tuned.Cost > 0.95*published {
		t.Errorf("tuned: %v packets with %v; published: %v", tuned.Cost, tuned.Config.Schemes, published)
	}
	s.Trials.Limit = 10
	if cost, err = s.Cost(AllSwitches, Options{}); err != nil {
		t.Fatal(err)
	}
	if never, err := cost(t.Context(), hashed(1, 4, coding.Baseline())); err != nil || never != 10 {
		t.Errorf("10 packets are not enough: cost %v, %v; want the limit", never, err)
	}
}

// In a fat tree paths start and end where hosts are, and have 1, 3 or 5 switches.
func TestFatTree(t *testing.T) {
	g, err := topo.DefaultKAry().Build()
	if err != nil {
		t.Fatal(err)
	}
	m := newMap(t, g, nil)
	ends := HostSwitches(g)
	lengths := PathLengths(m, ends)
	if !slices.Equal(lengths, []int{1, 3, 5}) {
		t.Fatalf("paths have %v switches, want 1, 3 and 5", lengths)
	}
	var done []int
	s := Study{Topology: "K=8", Map: m, Ends: ends, Lengths: lengths, Curves: slices.Concat(PublishedCurves(5), OurCurves(m, 5, 5)),
		Trials: coding.Trials{Seed: 1, Runs: 10}, Progress: func(n, total int) { done = append(done, n, total) }}
	rows, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(s.Curves)*3 {
		t.Errorf("%d rows", len(rows))
	}
	want := len(rows) * 10
	if len(done) == 0 || done[len(done)-2] != want || done[len(done)-1] != want {
		t.Errorf("progress ends with %v, want %d of %d", done[max(0, len(done)-2):], want, want)
	}
	for _, r := range rows {
		if r.Failed > 0 || r.Switch == "" || r.Mean < 1 || r.Packets.Runs() != 10 {
			t.Errorf("%+v", r)
		}
	}
}

// A packet that is overtaken by up to 20 others delays what it says by at most that, and
// each by 10 on average; the order plays no other part.
func TestReorderingDelays(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	run := func(reorder int) Row {
		s := Study{Topology: "isp", Map: m, Lengths: []int{20}, Reorder: reorder, Trials: coding.Trials{Seed: 6, Runs: 60},
			Curves: []Curve{{Label: "plain", Method: AllSwitches, Code: hashed(2, 8, coding.Interleaved(0.5, 0.1))}}}
		rows, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	plain, late := run(0), run(20)
	if late.Failed > 0 || late.Mean < plain.Mean+5 || late.Mean > plain.Mean+20 || late.Max > plain.Max+20 {
		t.Errorf("up to 20 packets late: %v packets on average, %d at most; in order %v, %d", late.Mean, late.Max, plain.Mean, plain.Max)
	}
}

// Lost packets count as sent: with a loss of 50 % it takes about twice as many, whatever
// is lost. Identifiers of 4 bits repeat themselves so often that a whole path is hardly
// ever told apart; of 16 bits they do no harm.
func TestLossAndFewIdentifiers(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	mean := func(loss float64, idBits int) (float64, int) {
		s := Study{Topology: "isp", Map: m, Lengths: []int{20}, Loss: loss, IDBits: idBits, Trials: coding.Trials{Seed: 6, Runs: 60, Limit: 4000},
			Curves: []Curve{{Label: "plain", Method: AllSwitches, Code: hashed(2, 8, coding.Interleaved(0.5, 0.1))}}}
		rows, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rows[0].Mean, rows[0].Failed
	}
	plain, _ := mean(0, 0)
	if half, _ := mean(0.5, 0); half < 1.7*plain || half > 2.3*plain {
		t.Errorf("half of the packets lost: %v packets, without loss %v", half, plain)
	}
	if short, failed := mean(0, 16); failed > 0 || short < 0.9*plain || short > 1.1*plain {
		t.Errorf("identifiers of 16 bits: %v packets, %d failed; otherwise %v", short, failed, plain)
	}
	if _, failed := mean(0, 4); failed < 50 {
		t.Errorf("identifiers of 4 bits: only %d of 60 runs fail", failed)
	}
}

// Rows do not depend on the number of workers.
func TestStudyIsDeterministic(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	run := func(workers int) []Row {
		s := Study{Topology: "isp", Map: m, Lengths: []int{15, 30}, Curves: OurCurves(m, 10, 36)[3:6], Trials: coding.Trials{Seed: 2, Runs: 60, Workers: workers}}
		rows, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	a, b := run(1), run(3)
	for i := range a {
		a[i].Packets, b[i].Packets = nil, nil
		if a[i] != b[i] {
			t.Errorf("one worker: %+v, three: %+v", a[i], b[i])
		}
	}
}

func TestStudyErrors(t *testing.T) {
	m := newMap(t, graphOf(3, [2]int{0, 1}, [2]int{1, 2}), nil)
	ok := Study{Topology: "line", Map: m, Lengths: []int{3}, Curves: []Curve{{Label: "PPM", Method: PPMMarks}}, Trials: coding.Trials{Runs: 2}}
	if _, err := ok.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(*Study)
		want   string
	}{
		{func(s *Study) { s.Lengths = []int{4} }, "study of line: no shortest path has 4 switches; the longest has 3"},
		{func(s *Study) { s.Lengths = nil }, "1 curves, 0 path lengths"},
		{func(s *Study) { s.Curves = append(s.Curves, s.Curves[0]) }, `two curves are called "PPM"`},
		{func(s *Study) { s.Loss = 1 }, "loss = 1, want 0 to below 1"},
		{func(s *Study) { s.Reorder = -1 }, "reorder = -1, want 0 to 65536"},
		{func(s *Study) { s.IDBits = 65 }, "id_bits = 65, want 0 to 64"},
		{func(s *Study) { s.Ends = []topo.NodeID{7} }, "end 7 is not a switch of the map"},
		{func(s *Study) { s.Trials.Runs = 0 }, "want runs >= 1"},
		{func(s *Study) { s.Curves = []Curve{{Label: "?", Method: 77}} }, "line, ?, 3 switches: unknown method 77"},
		{func(s *Study) { s.Curves = []Curve{{Label: "x", Method: AllSwitches}} }, "0 schemes for 0 instances"},
		{func(s *Study) { s.Curves = []Curve{{Label: "x", Method: AMS2Marks}} }, "AMS2: m = 0"},
	} {
		s := ok
		s.Curves = slices.Clone(ok.Curves)
		tt.change(&s)
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ok.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
