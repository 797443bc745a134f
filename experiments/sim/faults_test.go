package sim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// In a fat tree with k = 4 the hosts are 0 to 15, the edge switches 16 to 23, the
// aggregation switches 24 to 31 and the core switches 32 to 35; 16 has the hosts 0 and 1.
const tree16 = "topology: {kind: fattree, k: 4}\nworkload: [{kind: alltoall, size: 10KB}]\ncc: {kind: hpcc}\n" +
	"telemetry: {kind: int}\n"

// Each silent fault only causes losses that are attributed to it. All flows finish once the fault is over, and the
// records are the same on any number of engines.
func TestSilentFaults(t *testing.T) {
	for _, tt := range []struct {
		fault string
		cause netsim.Cause // netsim.Causes stands for none
	}{
		{"kind: blackhole, a: 16, b: 24", netsim.Blackholed},
		{"kind: blackhole-entry, switch: 24, dst: 0", netsim.Blackholed},
		{"kind: blackhole-entry, switch: 33, share: 0.5", netsim.Blackholed},
		{"kind: loop, a: 24, b: 32, ttl: 6", netsim.Expired},
		{"kind: loop, a: 16, b: 25, dst: 9, ttl: 9", netsim.Expired},
		{"kind: drop, a: 24, b: 33, probability: 0.1", netsim.Discarded},
		{"kind: jitter, a: 24, b: 33, rate: 10Gbps, delay: 5us", netsim.Causes},
		{"kind: wrong-path, switch: 24, dst: 0, next: 17", netsim.Causes},
		{"kind: host-failure, host: 5", netsim.Dead},
		{"kind: switch-failure, switch: 25, reroute: false", netsim.Dead},
		{"kind: switch-failure, switch: 25", netsim.Causes},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			sc, err := scenario.Parse([]byte(tree16+"faults: [{"+tt.fault+", at: 3us, until: 60us}]\n"), "test")
			if err != nil {
				t.Fatal(err)
			}
			one, c := files(t, sc)
			for by, toll := range c.Tolls {
				if (toll.Packets > 0) != (netsim.Cause(by) == tt.cause) {
					t.Errorf("cause %d has ended %d packets", by, toll.Packets)
				}
			}
			sc.Run.Workers = 3
			if many, again := files(t, sc); many != one || again.Tolls != c.Tolls {
				t.Error("records on 3 workers differ from those on one")
			}
			r, err := Run(context.Background(), sc, Options{})
			if err != nil {
				t.Fatal(err)
			}
			account := strings.Join(r.Outcomes, "\n")
			reported := tt.cause < netsim.Causes && strings.Contains(account, silentCauses[tt.cause])
			if reported != (tt.cause < netsim.Causes) {
				t.Errorf("the account is %q", r.Outcomes)
			}
			for f := range r.Flows.All() {
				if f.Outcome != store.Finished {
					t.Fatalf("flow %d: %v", f.ID, f.Outcome)
				}
			}
			if without, err := sc.With("faults=[]"); err != nil {
				t.Fatal(err)
			} else if calm, _ := files(t, without); calm == one {
				t.Error("the fault makes no difference")
			}
		})
	}
}

