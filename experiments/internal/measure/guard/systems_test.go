package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// counts is a view of one interval. It contains the numbers of packets and of slow packets that a flow has at switches
// 1, 2, ….
type counts struct {
	packets, slow []uint64
	strays        []netsim.NodeID
}

func (counts) Intervals() (from, to int)                 { return 0, 1 }
func (c counts) Strays(*diagnose.Victim) []netsim.NodeID { return c.strays }
func (c counts) Row(_ int, at netsim.NodeID, _ uint64) (r diagnose.Row) {
	r.Known, r.Packets = true, c.packets[at-1]
	r.Delay[0] = r.Packets
	if c.slow != nil {
		r.Delay[0], r.Delay[diagnose.Cells-1] = r.Packets-c.slow[at-1], c.slow[at-1]
	}
	return r
}

// The counts of sketches for a flow of 100 packets, computed by hand. If flows share buckets, counts are too high. Then
// a count exceeds the number of packets that were sent, or one switch has a multiple of the packets. In a loop, two
// switches have a multiple.
func TestSketched(t *testing.T) {
	for _, c := range []struct {
		name     string
		view     counts
		received int64
		stopped  int
		loop     []netsim.NodeID
		slow     []bool
	}{
		{"all arrive", counts{packets: []uint64{100, 100, 100, 100, 100}}, 100, -1, nil, nil},
		{"none behind switch 2", counts{packets: []uint64{100, 100, 0, 0, 0}}, 0, 1, nil, nil},
		{"some lost behind switch 3", counts{packets: []uint64{100, 100, 100, 90, 90}}, 90, 2, nil, nil},
		{"lost, and switch 2 counts another flow",
			counts{packets: []uint64{100, 150, 100, 100, 100}}, 90, -1, nil, nil},
		{"switches 3 and 4 send them to each other",
			counts{packets: []uint64{100, 100, 5000, 5000, 0}}, 0, -1, nodes(3, 4), nil},
		{"lost, and switch 3 counts a large flow",
			counts{packets: []uint64{100, 100, 5000, 100, 100}}, 90, -1, nil, nil},
		{"all arrive, and two count a large flow",
			counts{packets: []uint64{100, 100, 5000, 5000, 100}}, 100, -1, nil, nil},
		{"slow at switch 4", counts{packets: []uint64{100, 100, 100, 100, 100}, slow: []uint64{0, 5, 0, 6, 0}},
			100, -1, nil, []bool{false, false, false, true, false}},
		{"over switch 9", counts{packets: []uint64{100, 100, 0, 100, 100}, strays: nodes(9)}, 100, -1, nil, nil},
	} {
		p := &patient{q: &Question{Thresholds: diagnose.Default()},
			flows: &comparison{adjacent: func(a, b netsim.NodeID) bool { return false }}, interval: unit.Millisecond}
		k := &sketched{p: p, view: &asked{View: c.view}}
		x := victim(100)
		x.Arrived = c.received
		f := k.Facts(&x.Flow)
		if c.slow == nil {
			c.slow = make([]bool, 5)
		}
		if f.Stopped != c.stopped || !slices.Equal(f.Loop, c.loop) || !slices.Equal(f.Slow, c.slow) ||
			!slices.Equal(f.OffPath, c.view.strays) {
			t.Errorf("%s: %+v; want stopped %d, loop %v, slow %v", c.name, f, c.stopped, c.loop, c.slow)
		}
		if f.Since != 2*unit.Millisecond { // one interval, and the interval in which packets carry its sketches
			t.Errorf("%s: known after %v", c.name, f.Since)
		}
	}
}

// Sketches that are read as a whole contain every sketchlet of every interval. They never count more than the
// sketchlets that packets have carried. In the second network, packets wait in queues for several intervals, so that
// sketchlets of different intervals arrive together.
func TestReadWhole(t *testing.T) {
	const network = `
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
cc: {kind: %s}
telemetry: {kind: %s}
workload: [{kind: poisson, sizes: fixed, size: %s, load: %s, duration: 1ms}]
run: {until: 3ms}
monitors:
  - {kind: lightguardian, interval: %s, quiet: 20us, carry: 0.25, delay_buckets: %d, interval_buckets: 0, keep: 1000,
     timeout: 10us, truth: true}
`
	for _, text := range []string{
		fmt.Sprintf(network, "hpcc", "int", "50KB", "0.3", "200us", 32),
		fmt.Sprintf(network, "reno", "none", "1MB", "0.9", "50us", 8),
	} {
		sc, err := scenario.Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		var m *lightguardian.Monitor
		var s *sim.Simulation
		r, err := sim.Run(t.Context(), sc, sim.Options{Ready: func(x *sim.Simulation) error {
			s, m = x, x.Monitor(0).(*lightguardian.Monitor)
			_, _, err := m.Counters(true)
			return err
		}})
		if err != nil {
			t.Fatal(err)
		}
		less, same := 0, 0
		for i := range m.Whole().Latest() + 1 {
			whole, carried := m.Whole().At(i), m.Analyzer().At(i)
			for _, at := range s.Graph.Switches() {
				if x := whole.Received(at); x != 1 {
					t.Fatalf("interval %d, switch %d: %v of the sketchlets", i, at, x)
				}
				for f := range r.Flows.All() {
					key := transport.FlowKey(sc.Seed, int32(f.ID))
					a, b := whole.Query(at, key), carried.Query(at, key)
					switch {
					case !a.Packets.Valid || b.Packets.Valid && a.Packets.N > b.Packets.N:
						t.Fatalf("interval %d, switch %d, flow %d: %+v read whole, %+v carried",
							i, at, f.ID, a.Packets, b.Packets)
					case a.Packets == b.Packets:
						same++
					default:
						less++
					}
				}
			}
		}
		if m.Whole().Latest() < 4 || less == 0 || same == 0 {
			t.Errorf("%d intervals; %d answers the same, %d that packets have not carried",
				m.Whole().Latest()+1, same, less)
		}
		note := fmt.Sprintf("monitors.0 (lightguardian): %d sketchlets arrived after the "+
			"interval", m.Analyzer().Received.Stale)
		if !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.HasPrefix(s, note) }) {
			t.Errorf("no note %q in %q", note, r.Notes)
		}
	}
}
