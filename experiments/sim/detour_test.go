package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/workloads"
)

// When a link breaks, packets behind it take a detour: from aggregation switch 24 down to another edge switch and up
// again, over 7 switches instead of 5. An INT header with room for 5 hops misses the last of them and counts how often.
// A header with room for 7 hops contains all of them.
func TestDetoursOutgrowTheINTHeader(t *testing.T) {
	const text = "topology: {kind: fattree, k: 4}\nworkload: [{kind: permutation, size: 500KB}]\ncc: {kind: hpcc}\n" +
		"faults: [{kind: link-down, a: 16, b: 24, at: 20us, until: 60us}]\ntelemetry: {kind: int, hops: %d}\n" +
		"run: {workers: %d}\n"
	run := func(hops, workers int) *Result {
		t.Helper()
		sc, err := scenario.Parse(fmt.Appendf(nil, text, hops, workers), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	noted := func(r *Result) bool {
		return strings.Contains(strings.Join(r.Notes, "\n"),
			fmt.Sprintf("INT is incomplete: %d times a data packet had no room left for the record of a switch, "+
				"because its path was longer than telemetry.hops = 5", r.Summary.Overflows))
	}
	short := run(5, 1)
	if short.Summary.Overflows == 0 || !noted(short) {
		t.Errorf("room for 5 hops: %d overflows, %q", short.Summary.Overflows, short.Notes)
	}
	if many := run(5, 3); many.Summary.Overflows != short.Summary.Overflows ||
		many.Summary.Fingerprint != short.Summary.Fingerprint {
		t.Errorf("on 3 engines %d overflows, on one %d", many.Summary.Overflows, short.Summary.Overflows)
	}
	if long := run(7, 1); long.Summary.Overflows != 0 || strings.Contains(fmt.Sprint(long.Notes), "INT is incomplete") {
		t.Errorf("room for 7 hops: %d overflows, %q", long.Summary.Overflows, long.Notes)
	}
}

// Listed flows have no load, because two flows that start at nearly the same time would offer several hundred percent.
// A job has no load either, even together with a source that has a duration.
func TestLoadIsToldWhereItIsDefined(t *testing.T) {
	for text, want := range map[string]bool{
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1MB}, " +
			"{src: 1, dst: 2, size: 1MB, start: 1us}]}]\n": false,
		"workload: [{kind: poisson, load: 0.3, duration: 50us}]\n":                                          true,
		"workload: [{kind: poisson, load: 0.1, duration: 20us}, {kind: collective, ranks: 4, size: 1MB}]\n": false,
	} {
		sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 4}\n"+text), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, "\n"), "realised load"); got != want {
			t.Errorf("%s: %q", text, r.Notes)
		}
	}
}

// Two hosts send 10 KB each at 0, 100, 200 and 300 us, and two more from 200 us on. A run until 250 us has three rounds
// of the first source and one of the second. They are 80 KB, and four links of 100 Gb/s carry 12.5 MB in this time. The
// expected payload in the same time is 50 KB of the first source and 10 KB of the second.
func TestLoadIsOfFlowsThatStarted(t *testing.T) {
	const source = "{kind: incast, repeat: interval, interval: 100us, senders: 2, size: 10KB, duration: 400us"
	for until, want := range map[string]string{
		"1ms":   "realised load 0.533 % of the host links in 0s to 600us, nominal 0.533 %",
		"250us": "realised load 0.64 % of the host links in 0s to 250us, nominal 0.48 %",
	} {
		sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 4, host_rate: 100Gbps}\nrun: {until: "+until+
			"}\nworkload: ["+source+"}, "+source+", start: 200us}]\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("until %s: want %q in %s", until, want, notes)
		}
	}
}

// Two flows start at each of 0, 100, 200 and 300 us. Only the third pair starts neither in the warm-up nor in the
// cool-down.
func TestNotesCountTheFlowsThatAveragesLeaveOut(t *testing.T) {
	sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 4}\nrun: {warmup: 150us, cooldown: 100us}\n"+
		"workload: [{kind: incast, repeat: interval, interval: 100us, senders: 2, size: 10KB, duration: 400us}]\n"),
		"test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "averages leave out 6 of 8 flows, which started in run.warmup = 150us or run.cooldown = 100us"
	if !slices.Contains(r.Notes, want) {
		t.Errorf("no %q in %q", want, r.Notes)
	}
}

// Flows that are under way at the start have no records, but a note counts them.
func TestNotesCountUnmeasuredFlows(t *testing.T) {
	sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 4}\n"+
		"workload: [{kind: poisson, sizes: fixed, size: 10KB, load: 0.5, duration: 50us, under_way: steady}]\n"),
		"test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(sc, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := BuildWorkload(&sc, s.hosts)
	if err != nil {
		t.Fatal(err)
	}
	before, err := w.Unmeasured(s.hosts, false)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range workloads.All(before) {
		n++
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("the network also carried %d flows that only cause load", n)
	if notes := strings.Join(r.Notes, "\n"); n < 2 || !strings.Contains(notes, want) {
		t.Errorf("no %q in %s", want, notes)
	}
}

