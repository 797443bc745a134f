package pintread

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gopacket/gopacket/layers"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// missing compares bounds. Missing bounds are equal.
var missing = cmp.Comparer(func(x, y columns.Number) bool {
	return x == y || math.IsNaN(float64(x)) && math.IsNaN(float64(y))
})

func question() Question {
	return Question{Percentiles: []float64{50, 95, 99}, Delta: 0.1, Theta: 0.3, Memory: 64 * unit.MiB}
}

const watched = `
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4}
workload: [{kind: incast, senders: 12, size: 60KB}]
monitors: [{kind: pint, record: collector, collector: 1}]
run: {capture: {enabled: true, ports: [16-1]}}
`

// captured runs a scenario and returns the capture of its collector's link.
func captured(t *testing.T, text string) ([]byte, *sim.Result) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(t.Context(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Capture.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), r
}

// The capture of the collector's link agrees with the tables of the run.
func TestCaptureSaysWhatTheRunSays(t *testing.T) {
	file, r := captured(t, watched)
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(bytes.NewReader(file), "f", n, question())
	if err != nil {
		t.Fatal(err)
	}
	node := func(address string) string { return strings.Split(address, ".")[2] } // 11.0.N.1
	var paths, quantiles [][]string
	for _, p := range a.Paths {
		paths = append(paths, []string{node(p.Src), node(p.Dst), fmt.Sprint(p.SrcPort), p.Path})
		if p.Epoch != 1 || p.Decoded < 1 || p.Decoded > p.Digests {
			t.Errorf("%+v", p)
		}
	}
	for _, s := range a.Streams {
		key := []string{node(s.Src), node(s.Dst), fmt.Sprint(s.Hop), fmt.Sprint(s.Samples),
			fmt.Sprintf("%.4g %.4g %.4g", s.Value/1e9, s.Low/1e9, s.High/1e9)}
		quantiles = append(quantiles, key)
		if float64(s.Low) > s.Value || s.Value > float64(s.High) {
			t.Errorf("%+v", s)
		}
	}
	var wantPaths, wantQuantiles [][]string
	var loads, packets int64
	for _, table := range r.Monitors[0].Tables {
		at := func(row []string, column string) string { return row[slices.Index(table.Head, column)] }
		for _, row := range table.Rows {
			switch table.Name {
			case "paths":
				wantPaths = append(wantPaths,
					[]string{at(row, "src"), at(row, "dst"), at(row, "src_port"), at(row, "path")})
			case "quantiles":
				for _, p := range []string{"p50", "p95", "p99"} {
					var cells []string
					for _, column := range []string{p, p + "_low", p + "_high"} {
						x, err := strconv.ParseFloat(at(row, column), 64)
						if err != nil {
							x = math.NaN() // an open bound is an empty cell
						}
						cells = append(cells, fmt.Sprintf("%.4g", x))
					}
					wantQuantiles = append(wantQuantiles, []string{at(row, "src"), at(row, "dst"), at(row, "hop"),
						at(row, "samples"), strings.Join(cells, " ")})
				}
			case "values":
				fmt.Sscan(at(row, "packets"), &loads) //nolint:errcheck // the same
			}
		}
	}
	if len(paths) == 0 || !slices.EqualFunc(paths, wantPaths, slices.Equal) {
		t.Errorf("paths %v, want %v", paths, wantPaths)
	}
	if len(quantiles) == 0 || !slices.EqualFunc(quantiles, wantQuantiles, slices.Equal) {
		t.Errorf("quantiles %v, want %v", quantiles, wantQuantiles)
	}
	for _, v := range a.Values {
		packets += v.Packets
	}
	if packets == 0 || packets != loads || a.Queries[2].Digests != loads {
		t.Errorf("%d packets with a load, and %d digests of it, want %d", packets, a.Queries[2].Digests, loads)
	}
	if text, err := a.Text(); err != nil || !strings.Contains(text, "saturated") {
		t.Errorf("%v\n%s", err, text)
	}
}

// planned writes a query file and returns a scenario with its queries.
func planned(t *testing.T, queries string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("bits: 8\nhops: 5\nqueries:\n"+queries), 0o644); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(watched, "record: collector", "record: collector, plan: file, plan_path: "+file, 1)
}

