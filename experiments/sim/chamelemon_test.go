package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Several senders to one receiver overflow a small buffer at the receiver's switch. For two of the senders, this is the
// first switch.
const overflow = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 5, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: incast, senders: 8, size: 200KB, receiver: 0}]
network: {pfc: {enabled: false}, buffer: 100KB}
cc: {kind: reno}
telemetry: {kind: none}
transport: {rto_min: 1ms, rto_initial: 1ms}
monitors: [{kind: chamelemon, epoch: 200us, truth: true}]
`

// dropped counts the data packets that switches drop, by flow.
type dropped struct {
	net   *netsim.Network
	flows map[string]int64
	first int // dropped by the first switch
}

func (*dropped) Dequeue(*netsim.Hop) {}

func (d *dropped) Discard(h *netsim.Hop) {
	if h.Packet.Kind == netsim.Data {
		f := d.net.FiveTuple(h.Packet.Flow)
		d.flows[fmt.Sprint(f.Src, " ", f.Dst, " ", f.SrcPort, " ", f.DstPort)]++
		if h.Number == 0 {
			d.first++
		}
	}
}

// lossesOf runs a scenario. It returns the losses of each flow, both as switches dropped them and as ChameleMon found
// them.
func lossesOf(t *testing.T, text string, set ...string) (r *Result, d *dropped, found map[string]int64) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err == nil {
		sc, err = sc.With(set...)
	}
	if err != nil {
		t.Fatal(err)
	}
	d = &dropped{flows: map[string]int64{}}
	if r, err = Run(context.Background(), sc, Options{Tap: func(s *Simulation) (netsim.Tap, error) {
		d.net = s.Net
		return d, nil
	}}); err != nil {
		t.Fatal(err)
	}
	losses := table(t, r, 0, "losses")
	packets, found := numbers(t, losses, "packets"), map[string]int64{}
	for i, row := range losses.Rows {
		at := func(column string) string { return row[slices.Index(losses.Head, column)] }
		found[fmt.Sprint(at("src"), " ", at("dst"), " ", at("src_port"), " ", at("dst_port"))] += int64(packets[i])
	}
	return r, d, found
}

// ChameleMon finds every lost packet, by flow: from an overflow, from a switch without a path, and from a broken link.
func TestLossesOfChameleMon(t *testing.T) {
	for _, set := range [][]string{
		nil, {"monitors.0.key=32-bit"}, {"run.monitor_cost=none"},
		{"network.buffer=32MB", "faults=[{kind: blackhole-entry, switch: 11, dst: 0, at: 50us, until: 100us}]"},
		{"network.buffer=32MB", "faults=[{kind: link-down, a: 0, b: 10, at: 50us, until: 500us}]"},
	} {
		r, d, found := lossesOf(t, overflow, set...)
		if len(d.flows) < 3 || d.first < 1 && len(set) < 2 {
			t.Fatalf("%v: losses of %d flows, %d packets at their first switch", set, len(d.flows), d.first)
		}
		// Packets on a link when it breaks are lost, but no switch drops them.
		errors := table(t, r, 0, "errors")
		if a, b := total(t, errors, "lost_packets"), total(t, errors, "found_packets"); a != b || a < 10 {
			t.Errorf("%v: %d packets found, %d lost", set, b, a)
		}
		if diff := cmp.Diff(d.flows, found); diff != "" && len(set) < 2 {
			t.Errorf("%v: dropped, and found\n%s", set, diff)
		}
		for flow, n := range d.flows {
			if found[flow] < n {
				t.Errorf("%v: flow %s: %d packets found, %d dropped", set, flow, found[flow], n)
			}
		}
	}
}

// crowded is a network in which small sketches become ill.
const crowded = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 8, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload:
  - {kind: poisson, sizes: websearch, load: 0.7, duration: 3ms}
  - {kind: incast, senders: 30, size: 20KB, receiver: 0, repeat: interval, interval: 100us, start: 500us,
     duration: 2500us}
network: {pfc: {enabled: false}, buffer: 100KB}
cc: {kind: reno}
telemetry: {kind: none}
transport: {rto_min: 1ms, rto_initial: 1ms}
run: {until: 6ms}
monitors: [{kind: chamelemon, epoch: 200us, truth: true, buckets: 64}]
`

// A crowded network becomes ill. Then losses are reported only for sampled flows, and are never too high. Results do
// not depend on the number of workers.
func TestStatesOfChameleMon(t *testing.T) {
	one := monitored(t, crowded)
	states := table(t, one, 0, "epochs")
	column := slices.Index(states.Head, "state")
	var ill []int
	for i, row := range states.Rows {
		if row[column] == "ill" {
			ill = append(ill, i)
		}
	}
	if len(ill) < 3 || ill[0] < 3 {
		t.Fatalf("epochs %v of %d are ill", ill, len(states.Rows))
	}
	errors := table(t, one, 0, "errors")
	lost, found := numbers(t, errors, "lost_packets"), numbers(t, errors, "found_packets")
	some := false
	for i := range lost {
		if found[i] > lost[i] {
			t.Errorf("epoch %d: %v packets found, %v lost", i, found[i], lost[i])
		}
		some = some || slices.Contains(ill, i) && found[i] > 0
	}
	if !some {
		t.Error("nothing found in the ill state")
	}
	for _, workers := range []int{2, 3} {
		many := monitored(t, crowded, "run.workers="+strconv.Itoa(workers))
		if many.Summary.Fingerprint != one.Summary.Fingerprint {
			t.Errorf("%d workers: fingerprint %s, with one %s", workers, many.Summary.Fingerprint,
				one.Summary.Fingerprint)
		}
		if diff := cmp.Diff(one.Monitors, many.Monitors); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
}

// The sizes of flows are exact if all flows are heavy hitters. Their sum is the number of packets that entered the
// network.
func TestSizesOfChameleMon(t *testing.T) {
	sc, err := scenario.Parse([]byte(overflow), "test")
	if err != nil {
		t.Fatal(err)
	}
	var answers telemetry.Sizes
	var s *Simulation
	r, err := Run(context.Background(), sc, Options{Ready: func(x *Simulation) error {
		s = x
		a, err := s.Monitor(0).(telemetry.Answerer).Answers(telemetry.Window{Until: unit.Second})
		answers = a.(telemetry.Sizes)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for f := range r.Flows.All() {
		flow := transport.Flow{Number: int32(f.ID), Src: netsim.NodeID(f.Src), Dst: netsim.NodeID(f.Dst),
			SrcPort: f.SrcPort, DstPort: f.DstPort}
		first, _ := s.Net.PortEnds(flow.Path(nil, s.Routes)[1])
		n, ok := answers.Packets(&telemetry.Flow{Key: transport.FlowKey(sc.Seed, flow.Number),
			Path: []netsim.NodeID{first}})
		if !ok || n < 200 {
			t.Errorf("flow %d: %v packets, %v; want 200 or more", f.ID, n, ok)
		}
		sum += n
	}
	if want := total(t, table(t, r, 0, "switches"), "entered"); sum != float64(want) {
		t.Errorf("%v packets of all flows, want the %d that entered", sum, want)
	}
}
