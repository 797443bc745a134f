package workloads

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// mixture returns a workload with every kind of part.
func mixture(seed uint64) Workload {
	return Workload{Seed: seed, Parts: []Part{
		{Name: "web", Priority: 3,
			Generator: Poisson{Sizes: WebSearch(), Load: 0.4, Start: unit.Microsecond, Duration: 2 * unit.Millisecond}},
		{Name: "rack", Priority: 3, On: []topo.NodeID{4, 2, 3},
			Generator: Poisson{Sizes: Fixed(1250), Load: 0.2, Duration: 50 * unit.Microsecond}},
		{Name: "incast", Priority: 2, Generator: Incast{FanIn: 5, Sizes: Uniform{1, 9000},
			Every: 100 * unit.Microsecond, Duration: unit.Millisecond}},
		{Name: "bursts", Priority: 2,
			Generator: Incast{FanIn: 3, Sizes: Fixed(500), Load: 0.01, Duration: unit.Millisecond, Poisson: true}},
		{Name: "perm", Generator: Permutation{Sizes: Hadoop(), Start: 100 * unit.Microsecond}},
		{Name: "all", Generator: AllToAll{Sizes: Fixed(100), Start: 100 * unit.Microsecond}},
		{Name: "stairs", Generator: Staircase{To: 1, From: []topo.NodeID{7, 0, 3}, Step: 100 * unit.Microsecond,
			Rate: 90 * unit.Gbps}},
		{Name: "file", Generator: Trace{{Src: 1, Dst: 2, SrcPort: 5, DstPort: 80, Priority: 6, Size: 77},
			{Src: 2, Dst: 1, DstPort: 200, Class: ClassIncast, Size: 78, Start: 100 * unit.Microsecond}}},
	}}
}

// naive merges flows in the simplest way: it lists the flows of all parts, process by process, and applies a stable
// sort by start time.
func naive(t testing.TB, w Workload, hosts []Host) []Flow {
	t.Helper()
	var flows []Flow
	for i, p := range w.Parts {
		on, err := pick(hosts, p.On)
		if err != nil {
			t.Fatal(err)
		}
		processes, err := p.open(site{w.Seed, p.Name, on})
		if err != nil {
			t.Fatal(err)
		}
		for _, proc := range processes {
			for {
				f := Flow{Priority: p.Priority, DstPort: BackgroundPort}
				if !proc.next(&f) {
					break
				}
				f.Part = uint16(i)
				flows = append(flows, f)
			}
		}
	}
	slices.SortStableFunc(flows,
		func(a, b Flow) int { return compareStart(Flow{Start: a.Start}, Flow{Start: b.Start}) })
	used := map[[2]topo.NodeID]uint16{}
	for i := range flows {
		f := &flows[i]
		f.ID = int32(i)
		f.SrcPort = 10000 + used[[2]topo.NodeID{f.Src, f.Dst}]
		used[[2]topo.NodeID{f.Src, f.Dst}]++
	}
	return flows
}

func TestStreamEqualsSorting(t *testing.T) {
	for seed := range uint64(5) {
		w, hosts := mixture(seed), someHosts(12)
		want := naive(t, w, hosts)
		got, err := w.Generate(hosts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: stream against sorted list:\n%s", seed, diff)
		}
		if len(got) < 400 {
			t.Errorf("only %d flows", len(got))
		}
		for i, f := range got {
			if i > 0 && compareStart(got[i-1], f) >= 0 {
				t.Fatalf("flow %d is not after the one before", i)
			}
			if err := checkFlow(f, hosts); err != nil {
				t.Fatalf("flow %d: %v", i, err)
			}
		}
	}
}

// of returns the flows of a workload with the given sources and priority, without the fields that depend on other
// flows.
func of(flows []Flow, priority uint8, hosts ...topo.NodeID) []Flow {
	var some []Flow
	for _, f := range flows {
		if f.Priority == priority && slices.Contains(hosts, f.Src) {
			f.ID, f.SrcPort, f.Part = 0, 0, 0
			some = append(some, f)
		}
	}
	return some
}

// Adding a part, before or after, does not change the flows of other parts. Adding a host changes neither the times nor
// the sizes of the flows of other hosts.
func TestStreamsAreIndependent(t *testing.T) {
	web := Part{Name: "web", Priority: 1,
		Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 5 * unit.Millisecond}}
	other := Part{Name: "other", Priority: 2,
		Generator: Poisson{Sizes: Hadoop(), Load: 0.5, Duration: unit.Millisecond}}
	generate := func(hosts int, parts ...Part) []Flow {
		flows, err := Workload{Seed: 3, Parts: parts}.Generate(someHosts(hosts))
		if err != nil {
			t.Fatal(err)
		}
		return flows
	}
	all := []topo.NodeID{0, 1, 2, 3}
	alone := of(generate(4, web), 1, all...)
	for _, parts := range [][]Part{{web, other}, {other, web}} {
		if diff := cmp.Diff(alone, of(generate(4, parts...), 1, all...)); diff != "" {
			t.Errorf("another part changes the flows:\n%s", diff)
		}
	}
	more := of(generate(5, web), 1, all...)
	if len(more) != len(alone) {
		t.Fatalf("%d flows with a host more, %d without", len(more), len(alone))
	}
	for i := range more {
		more[i].Dst, alone[i].Dst = 0, 0
	}
	if diff := cmp.Diff(alone, more); diff != "" {
		t.Errorf("another host changes times or sizes:\n%s", diff)
	}
	renamed := web
	renamed.Name = "web2"
	if cmp.Equal(generate(4, web), generate(4, renamed)) {
		t.Error("the name of a part does not matter")
	}
}

