package inband

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/wire"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

const watched = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: incast, senders: 6, size: 60KB}]
cc: {kind: hpcc}
telemetry: {kind: pint}
monitors: [{kind: int, mode: %s, collector: 1}]
run: {capture: {enabled: true, ports: [8-1], snap: 512B}}
`

// capture runs a scenario and returns its file of packets.
func capture(t *testing.T, text string) ([]byte, *sim.Result) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(context.Background(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Capture.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), r
}

// From the reports on the collector's link, Read computes the same numbers about switches and reporters as the monitor.
func TestReportsSayWhatTheMonitorSays(t *testing.T) {
	for _, mode := range []string{"passport", "postcard"} {
		file, r := capture(t, fmt.Sprintf(watched, mode))
		var out bytes.Buffer
		a, err := Read(bytes.NewReader(file), "f",
			Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond, Records: 5}, &out)
		if err != nil {
			t.Fatal(err)
		}
		var nodes, reporters [][]string
		for _, n := range a.Nodes {
			nodes = append(nodes, strings.Fields(fmt.Sprintf("%d %d %.6g %.6g %.0f", n.Node, n.Records,
				n.LatencyMean, n.LatencyMax, n.QueueMax)))
		}
		for _, n := range a.Reporters {
			reporters = append(reporters, []string{fmt.Sprint(n.Node), fmt.Sprint(n.Reports), fmt.Sprint(n.Missing)})
		}
		tables := r.Monitors[0].Tables
		var sources [][]string
		for _, row := range tables[1].Rows {
			if row[5] != "0" {
				sources = append(sources, []string{row[0], row[5], row[6]})
			}
		}
		equal := func(a, b [][]string) bool { return slices.EqualFunc(a, b, slices.Equal) }
		if !equal(nodes, tables[2].Rows) {
			t.Errorf("%s: switches\n%v\nthe monitor says\n%v", mode, nodes, tables[2].Rows)
		}
		if !equal(reporters, sources) {
			t.Errorf("%s: reporters\n%v\nthe monitor says\n%v", mode, reporters, sources)
		}
		rows, err := parquet.Read[Record](bytes.NewReader(out.Bytes()), int64(out.Len()))
		records := int64(0)
		for _, f := range a.Finds {
			records += max(f.Hops, f.Count)
		}
		if err != nil || int64(len(rows)) != records || len(a.Records) != 5 ||
			*rows[0].Node != *a.Records[0].Node || rows[0].Time != a.Records[0].Time {
			t.Errorf("%s: %d rows of %d records, %v", mode, len(rows), records, err)
		}
	}
}

// A port records packets that it drops and packets that it trims; it sends the trimmed headers later. The summary
// excludes these packets, so that it agrees with the monitor. Other readers of whole captures also count only sent
// packets.
func TestUnsentPackets(t *testing.T) {
	for _, set := range []string{"cc: {kind: reno}\nnetwork: {port_limit: 20KB, pfc: {enabled: false}}\n",
		"cc: {kind: ndp}\n"} {
		file, r := capture(t, set+`
