package sim

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/packets"
)

const sketched = `
topology: {kind: fattree, k: 4, host_rate: 40Gbps, fabric_rate: 40Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.4, duration: 1ms}]
monitors: [{kind: sketchint, period: 500us, truth: true, hitter: 100, change: 50, memory: 10KB,
  latency_memory: 40KB, table: 128}]
`

// value returns a value from a table with one row.
func value(t *testing.T, r *Result, name, column string, row int) float64 {
	t.Helper()
	x := table(t, r, 0, name)
	for i, h := range x.Head {
		if h == column {
			v, err := strconv.ParseFloat(x.Rows[row][i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no column %s in %v", column, x.Head)
	return 0
}

// With so few flows, the sketches are exact. So the analyzer reports true values from frames that crossed the network.
// The INT layer has 2 B, and 6 B for each hop.
func TestSketchINT(t *testing.T) {
	r := monitored(t, sketched)
	var packets, bytes int64
	for f := range r.Flows.All() {
		packets += int64(f.Packets)
		bytes += int64(f.Packets) * (2 + 6*int64(f.Hops))
	}
	agents := table(t, r, 0, "agents")
	if got := total(t, agents, "packets"); got != packets {
		t.Errorf("%d packets, want %d", got, packets)
	}
	if got := total(t, agents, "bytes_on_packets"); got != bytes {
		t.Errorf("%d bytes on packets, want %d", got, bytes)
	}
	if sent, missing := total(t, agents, "frames"), total(t, agents, "frames_missing"); sent == 0 || missing > 0 {
		t.Errorf("%d frames, %d missing", sent, missing)
	}
	for row, task := range []string{"heavy-hitters", "heavy-changes", "inflated"} {
		if f1 := value(t, r, "errors", "f1", row); f1 < 0.999 {
			t.Errorf("%s: F1 = %v", task, f1)
		}
	}
	if are := value(t, r, "errors", "are", 3); are > 1e-3 {
		t.Errorf("latencies: ARE = %v", are)
	}
	for _, name := range []string{"heavy-hitters", "heavy-changes", "latencies"} {
		if len(table(t, r, 0, name).Rows) == 0 {
			t.Errorf("no rows in %s", name)
		}
	}
}

// The agents of the paper's pipeline are at the edge switches. They use CM insertion and divide the memory equally
// between the latency sketches of the hops. They also report true values.
func TestSketchINTOfHops(t *testing.T) {
	r := monitored(t, sketched, "monitors.0.agents=switches", "monitors.0.insertion=cm",
		"monitors.0.latency_sketches=hops")
	if are, n := value(t, r, "errors", "are", 3), value(t, r, "errors", "real", 3); are > 1e-3 || n < 100 {
		t.Errorf("latencies: ARE = %v of %v flows at switches", are, n)
	}
	if unreported := value(t, r, "errors", "unreported", 3); unreported > 0 {
		t.Errorf("%v latencies are not reported", unreported)
	}
}

func TestSketchINTOnSeveralEngines(t *testing.T) {
	one, three := monitored(t, sketched), monitored(t, sketched, "run.workers=3")
	if one.Summary.Fingerprint != three.Summary.Fingerprint {
		t.Error("other records with three workers")
	}
	if diff := cmp.Diff(one.Monitors, three.Monitors); diff != "" {
		t.Errorf("(-one +three workers):\n%s", diff)
	}
}

// Agents at the edge switches see the same packets as agents at hosts. The INT layer is removed before the last link,
// so that hosts do not receive it. The analyzer reports the same flows.
func TestSketchINTAtSwitches(t *testing.T) {
	hosts := monitored(t, sketched)
	r := monitored(t, sketched, "monitors.0.agents=switches", "monitors.0.insertion=cm")
	var packets, bytes int64
	for f := range r.Flows.All() {
		packets += int64(f.Packets)
		bytes += int64(f.Packets) * (2 + 6*int64(f.Hops))
	}
	agents := table(t, r, 0, "agents")
	if got := total(t, agents, "packets"); got != packets {
		t.Errorf("%d packets, want %d", got, packets)
	}
	if got := total(t, agents, "bytes_on_packets"); got != bytes {
		t.Errorf("%d bytes on packets, want %d", got, bytes)
	}
	if n := len(agents.Rows); n < 2 || n > 8 {
		t.Errorf("%d agents, want at most one for each of the 8 edge switches", n)
	}
	for _, row := range agents.Rows {
		if node, _ := strconv.Atoi(row[0]); node < 16 {
			t.Errorf("an agent at host %d", node)
		}
	}
	for row, task := range []string{"heavy-hitters", "heavy-changes", "inflated"} {
		if f1 := value(t, r, "errors", "f1", row); f1 < 0.999 {
			t.Errorf("%s: F1 = %v", task, f1)
		}
	}
	if are := value(t, r, "errors", "are", 3); are > 1e-3 {
		t.Errorf("latencies: ARE = %v", are)
	}
	if one, other := value(t, r, "errors", "real", 0), value(t, hosts, "errors", "real", 0); one == 0 || other == 0 {
		t.Errorf("%v and %v heavy hitters", one, other)
	}
	slow, fast := 0.0, 0.0
	for f := range hosts.Flows.All() {
		slow += float64(f.FCT)
	}
	for f := range r.Flows.All() {
		fast += float64(f.FCT)
	}
	if fast >= slow {
		t.Errorf("completion times add up to %v with the layer on the last link, %v without", slow, fast)
	}
	diff := cmp.Diff(r.Monitors,
		monitored(t, sketched, "monitors.0.agents=switches", "monitors.0.insertion=cm", "run.workers=3").Monitors)
	if diff != "" {
		t.Errorf("(-one +three workers):\n%s", diff)
	}
}

const dropping = `
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: incast, senders: 12, size: 200KB, receiver: 3, repeat: interval, interval: 1ms, duration: 3500us},
  {kind: poisson, sizes: websearch, load: 0.1, duration: 9ms}]
network: {port_limit: 60KB, pfc: {enabled: false}}
transport: {kind: sack}
cc: {kind: cubic}
run: {until: 12ms}
monitors: [{kind: sketchint, period: 1ms, truth: true, drops: true, memory: 10KB, latency_memory: 20KB, table: 32}]
`

// The drops in records agree with the counters of the switches, except for packets dropped after the last record of a
// period. Those drops count in the next period. A record is 4 B longer.
func TestSketchINTCountsDrops(t *testing.T) {
	for _, agents := range []string{"hosts", "switches"} {
		r := monitored(t, dropping, "monitors.0.agents="+agents, "monitors.0.insertion=cm")
		said, real := total(t, table(t, r, 0, "drops"), "packets"), total(t, table(t, r, 0, "drops"), "real")
		if said < 1000 || said > real || float64(said) < 0.99*float64(real) || real > r.Counters.Dropped {
			t.Errorf("%s: %d drops in records, %d in whole periods, %d in all", agents, said, real, r.Counters.Dropped)
		}
		if are, f1 := value(t, r, "errors", "are", 4), value(t, r, "errors", "f1", 4); are > 0.05 || f1 < 0.95 {
			t.Errorf("%s: ARE = %v, F1 = %v", agents, are, f1)
		}
		switches := map[string]bool{}
		for _, row := range table(t, r, 0, "drops").Rows {
			switches[row[1]] = true
		}
		if len(switches) < 2 {
			t.Errorf("%s: drops at %v alone", agents, switches)
		}
		other := monitored(t, dropping, "monitors.0.agents="+agents, "monitors.0.insertion=cm", "run.workers=3")
		if diff := cmp.Diff(r.Monitors, other.Monitors); diff != "" {
			t.Errorf("%s (-one +three workers):\n%s", agents, diff)
		}
	}
	var bytes int64
	r := monitored(t, sketched, "monitors.0.drops=true")
	for f := range r.Flows.All() {
		bytes += int64(f.Packets) * (2 + 10*int64(f.Hops))
	}
	if got := total(t, table(t, r, 0, "agents"), "bytes_on_packets"); got != bytes {
		t.Errorf("%d bytes on packets, want %d", got, bytes)
	}
}

// An agent without traffic has counts of 0. The 1000 packets of a flow that begins in period 2 are a change there, and
// their absence is another change in period 3. The flow passes one switch, the leaf of both hosts. The second flow
// keeps the run going until period 3 has been collected; its own period is not over.
func TestSketchINTChangesOfANewAgent(t *testing.T) {
	r := monitored(t, `
topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 25Gbps, fabric_rate: 25Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1MB, start: 1100us},
  {src: 3, dst: 2, size: 1MB, start: 2100us}]}]
monitors: [{kind: sketchint, period: 500us, truth: true, hitter: 20, change: 10, memory: 10KB, latency_memory: 30KB,
  table: 256}]
`)
	rows := table(t, r, 0, "heavy-changes").Rows
	for _, row := range rows {
		row[2] = "flow" // a key
	}
	if want := [][]string{{"2", "4", "flow", "0", "1000"}, {"3", "4", "flow", "1000", "0"}}; !cmp.Equal(rows, want) {
		t.Errorf("heavy changes %v, want %v", rows, want)
	}
	for _, column := range []string{"reported", "real"} {
		if n := value(t, r, "errors", column, 1); n != 2 {
			t.Errorf("%v heavy changes %s, want 2", n, column)
		}
	}
}

// Agents do not send the data that come after the last whole period. A note reports how much data this is.
func TestSketchINTLeavesTheLastPeriod(t *testing.T) {
	r := monitored(t, sketched, "monitors.0.period=700us")
	agents := table(t, r, 0, "agents")
	left := total(t, agents, "packets_left")
	if all := total(t, agents, "packets"); left <= 0 || left >= all {
		t.Errorf("%d of %d packets left", left, all)
	}
	want := strconv.FormatInt(left, 10) + " packets in the last, unfinished period stayed with the agents"
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// The trace of the testbed's packets contains the flows of the preset, in the same order.
func TestTestbedTraceHasTheFlowsOfThePreset(t *testing.T) {
	sc, err := scenario.Open("sketchint")
	if err != nil {
		t.Fatal(err)
	}
	if sc, err = sc.With("seed=5"); err != nil {
		t.Fatal(err)
	}
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := workloads.HostsOf(g)
	if err != nil {
		t.Fatal(err)
	}
	w, err := BuildWorkload(&sc, hosts)
	if err != nil {
		t.Fatal(err)
	}
	flows, err := w.Stream(hosts)
	if err != nil {
		t.Fatal(err)
	}
	b := packets.DefaultTestbed()
	b.Seed, b.Duration = 5, 10*unit.Millisecond
	trace, err := b.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	began := map[packets.Tuple]bool{}
	for p := (packets.Packet{}); trace.Next(&p); {
		began[p.Tuple] = true
	}
	for n := 0; n < 100; n++ {
		f, _ := flows.Next()
		const network = 10<<24 + 1
		tuple := packets.MakeTuple(network+uint32(f.Src), network+uint32(f.Dst), f.SrcPort, f.DstPort, packets.TCP)
		if !began[tuple] {
			t.Fatalf("flow %d, %v, which starts at %v, has no packets", n, tuple, f.Start)
		}
	}
}

// The analyzer detects lost frames and reports results from the other frames. A link to it is down for some time.
func TestSketchINTLosesFrames(t *testing.T) {
	r := monitored(t, sketched+"faults: [{kind: link-down, a: 0, b: 16, at: 510us, until: 700us}]\n")
	if r.Counters.ReportsLost == 0 {
		t.Fatal("no report was lost")
	}
	if missing := total(t, table(t, r, 0, "agents"), "frames_missing"); missing < r.Counters.ReportsLost {
		t.Errorf("%d frames missing, %d lost", missing, r.Counters.ReportsLost)
	}
	if are := value(t, r, "errors", "are", 3); !(are >= 0 && are < 1) {
		t.Errorf("latencies: ARE = %v", are)
	}
}

func TestSketchINTRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"monitors.0.period=10us", "of the analyzer's link, want at most 0.5"},
		{"monitors.0.agents=switches",
			`insertion: "cu": want cm with agents = switches, because the pipeline of a switch cannot insert with cu`},
		{"monitors.0.collector=99", "collector = 99: want the node number of a host, 0 to 15"},
	} {
		sc, err := scenario.Parse([]byte(sketched), "test")
		if err != nil {
			t.Fatal(err)
		}
		if sc, err = sc.With(c.set); err == nil {
			_, err = Run(t.Context(), sc, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}
