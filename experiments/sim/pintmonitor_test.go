package sim

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/transport"
)

const pintBeside = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.4, duration: 250us}]
monitors: [{kind: pint}]
`

// watched runs a scenario and returns the result and its simulation.
func watched(t *testing.T, text string, o Options, set ...string) (*Result, *Simulation) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err == nil {
		sc, err = sc.With(set...)
	}
	if err != nil {
		t.Fatal(err)
	}
	var s *Simulation
	inner := o.Receive
	o.Receive = func(x *Simulation) netsim.Sink {
		s = x
		if inner == nil {
			return nothing{}
		}
		return inner(x)
	}
	r, err := Run(context.Background(), sc, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

type nothing struct{}

func (nothing) Deliver(unit.Time, netsim.NodeID, *netsim.Packet, []netsim.PortSample) {}

// column returns the cells of a column.
func column(t *testing.T, x telemetry.Table, name string) []string {
	t.Helper()
	i := slices.Index(x.Head, name)
	if i < 0 {
		t.Fatalf("no column %s in %v", name, x.Head)
	}
	var cells []string
	for _, row := range x.Rows {
		cells = append(cells, row[i])
	}
	return cells
}

// collecting is PINT as a monitor.
type collecting interface{ Collector() *deploy.Collector }

// A plan computes the same digests whether it runs as a monitor or as telemetry. So the hosts record the same path
// digests of every flow, and the same latencies at every hop.
func TestPINTBesideItself(t *testing.T) {
	var same *deploy.Collector
	o := Options{Receive: func(s *Simulation) netsim.Sink {
		encoder, _ := s.Telemetry().(interface {
			Digests() (*query.Encoder, uint64)
		}).Digests()
		c, err := deploy.NewCollector(s.Net, encoder,
			query.Memory{Total: 4 * unit.MiB}, global.RunSeed(s.Scenario.Seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		same = c
		return c
	}}
	_, s := watched(t, pintBeside, o, "telemetry={kind: pint, plan: combined}")
	second := s.Monitor(0).(collecting).Collector()
	flows := 0
	for _, host := range s.Graph.Hosts() {
		var ids [2][]query.FlowID
		var inference [2]*query.Inference
		for i, c := range []*deploy.Collector{same, second} {
			r := c.Recorder(host)
			if r == nil {
				continue
			}
			ids[i], inference[i] = slices.Collect(r.Flows("path")), query.NewInference(r)
		}
		if len(ids[0]) != len(ids[1]) {
			t.Fatalf("host %d: %d and %d flows", host, len(ids[0]), len(ids[1]))
		}
		for f := range ids[0] {
			flows++
			var digests [2][][2]uint64
			var latencies [2][]float64
			for i := range 2 {
				d, err := inference[i].Digests("path", ids[i][f])
				if err != nil {
					t.Fatal(err)
				}
				for packet, digest := range d.All() {
					digests[i] = append(digests[i], [2]uint64{packet, digest})
				}
				for hop := 1; hop <= int(ids[i][f].Hops); hop++ {
					// An error means that a hop has no sample. This must agree on both sides.
					e, _ := inference[i].Quantile("latency", ids[i][f], hop, 0.5, 0.1)
					latencies[i] = append(latencies[i], float64(e.Samples))
				}
			}
			if diff := cmp.Diff(digests[0], digests[1]) + cmp.Diff(latencies[0], latencies[1]); diff != "" {
				t.Fatalf("host %d, flow %d:\n%s", host, f, diff)
			}
		}
	}
	if flows < 10 {
		t.Errorf("only %d flows", flows)
	}
}

// The monitor runs with a congestion control that reads no telemetry. A path decoded from digests is the path of the
// flow, long flows have complete paths, and the latencies show where packets wait.
func TestPINTTellsPaths(t *testing.T) {
	r, s := watched(t, pintBeside, Options{}, "cc={kind: dctcp}", "transport={kind: newreno}",
		"network.ecn.enabled=true", "telemetry={kind: none}")
	paths := table(t, r, 0, "paths")
	at := func(row []string, name string) int {
		n, err := strconv.Atoi(row[slices.Index(paths.Head, name)])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	long, whole := 0, 0
	for _, row := range paths.Rows {
		f := transport.Flow{
			Src: netsim.NodeID(at(row, "src")), Dst: netsim.NodeID(at(row, "dst")),
			SrcPort: uint16(at(row, "src_port")), DstPort: uint16(at(row, "dst_port")),
		}
		var want []string
		for _, p := range f.Path(nil, s.Routes)[1:] {
			from, _ := s.Net.PortEnds(p)
			want = append(want, strconv.Itoa(int(from)))
		}
		got := strings.Fields(row[len(row)-1])
		for i := range got {
			if got[i] != "-" && got[i] != want[i] {
				t.Fatalf("%v, want %v", row, want)
			}
		}
		if at(row, "digests") >= 50 {
			if long++; at(row, "hops_known") == len(want) {
				whole++
			}
		}
	}
	if long < 5 || whole < long*9/10 {
		t.Errorf("%d of %d flows with 50 packets or more have a path", whole, long)
	}
	var packets int64
	for f := range r.Flows.All() {
		packets += int64(f.Packets)
	}
	if got := column(t, table(t, r, 0, "queries"), "packets"); got[0] != strconv.FormatInt(packets, 10) {
		t.Errorf("the path has %s packets, want all %d", got[0], packets)
	}
	if v := table(t, r, 0, "values"); len(v.Rows) == 0 || total(t, v, "packets") == 0 {
		t.Error("no packet has said a load")
	}
	some := 0
	for _, x := range column(t, table(t, r, 0, "quantiles"), "p99") {
		if v, err := strconv.ParseFloat(x, 64); err == nil && v > 1e-6 {
			some++
		}
	}
	if some == 0 {
		t.Error("no hop of a flow has a p99 above 1 µs, at a load of 40 %")
	}
}

// Hosts report the same digests that they would record otherwise. Reports are packets and arrive. A hash selects a
// share of the digests to report.
func TestPINTReports(t *testing.T) {
	r := monitored(t, pintBeside, "monitors.0.record=collector", "monitors.0.collector=3")
	var packets int64
	for f := range r.Flows.All() {
		packets += int64(f.Packets)
	}
	if r.Counters.ReportsLost > 0 {
		t.Fatalf("%d reports were lost", r.Counters.ReportsLost)
	}
	if got := column(t, table(t, r, 0, "queries"), "packets"); got[0] != strconv.FormatInt(packets, 10) {
		t.Errorf("the path has %s packets, want all %d", got[0], packets)
	}
	sources := table(t, r, 0, "sources")
	sent := total(t, sources, "reports")
	if sent != r.Counters.Reports || total(t, sources, "reports_received") != sent ||
		total(t, sources, "report_bytes") != 74*sent {
		t.Errorf("%d reports sent, the network counts %d: %v", sent, r.Counters.Reports, sources.Rows)
	}
	some := monitored(t, pintBeside, "monitors.0.record=collector", "monitors.0.share=0.25")
	if n := total(t, table(t, some, 0, "sources"), "reports"); n < sent/5 || n > sent/3 {
		t.Errorf("%d of %d packets reported, want about a quarter", n, sent)
	}
}

// Results do not depend on the number of workers.
func TestPINTMonitorOnSeveralEngines(t *testing.T) {
	const set = "monitors=[{kind: pint}, {kind: pint, plan: combined-8, record: collector}]"
	one := monitored(t, pintBeside, set)
	many := monitored(t, pintBeside, set, "run.workers=2")
	if many.Summary.Fingerprint != one.Summary.Fingerprint {
		t.Errorf("fingerprint %s, with one worker %s", many.Summary.Fingerprint, one.Summary.Fingerprint)
	}
	if diff := cmp.Diff(one.Monitors, many.Monitors); diff != "" {
		t.Error(diff)
	}
}

func TestPINTMonitorRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	text := "bits: 16\nhops: 5\nqueries:\n  - {name: sum, value: switch_id, aggregation: checksum, bits: 16}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"monitors.0.wire_bytes=1B": "monitors.0.wire_bytes = 1B: too few bytes for the 16 bits of the plan",
		"monitors=[{kind: pint, record: collector, " +
			"collector: 16}]": "monitors.0.collector = 16: want the node number of a host, 0 to 15",
		"topology={kind: chain, " +
			"switches: 6};telemetry={kind: none};cc={kind: timely}": "monitors.0.plan = combined: hops = 5, but the " +
			"network has paths of 6 switches",
		"monitors=[{kind: pint, plan: file, plan_path: " + file +
			"}]": "monitors.0.plan_path = " + file + `: query "sum" (checksum of switch_id): a monitor cannot sum ` +
			`times and checksums of single packets`,
		"monitors=[{kind: pint, plan: file, plan_path: " + filepath.Join(t.TempDir(), "none") +
			"}]": "monitors.0.plan_path: ",
	} {
		sc, err := scenario.Parse([]byte(pintBeside), "test")
		if err == nil {
			sc, err = sc.With(strings.Split(set, ";")...)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Build(sc, Options{}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
}

// A plan's latency code ends at 60 us. If packets wait for longer, a note says that the quantiles are
// lower bounds; otherwise there is no note.
func TestPINTSaysThatLatenciesAreBeyondItsCode(t *testing.T) {
	const slow = `
