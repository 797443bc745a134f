package telemetry

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// tree is a scenario with a fat tree of 16 hosts and growing queues. Most flows begin and end well within the window
// of 400 µs.
const tree = `name: answers
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps, link_delay: 1us}
workload: [{kind: poisson, sizes: uniform, min_size: 1KB, max_size: 60KB, load: 0.5, duration: 300us}]
cc: {kind: hpcc}
telemetry: {kind: int, format: free}
run: {until: 900us, stall: never}
`

// ask runs the scenario with changes, and returns the costs and answers of the system.
func ask(t *testing.T, set ...string) (linkCosts, answers) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "answers.yaml")
	if err := os.WriteFile(base, []byte(tree), 0o666); err != nil {
		t.Fatal(err)
	}
	runs, err := campaign.Execute(t.Context(), []campaign.Spec{{Label: "answers", Base: base, Set: set}},
		campaign.Options{
			Dir: t.TempDir(), Workers: 1, Quiet: true, Messages: io.Discard, Line: func(words ...string) string {
				return strings.Join(words, " ")
			},
			Observe: func(*campaign.Run) campaign.Observer {
				return observer(question{Window: 400 * unit.Microsecond, Heavy: 20})
			},
		})
	if err != nil {
		t.Fatal(err)
	}
	c, a, err := readJudged(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	return c, a
}

func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(low <= got && got <= high) {
		t.Errorf("%s = %v, want %v to %v", what, got, low, high)
	}
}

// Without a system, there are no answers and no costs.
func TestNone(t *testing.T) {
	c, a := ask(t)
	if diff := cmp.Diff(columns.Blank[answers](), a, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("answers (-want +got)\n%s", diff)
	}
	if c != (linkCosts{}) {
		t.Errorf("costs %+v, want none", c)
	}
}

// INT in HPCC's format takes 42 B on every link. Hosts read the INT records, so they know latencies. There are no
// answers that need the names of switches or a collector.
func TestHosts(t *testing.T) {
	c, a := ask(t, "telemetry.format=hpcc")
	for i, got := range []float64{c.Link0, c.Link1, c.Link3, c.Link5, c.Mean} {
		if got != 42 {
			t.Errorf("number %d is %v B, want 42", i, got)
		}
	}
	if c.Reports != 0 || c.Collector != 0 || !math.IsNaN(a.PathFlows) || !math.IsNaN(a.Heavy) ||
		!math.IsNaN(a.Size) || !math.IsNaN(a.Delays) {
		t.Errorf("%+v, %+v; want neither reports nor answers about paths, sizes and distributions", c, a)
	}
	within(t, "told", a.Told, 0.95, 1)
	within(t, "median error", a.Latency50, 0.001, 0.3) // INT records the queue behind a packet, not its wait
	within(t, "lag", a.Lag, 1e-6, 40e-6)
}

// A collector that receives the records of all packets misses only the packets in flight at the end of the window. It
// knows a path from the first packet on, and every latency in whole ns.
func TestPassport(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: int, mode: passport}]")
	// The link to the first switch carries no telemetry. Later links carry 8 B, and 12 B for each switch.
	if c.Link0 != 0 || math.Abs(c.Link1-20) > 1e-9 || math.Abs(c.Link5-68) > 1e-9 {
		t.Errorf("%v, %v, %v B on links 0, 1, 5; want 0, 20, 68", c.Link0, c.Link1, c.Link5)
	}
	within(t, "reports", c.Reports, 0.8, 1) // there are no reports about packets to the collector itself
	within(t, "told", a.Told, 0.9, 1)
	within(t, "median error", a.Latency50, 0, 1e-3) // latencies exceed 500 ns and are in whole ns
	within(t, "paths known", a.PathFlows, 0.9, 1)
	within(t, "packets until then", a.PathPackets, 1, 15) // reports take time to reach the collector
	within(t, "F1", a.Heavy, 0.9, 1)
	within(t, "size error", a.Size, 0, 0.1)
	within(t, "error of distributions", a.Delays, 0, 0.1)
}

// Postcards add nothing to packets. Each switch on the path sends a report; a path has one, three or five switches.
func TestPostcard(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: int, mode: postcard, share: 0.25}]")
	if c.Mean != 0 {
		t.Errorf("%v B on packets, want none", c.Mean)
	}
	within(t, "reports", c.Reports, 0.25, 1.25)
	if got := c.ReportBytes / c.Reports; math.Abs(got-87) > 1e-3 {
		t.Errorf("a report of %v B, want 67 + 8 + 12", got)
	}
	within(t, "paths known", a.PathFlows, 0.8, 1)
	within(t, "size error", a.Size, 0.01, 2) // a quarter of the packets only allows an estimate
}