// Frequent values are the rows of the run's table.
func TestFrequentValues(t *testing.T) {
	for value, name := range map[string]string{"tx_utilization": "1", "hop_latency": "ns"} {
		file, r := captured(t, planned(t,
			"  - {name: often, value: "+value+", aggregation: frequent, bits: 4, space: 2KB, flow: destination}\n"))
		n, err := ofRun(&r.Scenario, r.Flows)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Read(bytes.NewReader(file), "f", n, question())
		if err != nil {
			t.Fatal(err)
		}
		var rows, want [][]string
		scale := map[string]float64{"1": 1, "ns": 1e-9}[name]
		for _, f := range a.Frequent {
			rows = append(rows, []string{fmt.Sprint(f.Hops), fmt.Sprint(f.Hop), fmt.Sprintf("%.4g", f.Value*scale),
				fmt.Sprintf("%.4g", f.Low), fmt.Sprintf("%.4g", f.High)})
			if f.Unit != name || f.Query != "often" || f.Dst == "" || f.Src != "" {
				t.Errorf("%+v", f)
			}
		}
		for _, table := range r.Monitors[0].Tables {
			if table.Name != "frequent" {
				continue
			}
			for _, row := range table.Rows {
				var cells []string
				for _, c := range []string{"hops", "hop", "value", "share_low", "share_high"} {
					x, err := strconv.ParseFloat(row[slices.Index(table.Head, c)], 64)
					if err != nil {
						t.Fatal(err)
					}
					cells = append(cells, fmt.Sprintf("%.4g", x))
				}
				want = append(want, cells)
			}
		}
		if len(rows) == 0 || !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", value, rows, want)
		}
		if text, err := a.Text(); err != nil || !strings.Contains(text, "share_low") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// The collector's host sends itself no reports. So a capture lacks the flows to this host: all 12 of this run, and one
// of a list of two flows. Text and errors report how many.
func TestFlowsToTheCollector(t *testing.T) {
	all := strings.Replace(watched, "size: 60KB", "size: 60KB, receiver: 1", 1)
	some := strings.Replace(watched, "{kind: incast, senders: 12, size: 60KB}",
		"{kind: list, flows: [{src: 0, dst: 1, size: 20KB}, {src: 0, dst: 2, size: 20KB}]}", 1)
	for text, want := range map[string]string{
		all:  "; 12 flows of the run went to the collector's host, which records digests without reports",
		some: "; not reported: 1 flow of the run to the collector's host, which records these digests itself\n",
	} {
		file, r := captured(t, text)
		n, err := ofRun(&r.Scenario, r.Flows)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		a, err := Read(bytes.NewReader(file), "f", n, question())
		if err != nil {
			got = err.Error()
		} else if got, err = a.Text(); err != nil || a.Unreported != 1 {
			t.Errorf("%d flows, %v", a.Unreported, err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// Latencies in the text have a prefix and four digits; an open bound is a dash. Numbers in JSON have six digits.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		v          float64
		unit, want string
	}{
		{0, "ns", "0 ns"}, {1, "ns", "1 ns"}, {1039.43, "ns", "1.039 µs"}, {60000.00000000219, "ns", "60 µs"},
		{math.NaN(), "ns", "–"}, {2048, "B", "2.048 KB"}, {1. / 3, "1", "0.3333"},
	} {
		if got := shown(tt.v, tt.unit); got != tt.want {
			t.Errorf("%v %s: %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
	file, r := captured(t, watched)
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(bytes.NewReader(file), "f", n, question())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(a.Streams)
	if err != nil {
		t.Fatal(err)
	}
	if long := regexp.MustCompile(`\d+\.\d{7,}`).Find(b); long != nil {
		t.Errorf("JSON has the number %s", long)
	}
}

// A report that passes several captured ports counts once.
func TestReportsAtSeveralPorts(t *testing.T) {
	var all [2]*Answer
	for i, text := range []string{watched, strings.Replace(watched, "16-1", "all", 1)} {
		file, r := captured(t, text)
		n, err := ofRun(&r.Scenario, r.Flows)
		if err != nil {
			t.Fatal(err)
		}
		if all[i], err = Read(bytes.NewReader(file), "f", n, question()); err != nil {
			t.Fatal(err)
		}
	}
	one, several := all[0], all[1]
	if one.Copies != 0 || several.Copies < one.Digests {
		t.Errorf("%d copies at one port and %d at all ports, want none and at least %d", one.Copies, several.Copies,
			one.Digests)
	}
	if text, err := several.Text(); err != nil || !strings.Contains(text, "copies of reports") {
		t.Errorf("%v\n%s", err, text)
	}
	several.Packets, several.Copies = one.Packets, 0
	if diff := cmp.Diff(one, several, missing, cmpopts.IgnoreFields(Value{}, "Mean", "Last"),
		cmpopts.IgnoreFields(Path{}, "Decoded")); diff != "" {
		t.Error(diff)
	}
}

// The memory of copies does not grow with the number of reports.
func TestCopiesForget(t *testing.T) {
	var c copies
	x := func(i int) content { return content{report: strconv.Itoa(i)} }
	for i := range 3*remembered + 1 {
		if c.seen(x(i)) {
			t.Fatalf("report %d is new", i)
		}
	}
	if n := len(c.newest) + len(c.older); n > 2*remembered {
		t.Errorf("%d reports are remembered", n)
	}
	if !c.seen(x(3*remembered)) || !c.seen(x(2*remembered)) || c.seen(x(0)) {
		t.Error("want the newest reports remembered, and the first one forgotten")
	}
}

// Many digests that no switch of the plan can have written show that the switches use another plan. The text then
// doubts all answers: from 10 such digests on, if they are more than one in 20. 53 of 1053 are, 50 of 1050 are not.
func TestDigestsOfAnotherPlan(t *testing.T) {
	for _, tt := range []struct {
		wrong, digests int64
		doubted        bool
	}{{0, 100, false}, {9, 0, false}, {10, 100, true}, {50, 1000, false}, {53, 1000, true}, {763, 437, true}} {
		a := Answer{Wrong: tt.wrong, Digests: tt.digests}
		text, err := a.Text()
		if doubted := strings.Contains(text, "The switches use another plan"); err != nil || doubted != tt.doubted {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// Reports do not name their monitor, so a run with two collecting monitors is refused. A monitor that records at hosts
// does not count.
func TestOneCollectingMonitor(t *testing.T) {
	for more, want := range map[string]string{
		"{kind: pint, record: collector, collector: 2, plan: combined-8}": "the reports of several monitors …",
		"{kind: pint}": "",
	} {
		sc, err := scenario.Parse([]byte(strings.Replace(watched, "monitors: [", "monitors: ["+more+", ", 1)), "test")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ofRun(&sc, &store.Flows{}); want != "" && !errtest.Says(err, want) || want == "" && err != nil {
			t.Errorf("%s: error %v, want %q", more, err, want)
		}
	}
}

// A capture without packets of the chosen interfaces is an error that lists the capture's interfaces.
func TestNoSuchInterface(t *testing.T) {
	file, r := captured(t, watched)
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	q := question()
	q.Interfaces = []string{"99-9"}
	const want = "f: --interfaces 99-9: no packet was captured on these interfaces; the file has 16-1"
	if _, err := Read(bytes.NewReader(file), "f", n, q); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// With delta = 0.1, the rank error of n samples is sqrt(ln(40)/2n): more than 0.01 below 18,445 samples, and less than
// 0.5 from 8 samples on. So the 99th percentiles of this run have no upper bound, and medians have both bounds or none.
// With 2 samples, the error is less than 0.99, so an extreme percentile has the bound on the side of the median.
func TestFewSamplesHaveNoBounds(t *testing.T) {
	// Links of 100 Gb/s keep all latencies below the largest code, which has no upper bound.
	file, r := captured(t, strings.NewReplacer("60KB", "20KB", "hosts_per_leaf: 4",
		"hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps").Replace(watched))
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	q := question()
	q.Percentiles = []float64{0, 50, 99, 100}
	a, err := Read(bytes.NewReader(file), "f", n, q)
	if err != nil {
		t.Fatal(err)
	}
	medians := map[bool]int{}
	for _, s := range a.Streams {
		low, high := !math.IsNaN(float64(s.Low)), !math.IsNaN(float64(s.High))
		want, inner := s.Samples >= 8, s.Samples >= 2
		switch s.Percentile {
		case 50:
			medians[want]++
			if low != want || high != want {
				t.Errorf("%+v", s)
			}
		case 0:
			if low || high != inner {
				t.Errorf("%+v", s)
			}
		default:
			if high || low != inner {
				t.Errorf("%+v", s)
			}
		}
	}
	if medians[true] == 0 || medians[false] == 0 {
		t.Errorf("medians with and without bounds: %v, want both kinds", medians)
	}
	text, err := a.Text()
	if err != nil || !strings.Contains(text, "–") {
		t.Errorf("%v, want a dash:\n%s", err, text)
	}
	if b, err := json.Marshal(a); err != nil || !bytes.Contains(b, []byte(`"high":null`)) {
		t.Errorf("%v, want null:\n%s", err, b)
	}
}

// Reports of paths that are longer than the plan's hops, and reports of unknown flows, are counted separately.
func TestWhatIsNotRecorded(t *testing.T) {
	file, r := captured(t, watched)
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read(bytes.NewReader(file), "f", n, question())
	if err != nil {
		t.Fatal(err)
	}
	flows := &store.Flows{}
	for f := range r.Flows.All() {
		if f.ID < 6 {
			flows.Append(*f)
		}
	}
	few, err := ofRun(&r.Scenario, flows)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(bytes.NewReader(file), "f", few, question())
	if err != nil || a.Unknown == 0 || a.Unknown+a.Digests != whole.Digests || len(a.Paths) >= len(whole.Paths) {
		t.Errorf("%d unknown, %d recorded of %d, %v", a.Unknown, a.Digests, whole.Digests, err)
	}
	plan := filepath.Join(t.TempDir(), "sum.yaml") // the plan allows fewer hops, so the run itself would refuse it
	const sum = "bits: 16\nhops: 2\nqueries:\n  - {name: waited, value: hop_latency, aggregation: sum, bits: 8}\n" +
		"  - {name: path, value: switch_id, aggregation: static, bits: 8, space: 1000B}\n"
	if err := os.WriteFile(plan, []byte(sum), 0o644); err != nil {
		t.Fatal(err)
	}
	sc, err := r.Scenario.With("monitors=[{kind: pint, record: collector, plan: file, plan_path: " + plan + "}]")
	if err != nil {
		t.Fatal(err)
	}
	short, err := ofRun(&sc, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = Read(bytes.NewReader(file), "f", short, question()); err != nil {
		t.Fatal(err)
	}
	if a.TooLong == 0 || a.Unexplained == 0 || a.TooLong+a.Digests+a.Wrong != whole.Digests {
		t.Errorf("%d too long, %d unexplained, %d wrong, %d recorded of %d", a.TooLong, a.Unexplained, a.Wrong,
			a.Digests, whole.Digests)
	}
}

// tag returns an Ethernet frame with a digest in a tag, followed by an IPv4 packet.
func tag(ttl, protocol uint8, fragment uint16, rest []byte) []byte {
	b := append(make([]byte, 12), 0x88, 0xb5, 0x12, 0x34, 8, 0)
	ip := []byte{0x45, 0, 0, 0, 0xab, 0xcd, 0, 0, ttl, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)+len(rest)))
	binary.BigEndian.PutUint16(ip[6:], fragment)
	return append(append(b, ip...), rest...)
}

// The packet identifiers must equal the ones that packet.p4 computes.
func TestTags(t *testing.T) {
	ports := []byte{0x11, 0x22, 0, 80, 0, 1, 2, 3, 9, 9, 9, 9, 0x50, 0, 0, 0, 0, 0, 0, 0}
	for _, tt := range []struct {
		frame   []byte
		id      uint64
		hops    int
		srcPort uint16
	}{
		{tag(61, 6, 0, ports), 0x00010203_abcd_1122, 3, 0x1122},
		{tag(127, 17, 0, ports[:8]), 0x0203_0001_abcd_1122, 1, 0x1122},
		{tag(250, 17, 0, ports[:8]), 0x0203_0001_abcd_1122, 5, 0x1122},
		{tag(64, 1, 0, ports), 0x0a000001_abcd_0000, 64, 0},
		{tag(60, 6, 100, ports), 0x0a000001_abcd_0000, 4, 0}, // a later fragment has no ports
	} {
		list, err := tagged(&packets.Frame{Link: layers.LinkTypeEthernet, Data: tt.frame})
		if err != nil || len(list) != 1 {
			t.Fatalf("%x: %v, %v", tt.frame, list, err)
		}
		r := list[0]
		if r.packet.ID != tt.id || r.packet.Hops != tt.hops || r.packet.Flow.SrcPort != tt.srcPort ||
			r.digest != 0x1234 {
			t.Errorf("%x: %+v", tt.frame, r)
		}
	}
	for frame, want := range map[string]string{
		string(tag(64, 6, 0, nil)[:20]):      "after the tag of PINT",
		string(tag(64, 6, 0, nil)[:15]):      "no IPv4 header follows the tag",
		string(append(make([]byte, 12), 8)):  "",
		string(append(make([]byte, 30), 86)): "",
	} {
		list, err := tagged(&packets.Frame{Link: layers.LinkTypeEthernet, Data: []byte(frame)})
		if len(list) != 0 || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %v, %v", frame, list, err)
		}
	}
}

func FuzzTagged(f *testing.F) {
	f.Add(tag(61, 6, 0, make([]byte, 20)))
	f.Add(tag(61, 17, 0, make([]byte, 8)))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := tagged(&packets.Frame{Link: layers.LinkTypeEthernet, Data: b})
		if err == nil && len(list) == 1 && (list[0].packet.Hops < 0 || list[0].packet.Hops > 255) {
			t.Fatalf("%d hops", list[0].packet.Hops)
		}
	})
}
