package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// runText runs a scenario that is given as text.
func runText(t *testing.T, text string) (*Result, error) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil && !errors.Is(err, ErrStalled) {
		t.Fatal(err)
	}
	return r, err
}

const pair = "topology: {kind: star, hosts: 2}\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 100KB}]}]\n"

// A host that is halted from the start has no pending events, but the run still waits for its repair. 100 KB take 12.6
// us, and a little more with acknowledgements.
func TestRunWaitsForRepair(t *testing.T) {
	r, err := runText(t, pair+"faults: [{kind: host-pause, host: 0, at: 0s, until: 1ms}]\n")
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Flows.At(0); f.Outcome != store.Finished || f.FCT < unit.Millisecond || f.FCT > 1020*unit.Microsecond {
		t.Errorf("the flow is %v after %v", f.Outcome, f.FCT)
	}
}

// A run that cannot go on reports this at once, with the reason, instead of dropping flows silently
// or waiting forever.
func TestStuckRunsNameWhatIsStuck(t *testing.T) {
	noTimer := "transport: {timer: false}\ncc: {kind: fixed}\ntelemetry: {kind: none}\n"
	tests := []struct {
		name, text string
		outcome    store.FlowStatus
		want       []string
	}{
		{"host paused from the start", pair + "faults: [{kind: host-pause, host: 0, at: 0s}]\n", store.Stalled,
			[]string{"no further event is scheduled", "1 flow is active",
				"flow 0 from host 0 (h0) to host 1 (h1) with 0 of 100000 bytes acknowledged",
				"host 0 (h0) sends nothing because of a fault in the scenario"}},
		// A timeout counts once until the packet that the timeout resends has left.
		{"host paused in the middle", pair + "faults: [{kind: host-pause, host: 0, at: 5us}]\n", store.Stalled,
			[]string{"no further event is scheduled", "flow 0 from host 0 (h0)", "host 0 (h0) sends nothing"}},
		{"link down", pair + "faults: [{kind: link-down, a: 1, b: 2, at: 5us}]\nrun: {stall: 50ms}\n", store.Stalled,
			[]string{"no byte has been acknowledged for", "flow 0 from host 0 (h0)",
				"the link between host 1 (h1) and switch 2 (sw0) is down"}},
		// 16 hosts send to one port with room for 20 packets, so that at least one flow loses its last packet.
		{"loss without a timer",
			"topology: {kind: star, hosts: 17}\nworkload: [{kind: incast, senders: 16, receiver: 16, size: 10KB}]\n" +
				noTimer +
				"network: {port_limit: 20KB, pfc: {enabled: false}}\n", store.Stalled,
			[]string{"no further event is scheduled", "flows are active", "the oldest is flow", "to host 16 (h16) " +
				"with"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := runText(t, tt.text)
			if err == nil {
				t.Fatal("the run has come to an end")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in the message %q", want, err)
				}
			}
			stuck := 0
			for f := range r.Flows.All() {
				if f.Outcome == tt.outcome {
					stuck++
				}
			}
			if stuck == 0 {
				t.Errorf("no flow is %v", tt.outcome)
			}
		})
	}
}

// Five switches in a ring, a host at each, and a flow from each host to the host two switches farther. All paths are
// shortest paths, two flows share each link of the ring, and each link waits for room behind the next one. With a small
// threshold PFC deadlocks at once. This ends the run with or without a retransmission timer, because paused hosts
// cannot retransmit.
func TestDeadlockOfPFCIsNamed(t *testing.T) {
	const n = 5
	lines := []string{fmt.Sprintf("%d %d %d", 2*n, n, 2*n), "5 6 7 8 9"}
	var flows []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("%d %d 100Gbps 1000ns 0", i, n+i),
			fmt.Sprintf("%d %d 100Gbps 1000ns 0", n+i, n+(i+1)%n))
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, size: 1MB}", i, (i+2)%n))
	}
	file := filepath.Join(t.TempDir(), "ring.txt")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("topology: {kind: file, path: %q}\nworkload: [{kind: list, flows: [%s]}]\n", file,
		strings.Join(flows, ", ")) +
		"network: {pfc: {threshold: static, xoff: 20KB}}\ncc: {kind: fixed}\ntelemetry: {kind: none}\n"

	for _, timer := range []bool{true, false} {
		r, err := runText(t, text+fmt.Sprintf("transport: {timer: %v}\n", timer))
		if err == nil {
			t.Fatal("no lock-up")
		}
		for _, want := range []string{
			"no further event is scheduled", "5 flows are active", "the oldest is flow 0 from host 0 to host 2",
			"the fullest queue is",
			"10 ports are paused, in a cycle: switch 5 waits for switch 6 waits for switch 7 waits for switch 8 " +
				"waits for switch 9 waits for switch 5",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in the message %q", want, err)
			}
		}
		if r.Counters.Dropped != 0 {
			t.Errorf("%d packets dropped", r.Counters.Dropped)
		}
	}
}

