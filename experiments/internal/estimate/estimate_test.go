package estimate

import (
	"context"
	"encoding/gob"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/internal/outfile"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func open(t *testing.T, base string, set ...string) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Open(base, set...)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// both returns the flows of a run and of the estimate of the same scenario, by ID.
func both(t *testing.T, base string, set ...string) (run, estimate []*store.FlowRecord) {
	t.Helper()
	sc := open(t, base, set...)
	r, err := sim.Run(context.Background(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Simulate(context.Background(), open(t, base, append(set, "estimate.enabled=true")...), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	byID := func(flows *store.Flows) []*store.FlowRecord {
		list := make([]*store.FlowRecord, flows.Len())
		for x := range flows.All() {
			list[x.ID] = x
		}
		return list
	}
	if e.Summary.Estimated != r.Summary.Finished || e.Summary.Finished != r.Summary.Finished {
		t.Fatalf("%d flows are estimated and %d finished, want %d", e.Summary.Estimated, e.Summary.Finished,
			r.Summary.Finished)
	}
	return byID(r.Flows), byID(e.Flows)
}

// If flows meet only at one link, the estimate is almost exact.
func TestOneBottleneck(t *testing.T) {
	tests := []struct {
		base   string
		set    []string
		within float64
	}{
		{"two-flows", nil, 0.001},
		{"incast16", nil, 0.03},
		{"incast16", []string{"cc.kind=swift"}, 0.03},
		{"incast16", []string{"cc.kind=dctcp"}, 0.05},
		{"incast16", []string{"telemetry.kind=pint"}, 0.05},
		{"incast16", []string{"workload.0.size=500B"}, 0.01}, // one packet each
	}
	for _, tt := range tests {
		t.Run(tt.base+" "+strings.Join(tt.set, " "), func(t *testing.T) {
			run, estimate := both(t, tt.base, tt.set...)
			slowest := func(list []*store.FlowRecord) (d unit.Time) {
				for _, x := range list {
					d = max(d, x.FCT)
				}
				return d
			}
			if got, want := slowest(estimate), slowest(run); math.Abs(got.Ratio(want)-1) > tt.within {
				t.Errorf("the last flow takes %v, estimated %v", want, got)
			}
			for i, x := range run {
				e := estimate[i]
				if e.Ideal != x.Ideal || e.Hops != x.Hops || e.Start != x.Start || e.Size != x.Size ||
					e.Class != x.Class || e.SrcPort != x.SrcPort || e.Outcome != store.Estimated {
					t.Fatalf("estimated %+v of %+v", *e, *x)
				}
			}
		})
	}
}

// If a flow is alone in the network, its estimated time is within 3 % of the simulated time, or within 0.5 % for a
// flow of one packet. This is true within a rack, between racks, and on a single link.
func TestAlone(t *testing.T) {
	nets := []string{
		"{kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 1, host_rate: 25Gbps, fabric_rate: 100Gbps}",
		"{kind: star, hosts: 2}",
		"{kind: file, path: " + wire(t) + "}",
	}
	for _, net := range nets {
		for _, size := range []string{"1B", "1000B", "30KB", "1MB"} {
			for _, cc := range []string{"hpcc", "dctcp", "swift"} {
				run, estimate := both(t, "two-flows", "topology="+net, "workload=[{kind: permutation, size: "+size+"}]",
					"cc.kind="+cc)
				for i, x := range run {
					if got := estimate[i].FCT.Ratio(x.FCT); math.Abs(got-1) > 0.03 ||
						x.Packets == 1 && math.Abs(got-1) > 0.005 {
						t.Errorf("%s, %s, %s: flow %d takes %v, estimated %v", net, size, cc, i, x.FCT, estimate[i].FCT)
					}
				}
			}
		}
	}
}

// wire writes a network of two hosts and one link to a file, and returns the name of the file.
func wire(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "wire.txt")
	if err := os.WriteFile(name, []byte("2 0 1\n\n0 1 100Gbps 1us 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// The result has the same bytes for any number of workers, with clusters and without.
func TestWorkers(t *testing.T) {
	for _, clusters := range []string{"false", "true"} {
		var prints []string
		for _, workers := range []string{"1", "3"} {
			sc := open(t, "fat320-web", "topology={kind: fattree, k: 4}",
				"workload=[{kind: poisson, sizes: hadoop, load: 0.5, duration: 50us}]", "cc.kind=hpcc",
				"estimate.enabled=true", "estimate.clusters="+clusters, "run.workers="+workers)
			last := sim.Progress{}
			e, err := Simulate(context.Background(), sc, sim.Options{Progress: func(p sim.Progress) { last = p }})
			if err != nil {
				t.Fatal(err)
			}
			if off := float64(last.Counters.PacketHops)/float64(last.Foreseen) - 1; !(math.Abs(off) < 0.05) {
				t.Errorf("%d packet-hops were foreseen, and it took %d", last.Foreseen, last.Counters.PacketHops)
			}
			if last.Links == 0 || last.LinksDone != last.Links || last.Share() != 1 {
				t.Errorf("at the end the progress is %+v", last)
			}
			prints = append(prints, e.Summary.Fingerprint)
		}
		if prints[0] != prints[1] {
			t.Errorf("clusters %s: one worker gives %s, three give %s", clusters, prints[0], prints[1])
		}
	}
}

// If the tolerances are so strict that no two links are similar, every link is simulated. If the load of links may
// differ by any amount, one link of each kind is simulated.
func TestClusters(t *testing.T) {
	base := []string{
		"topology={kind: fattree, k: 4}", "workload=[{kind: poisson, sizes: hadoop, load: 0.5, duration: 100us}]",
		"cc.kind=hpcc", "estimate.enabled=true", "estimate.clusters=true",
	}
	count := func(set ...string) (simulated, loaded int) {
		e, err := Run(context.Background(), open(t, "fat320-web", append(base, set...)...), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(e.todo), len(e.links)
	}
	if n, of := count("estimate.sizes=1e-12", "estimate.gaps=1e-12"); n != of {
		t.Errorf("%d of %d links are simulated, none of which are alike", n, of)
	}
	if n, of := count("estimate.load=off"); n != 6 {
		t.Errorf("%d of %d links are simulated, want one for each of the 6 places in a fat tree", n, of)
	}
	if n, of := count("estimate.load=1"); n <= 6 || n > of/2 {
		t.Errorf("%d of %d links are simulated, want more than 6 and less than half", n, of)
	}
}

func says(t *testing.T, err error, want string) {
	t.Helper()
	if !errtest.Says(err, want) {
		t.Errorf("the error is %v, want one that says %q", err, want)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ set, want string }{
		{"faults=[{kind: link-down, a: 0, b: 320, at: 1us}]", "…faults…none"},
		{"monitors=[{kind: rtt}]", "…monitors…none"},
		{"run.sampling.enabled=true", "…run.sampling.enabled…false"},
		{"run.capture.enabled=true", "…run.capture.enabled…false"},
		{"cc.kind=ndp", "…transport.kind…network.trimming.enabled…false"},
		{"network.balancing.kind=letflow", "…network.balancing.kind…ecmp"},
		{"network.link_error_rate=0.001", "…network.link_error_rate…0"},
		{"run.wall_limit=1s", "…run.wall_limit…never"},
		{"run.keep_load=1ms", "…run.keep_load…0s"},
		{"workload.0.under_way=steady", "…workload.0.under_way…none"},
		{"run.outputs=[flows.csv, pfc.txt]", "…run.outputs…pfc.txt"},
		{"estimate.load=0.1", "…estimate.load…no effect"},
		{"estimate={enabled: true, clusters: true, gaps: -1}", "…estimate.gaps…off"},
	}
	for _, tt := range tests {
		set := []string{"estimate.enabled=true", tt.set}
		if strings.HasPrefix(tt.set, "estimate={") {
			set = set[1:]
		}
		_, err := scenario.Open("fat320-web", set...)
		says(t, err, tt.want)
	}
	_, err := Simulate(context.Background(),
		open(t, "fat320-web", "estimate.enabled=true", "workload=[{kind: collective, algorithm: ring, size: 1MB}]"),
		sim.Options{})
	says(t, err, "estimate.enabled…wait for others…")
	_, err = sim.Run(context.Background(), open(t, "fat320-web", "estimate.enabled=true"), sim.Options{})
	says(t, err, "estimate.enabled…packets…")
}

// An estimate stops soon after its context is cancelled.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Simulate(ctx, open(t, "fat320-web", "estimate.enabled=true"),
		sim.Options{Progress: func(sim.Progress) { cancel() }})
	if err != context.Canceled {
		t.Errorf("a cancelled estimate gives %v", err)
	}
}

// Flows that would end after run.until are unfinished, and flows that begin later have no records.
func TestUntil(t *testing.T) {
	e, err := Simulate(context.Background(), open(t, "incast16", "run.until=100us", "estimate.enabled=true"),
		sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Summary.Unfinished != 16 || e.Summary.Estimated != 0 {
		t.Errorf("%d flows are unfinished and %d estimated, want 16 and 0", e.Summary.Unfinished, e.Summary.Estimated)
	}
}

// An estimate accepts paths that are as long as the longest paths that a run accepts.
func TestLongPath(t *testing.T) {
	e, err := Simulate(context.Background(),
		open(t, "incast16", "cc.kind=reno", "topology={kind: chain, switches: 255}",
			"workload=[{kind: incast, senders: 1, size: 100KB}]", "estimate.enabled=true"), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Summary.Estimated != 1 {
		t.Errorf("%d flows are estimated, want 1", e.Summary.Estimated)
	}
}

// Only flows of simulated links are stored. With clusters, these are a part of all flows. In a task, they are the
// flows of the task's link. An estimate from links that tasks have stored equals the estimate in one process.
func TestKeepsFlowsOfSimulatedLinks(t *testing.T) {
	for _, clusters := range []string{"estimate={clusters: true, load: off}", "estimate={clusters: false}"} {
		sc := open(t, "fat320-web", "topology={kind: fattree, k: 6}",
			"workload=[{kind: poisson, sizes: hadoop, load: 0.3, duration: 60us}]", clusters, "estimate.enabled=true")
		w, err := Prepare(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.network.flows) != 0 {
			t.Errorf("%s: %d flows are kept before any link is simulated", clusters, len(w.network.flows))
		}
		number := w.Links() - 1
		links, err := w.Simulate(context.Background(), []int{number}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := int(w.network.crossed[w.todo[number]]); len(w.network.flows) != n || len(links) != 1 ||
			len(links[0].Delays) != n || links[0].Number != number {
			t.Errorf("%s: %d flows are kept for a link with %d; links %+v", clusters, len(w.network.flows), n, links)
		}
		dir := t.TempDir()
		for range 2 { // two processes run the same task
			if _, err := SaveLinks(dir, links); err != nil {
				t.Fatal(err)
			}
		}
		done, foreign, err := LoadLinks(dir, false)
		if err != nil || foreign > 0 || !reflect.DeepEqual(done, links) {
			t.Errorf("%s: stored %+v, read %+v: %v", clusters, links, done, err)
		}
		if left := w.Missing(done); len(left) != w.Links()-1 || slices.Contains(left, number) {
			t.Errorf("%s: %v are missing after %d of %d", clusters, left, number, w.Links())
		}
		e, err := w.Finish(context.Background(), sc, done, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Run(context.Background(), sc, "", nil)
		if err != nil || e.Summary.Fingerprint != whole.Summary.Fingerprint ||
			e.Summary.PacketHops != whole.Summary.PacketHops {
			t.Errorf("%s: with a link that was stored %+v, in one go %+v: %v", clusters, e.Summary, whole, err)
		}
		if all, kept := e.Flows.Len(), len(w.network.flows); sc.Estimate.Clusters && kept > all/2 ||
			!sc.Estimate.Clusters && kept != all {
			t.Errorf("%s: %d of %d flows are kept", clusters, kept, all)
		}
	}
}

// TestForeignLinks checks that links of other or unknown builds are ignored and counted, unless any build is accepted.
func TestForeignLinks(t *testing.T) {
	dir := t.TempDir()
	own := []Link{{Number: 1}}
	if _, err := SaveLinks(dir, own); err != nil {
		t.Fatal(err)
	}
	for name, build := range map[string]string{"another.gob": "0123456789abcdef", "unknown.gob": "unknown"} {
		err := outfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			return gob.NewEncoder(w).Encode(stored{build, []Link{{Number: 1}, {Number: 2}, {Number: 7}}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if list, foreign, err := LoadLinks(dir, false); err != nil || foreign != 2 || !reflect.DeepEqual(list, own) {
		t.Errorf("%v and %d foreign ones, %v, want link 1 and 2 foreign ones", list, foreign, err)
	}
	if list, foreign, err := LoadLinks(dir, true); err != nil || foreign != 0 || len(list) != 3 {
		t.Errorf("of any build: %v and %d foreign ones, %v, want three links", list, foreign, err)
	}
}

// TestMarkingSources checks when a flow's source marks packets in the simulation of a link. The source marks if the
// control reacts to marks and another link of the flow's path is at least as busy as the simulated link. It does not
// mark otherwise.
func TestMarkingSources(t *testing.T) {
	for _, tt := range []struct {
		cc   string
		want [5]int // number of marking sources in a link's simulation, by number of flows on the link
	}{{"dctcp", [5]int{2: 2}}, {"hpcc", [5]int{}}} {
		ctx := context.Background()
		n, err := takeApart(ctx,
			open(t, "incast16",
				"topology={kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 100Gbps, "+
					"fabric_rate: 100Gbps}",
				"workload=[{kind: incast, senders: 3, receiver: 0, size: 500KB}]", "cc.kind="+tt.cc))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.keep(ctx, n.loaded()); err != nil {
			t.Fatal(err)
		}
		for _, p := range n.loaded() {
			part, marking := n.link(p), 0
			for i, x := range part.Graph.Nodes {
				if id := topo.NodeID(i); x.Kind == topo.Switch && part.Marks(id) == patience {
					marking++
				}
			}
			if want := tt.want[n.crossed[p]]; marking != want {
				t.Errorf("%s: %s, %d flows: sources that mark: %d, want %d", tt.cc, n.name(p), n.crossed[p], marking,
					want)
			}
		}
	}
}

// Samples come from flows of similar size, on links with a similar number of bytes of other flows. Two flows of half
// the size load a link as much as one flow, but meet each other there.
func TestSimilarFlows(t *testing.T) {
	w, err := Prepare(t.Context(),
		open(t, "fat320-web", "topology={kind: fattree, k: 4}", "cc.kind=hpcc", "estimate.enabled=true",
			"estimate.clusters=true"))
	if err != nil {
		t.Fatal(err)
	}
	n := w.network
	p := w.links[0]
	n.data[p] = 1e6 + 1000*int64(n.Data-n.Setting.Payload)
	one, half := n.traits(p, 1e6), n.traits(p, 5e5)
	if one.others >= half.others || one.size != half.size+1 {
		t.Errorf("a flow of 1 MB alone is %+v, one of two flows of 500 KB %+v", one, half)
	}
	q := &pool{
		delays: map[traits][]float64{{10, 20}: {1, 2, 3}, {10, 24}: {4, 5, 6}, {14, 20}: {7}},
		all:    []float64{1, 2, 3, 4, 5, 6, 7}, near: map[traits][]float64{},
	}
	for _, c := range []struct {
		x    traits
		want []float64
	}{
		{traits{10, 20}, []float64{1, 2, 3}},
		{traits{11, 23}, []float64{4, 5, 6}},          // one step away
		{traits{10, 22}, []float64{1, 2, 3, 4, 5, 6}}, // between both
		{traits{14, 20}, []float64{7}},                // too few, but no other traits are near
		{traits{30, 0}, q.all},
	} {
		for range 2 { // the second time from memory
			if got := q.like(c.x); !slices.Equal(got, c.want) {
				t.Errorf("%+v is like %v, want %v", c.x, got, c.want)
			}
		}
	}
}