func TestSeedMatters(t *testing.T) {
	a, errA := mixture(1).Generate(someHosts(12))
	b, errB := mixture(2).Generate(someHosts(12))
	if errA != nil || errB != nil || cmp.Equal(a, b) {
		t.Errorf("seeds 1 and 2 give the same flows (%v, %v)", errA, errB)
	}
}

// The heap yields the same order as sorting, even with many equal times.
func TestMergeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Workload
		for i := range rapid.IntRange(1, 12).Draw(t, "parts") {
			starts := rapid.SliceOfN(rapid.Int64Range(0, 5), 0, 6).Draw(t, "starts")
			slices.Sort(starts)
			var tr Trace
			for j, at := range starts {
				tr = append(tr, Flow{Src: topo.NodeID(i), Dst: topo.NodeID(i + 1), Size: unit.Bytes(j + 1),
					Start: unit.Time(at)})
			}
			w.Parts = append(w.Parts, Part{Name: fmt.Sprint(i), Generator: tr})
		}
		flows, err := w.Generate(someHosts(20))
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(flows); i++ {
			a, b := flows[i-1], flows[i]
			if a.Start > b.Start || a.Start == b.Start && (a.Src > b.Src || a.Src == b.Src && a.Size >= b.Size) {
				t.Fatalf("flow %d: %+v after %+v", i, b, a)
			}
		}
	})
}

func TestStreamEndsWithTheIDs(t *testing.T) {
	w := Workload{Parts: []Part{{Name: "p", Generator: Permutation{Sizes: Fixed(1)}}}}
	s, err := w.Stream(someHosts(3))
	if err != nil {
		t.Fatal(err)
	}
	s.count = math.MaxInt32
	if f, ok := s.Next(); !ok || f.ID != math.MaxInt32 {
		t.Errorf("last ID %d, %v", f.ID, ok)
	}
	if _, ok := s.Next(); ok || s.Err() != errTooMany {
		t.Errorf("flow after the last ID: %v, error %v", ok, s.Err())
	}
	if _, err := Collect(s); err != errTooMany {
		t.Errorf("Collect hides the error: %v", err)
	}
}

// A stream allocates nothing once every pair of hosts has had a flow.
func TestStreamAllocations(t *testing.T) {
	w := Workload{Seed: 1, Parts: []Part{
		{Name: "p", Generator: Poisson{Sizes: Hadoop(), Load: 0.5, Duration: unit.Second}},
		{Name: "i", Generator: Incast{FanIn: 4, Sizes: mustPareto(t, 1.2, 100, 10000), Load: 0.1, Duration: unit.Second,
			Poisson: true}},
	}}
	s, err := w.Stream(someHosts(8))
	if err != nil {
		t.Fatal(err)
	}
	next := func() {
		if _, ok := s.Next(); !ok {
			t.Fatal("the stream has ended")
		}
	}
	for range 10_000 {
		next()
	}
	if n := testing.AllocsPerRun(10_000, next); n != 0 {
		t.Errorf("%v allocations per flow, want 0", n)
	}
}

// The benchmark generates the flows of a run with 320 servers at 50 % load, one by one.
func BenchmarkStream(b *testing.B) {
	for _, sizes := range []Sizes{WebSearch(), Hadoop()} {
		b.Run(sizes.Name(), func(b *testing.B) {
			w := Workload{Seed: 1, Parts: []Part{{Name: "p",
				Generator: Poisson{Sizes: sizes, Load: 0.5, Duration: 100 * unit.Second}}}}
			s, err := w.Stream(someHosts(320))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := s.Next(); !ok {
					b.Fatal("the stream has ended")
				}
			}
		})
	}
}

// The benchmark generates a list of 200 ms of web-search traffic on 320 servers at 50 % load.
func BenchmarkGenerate(b *testing.B) {
	w := Workload{Seed: 1, Parts: []Part{{Name: "p",
		Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 200 * unit.Millisecond}}}}
	b.ReportAllocs()
	for b.Loop() {
		flows, err := w.Generate(someHosts(320))
		if err != nil || len(flows) < 200_000 {
			b.Fatal(len(flows), err)
		}
		b.ReportMetric(float64(len(flows)), "flows/op")
	}
}

// hostIDs returns the numbers 0 … n-1.
func hostIDs(n int) []topo.NodeID {
	ids := make([]topo.NodeID, n)
	for i := range ids {
		ids[i] = topo.NodeID(i)
	}
	return ids
}
