package workloads

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func TestReadFlows(t *testing.T) {
	text := "3 \n145 114 3 100 25637 2.000000682\n\n26 287 2 200 41257 2.000001602001 # a picosecond\n145 114 3 80 1 3\n"
	want := []Flow{
		{0, 145, 114, 10000, 100, 3, ClassBackground, 25637, 2_000_000_682_000},
		{1, 26, 287, 10000, 200, 2, ClassIncast, 41257, 2_000_001_602_001},
		{2, 145, 114, 10001, 80, 3, ClassBackground, 1, 3 * unit.Second},
	}
	got, err := ReadFlows(strings.NewReader(text), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	if err := WriteFlows(&b, len(got), Slice(got)); err != nil {
		t.Fatal(err)
	}
	canonical := "3\n145 114 3 100 25637 2.000000682\n26 287 2 200 41257 2.000001602001\n145 114 3 80 1 3.000000000\n"
	if b.String() != canonical {
		t.Errorf("written as\n%s", b.String())
	}
}

func TestReadFlowsErrors(t *testing.T) {
	const good = "0 1 3 100 1000 2.0\n"
	tests := []struct{ text, want string }{
		{"", "f: empty, want the number of flows in the first line"},
		{"0 1 3 100 1000 2.0", `f:1: "0 1 3 100 1000 2.0", want the number of flows`},
		{"-1", `f:1: "-1", want the number of flows`},
		{"2147483648", "f:1: 2147483648 flows, want at most 2147483647"},
		{"2\n" + good, "f: ends after 1 flows, but the first line promises 2"},
		{"1\n" + good + good, "f:3: a flow more than the 1 that the first line promises"},
		{"1\n0 1 3 100 1000\n", "f:2: 5 columns, want 6: src dst priority dport size_bytes start_seconds"},
		{"1\n0 1 3 100 1000 2.0 7\n", "f:2: 7 columns, want 6: src dst priority dport size_bytes start_seconds"},
		{"1\nx 1 3 100 1000 2.0\n", `f:2: source "x", want a whole number from 0 to 2147483647`},
		{"1\n0 -1 3 100 1000 2.0\n", `f:2: destination "-1", want a whole number from 0 to 2147483647`},
		{"1\n0 1 8 100 1000 2.0\n", `f:2: priority "8", want a whole number from 0 to 7`},
		{"1\n0 1 3 65536 1000 2.0\n", `f:2: destination port "65536", want a whole number from 0 to 65535`},
		{"1\n0 1 3 100 1e6 2.0\n", `f:2: size "1e6", want a whole number from 0 to 1125899906842624`},
		{"1\n0 1 3 100 9999999999999999 2.0\n", `f:2: size "9999999999999999", want a whole number from 0 to 1125899906842624`},
		{"1\n0 1 3 100 0 2.0\n", "f:2: size 0 B, want 1 to 1125899906842624"},
		{"1\n0 1 3 100 -5 2.0\n", `f:2: size "-5", want a whole number from 0 to 1125899906842624`},
		{"1\n0 1 3 100 1000 -2.0\n", `f:2: start "-2.0" is not a decimal number >= 0`},
		{"1\n0 1 3 100 1000 NaN\n", `f:2: start "NaN" is not a decimal number >= 0`},
		{"1\n0 1 3 100 1000 9999999999\n", `f:2: start "9999999999" is too large`},
		{"1\n0 1 3 100 1000 2.0000000000001\n", `f:2: start "2.0000000000001" s has digits below a picosecond, want at most 12 decimals`},
		{"1\n1 1 3 100 1000 2.0\n", "f:2: source and destination are both 1"},
		{"1\n0 4 3 100 1000 2.0\n", "f:2: destination 4 is not a host here (4 hosts, 0 to 3)"},
		{"1\n9 1 3 100 1000 2.0\n", "f:2: source 9 is not a host here (4 hosts, 0 to 3)"},
		{"3\n" + good + "# later\n0 1 3 100 1000 1.5\n", "f:4: starts at 1.500000000 s, before the flow ahead of it at 2.000000000 s, want flows sorted by start time"},
		{"1\n" + strings.Repeat("1", 70_000), "f:2: line longer than 65536 bytes"},
		{strings.Repeat("1", 70_000), "f:1: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		flows, err := ReadFlows(strings.NewReader(tt.text), "f", someHosts(4))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.60q: %d flows, error %v, want %s", tt.text, len(flows), err, tt.want)
		}
	}
}