// A wrong entry at aggregation switch 24 sends packets for host 0 to edge switch 17. Switch 24 forwards packets
// correctly when they return from 17. So flows from other pods cross 17 and arrive.
func TestWrongPathIsLongerAndArrives(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte("topology: {kind: fattree, k: 4}\nworkload: [{kind: incast, senders: 12, receiver: 0, size: 20KB}]\n"+
			"cc: {kind: hpcc}\ntelemetry: {kind: int}\n"+
			"faults: [{kind: wrong-path, switch: 24, dst: 0, next: 17, at: 0s}]\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	passed, strays, switches := 0, 0, map[uint64]int{}
	r, err := Run(context.Background(), sc, Options{Tap: func(*Simulation) (netsim.Tap, error) {
		return tapFunc(func(h *netsim.Hop) {
			if h.Packet.Kind != netsim.Data {
				return
			}
			switches[h.FlowKey()] = h.Number + 1
			if h.Switch == 17 {
				passed++
				strays = max(strays, h.Number)
			}
		}), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if passed == 0 || strays < 3 {
		t.Errorf("%d packets passed switch 17, the latest as number %d of its switches", passed, strays)
	}
	if r.Counters.Dropped+r.Counters.Lost > 0 {
		t.Errorf("%d dropped, %d lost", r.Counters.Dropped, r.Counters.Lost)
	}
	longer := 0
	for f := range r.Flows.All() {
		if want := switches[transport.FlowKey(sc.Seed, int32(f.ID))]; int(f.Hops) != want {
			t.Errorf("the record of flow %d has %d switches, its packets passed %d", f.ID, f.Hops, want)
		}
		if f.Hops > 5 {
			longer++
		}
	}
	if longer == 0 {
		t.Error("no flow took more than the five switches of the right paths")
	}
}

type tapFunc func(*netsim.Hop)

func (f tapFunc) Dequeue(h *netsim.Hop) { f(h) }

// Faults that this network cannot have are refused, with the key.
func TestImpossibleFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"kind: blackhole, a: 16, b: 32": "faults.0.a = 16, faults.0.b = 32: no link joins " +
			"these nodes; switch 16 (tor0) is joined to 0, 1, 24, 25",
		"kind: drop, a: 0, b: 99, probability: 1": "faults.0.a = 0, faults.0.b = 99: the nodes " +
			"of this network are 0 to 35",
		"kind: jitter, a: 0, b: 16, rate: 400Gbps": "faults.0.rate = 400Gbps, want at most 100Gbps, " +
			"the rate of the link",
		"kind: jitter, a: 0, b: 16, rate: 100Gbps": "faults.0: the link would keep its rate and delay, which is no " +
			"fault: want a lower rate or delay > 0s",
		"kind: loop, a: 0, b: 16": "faults.0.a = 0: that node is host 0 (h0); " +
			"the switches are nodes 16 to 35",
		"kind: loop, a: 16, b: 17": "faults.0.a = 16, faults.0.b = 17: no link joins " +
			"these nodes; switch 16 (tor0) is joined to 0, 1, 24, 25",
		"kind: blackhole-entry, switch: 40": "faults.0.switch = 40: no such node; " +
			"the switches are nodes 16 to 35",
		"kind: switch-failure, switch: 3": "faults.0.switch = 3: that node is host 3 (h3); " +
			"the switches are nodes 16 to 35",
		"kind: wrong-path, switch: 24, next: 26, dst: 0": "faults.0.next = 26: no link joins it and switch = 24",
		"kind: wrong-path, switch: 24, next: 16, dst: 0": "faults.0.next = 16: want a wrong next hop, but this one " +
			"is on a shortest path from switch 24",
		"kind: drop, a: 0, b: 16, probability: 1, at: 20s#": "faults.0.at = 20s is after the end of the run at " +
			"run.until = 10s, so the fault would have no effect",
	} {
		text, after := strings.CutSuffix(fault, "#")
		if !after {
			text += ", at: 1us"
		}
		sc, err := scenario.Parse([]byte(tree16+"faults: [{"+text+"}]\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Build(sc, Options{}, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// A note reports a fault that no flow meets, because the results look as if flows had met it. The fault may be at
// another place or time, or a wrong entry may point back to where the packets come from.
func TestFaultThatNothingMeets(t *testing.T) {
	const head = `
topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2}
workload: [{kind: list, flows: [{src: 0, dst: 2, size: 20KB}, {src: 1, dst: 0, size: 20KB, start: 1ms}]}]
run: {until: 3ms}
`
	for fault, met := range map[string]bool{
		"kind: drop, a: 4, b: 6, probability: 0.01, at: 0s, until: 900us": true,
		// the second flow stays below the leaf
		"kind: drop, a: 4, b: 6, probability: 0.01, at: 1ms":             false,
		"kind: link-down, a: 3, b: 5, at: 0s":                            false,
		"kind: host-pause, host: 3, at: 0s, until: 1ms":                  false,
		"kind: host-pause, host: 2, at: 1us, until: 1ms":                 true, // acknowledgements of the paused host
		"kind: host-failure, host: 0, at: 1ms, until: 2ms":               true,
		"kind: blackhole-entry, switch: 6, dst: 2, at: 0s, until: 100us": true,
		"kind: blackhole-entry, switch: 6, dst: 1, at: 0s, until: 100us": false,
		"kind: wrong-path, switch: 6, next: 4, dst: 2, at: 0s":           false,
		// acknowledgements of the first flow turn back at the spine
		"kind: wrong-path, switch: 4, next: 6, dst: 0, at: 0s":                   true,
		"kind: jitter, a: 5, b: 6, rate: 1Gbps, at: 0s, spread: 0.1":             true,
		"kind: switch-failure, switch: 6, at: 500us, reroute: false, until: 2ms": false,
	} {
		r, _ := runText(t, head+"faults: [{"+fault+"}]\n")
		if silent := !slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.HasPrefix(n, "warning: faults.0 (")
		}); silent != met {
			t.Errorf("%s: notes %q", fault, r.Notes)
		}
	}
}

// There is no note about a fault on a path to which an earlier fault has moved flows, nor about a fault that may hit
// only flows without records.
func TestFaultOnAnotherWay(t *testing.T) {
	for name, text := range map[string]string{
		"moved": `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2}
workload: [{kind: list, flows: [{src: 0, dst: 2, size: 200KB}]}]
faults: [{kind: link-down, a: 4, b: 7, at: 1us},
  {kind: drop, a: 4, b: 6, probability: 0.1, at: 10us}, {kind: drop, a: 4, b: 7, probability: 0.1, at: 10us}]
`,
		"not recorded": `
topology: {kind: star, hosts: 8}
workload: [{kind: poisson, load: 0.5, duration: 20us}]
run: {keep_load: 20us}
faults: [{kind: drop, a: 3, b: 8, probability: 0.01, at: 1ns, until: 1us}]
`,
	} {
		r, _ := runText(t, text)
		if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "on the path of any flow") }) {
			t.Errorf("%s: notes %q", name, r.Notes)
		}
	}
}

// A note reports a load towards one host that the link of this host cannot carry, with the rates of the links.
func TestConvergingLoad(t *testing.T) {
	for load, want := range map[string]bool{"0.1": true, "0.08": false} {
		r, err := runText(t,
			"topology: {kind: star, hosts: 10}\nworkload: [{kind: incast, repeat: load, load: "+load+
				", senders: 3, receiver: 2, duration: 20us, size: 1KB}]\n")
		if err != nil {
			t.Fatal(err)
		}
		if has := slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.HasPrefix(n, Overload) && strings.Contains(n, "is offered 109 % of its capacity")
		}); has != want {
			t.Errorf("load %s: notes %q", load, r.Notes)
		}
	}
}

