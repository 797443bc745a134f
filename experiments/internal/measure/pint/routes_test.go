package pint

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
)

// routesOf follows flows over switches 0 to 9 without a network.
func routesOf(t *testing.T, seed uint64, checksum int) *routes {
	t.Helper()
	q := RouteQuestion{Bits: 8, Instances: 1, Tau: 0.5, P: 0.1, Checksum: checksum}
	s, err := q.routes(seed, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// send follows packets of a flow over a path.
func (s *routes) send(t *testing.T, f *flow, path []uint64, packets int) {
	t.Helper()
	for range packets {
		if err := s.follow(f, uint64(f.packets), path); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *routes) started(t *testing.T) *flow {
	t.Helper()
	f, err := s.begin(&arrival{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A flow changes two of five switches and later returns to the first path. The follower detects each change and learns
// the new path. A change of length does not count as a change. If a flow takes the same path again, there is no alarm.
func TestFollow(t *testing.T) {
	s := routesOf(t, 1, 16)
	f := s.started(t)
	a, b := []uint64{0, 1, 2, 3, 4}, []uint64{0, 5, 6, 3, 4}
	s.send(t, f, a, 200)
	s.send(t, f, b, 200)
	s.send(t, f, a, 200)
	s.send(t, f, a[:3], 50)
	r, err := s.answer([]*flow{f})
	if err != nil {
		t.Fatal(err)
	}
	if r.Flows != 1 || r.Packets != 650 || r.FalseAlarms != 0 || len(f.reported[0].changes) != 3 {
		t.Fatalf("%+v, want one flow of 650 packets with two changes", r)
	}
	for _, c := range f.reported[0].counted() {
		if c.hops != 5 || c.changed != 2 || !c.known || c.packets == 0 || c.learnt < c.packets || c.learnt > 200 {
			t.Errorf("%+v, want 2 of 5 switches changed, noticed and learnt", c)
		}
	}
	if k := r.Several; len(k) != 1 || k[0].Paths != 3 || k[0].Flows != 1 || k[0].Lanes != 3 || k[0].Mixed != 0 ||
		k[0].Known != 3 {
		t.Errorf("flows of three paths: %+v, want three lanes with known paths", k)
	}
}

// The mean number of packets until a change is detected is the mean that package routechange computes. With 600 flows
// the test allows 4.5 standard errors (false alarm below 1e-5). The standard deviation of a geometric distribution is
// at most its mean.
func TestNoticedAsExpected(t *testing.T) {
	s := routesOf(t, 2, 16)
	const flows = 600
	var all []*flow
	for i := range uint64(flows) {
		f := s.started(t)
		all = append(all, f)
		f.packets = int(i) << 20 // identifiers of its own
		s.send(t, f, []uint64{0, 1, 2, 3, 4}, 150)
		s.send(t, f, []uint64{0, 1, 7, 3, 4}, 150)
	}
	r, err := s.answer(all)
	if err != nil || len(r.Changes) != 1 {
		t.Fatalf("%+v, %v; want one row", r, err)
	}
	x := r.Changes[0]
	if x.Known != "yes" || x.Changes != flows || x.Noticed != flows ||
		math.Abs(float64(x.Mean-x.Expected)) > 4.5*float64(x.Expected)/math.Sqrt(flows) {
		t.Errorf("%+v, want %d changes noticed after %v packets on average", x, flows, x.Expected)
	}
}

// A checksum of one bit confuses paths, and the lane of the paths reports this.
func TestMixed(t *testing.T) {
	s := routesOf(t, 3, 1)
	f := s.started(t)
	for i := range uint64(4) {
		s.send(t, f, []uint64{0, 1, 2 + i}, 100)
	}
	r, err := s.answer([]*flow{f})
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Several; len(k) != 1 || k[0].Paths != 4 || k[0].Lanes > 2 || k[0].Mixed == 0 {
		t.Errorf("%+v, want at most two lanes, one of them mixed", k)
	}
}

func TestAsk(t *testing.T) {
	q := RouteQuestion{Bits: 8, Instances: 1, Tau: 0.5, P: 0.1, Checksum: 8}
	sc, err := scenario.Parse([]byte(`
topology: {kind: fattree, k: 4}
workload: [{kind: poisson, sizes: hadoop, load: 0.5, duration: 60us}]
cc: {kind: hpcc}
telemetry: {kind: pint}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Ask(t.Context(), sc, nil); err == nil || !strings.Contains(err.Error(), "faults: none") {
		t.Errorf("no faults: %v", err)
	}
	if err := sc.Set("faults=[{kind: link-down, a: 24, b: 32, at: 20us, until: 40us}]"); err != nil {
		t.Fatal(err)
	}
	var first *RouteAnswer
	for _, workers := range []string{"1", "3"} {
		if err := sc.Set("run.workers=" + workers); err != nil {
			t.Fatal(err)
		}
		a, err := q.Ask(t.Context(), sc, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Changes) == 0 || len(a.Several) == 0 || a.FalseAlarms != 0 {
			t.Errorf("workers = %s: %+v, want changes of path and no false alarm", workers, a)
		}
		if first == nil {
			first = a
		}
		if a.Packets != first.Packets || fmt.Sprint(a.Changes) != fmt.Sprint(first.Changes) {
			t.Errorf("workers = %s: %+v, with one worker %+v", workers, a, first)
		}
	}
}

// If a link fails, packets in flight turn back and cross 5 switches instead of 3. Packets in a loop cross up to 64. The
// study omits packets that cross more switches, and counts them. Every packet that arrives is either included or
// counted.
func TestDetours(t *testing.T) {
	q := RouteQuestion{Bits: 8, Instances: 1, Tau: 0.5, P: 0.1, Checksum: 8}
	long := 0
	for _, fault := range []string{"until: 100us, kind: link-down, a: 6, b: 9",
		"until: 100us, kind: loop, a: 6, b: 9", "until: 1ms, kind: loop, a: 6, b: 9, ttl: 192"} {
		for seed := range 6 {
			sc, err := scenario.Parse(fmt.Appendf(nil, `
seed: %d
topology: {kind: leafspine, leaves: 3, spines: 2, hosts_per_leaf: 2, host_rate: 10Gbps, fabric_rate: 10Gbps,
  link_delay: 100ns}
workload: [{kind: permutation, size: 200KB}]
cc: {kind: dctcp}
faults: [{%s, at: 20us}]
`, seed, fault), "test")
			if err != nil {
				t.Fatal(err)
			}
			a, err := q.Ask(t.Context(), sc, nil)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", fault, seed, err)
			}
			if a.Packets+a.Long < 1200 || a.FalseAlarms != 0 {
				t.Errorf("%s, seed %d: %+v, want the 1200 packets of 6 flows", fault, seed, a)
			}
			if long += a.Long; a.Long > 0 && !strings.HasSuffix(fault, "192") {
				t.Errorf("%s, seed %d: %d packets left out, want none", fault, seed, a.Long)
			}
		}
	}
	if long == 0 {
		t.Error("no packet passed more than 64 switches")
	}
}

// Reports of a system about a flow, evaluated by hand. With the third packet, the path changes from 1 2 3 to 1 4 3.
func TestReported(t *testing.T) {
	type step struct {
		packets int      // that have arrived
		path    []uint64 // nil: it has changed
	}
	a, b, wrong := []uint64{1, 2, 3}, []uint64{1, 4, 3}, []uint64{1, 3}
	for _, c := range []struct {
		name     string
		steps    []step
		want     change
		reported reported // the counters
	}{
		{"INT", []step{{1, a}, {2, a}, {3, b}, {4, b}}, change{known: true, packets: 1, learnt: 1}, reported{paths: 2}},
		{"an ID, then the path", []step{{2, a}, {4, nil}, {7, b}}, change{known: true, packets: 2, learnt: 5},
			reported{paths: 2}},
		{"whole paths", []step{{2, a}, {7, b}}, change{known: true, packets: 5, learnt: 5}, reported{paths: 2}},
		{"a wrong path first", []step{{2, a}, {4, wrong}, {7, nil}, {8, b}},
			change{known: true, packets: 2, learnt: 6}, reported{paths: 3, wrong: 1, alarms: 1}},
		{"a false alarm before", []step{{1, a}, {2, nil}, {4, b}}, change{packets: 2, learnt: 2},
			reported{paths: 2, alarms: 1}},
		{"a false alarm that is withdrawn", []step{{1, a}, {1, nil}, {2, a}, {4, nil}},
			change{known: true, packets: 2}, reported{paths: 2, alarms: 1}},
		{"the old path is unknown", []step{{5, b}}, change{learnt: 3}, reported{paths: 1}},
		{"never noticed", []step{{2, a}, {4, a}}, change{known: true}, reported{paths: 1}},
	} {
		f := &flow{reported: make([]reported, 1)}
		x := &f.reported[0]
		for n := 1; n <= 8; n++ {
			path := a
			if n >= 3 {
				path = b
			}
			f.packets = n
			if n == 3 {
				f.moves(change{hops: 3, changed: 1})
			}
			if f.path = path; !f.took(path) {
				f.paths = append(f.paths, path)
			}
			for _, s := range c.steps {
				switch {
				case s.packets != n:
				case s.path == nil:
					x.contradicted(&f.truth)
				default:
					x.reports(&f.truth, s.path)
				}
			}
		}
		got := x.changes[0]
		c.want.hops, c.want.changed, c.want.first = 3, 1, 3
		if len(x.changes) != 1 || got != c.want || x.paths != c.reported.paths || x.wrong != c.reported.wrong ||
			x.alarms != c.reported.alarms {
			t.Errorf("%s: %+v, %d paths, %d wrong, %d alarms; want %+v and %+v", c.name, x.changes, x.paths, x.wrong,
				x.alarms, c.want, c.reported)
		}
	}
}

// Monitors that follow paths are compared with PINT on the same packets. INT knows each path at once.
func TestMonitorsOfRoutes(t *testing.T) {
	q := RouteQuestion{Bits: 8, Instances: 1, Tau: 0.5, P: 0.1, Checksum: 8}
	sc, err := scenario.Parse([]byte(`
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 40Gbps}
workload: [{kind: permutation, size: 1GB}]
cc: {kind: fixed, window: 1000B}
faults:
  - {kind: link-down, a: 24, b: 32, at: 400us, until: 800us}
  - {kind: link-down, a: 26, b: 33, at: 500us, until: 1ms}
  - {kind: drop, a: 16, b: 24, probability: 0.05, at: 0s}
  - {kind: drop, a: 19, b: 27, probability: 0.05, at: 0s}
transport: {rto_min: 100us, rto_initial: 100us}
monitors: [{kind: int}, {kind: rtt}, {kind: dlint}, {kind: plint}]
run: {until: 1500us, monitor_cost: none}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Ask(t.Context(), sc, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range a.Systems {
		names = append(names, fmt.Sprint(x.System, " ", x.Bytes))
		if x.Wrong > 0 != (x.System == "2, dlint") {
			t.Errorf("%+v, want wrong paths by DLINT alone", x)
		}
	}
	if got := strings.Join(names, "; "); got != "pint 1; 0, int 68; 2, dlint 1; 3, plint 3" {
		t.Errorf("systems %s", got)
	}
	for _, r := range a.Reroutings {
		if r.System == "0, int" && (r.Changes == 0 || r.Noticed != r.Changes || r.P99 != 1 || r.After != 1) {
			t.Errorf("INT: %+v, want each change noticed by one packet", r)
		}
	}
	for change, want := range map[string]string{"run.workers=2": "want 1", "monitors.0.mode=postcard": "passport"} {
		bad := sc.Clone()
		bad.Run.MonitorCost = "real"
		if err := bad.Set(change); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Ask(t.Context(), bad, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}