func TestWriteFlowsErrors(t *testing.T) {
	ok := Flow{ID: 4, Src: 1, Dst: 2, DstPort: 100, Size: 1, Start: 5}
	edit := func(e func(*Flow)) []Flow { f := ok; e(&f); return []Flow{f} }
	tests := []struct {
		n     int
		flows Source
		want  string
	}{
		{2, Slice([]Flow{ok}), "workloads: 1 flows, fewer than the 2 announced"},
		{0, Slice([]Flow{ok}), "workloads: more than the 0 flows announced"},
		{1, Slice(edit(func(f *Flow) { f.Size = 0 })), "workloads: flow 4: size 0 B, want 1 to 1125899906842624"},
		{1, Slice(edit(func(f *Flow) { f.Src = -1 })), "workloads: flow 4: source -1 and destination 2, want numbers >= 0"},
		{1, Slice(edit(func(f *Flow) { f.Priority = 8 })), "workloads: flow 4: priority 8, want 0 to 7"},
		{1, Slice(edit(func(f *Flow) { f.Class = ClassIncast })), "workloads: flow 4 is incast but goes to port 100, which the file means as background"},
		{2, Slice(append(edit(func(f *Flow) { f.Start = 6 }), ok)), "workloads: flow 4 starts before the flow ahead of it"},
		{0, failing{Slice(nil)}, "disk on fire"},
	}
	for _, tt := range tests {
		if err := WriteFlows(&strings.Builder{}, tt.n, tt.flows); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	full := errors.New("disk full")
	if err := WriteFlows(brokenWriter{full}, 1, Slice([]Flow{ok})); !errors.Is(err, full) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if err := WriteConnectionMatrix(brokenWriter{full}, someHosts(3), []Flow{ok}); !errors.Is(err, full) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// anyFlows draws a list that a flow.txt can hold.
func anyFlows(t *rapid.T, maxNode int32, maxSize int64) []Flow {
	n := rapid.IntRange(0, 20).Draw(t, "flows")
	flows := make([]Flow, n)
	p := newPorts()
	at := unit.Time(0)
	for i := range flows {
		at += unit.Time(rapid.Int64Range(0, 1<<58).Draw(t, "gap"))
		src := rapid.Int32Range(0, maxNode).Draw(t, "src")
		dst := int32((int64(src) + int64(rapid.Int32Range(1, maxNode).Draw(t, "hop"))) % int64(maxNode+1))
		port := rapid.SampledFrom([]uint16{0, 80, 100, 200, 65535}).Draw(t, "port")
		f := Flow{
			ID: int32(i), Src: topo.NodeID(src), Dst: topo.NodeID(dst), DstPort: port, Class: classOfPort(port),
			Priority: uint8(rapid.IntRange(0, 7).Draw(t, "priority")),
			Size:     unit.Bytes(rapid.Int64Range(1, maxSize).Draw(t, "size")), Start: at,
		}
		f.SrcPort = p.next(f.Src, f.Dst)
		flows[i] = f
	}
	return flows
}

func TestFlowsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := anyFlows(t, 1<<30, maxSize)
		var b bytes.Buffer
		if err := WriteFlows(&b, len(flows), Slice(flows)); err != nil {
			t.Fatal(err)
		}
		back, err := ReadFlows(&b, "f", nil)
		if err != nil || !slices.Equal(flows, back) {
			t.Fatalf("%v\n%s", err, cmp.Diff(flows, back))
		}
	})
}

func TestConnectionMatrixRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Hosts that are not numbered from 0: the file's host i is hosts[i].
		hosts := someHosts(9)
		for i := range hosts {
			hosts[i].Node = hosts[i].Node*3 + 5
		}
		flows := anyFlows(t, 8, 1<<31-1)
		for i := range flows {
			f := &flows[i]
			f.Src, f.Dst = hosts[f.Src].Node, hosts[f.Dst].Node
			f.Priority, f.DstPort, f.Class = DefaultPriority, BackgroundPort, ClassBackground
		}
		var b bytes.Buffer
		if err := WriteConnectionMatrix(&b, hosts, flows); err != nil {
			t.Fatal(err)
		}
		back, err := ReadConnectionMatrix(&b, "f", hosts)
		if err != nil || !slices.Equal(flows, back) {
			t.Fatalf("%v\n%s", err, cmp.Diff(flows, back))
		}
	})
}

func TestReadConnectionMatrix(t *testing.T) {
	text := "# comment\nNodes 3\nConnections 3\nTriggers 0\n\n2->0 id 7 start 1e3 size 5\n0->1 size 6 start 10.0\n1->2 id 1 start 1000 size 7\n"
	want := []Flow{
		{0, 0, 1, 10000, 100, 3, ClassBackground, 6, 10},
		{1, 2, 0, 10000, 100, 3, ClassBackground, 5, 1000},
		{2, 1, 2, 10000, 100, 3, ClassBackground, 7, 1000},
	}
	got, err := ReadConnectionMatrix(strings.NewReader(text), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConnectionMatrixErrors(t *testing.T) {
	const head = "Nodes 4\nConnections 1\n"
	tests := []struct{ text, want string }{
		{"", `f: no line "Nodes N"`},
		{"Nodes 4\n", `f: no line "Connections N"`},
		{"Nodes 5\n", "f:1: 5 nodes, but the network has 4 hosts"},
		{"Nodes x\n", `f:1: Nodes "x", want a whole number from 0 to 2147483647`},
		{"Nodes\n", "f:1: 1 columns, want Nodes and a number"},
		{"Nodes 4\nNodes 4\n", "f:2: a second line with Nodes"},
		{"Nodes 4\nConnections 1\nConnections 1\n", "f:3: a second line with Connections"},
		{"Nodes 4\nTriggers 1\n", "f:2: triggers are not supported, want 0"},
		{"Nodes 4\nFailures 2\n", "f:2: failures are not supported, want 0"},
		{"Hosts 4\n", `f:1: unknown line "Hosts" (accepted: Nodes, Connections, src->dst)`},
		{head + "trigger id 1 oneshot\n", "f:3: a trigger is not supported (accepted: src->dst id I start PICOSECONDS size BYTES)"},
		{"Nodes 4\n0->1 start 0 size 1\n", "f:2: a connection before the lines Nodes and Connections"},
		{head, "f: 0 connections, but its header promises 1"},
		{head + "0->1 start 0 size 1\n0->1 start 0 size 1\n", "f: 2 connections, but its header promises 1"},
		{head + "0->1 start 0 size 1\nNodes 4\n", "f:4: Nodes after the first connection"},
		{head + "0->4 start 0 size 1\n", `f:3: host "4", want a whole number from 0 to 3`},
		{head + "->1 start 0 size 1\n", `f:3: host "", want a whole number from 0 to 3`},
		{head + "2->2 start 0 size 1\n", "f:3: source and destination are both 2"},
		{head + "0->1 start 0\n", "f:3: want both a start and a size"},
		{head + "0->1 size 1 id 1\n", "f:3: want both a start and a size"},
		{head + "0->1 start 0 size\n", "f:3: size without a value"},
		{head + "0->1 start 0 size 1 size 1\n", "f:3: a second size"},
		{head + "0->1 start 0 size 0\n", "f:3: size 0, an endless flow, is not supported, want 1 to 1125899906842624"},
		{head + "0->1 start 0 size 9999999999999999\n", "f:3: size 9999999999999999 B, want 1 to 1125899906842624"},
		{head + "0->1 start 0.5 size 1\n", `f:3: start "0.5", want a whole number`},
		{head + "0->1 start -1 size 1\n", `f:3: start "-1" is not a decimal number >= 0`},
		{head + "0->1 trigger 1 size 1\n", `f:3: "trigger" is not supported (accepted: id, start, size)`},
		{head + "0->1 prio 1 start 0 size 1\n", `f:3: "prio" is not supported (accepted: id, start, size)`},
		{head + "0->1 id 0 start 0 size 1\n", "f:3: id 0, want a number > 0 that no other connection has"},
		{"Nodes 4\nConnections 2\n0->1 id 5 start 0 size 1\n1->0 id 5 start 0 size 1\n", "f:4: id 5, want a number > 0 that no other connection has"},
	}
	for _, tt := range tests {
		_, err := ReadConnectionMatrix(strings.NewReader(tt.text), "f", someHosts(4))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestWriteConnectionMatrixErrors(t *testing.T) {
	for _, tt := range []struct {
		hosts []Host
		flow  Flow
		want  string
	}{
		{someHosts(2), Flow{ID: 3, Src: 0, Dst: 1, Size: 1 << 31}, "workloads: flow 3: size 2147483648 B, but htsim reads at most 2147483647"},
		{someHosts(2), Flow{ID: 3, Src: 0, Dst: 2, Size: 1}, "workloads: flow 3: destination 2 is not a host here (2 hosts, 0 to 1)"},
		{nil, Flow{ID: 3, Src: 0, Dst: 1, Size: 1}, "workloads: flow 3: source 0 is not a host here (there are no hosts)"},
		{someHosts(1), Flow{ID: 3, Src: 0, Dst: 1, Size: 1}, "workloads: flow 3: destination 1 is not a host here (the only host is 0)"},
	} {
		if err := WriteConnectionMatrix(&strings.Builder{}, tt.hosts, []Flow{tt.flow}); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// shared opens a file of the data that lies beside the checkout.
func shared(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../shared", path))
	if err != nil {
		t.Skipf("needs %s in the directory shared beside the checkout: %v", path, err)
	}
	return data
}

// The published simulator's own flow files come back byte for byte.
func TestRealFlowFiles(t *testing.T) {
	for name, n := range map[string]int{"fat320-web-2ms": 2353, "fat320-fb-50us": 848, "incast-16": 16, "solo-star": 11, "two-flows-dumbbell": 2} {
		t.Run(name, func(t *testing.T) {
			data := shared(t, "reference/hpcc-pint-ns3/"+name+"/flow.txt")
			flows, err := ReadFlows(bytes.NewReader(data), "flow.txt", nil)
			if err != nil || len(flows) != n {
				t.Fatalf("%d flows, want %d; %v", len(flows), n, err)
			}
			var b bytes.Buffer
			if err := WriteFlows(&b, len(flows), Slice(flows)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(string(data)), strings.Fields(b.String())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Source ports, pair by pair, are those that the published simulator used.
func TestRealSourcePorts(t *testing.T) {
	const dir = "reference/hpcc-pint-ns3/fat320-web-2ms/"
	flows, err := ReadFlows(bytes.NewReader(shared(t, dir+"flow.txt")), "flow.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	// A line of fct.txt begins: source IP, destination IP, source port, destination
	// port, size; host i has the IP 0b000001 + (i/256)·10000 + (i%256)·100.
	ip := func(n topo.NodeID) string { return fmt.Sprintf("%08x", 0x0b000001+(n/256)*0x10000+(n%256)*0x100) }
	want := map[string]int{}
	for line := range strings.Lines(string(shared(t, dir+"hpcc/fct.txt"))) {
		want[strings.Join(strings.Fields(line)[:5], " ")]++
	}
	got := map[string]int{}
	for _, f := range flows {
		got[fmt.Sprint(ip(f.Src), " ", ip(f.Dst), " ", f.SrcPort, " ", f.DstPort, " ", int64(f.Size))]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRealConnectionMatrices(t *testing.T) {
	for name, want := range map[string]struct {
		hosts, flows int
		last         unit.Time
		bytes        unit.Bytes
	}{
		"perm128_10MB.cm": {128, 128, 0, 1_280_000_000},
		"ws320.cm":        {320, 2446, 1_999_613_470, 0},
	} {
		t.Run(name, func(t *testing.T) {
			data := shared(t, "data/htsim/"+name)
			hosts := someHosts(want.hosts)
			flows, err := ReadConnectionMatrix(bytes.NewReader(data), name, hosts)
			if err != nil || len(flows) != want.flows || flows[len(flows)-1].Start != want.last {
				t.Fatalf("%d flows, %v; want %d, the last at %v", len(flows), err, want.flows, want.last)
			}
			var sum unit.Bytes
			for _, f := range flows {
				sum += f.Size
			}
			if want.bytes != 0 && sum != want.bytes {
				t.Errorf("%d B, want %d", sum, want.bytes)
			}
			var b bytes.Buffer
			if err := WriteConnectionMatrix(&b, hosts, flows); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), b.String()); diff != "" {
				t.Errorf("written back differently:\n%s", diff)
			}
		})
	}
}

func FuzzReadFlows(f *testing.F) {
	for _, s := range []string{
		"1\n0 1 3 100 1000 2.000000033\n", "2 \n0 1 3 100 1000 2\n0 1 3 200 1 2.5e0\n", "0\n", "1\n0 1 3 100 1000", "1\n0 1 3 100 1000 -1",
		"1\n0 0 3 100 1000 1", "1\n4 1 9 100 1000 1\n", "1\n0 1 3 100 99999999999999999999 1", "9\n\n#\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flows, err := ReadFlows(strings.NewReader(text), "f", someHosts(5))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without the file's name: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteFlows(&b, len(flows), Slice(flows)); err != nil {
			t.Fatalf("%q was read but cannot be written: %v", text, err)
		}
		back, err := ReadFlows(&b, "f", someHosts(5))
		if err != nil || !slices.Equal(flows, back) {
			t.Errorf("%q does not survive: %v\n%s", text, err, cmp.Diff(flows, back))
		}
	})
}

func FuzzReadConnectionMatrix(f *testing.F) {
	for _, s := range []string{
		"Nodes 5\nConnections 1\n0->1 id 1 start 0 size 10\n", "Nodes 5\nConnections 2\nTriggers 0\n0->1 id 1 start 9 size 10\n1->0 start 1e2 size 7\n",
		"Nodes 5\nConnections 0\n", "Nodes 5\nConnections 1\n0->1 trigger 1 size 0\n", "->\n", "Nodes 5\nConnections 1\n0->1 id", "Nodes -1\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flows, err := ReadConnectionMatrix(strings.NewReader(text), "f", someHosts(5))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without the file's name: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteConnectionMatrix(&b, someHosts(5), flows); err != nil {
			return // a size that only htsim cannot read
		}
		back, err := ReadConnectionMatrix(&b, "f", someHosts(5))
		if err != nil || !slices.Equal(flows, back) {
			t.Errorf("%q does not survive: %v\n%s", text, err, cmp.Diff(flows, back))
		}
	})
}

func BenchmarkReadFlows(b *testing.B) {
	w := Workload{Seed: 1, Parts: []Part{{Name: "p", Priority: 3, Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 10 * unit.Millisecond}}}}
	flows, err := w.Generate(someHosts(320))
	if err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteFlows(&text, len(flows), Slice(flows)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadFlows(bytes.NewReader(text.Bytes()), "f", nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(flows)), "flows/op")
}

func BenchmarkWriteFlows(b *testing.B) {
	w := Workload{Seed: 1, Parts: []Part{{Name: "p", Priority: 3, Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 10 * unit.Millisecond}}}}
	flows, err := w.Generate(someHosts(320))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteFlows(&bytes.Buffer{}, len(flows), Slice(flows)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(flows)), "flows/op")
}