// The caller learns when a sender gives up a flow. Without other traffic this ends the run.
func TestGivenUp(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte(pair+"faults: [{kind: blackhole, a: 1, b: 2, at: 0s}]\ntransport: {rto_min: 1ms, max_retries: 2}\n"),
		"test")
	if err != nil {
		t.Fatal(err)
	}
	var flows []int64
	var at unit.Time
	r, err := Run(t.Context(), sc,
		Options{GivenUp: func(flow int64, when unit.Time) { flows, at = append(flows, flow), when }})
	if err != nil || len(flows) != r.Flows.Len() || at != r.Ended {
		t.Errorf("given up: flows %v, the last at %v; want all of %d, and the end of the run at %v (%v)", flows, at,
			r.Flows.Len(), r.Ended, err)
	}
}

// A flow that loses packets to a permanent fault is reported as failed, and the diagnosis of a stalled run names the
// fault.
func TestFaultsWithoutEnd(t *testing.T) {
	r, err := runText(t, pair+"faults: [{kind: blackhole, a: 1, b: 2, at: 0s}]\ntransport: {max_retries: 3}\n")
	if err != nil || r.Flows.At(0).Outcome != store.OutOfTries || r.Flows.At(0).Timeouts == 0 {
		t.Errorf("%v, %v", r.Flows.At(0), err)
	}
	if c := r.Counters; c.Tolls[netsim.Blackholed].Packets != c.Lost || c.Lost == 0 {
		t.Errorf("%+v", c)
	}
	_, err = runText(t, pair+"faults: [{kind: host-failure, host: 1, at: 0s}]\nrun: {stall: 50ms}\n")
	if err == nil || !strings.Contains(err.Error(), "faults.0 (host-failure) lasts") {
		t.Errorf("got %v", err)
	}
}
