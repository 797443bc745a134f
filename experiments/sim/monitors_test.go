package sim

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport/fixed"
	"pintlab/workloads"
)

// monitored runs a scenario with monitors.
func monitored(t *testing.T, text string, set ...string) *Result {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	if sc, err = sc.With(set...); err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// table returns a table of a monitor.
func table(t *testing.T, r *Result, monitor int, name string) telemetry.Table {
	t.Helper()
	for _, x := range r.Monitors[monitor].Tables {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("monitor %d has no table %s", monitor, name)
	return telemetry.Table{}
}

// total returns the sum of a column.
func total(t *testing.T, x telemetry.Table, column string) int64 {
	t.Helper()
	for i, h := range x.Head {
		if h != column {
			continue
		}
		var sum int64
		for _, row := range x.Rows {
			n, err := strconv.ParseInt(row[i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		return sum
	}
	t.Fatalf("no column %s in %v", column, x.Head)
	return 0
}

const bothModes = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: poisson, sizes: websearch, load: 0.3, duration: 100us}]
monitors: [{kind: int, mode: passport}, {kind: int, mode: postcard, collector: 7}]
`

// If no report is lost, passports and postcards report the same: every switch that a packet crosses, once. INT adds 8 +
// 12 = 20 B to a packet that crosses one leaf, and 8 + 12·3 = 44 B for three switches; the last host removes these
// bytes.
func TestPassportsAndPostcardsTellTheSame(t *testing.T) {
	r := monitored(t, bothModes)
	if d := r.Counters.Dropped + r.Counters.ReportsLost; d > 0 {
		t.Fatalf("%d packets were dropped", d)
	}
	if diff := cmp.Diff(table(t, r, 0, "hops"), table(t, r, 1, "hops")); diff != "" {
		t.Errorf("passports and postcards differ:\n%s", diff)
	}
	var packets, hops, bytes int64
	for f := range r.Flows.All() {
		packets += int64(f.Packets)
		hops += int64(f.Packets) * int64(f.Hops)
		bytes += int64(f.Packets) * (8 + 12*int64(f.Hops))
	}
	if got := total(t, table(t, r, 0, "hops"), "records"); got != hops {
		t.Errorf("%d records of %d data packet-hops at switches", got, hops)
	}
	if got := total(t, table(t, r, 0, "sources"), "bytes_on_packets"); got != bytes {
		t.Errorf("%d bytes on packets, want %d", got, bytes)
	}
	sources := table(t, r, 1, "sources")
	if sent, received := total(t, sources, "reports"), total(t, sources, "reports_received"); sent != hops ||
		received != hops {
		t.Errorf("%d postcards sent, %d received, want %d", sent, received, hops)
	}
	if r.Counters.Injected != r.Counters.Delivered {
		t.Errorf("%d packets made, %d delivered", r.Counters.Injected, r.Counters.Delivered)
	}
}

// Results and tables do not depend on the number of workers.
func TestMonitorsOnSeveralEngines(t *testing.T) {
	one := monitored(t, bothModes)
	for _, workers := range []string{"2", "3"} {
		many := monitored(t, bothModes, "run.workers="+workers)
		if many.Summary.Fingerprint != one.Summary.Fingerprint {
			t.Errorf("%s workers: fingerprint %s, with one %s", workers, many.Summary.Fingerprint,
				one.Summary.Fingerprint)
		}
		if diff := cmp.Diff(one.Monitors, many.Monitors); diff != "" {
			t.Errorf("%s workers:\n%s", workers, diff)
		}
	}
}

// Reports that find no room at a port are lost, and the collector counts them: 15 hosts send reports of all their
// packets to one host.
func TestLostReportsAreMissed(t *testing.T) {
	r := monitored(t, `
topology: {kind: star, hosts: 16, host_rate: 100Gbps}
workload: [{kind: alltoall, size: 1MB}]
monitors: [{kind: int, mode: postcard, values: 16, report_header: 256B}]
`)
	lost := r.Counters.ReportsLost
	if lost == 0 {
		t.Fatal("no report was lost: the test shows nothing")
	}
	sources := table(t, r, 0, "sources")
	if got := total(t, sources, "reports_missing"); got != lost {
		t.Errorf("%d reports missed, %d lost", got, lost)
	}
	if sent, received := total(t, sources, "reports"), total(t, sources, "reports_received"); sent != received+lost ||
		sent != r.Counters.Reports {
		t.Errorf("%d sent, %d received, %d lost; the network counts %d", sent, received, lost, r.Counters.Reports)
	}
}

// A hash selects the watched packets: 1/16 of some 20 000 within five standard deviations. With other seeds the test
// would fail by chance once in a million runs.
func TestShareOfWatchedPackets(t *testing.T) {
	r := monitored(t, bothModes, "monitors.0.share=0.0625")
	var packets float64
	for f := range r.Flows.All() {
		packets += float64(f.Packets)
	}
	sources := table(t, r, 0, "sources")
	got, want := float64(total(t, sources, "reports")), packets/16
	if d := got - want; d*d > 25*want {
		t.Errorf("%v of %v packets reported, want about %v", got, packets, want)
	}
}

// faulty is a monitor of another module that breaks a rule.
type faulty struct {
	room  telemetry.Room   `yaml:"-"`
	watch *telemetry.Watch `yaml:"-"`
}

func (f faulty) Room(int) telemetry.Room                          { return f.room }
func (faulty) Check(*schema.Checker, string)                      {}
func (f faulty) Watch(*telemetry.Place) (*telemetry.Watch, error) { return f.watch, nil }

// deaf watches nothing.
type deaf struct{}

func (deaf) Arrive(*netsim.Arrival)  {}
func (deaf) Collect(*netsim.Arrival) {}

// negative is a telemetry system whose header has a negative size.
type negative struct{ telemetry.None }

func (negative) Overhead() unit.Bytes { return -5 }

// undecodable is a telemetry system that gives a round-trip time and returns no way to read it.
type undecodable struct{ telemetry.None }

func (undecodable) Gives() []telemetry.Quantity { return []telemetry.Quantity{telemetry.RoundTrip} }
func (undecodable) Recorded() bool              { return true }

// Parts of another module that would distort a run, or leave files that cannot be read, are errors.
func TestFaultyParts(t *testing.T) {
	tables := func(list ...telemetry.Table) *telemetry.Watch {
		return &telemetry.Watch{Watcher: deaf{}, Tables: func(unit.Time) []telemetry.Table { return list }}
	}
	ragged := telemetry.NewTable("numbers", "node packets")
	ragged.Add(1)
	for want, part := range map[string]any{
		"monitors.0: given-1: Room returns {AtSource:-5B":  &faulty{telemetry.Room{AtSource: -5}, tables()},
		"monitors.0: given-1: Watch returns no watcher":    &faulty{},
		"numbers.csv: row 1 has 1 cell, the heading has 2": &faulty{watch: tables(ragged)},
		"numbers.csv: file exists": &faulty{
			watch: tables(telemetry.NewTable("numbers", "node"), telemetry.NewTable("numbers", "node")),
		},
		"given: it gives a round-trip time, but Attach": &undecodable{},
		"telemetry.kind = given: Attach returns":        &negative{},
	} {
		flows := []workloads.Flow{{Src: 1, Size: 1000}}
		g, err := topo.Star{Hosts: 2, Rate: unit.Gbps, Delay: unit.Microsecond}.Build()
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(g, flows, With(fixed.Default(), part)).Run(t.Context(), Options{})
		if err == nil {
			_, err = Save(r, t.TempDir(), "", time.Now())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// reporter is a tap that sends a report of a size for each data packet.
type reporter unit.Bytes

func (r reporter) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind == netsim.Data {
		h.Report(&netsim.Report{Class: 1, Size: unit.Bytes(r)})
	}
}

// A report without bytes, or larger than the largest packet, stops the run. The largest packet has 1000 B of payload
// and 48 B of headers. A monitor may have no tables.
func TestReportsOfAnySize(t *testing.T) {
	for size, want := range map[unit.Bytes]string{
		0: "a report of 0B, want 1B to 1.048KB", 1049: "a report of 1.049KB", 70_000: "a report of 70KB", 1048: "<nil>",
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%v: panic %q, want %q", size, got, want)
				}
			}()
			g, err := topo.Star{Hosts: 2, Rate: unit.Gbps, Delay: unit.Microsecond}.Build()
			if err != nil {
				t.Fatal(err)
			}
			m := &faulty{telemetry.Room{Report: 100}, &telemetry.Watch{Watcher: deaf{}, Tap: reporter(size)}}
			network := New(g, []workloads.Flow{{Src: 1, Size: 1000}}, With(fixed.Default(), m))
			if _, err = network.Run(t.Context(), Options{}); err != nil {
				t.Errorf("%v: %v", size, err)
			}
		}()
	}
}