topology: {kind: star, hosts: 3, host_rate: 10Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 2, size: 300KB}, {src: 1, dst: 2, size: 300KB}]}]
cc: {kind: fixed}
telemetry: {kind: none}
monitors: [{kind: pint, plan: combined}]
`
	reported := func(set ...string) bool {
		r, _ := watched(t, slow, Options{}, set...)
		return slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.Contains(n, "largest code") && strings.Contains(n, "60 µs")
		})
	}
	if !reported() {
		t.Error("two flows that queue for 240 us: no note on the largest code")
	}
	if reported("workload.0.flows.1.start=2ms") {
		t.Error("two flows one after the other: a note on the largest code")
	}
}

// Queries about flows assume one path per flow. If a balancer splits flows, the run reports this for each query.
func TestPINTReportsThatFlowsAreSplit(t *testing.T) {
	for kind, want := range map[string]int{"ecmp": 0, "letflow": 2, "spray": 2} {
		r, _ := watched(t, pintBeside, Options{}, "cc.kind=dctcp", "telemetry.kind=none",
			"network.balancing.kind="+kind, "workload.0.duration=20us")
		if n := strings.Count(strings.Join(r.Notes, "\n"), "packets of a flow take several paths"); n != want {
			t.Errorf("%s: %d notes, want %d\n%q", kind, n, want, r.Notes)
		}
		r, _ = watched(t, pintBeside, Options{}, "cc.kind=dctcp", "telemetry.kind=none",
			"network.balancing.kind="+kind, "workload.0.duration=20us", "monitors.0.path_checksum=8")
		if strings.Contains(strings.Join(r.Notes, "\n"), "several paths") {
			t.Errorf("%s with a path checksum: %q", kind, r.Notes)
		}
	}
}