topology: {kind: dumbbell, left: 4, right: 1, host_rate: 10Gbps, bottleneck_rate: 100Gbps}
workload: [{kind: incast, senders: 4, size: 60KB, receiver: 4}]
monitors: [{kind: int, collector: 4}]
run: {capture: {enabled: true}}
`)
		a, err := Read(bytes.NewReader(file), "f",
			Question{DSCP: 23, Unit: unit.Nanosecond, Interfaces: []string{"6-4"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		hops := r.Monitors[0].Tables[2].Rows
		for i, n := range a.Nodes {
			if got := strings.Fields(fmt.Sprintf("%d %d %.6g %.6g %.0f", n.Node, n.Records, n.LatencyMean,
				n.LatencyMax, n.QueueMax)); !slices.Equal(got, hops[i]) {
				t.Errorf("%s: %v, the monitor says %v", set, got, hops[i])
			}
		}
		if len(a.Paths) != 1 || a.Unsent == 0 {
			t.Errorf("%s: %d packets left out, paths %v", set, a.Unsent, a.Paths)
		}
		whole, err := packets.NewReader(bytes.NewReader(file), "f")
		if err != nil {
			t.Fatal(err)
		}
		sent := int64(0)
		for p := (packets.Packet{}); whole.Next(&p); {
			sent++
		}
		unsent := r.Counters.Dropped + r.Counters.Trimmed
		if got := whole.Skipped(); whole.Err() != nil || int64(got.Unsent) != unsent ||
			int64(got.Total()) != unsent || sent != int64(r.Summary.PacketHops) {
			t.Errorf("%s: %d packets sent in %d hops; left out %v, want %d not sent; %v",
				set, sent, r.Summary.PacketHops, got, unsent, whole.Err())
		}
	}
}

// The paths in the INT of SketchINT equal the paths of passports. Both contain the numbers of nodes, although SketchINT
// numbers its switches separately.
func TestNodesOfSketchINT(t *testing.T) {
	file, _ := capture(t, "topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, "+
		"host_rate: 100Gbps, fabric_rate: 100Gbps}\n"+
		"workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: swift}\ntelemetry: {kind: none}\n"+
		"monitors: [{kind: int, collector: 2}, {kind: sketchint, period: 2ms}]\n"+
		"run: {capture: {enabled: true, nodes: [switches]}}\n")
	a, err := Read(bytes.NewReader(file), "f", Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond}, nil)
	if err != nil || a.Malformed > 0 {
		t.Fatal(err, a)
	}
	paths := map[string]map[string]bool{"int": {}, "sketchint": {}}
	for _, p := range a.Paths {
		if m := paths[p.Source]; m != nil {
			m[p.Path] = true
		}
	}
	if got, want := paths["sketchint"], paths["int"]; !maps.Equal(got, want) || !want["9 10 8"] && !want["9 11 8"] {
		t.Errorf("%v, and INT has %v", got, want)
	}
}

// The counters of drops in the INT of SketchINT equal the drops at the ports of the switch in the capture.
func TestDropsOfSketchINT(t *testing.T) {
	file, r := capture(t, "topology: {kind: star, hosts: 6, host_rate: 10Gbps}\n"+
		"workload: [{kind: incast, senders: 5, size: 100KB}]\ntransport: {kind: sack}\ncc: {kind: cubic}\n"+
		"network: {port_limit: 30KB, pfc: {enabled: false}}\ntelemetry: {kind: none}\n"+
		"monitors: [{kind: sketchint, period: 10ms, drops: true}]\nrun: {capture: {enabled: true}}\n")
	a, err := Read(bytes.NewReader(file), "f", Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond}, nil)
	if err != nil || a.Malformed > 0 {
		t.Fatal(err, a)
	}
	dropped := r.Counters.Dropped
	if len(a.Drops) != 1 || a.Drops[0].Counter != dropped || a.Drops[0].Dropped != dropped || dropped == 0 ||
		a.Unsent != dropped || a.Drops[0].Node != 6 {
		t.Errorf("%+v, and the switch dropped %d, the capture has %d", a.Drops, dropped, a.Unsent)
	}
}

// Monitors report the data that packets brought to the hosts. PINT's digests are the same for each flow, in the same
// order, and LightGuardian's sketchlets are the same. SketchINT's frames equal the frames that its analyzer has
// received, without a gap.
func TestReportsOfMonitors(t *testing.T) {
	file, r := capture(t, strings.Replace(tree, "snap: 512B", "snap: 9000B", 1)+
		"workload: [{kind: incast, senders: 5, size: 60KB}]\ncc: {kind: swift}\ntelemetry: {kind: none}\n"+reporting)
	read := func(ports ...string) map[string][]string { // contents by source; for digests, also by flow
		a, err := Read(bytes.NewReader(file), "f",
			Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond, Records: 100_000, Interfaces: ports}, nil)
		if err != nil || a.Malformed > 0 {
			t.Fatal(err, a)
		}
		m := map[string][]string{}
		for i := range a.Records {
			x := &a.Records[i]
			k := x.Source
			if strings.HasSuffix(k, "digest") {
				k += fmt.Sprint(" ", x.Src, x.SrcPort, x.Dst, x.DstPort)
			}
			m[k] = append(m[k], x.Content)
		}
		for _, p := range a.Reporters {
			if p.Missing > 0 {
				t.Errorf("%+v", p)
			}
		}
		return m
	}
	reported, carried := read("8-2"), read("8-0", "8-1", "8-3", "9-4", "9-5", "9-6", "9-7")
	flows := 0
	for k, list := range carried {
		if !strings.HasPrefix(k, "digest") {
			continue
		}
		flows++
		got := reported["reported "+k]
		if len(list) == 0 || len(got) != len(list) {
			t.Fatalf("%s: %d were reported, %d carried", k, len(got), len(list))
		}
		for i, x := range list {
			if want := fmt.Sprintf("%08x%s", i, x); got[i][2:] != want {
				t.Fatalf("%s: number and digest %s, want %s", k, got[i][2:], want)
			}
		}
	}
	had := map[string]int{}
	for _, x := range carried["sketchlet"] {
		had[x]++
	}
	for _, x := range reported["reported sketchlet"] {
		if had[x]--; had[x] < 0 {
			t.Fatalf("sketchlet %s was reported and not carried", x)
		}
		if n := x[:4]; n < "0008" || n > "000b" { // the first switch is node 8
			t.Fatalf("sketchlet %s is of node %s, which is no switch", x, n)
		}
	}
	frames := len(reported["reported sketches"])
	if want := r.Monitors[2].Tables[0].Rows[0][2]; flows != 5 || len(reported["reported sketchlet"]) < 10 ||
		frames == 0 || fmt.Sprint(frames) != want {
		t.Errorf("%d flows, %d sketchlets, %d frames; the analyzer has %s",
			flows, len(reported["reported sketchlet"]), frames, want)
	}
	for _, x := range reported["reported sketches"] {
		if strings.Trim(x, "0") == "" {
			t.Error("a frame of SketchINT is empty")
		}
	}
}

// The tags of CSIG on ACKs name the last switch of an incast, and have the same buckets as data
// packets at their destination.
func TestSignals(t *testing.T) {
	file, _ := capture(t, tree+
		"workload: [{kind: incast, senders: 5, size: 60KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: csig}\n")
	read := func(port string) []Signal {
		a, err := Read(bytes.NewReader(file), "f", Question{Interfaces: []string{port}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a.Signals
	}
	tags := int64(0)
	for _, s := range read("8-0") {
		if s.Source != "csig" || s.Signal != "abw_share" || s.Least < 0 || s.Most >= 1<<20 {
			t.Errorf("%+v", s)
		}
		if tags += s.Tags; s.Locator == "0" && s.Tags < 100 {
			t.Errorf("%+v: the leaf of the receiver is the bottleneck", s)
		}
	}
	if tags != 300 {
		t.Errorf("%d tags on 300 packets", tags)
	}
}

// A file without telemetry is an error that lists the supported kinds. If a packet is unreadable, the error names the
// packet.
func TestErrors(t *testing.T) {
	file, _ := capture(t, fmt.Sprintf(watched, "postcard"))
	for _, tt := range []struct {
		file []byte
		q    Question
		want string
	}{
		{file, Question{DSCP: 1, Interfaces: []string{"0-8"}},
			"f: --interfaces 0-8: no packet was captured on these interfaces; the file has 8-1"},
		{[]byte("no capture"), Question{}, "f: not a trace: it begins with 6e 6f 20 63; want a pcap or pcapng file"},
	} {
		_, err := Read(bytes.NewReader(tt.file), "f", tt.q, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	bad := bytes.Clone(file)
	at := bytes.Index(bad, []byte{0x14, 0x0b, 2, 0x20})
	if at < 0 {
		t.Fatal("no report in the file")
	}
	bad[at+1] = 200
	a, err := Read(bytes.NewReader(bad), "f", Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond}, nil)
	if err != nil || a.Malformed != 1 ||
		!strings.Contains(a.Mistakes[0], "byte 50: individual report of 804 bytes") ||
		!strings.HasPrefix(a.Mistakes[0], "f: packet ") {
		t.Errorf("%v, %+v", err, a)
	}
}

// A truncated file is read up to its last complete packet.
func TestTruncated(t *testing.T) {
	file, _ := capture(t, fmt.Sprintf(watched, "postcard"))
	q := Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond}
	whole, err := Read(bytes.NewReader(file), "f", q, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(bytes.NewReader(file[:len(file)-3]), "f", q, nil)
	if err != nil || a.Packets != whole.Packets-1 || len(a.Truncated) != 1 || a.Truncated[0].File != "f" ||
		a.Truncated[0].Packets != whole.Packets+whole.Unsent-1 || whole.Truncated != nil {
		t.Errorf("%+v, %v; the whole file has %+v", a, err, whole)
	}
}

// Reading any file ends.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\x00\x00" +
		"\xff\xff\xff\xff\xff\xff\xff\xff\x1c\x00\x00\x00"))
	f.Add([]byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := Read(bytes.NewReader(file), "f", Question{DSCP: 23, ReportPort: 32766, Records: 3}, nil)
		if err == nil && (len(a.Records) > 3 || a.Packets > int64(len(file))) {
			t.Errorf("%+v", a)
		}
	})
}

// Receivers send back the IOAM and IFA records that arrived, with the interfaces and clocks of the switches.
func TestRecordsOfCaptures(t *testing.T) {
	for _, keys := range []string{"ioam", "ioam, trace: preallocated", "ifa"} {
		file, _ := capture(t, "topology: {kind: chain, switches: 3}\n"+
			"run: {capture: {enabled: true, nodes: [switches]}}\n"+
			"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 5KB}]}]\ncc: {kind: hpcc}\n"+
			"telemetry: {kind: "+keys+"}\n")
		a, err := Read(bytes.NewReader(file), "f", Question{Unit: unit.Nanosecond, Records: 1000, IFA: 253}, nil)
		if err != nil || a.Malformed > 0 {
			t.Fatal(err, a.Mistakes)
		}
		said := map[string]map[string]bool{keys[:min(4, len(keys))]: {}, "echo": {}} // by source
		for _, r := range a.Records {
			said[r.Source][fmt.Sprint(*r.Node, *r.Egress, *r.EgressTime, *r.Queue, *r.Sent)] = true
		}
		if diff := cmp.Diff(said[keys[:min(4, len(keys))]], said["echo"]); diff != "" || len(said["echo"]) != 3*5 {
			t.Errorf("%s (-on data +sent back):\n%s", keys, diff)
		}
	}
}

// Records of HPCC's telemetry have no latency, and the INT of SketchINT has no queue. The summary shows a dash and
// null, not a 0. A queue of 4 in IFA stands for 2048 B if the unit is 512 B, and of 3 in IOAM for 240 B if it is
// 80 B.
func TestMissingValuesAndUnits(t *testing.T) {
	for keys, factor := range map[string]columns.Number{"md": 1, "ioam, queue_unit: 80B": 80, "ifa": 512} {
		file, _ := capture(t, "topology: {kind: star, hosts: 4}\n"+
			"run: {capture: {enabled: true, ports: [4-3]}}\n"+
			"workload: [{kind: incast, senders: 3, size: 20KB, receiver: 3}]\ncc: {kind: hpcc}\n"+
			"telemetry: {kind: "+keys+"}\n")
		read := func(ifa, ioam unit.Bytes) Node {
			a, err := Read(bytes.NewReader(file), "f",
				Question{DSCP: 23, Unit: unit.Nanosecond, IFA: 253, IFAQueue: ifa, IOAMQueue: ioam}, nil)
			if err != nil || a.Malformed > 0 || len(a.Nodes) != 1 {
				t.Fatal(err, a)
			}
			text, err := a.Text()
			if err != nil || keys == "md" && !strings.Contains(text, "–") {
				t.Errorf("%v, want a dash:\n%s", err, text)
			}
			b, err := json.Marshal(a.Nodes)
			if hasLatency := !bytes.Contains(b, []byte(`"latency_max_s":null`)); err != nil || hasLatency {
				t.Errorf("%s: %v, %s", keys, err, b)
			}
			return a.Nodes[0]
		}
		plain, scaled := read(1, 1).QueueMax, read(512, 80).QueueMax
		if !(plain > 0) || scaled != factor*plain {
			t.Errorf("%s: largest queue %v, and %v in bytes, want a factor of %v", keys, plain, scaled, factor)
		}
	}
	n := Node{Source: "sketchint"}
	latency := int64(5)
	n.add(&wire.Hop{Latency: &latency})
	r := reading{a: &Answer{}, q: &Question{Unit: unit.Nanosecond}, nodes: table[Node]{n: &n}}
	r.sum()
	if n.LatencyMax != 5e-9 || n.LatencyMean != 5e-9 || !math.IsNaN(float64(n.QueueMax)) {
		t.Errorf("%+v, want a latency of 5 ns and no queue", n)
	}
}