// Digests of 16 bits determine a path after some packets, and determine latencies with an error of a few percent.
func TestPINT(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: pint, flows: false}]")
	if c.Link0 != 2 || c.Mean != 2 || c.Reports != 0 {
		t.Errorf("%+v, want 2 B and no reports", c)
	}
	within(t, "told", a.Told, 0.7, 1)
	within(t, "median error", a.Latency50, 0.0001, 0.5)
	within(t, "paths known", a.PathFlows, 0.5, 1)
	within(t, "packets until then", a.PathPackets, 2, 40)
	within(t, "error of distributions", a.Delays, 0.0001, 0.5)
	if !math.IsNaN(a.Heavy) || !math.IsNaN(a.Size) {
		t.Errorf("F1 %v and size error %v of a plan that does not count", a.Heavy, a.Size)
	}
	_, b := ask(t, "monitors=[{kind: pint, plan: combined-8, flows: false}]")
	if !(b.PathFlows < a.PathFlows) || !(b.Told <= a.Told) {
		t.Errorf("8 bits know %v paths and %v latencies, 16 bits %v and %v: want fewer",
			b.PathFlows, b.Told, a.PathFlows, a.Told)
	}
}

// A CSIG tag names only the worst hop of its packet. Tags never name a switch that does not support CSIG. If switches
// remove the tags, no switch is named.
func TestCSIG(t *testing.T) {
	c, a := ask(t, "telemetry.kind=csig", "telemetry.signal=alternate")
	if c.Link0 != 8 || c.Link5 != 8 || c.Reports != 0 {
		t.Errorf("%+v, want 8 B and no reports", c)
	}
	within(t, "told", a.Told, 0.2, 0.7)
	within(t, "median error", a.Latency50, 0.001, 1) // only slow packets name a hop
	within(t, "wrong hops", a.Worst, 0, 0.25)
	_, b := ask(t, "telemetry.kind=csig", "telemetry.signal=alternate", "telemetry.legacy=pass",
		"telemetry.legacy_at=[edge]")
	if !(b.Worst > 2*a.Worst) {
		t.Errorf("%v wrong hops if ToR switches are invisible, %v else", b.Worst, a.Worst)
	}
	if c, d := ask(t, "telemetry.kind=csig", "telemetry.signal=alternate", "telemetry.legacy=strip",
		"telemetry.legacy_at=[edge]"); !math.IsNaN(d.Worst) || c.Link1 != 0 {
		t.Errorf("first switches take tags off: %v wrong hops, %v B behind them", d.Worst, c.Link1)
	}
	if _, d := ask(t, "telemetry.kind=csig"); !math.IsNaN(d.Told) || !math.IsNaN(d.Worst) {
		t.Errorf("bandwidth says something of latencies: %+v", d)
	}
}

// With enough memory, SketchINT knows all flow sizes and all mean latencies of the two periods in the window.
func TestSketchINT(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: sketchint, period: 200us, memory: 1KB, latency_memory: 3KB, table: 16, "+
		"frame: 5000B, hitter: 10, change: 10}]")
	within(t, "bytes on the last link", c.Link5, 31.999, 32.001) // 2 B, and 6 B for each of five switches
	within(t, "told", a.Told, 0.95, 1)
	within(t, "median error", a.Latency50, 0, 0.01)
	within(t, "F1", a.Heavy, 0.95, 1)
	within(t, "size error", a.Size, 0, 0.1)
	within(t, "lag", a.Lag, 200e-6, 400e-6) // the remainder of a period, and the next period
	if !math.IsNaN(a.Delays) {
		t.Errorf("error of distributions %v: SketchINT knows means", a.Delays)
	}
}

// If LightGuardian collects all of its sketches, it never reports a size that is too small.
func TestLightGuardian(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: lightguardian, interval: 200us, quiet: 20us, poll: 5us, timeout: 5us, "+
		"delay_buckets: 16, interval_buckets: 1, carry: 1, keep: 1000}]")
	within(t, "bytes on the last link", c.Link5, 5, 24)
	within(t, "told", a.Told, 0.5, 1)
	within(t, "median error", a.Latency50, 0.001, 2) // from four cells
	within(t, "size error", a.Size, 0, 3)
	within(t, "error of distributions", a.Delays, 0.001, 1)
	if !math.IsNaN(a.PathFlows) {
		t.Errorf("paths known of %v: LightGuardian takes paths from routing", a.PathFlows)
	}
}

// A fridge with enough entries for all segments measures the true round trips.
func TestFridges(t *testing.T) {
	c, a := ask(t, "monitors=[{kind: rtt, entries: 65536}]")
	if c != (linkCosts{}) {
		t.Errorf("costs %+v, want none", c)
	}
	within(t, "error of distributions", a.Delays, 0, 0.05)
	if !math.IsNaN(a.Told) {
		t.Errorf("latencies of %v flows: a fridge knows of none", a.Told)
	}
}