// Two faults of one link or node have the same effect as a single fault over both times, whether they overlap or follow
// each other, in any order.
func TestFaultsOfOneThingAddUp(t *testing.T) {
	const text = "topology: {kind: fattree, k: 4}\nworkload: [{kind: permutation, size: 200KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: int}\nfaults: "
	records := func(faults string) string {
		t.Helper()
		sc, err := scenario.Parse([]byte(text+faults+"\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		list, _ := files(t, sc)
		return list
	}
	for _, kind := range []string{"kind: link-down, a: 16, b: 24", "kind: host-pause, host: 3"} {
		span := func(at, until int) string { return fmt.Sprintf("{%s, at: %dus, until: %dus}", kind, at, until) }
		one := records("[" + span(5, 30) + "]")
		if one == records("["+span(5, 15)+"]") {
			t.Errorf("%s: the length of the fault makes no difference", kind)
		}
		for _, two := range []string{
			span(5, 15) + ", " + span(15, 30), span(15, 30) + ", " + span(5, 15), span(5, 20) + ", " + span(10, 30),
			span(5, 30) + ", " + span(10, 20),
		} {
			if records("["+two+"]") != one {
				t.Errorf("%s is not the same as from 5 to 30 us", two)
			}
		}
	}
}

// A packet whose next link is broken may return through the port on which it arrived. Its departure may free so much
// memory that the same port must send a resume frame: the port sends the packet and the frame one after the other.
func TestAPacketThatTurnsBackAndAResumeFrameShareAPort(t *testing.T) {
	const text = "topology: {kind: fattree, k: 4}\n" +
		"workload: [{kind: incast, senders: 15, size: 300KB}, {kind: poisson, load: 0.5, duration: 200us}]\n" +
		"cc: {kind: fixed}\ntelemetry: {kind: none}\nnetwork: {buffer: 700KB}\n" +
		"faults: [{kind: link-down, a: 16, b: 24, at: 20us, until: 60us}]\n"
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	one, c := files(t, sc)
	if c.Pauses == 0 {
		t.Error("nothing is paused")
	}
	sc.Run.Workers = 2
	if many, _ := files(t, sc); many != one {
		t.Error("two engines give other records")
	}
}

// When one of a host's two links breaks, its flows move to the other link in the order of their numbers and not of
// their slots, because the slots depend on the number of engines.
func TestFlowsMoveInTheOrderOfTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	network := filepath.Join(dir, "topology.txt")
	if err := os.WriteFile(network,
		[]byte("5 2 5\n3 4\n0 3 10Gbps 1us 0\n0 4 100Gbps 3us 0\n1 3 25Gbps 3us 0\n2 3 25Gbps 1us 0\n"+
			"4 3 100Gbps 1us 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Parse(fmt.Appendf(nil, "topology: {kind: file, path: %q}\n"+
		"workload: [{kind: poisson, sizes: pareto, min_size: 100B, max_size: 300KB, shape: 1.1, load: 0.2, "+
		"duration: 60us}]\n"+
		"transport: {kind: newreno}\ncc: {kind: reno}\ntelemetry: {kind: none}\n"+
		"faults: [{kind: link-down, a: 0, b: 3, at: 30us, until: 70us}, "+
		"{kind: link-down, a: 4, b: 3, at: 80us, until: 90us}]\n", network), "test")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		sc.Seed, sc.Run.Workers = seed, 1
		one, _ := files(t, sc)
		sc.Run.Workers = 2
		if many, _ := files(t, sc); many != one {
			t.Errorf("seed %d: records on two engines differ from those on one", seed)
		}
	}
}

// Truncating transmission times to whole nanoseconds makes links faster than their rate. The headroom for packets after
// a pause allows for this, so that no packet is dropped.
func TestPFCNeverDropsWhenTransmissionTimesAreCut(t *testing.T) {
	const text = "seed: 2\ntopology: {kind: fattree, k: 4, fabric_rate: 100Gbps, host_rate: 1Gbps, " +
		"link_delay: 100ns}\n" +
		"workload: [{kind: permutation, size: 400KB, priority: 6}, " +
		"{kind: list, priority: 5, flows: [{src: 0, dst: 1, size: 20KB}, " +
		"{src: 1, dst: 3, size: 100KB, start: 4us}]}]\n" +
		"transport: {payload: 200B, timer: false, nack_interval: 10us, duplicates: ignore}\n" +
		"cc: {kind: fixed, window: 300KB, rate: 100Gbps}\ntelemetry: {kind: none}\n" +
		"network: {processing_delay: 559ns, serialisation: %s, ecmp: {hash: murmur}, " +
		"pfc: {threshold: static, xoff: 30KB, reserve: 0B}}\n"
	for _, how := range []string{"exact", "floor-ns"} {
		sc, err := scenario.Parse(fmt.Appendf(nil, text, how), "test")
		if err != nil {
			t.Fatal(err)
		}
		if _, c := files(t, sc); c.Dropped > 0 || c.Pauses == 0 {
			t.Errorf("%s: %d drops, %d pauses", how, c.Dropped, c.Pauses)
		}
	}
}
