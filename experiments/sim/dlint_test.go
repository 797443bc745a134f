package sim

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

const fiveSwitches = `
topology: {kind: chain, switches: 5, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1MB}]}]
`

// flowCell returns a cell from a monitor's only row about a flow.
func flowCell(t *testing.T, x telemetry.Table, column string) string {
	t.Helper()
	if len(x.Rows) != 1 {
		t.Fatalf("%d flows", len(x.Rows))
	}
	return x.Rows[0][slices.Index(x.Head, column)]
}

// A flow crosses five switches. DLINT reconstructs the path from six packets if each packet carries one value, from
// three packets with two values each, or from two packets with five values each. The 1000 packets complete at most one
// cycle per round trip. The last switch removes the bytes that the first switch has added, so that the link to the host
// carries none of them.
func TestPathOfDLINT(t *testing.T) {
	for values, want := range map[int]string{1: "6", 2: "3", 5: "2"} {
		r := monitored(t, fiveSwitches, "monitors=[{kind: dlint, values: "+strconv.Itoa(values)+"}]")
		flows, switches := table(t, r, 0, "flows"), table(t, r, 0, "switches")
		if got := flowCell(t, flows, "packets_until_path"); got != want {
			t.Errorf("%d values: %s packets, want %s", values, got, want)
		}
		if got := flowCell(t, flows, "path"); got != "2-3-4-5-6" {
			t.Errorf("path %s", got)
		}
		if n := total(t, flows, "paths"); n < 5 || n > 170 {
			t.Errorf("%d values: %d paths of 1000 packets", values, n)
		}
		at := slices.Index(switches.Head, "header_bytes")
		if first, last := switches.Rows[0][at], switches.Rows[4][at]; first == "0" || last == "0" {
			t.Errorf("header bytes %s, %s: want some in both directions", first, last)
		}
	}
}

// PLINT adds its header to every packet in both directions: 3 B on each of 1000 data packets, on four links.
func TestBytesOfPLINT(t *testing.T) {
	r := monitored(t, fiveSwitches, "monitors=[{kind: plint}]")
	if path := flowCell(t, table(t, r, 0, "flows"), "path"); path != "2-3-4-5-6" {
		t.Errorf("path %s", path)
	}
	packets := int64(0)
	for _, row := range table(t, r, 0, "switches").Rows[:1] {
		packets, _ = strconv.ParseInt(row[1], 10, 64)
	}
	if got, want := total(t, table(t, r, 0, "switches"), "header_bytes"), 4*3*packets; got != want {
		t.Errorf("%d header bytes, want %d", got, want)
	}
}

// CLINT knows the path once the controller has installed the flow at all switches.
func TestPathOfCLINT(t *testing.T) {
	r := monitored(t, fiveSwitches, "monitors=[{kind: clint, install: 10us, collector: 1}]")
	flows := table(t, r, 0, "flows")
	if path := flowCell(t, flows, "path"); path != "2-3-4-5-6" {
		t.Errorf("path %s", path)
	}
	if n, _ := strconv.Atoi(flowCell(t, flows, "packets_until_path")); n < 50 {
		t.Errorf("the path is known after %d packets, before the controller could act", n)
	}
	if got := total(t, table(t, r, 0, "switches"), "reports"); got != 5 {
		t.Errorf("%d reports, want one of each switch", got)
	}
}

// Results do not depend on the number of workers.
func TestLightweightINTOnSeveralEngines(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.3, duration: 100us}]
monitors: [{kind: dlint, cells: 64}, {kind: plint, values: 2, latency: true}, {kind: clint, install: 20us}]
`
	one := monitored(t, text)
	many := monitored(t, text, "run.workers=3")
	if many.Summary.Fingerprint != one.Summary.Fingerprint {
		t.Errorf("fingerprint %s, with one worker %s", many.Summary.Fingerprint, one.Summary.Fingerprint)
	}
	if diff := cmp.Diff(one.Monitors, many.Monitors); diff != "" {
		t.Error(diff)
	}
}

// A path is reported when the packet that completes it reaches its host, although more packets are on the way by then.
func TestPathAnswersOfDLINT(t *testing.T) {
	sc, err := scenario.Parse([]byte(fiveSwitches+"monitors: [{kind: dlint}]"), "test")
	if err != nil {
		t.Fatal(err)
	}
	arrived, after := 0, 0
	_, err = Run(context.Background(), sc, Options{
		Receive: func(*Simulation) netsim.Sink { return atHost{&arrived} },
		Ready: func(s *Simulation) error {
			a, err := s.Monitor(0).(telemetry.Answerer).Answers(telemetry.Window{Until: unit.Second})
			if err != nil {
				return err
			}
			a.(telemetry.Paths).OnPath(func(_ uint64, path []netsim.NodeID) {
				if after == 0 && len(path) == 5 {
					after = arrived
				}
			})
			return nil
		},
	})
	if err != nil || after != 6 {
		t.Errorf("%v, the path is known after %d packets at the host, want 6", err, after)
	}
}

// atHost counts packets at their destinations.
type atHost struct{ packets *int }

func (c atHost) Deliver(unit.Time, netsim.NodeID, *netsim.Packet, []netsim.PortSample) { *c.packets++ }