// Packets that loop between a leaf and a spine deadlock PFC there. A link behind the spine breaks, so that their flows
// move to other paths and end, but the packets remain.
func TestDeadlockAfterAllFlowsIsNamed(t *testing.T) {
	r, err := runText(t, `
seed: 307
topology: {kind: leafspine, leaves: 2, spines: 3, hosts_per_leaf: 3,
  host_rate: 10Gbps, fabric_rate: 10Gbps, link_delay: 1ns}
workload: [{kind: incast, repeat: once, sizes: fixed, size: 60KB, senders: 3, receiver: 5}]
network: {balancing: {kind: permute}, pfc: {threshold: static, xoff: 5KB}}
transport: {kind: tahoe}
cc: {kind: reno}
telemetry: {kind: none}
faults: [{kind: loop, a: 6, b: 10, at: 6us}, {kind: link-down, a: 7, b: 10, at: 65us}]
`)
	if err != nil {
		t.Fatal(err)
	}
	c := &r.Counters
	const want = "switch 6 (leaf0) waits for switch 10 (spine2) waits for switch 6 (leaf0)"
	if left := c.Injected - c.Delivered - c.Dropped - c.Lost; left == 0 || r.Deadlock != want {
		t.Errorf("%d packets stay, deadlock %q, want some and %q", left, r.Deadlock, want)
	}
	if last := r.Outcomes[len(r.Outcomes)-1]; !strings.Contains(last, "packets stay for ever") ||
		!strings.HasSuffix(last, want) {
		t.Errorf("the account ends with %q", last)
	}
}

// A run polls its context after a number of events and not of simulated time: here a microsecond has some hundred
// thousand events.
func TestRunLooksAroundByEvents(t *testing.T) {
	for _, workers := range []int{1, 2} {
		sc, err := scenario.Parse(
			fmt.Appendf(nil,
				"topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 50}\n"+
					"workload: [{kind: alltoall, size: 2KB}]\nrun: {workers: %d}\n", workers), "test")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		looks, last := 0, int64(0)
		_, err = Run(ctx, sc, Options{Progress: func(p Progress) {
			// Several engines run a window of 1 us to its end.
			if did := p.Counters.Events - last; did > pollEvery+100_000 {
				t.Errorf("%d workers: %d events between two looks", workers, did)
			}
			last = p.Counters.Events
			if looks++; looks == 2 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || looks != 2 {
			t.Errorf("%d workers: %v after %d looks, want the end after 2", workers, err, looks)
		}
		cancel()
	}
}

// restarting is a transport that schedules each start at the time of the last start, forever.
type restarting struct {
	netsim.Stack
	e *netsim.Engine
}

func (r *restarting) Start() { r.e.StartAt(r.e.Now(), 0) }

// A run whose simulated time does not advance ends as stalled after some million events, less than a second of real
// time. This also holds on several engines, one of which spins in the middle of a window.
func TestSpinningIsAStall(t *testing.T) {
	for _, more := range []string{"", "run: {workers: 2}\n", "run: {stall: never, wall_limit: 200ms}\n"} {
		sc, err := scenario.Parse(
			[]byte(more+"topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2}\n"+
				"workload: [{kind: alltoall, size: 1KB}]\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(sc, Options{}, func(*transport.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Engine.Workers() {
			e.Attach(&restarting{&mute{}, e})
		}
		s.Engine.StartAt(0, 0)
		began := time.Now()
		o := Options{elapsed: func() time.Duration { return time.Since(began) }}
		err = s.loop(t.Context(), o, &recorder{out: &store.Flows{}, complete: s.setHops})
		want, says := ErrStalled, "events have been handled at one instant"
		if sc.Run.Stall == unit.Never {
			want, says = ErrStopped, "run.wall_limit"
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", more, err)
		}
		if n := s.Engine.Counters().Events; sc.Run.Stall != unit.Never && n > 2*spinLimit {
			t.Errorf("%q: %d events before the end", more, n)
		}
	}
}

// mute is a transport whose packets reach no host.
type mute struct{ netsim.Stack }

func (*mute) Next(netsim.PortID) netsim.PacketID     { return netsim.NoPacket }
func (*mute) Due(netsim.PortID) unit.Time            { return unit.Never }
func (*mute) Deliver(netsim.NodeID, netsim.PacketID) {}

// A flow that waits for another and finds no path when it starts does not start after the end of the run, on
// any number of engines: here 2 us after the first flow has ended.
func TestPathlessFlowsStartWithinTheRun(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 3, spines: 2, hosts_per_leaf: 1, host_rate: 100Gbps, fabric_rate: 25Gbps}
workload: [{kind: list, flows: [{src: 1, dst: 2, size: 5KB}, {src: 1, dst: 0, size: 20KB, after: [0], start: 2us}]}]
cc: {kind: dctcp}
faults: [{kind: switch-failure, switch: 3, at: 0s, until: 60us}]
monitors: [{kind: lightguardian, interval: 20us, quiet: 2us, carry: 1, poll: 1us, timeout: 2us, batch: 1, collector: 1}]
`
	r, err := runText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	first, second := r.Flows.At(0), r.Flows.At(1)
	if want := first.FCT + 2*unit.Microsecond; second.Outcome != store.Unreachable || second.Start != want ||
		r.Ended != want {
		t.Errorf("the second flow is %v and starts at %v, the run ends at %v; want both at %v", second.Outcome,
			second.Start, r.Ended, want)
	}
}
