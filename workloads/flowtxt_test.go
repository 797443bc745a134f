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

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func TestReadFlows(t *testing.T) {
	text := "3 \n145 114 3 100 25637 2.000000682\n\n26 287 2 200 41257 2.000001602001 # a picosecond\n145 114 3 80 " +
		"1 3\n"
	want := []Flow{
		{0, 145, 114, 10000, 100, 3, ClassBackground, 25637, 2_000_000_682_000, 0, 0},
		{1, 26, 287, 10000, 200, 2, ClassIncast, 41257, 2_000_001_602_001, 0, 0},
		{2, 145, 114, 10001, 80, 3, ClassBackground, 1, 3 * unit.Second, 0, 0},
	}
	got, _, err := ReadFlows(strings.NewReader(text), "f", nil)
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

// The file has the five columns of ConWeave's generator, and start times as Python prints doubles: 1/3, 0.1 + 0.2 and
// 2e-05/3.
func TestReadFlowsOfOthers(t *testing.T) {
	text := "3\n0 1 3 1000 6.666666666666667e-06\n1 0 3 2000 0.30000000000000004\n0 1 3 3000 0.3333333333333333\n"
	got, _, err := ReadFlows(strings.NewReader(text), "f", nil)
	want := []Flow{
		{0, 0, 1, 10000, 100, 3, ClassBackground, 1000, 6_666_667, 0, 0},
		{1, 1, 0, 10000, 100, 3, ClassBackground, 2000, 300_000_000_000, 0, 0},
		{2, 0, 1, 10001, 100, 3, ClassBackground, 3000, 333_333_333_333, 0, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// The reader returns flows one by one. It knows the number of flows from the first line, and stops at an invalid line.
func TestFlowReader(t *testing.T) {
	fr, err := NewFlowReader(strings.NewReader("3\n0 1 3 100 7 0\n0 1 3 100 7\n0 1 3 100 7 0\n"), "f", nil)
	if err != nil || fr.Flows() != 3 {
		t.Fatalf("%d flows promised, %v", fr.Flows(), err)
	}
	if f, ok := fr.Next(); !ok || f.Size != 7 || fr.Err() != nil {
		t.Errorf("first flow %+v, %v, %v", f, ok, fr.Err())
	}
	for range 2 {
		if f, ok := fr.Next(); ok || fr.Err() == nil {
			t.Errorf("after a bad line: %+v, error %v", f, fr.Err())
		}
	}
}

func TestReadFlowsErrors(t *testing.T) {
	const good = "0 1 3 100 1000 2.0\n"
	tests := []struct{ text, want string }{
		{"", "f: empty, … number … flows … first line"},
		{"0 1 3 100 1000 2.0", `f:1: "0 1 3 100 1000 2.0", want the number of flows`},
		{"-1", `f:1: "-1", want the number of flows`},
		{"2147483648", "f:1: 2147483648 flows, … 2147483647"},
		{"2\n" + good, "f:2: the file ends … 1 flow, … first line promises 2"},
		{"1\n" + good + good, "f:3: … flow … 1 … first line promises"},
		{"1\n0 1 3 100\n", "f:2: 4 columns, want 6: src dst priority dport size_bytes start_seconds"},
		{"2\n" + good + "0 1 3 1000 2.0\n", "f:3: 5 columns, want 6: src dst priority dport size_bytes start_seconds"},
		{"2\n0 1 3 1000 2.0\n" + good,
			"f:3: 6 columns, want 5, as in the first flow: src dst priority size_bytes start_seconds"},
		{"1\n0 1 3 1000 2.0\n0 1 3 1000 2.0\n", "f:3: … flow … 1 … first line promises"},
		{"1\n0 1 3 100 1000 2.0 7\n", "f:2: 7 columns, want 6: src dst priority dport size_bytes start_seconds"},
		{"1\nx 1 3 100 1000 2.0\n", `f:2: source "x", want a whole number from 0 to 2147483647`},
		{"1\n0 -1 3 100 1000 2.0\n", `f:2: destination "-1", want a whole number from 0 to 2147483647`},
		{"1\n0 1 8 100 1000 2.0\n", `f:2: priority "8", want a whole number from 1 to 7`},
		{"1\n0 1 0 100 1000 2.0\n", `f:2: priority "0", want a whole number from 1 to 7`},
		{"1\n0 1 3 65536 1000 2.0\n", `f:2: destination port "65536", want a whole number from 0 to 65535`},
		{"1\n0 1 3 100 1e6 2.0\n", `f:2: size "1e6", want a whole number from 1 to 1125899906842624`},
		{"1\n0 1 3 100 9999999999999999 2.0\n",
			`f:2: size "9999999999999999", want a whole number from 1 to 1125899906842624`},
		{"1\n0 1 3 100 0 2.0\n", `f:2: size "0", want a whole number from 1 to 1125899906842624`},
		{"1\n0 1 3 100 -5 2.0\n", `f:2: size "-5", want a whole number from 1 to 1125899906842624`},
		{"1\n0 1 3 100 1000 -2.0\n", `f:2: start "-2.0" … decimal number >= 0`},
		{"1\n0 1 3 100 1000 NaN\n", `f:2: start "NaN" … decimal number >= 0`},
		{"1\n0 1 3 100 1000 9999999999\n", `f:2: start "9999999999" is too large, want at most 9223372`},
		{"1\n1 1 3 100 1000 2.0\n", "f:2: source … destination … 1"},
		{"1\n0 4 3 100 1000 2.0\n", "f:2: destination 4 … host here (4 hosts, 0 to 3)"},
		{"1\n9 1 3 100 1000 2.0\n", "f:2: source 9 … host here (4 hosts, 0 to 3)"},
		{"3\n" + good + "# later\n0 1 3 100 1000 1.5\n",
			"f:4: starts … 1.500000000 s, … previous flow … 2.000000000 s, … flows sorted … start time"},
		{"1\n" + strings.Repeat("1", 70_000), "f:2: line longer than 65536 bytes"},
		{strings.Repeat("1", 70_000), "f:1: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		flows, _, err := ReadFlows(strings.NewReader(tt.text), "f", someHosts(4))
		if !errtest.Says(err, tt.want) {
			t.Errorf("%.60q: %d flows, error %v, want %s", tt.text, len(flows), err, tt.want)
		}
	}
}

func TestWriteFlowsErrors(t *testing.T) {
	ok := Flow{ID: 4, Src: 1, Dst: 2, DstPort: 100, Priority: 3, Size: 1, Start: 5}
	edit := func(e func(*Flow)) []Flow { f := ok; e(&f); return []Flow{f} }
	tests := []struct {
		n     int
		flows Source
		want  string
	}{
		{2, Slice([]Flow{ok}), "workloads: … has 1 flow, but 2 were announced"},
		{0, Slice([]Flow{ok}), "workloads: … more flows than … announced … 0"},
		{1, Slice(edit(func(f *Flow) { f.Size = 0 })), "workloads: flow 4: size 0 B, want 1 to 1125899906842624"},
		{1, Slice(edit(func(f *Flow) { f.Src = -1 })),
			"workloads: flow 4: source -1 and destination 2, want numbers >= 0"},
		{1, Slice(edit(func(f *Flow) { f.Priority = 8 })), "workloads: flow 4: priority 8, want 1 to 7"},
		{1, Slice(edit(func(f *Flow) { f.Priority = 0 })), "workloads: flow 4: priority 0, want 1 to 7"},
		{1, Slice(edit(func(f *Flow) { f.Class = ClassIncast })),
			"workloads: flow 4 … incast … to port 100, … means background …"},
		{2, Slice(append(edit(func(f *Flow) { f.Start = 6 }), ok)), "workloads: flow 4 starts … previous flow"},
		{0, failing{Slice(nil)}, "disk on fire"},
	}
	for _, tt := range tests {
		if err := WriteFlows(&strings.Builder{}, tt.n, tt.flows); !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	full := errors.New("disk full")
	if err := WriteFlows(brokenWriter{full}, 1, Slice([]Flow{ok})); !errors.Is(err, full) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if err := WriteConnectionMatrix(brokenWriter{full}, someHosts(3), []Flow{ok}, nil, 1); !errors.Is(err, full) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// anyFlows draws a list that flow.txt can represent.
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
			Priority: uint8(rapid.IntRange(1, 7).Draw(t, "priority")),
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
		back, _, err := ReadFlows(&b, "f", nil)
		if err != nil || !slices.Equal(flows, back) {
			t.Fatalf("%v\n%s", err, cmp.Diff(flows, back))
		}
	})
}

// Start times are rounded to a picosecond, because Python prints doubles with more digits.
func TestStartsOfDoubles(t *testing.T) {
	for text, want := range map[string]unit.Time{
		"0.30000000000000004":    300 * unit.Millisecond,
		"0.7999999999999999":     800 * unit.Millisecond,
		"2.0000020000000003":     2*unit.Second + 2*unit.Microsecond,
		"5.000000000000001e-06":  5 * unit.Microsecond,
		"0.30000000000001":       300 * unit.Millisecond,
		"0.1234567890123456":     123_456_789_012,
		"2.000000000000500":      2*unit.Second + 1,
		"0.00000000000000000004": 0,
	} {
		flows, _, err := ReadFlows(strings.NewReader("1\n0 1 3 100 1000 "+text+"\n"), "f", nil)
		if err != nil || flows[0].Start != want {
			t.Errorf("%s: %v, %v, want %v", text, flows, err, want)
		}
	}
}

// The published simulator reads only the number of flows in the first line. Its example file explains the format below
// the flows.
func TestTextAfterTheFlows(t *testing.T) {
	const flows = "2\n0 2 3 100 1000 2\n1 2 3 100 1000 2.5\n"
	for _, tt := range []struct{ tail, note, err string }{
		{"", "", ""},
		{"# a comment\n", "", ""},
		{"\nfirst line: flow #\n", "f: left out: 1 line after the last flow", ""},
		{"\nfirst line: flow #\nsrc dst 3 dst_port packet# start_time\n",
			"f: left out: 2 lines after the last flow", ""},
		{"in time\n0 1 3 100 1000 3\n", "", "f:5: one flow more than the 2 that the first line promises"},
		{"0 1 3 100 1e3 3\n", "", "f:4: one flow more than the 2 that the first line promises"},
	} {
		got, note, err := ReadFlows(strings.NewReader(flows+tt.tail), "f", nil)
		if note != tt.note || tt.err == "" && (err != nil || len(got) != 2) ||
			tt.err != "" && !errtest.Says(err, tt.err) {
			t.Errorf("%q: %d flows, note %q, error %v, want note %q, error %s",
				tt.tail, len(got), note, err, tt.note, tt.err)
		}
	}
}

// shared opens a data file next to the checkout.
func shared(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../shared", path))
	if err != nil {
		t.Skipf("needs ../shared/%s next to the checkout, of a run of the published simulator: %v", path, err)
	}
	return data
}

// Reading and writing the flow files of the published simulator preserves every byte.
func TestRealFlowFiles(t *testing.T) {
	for name, n := range map[string]int{"fat320-web-2ms": 2353, "fat320-fb-50us": 848, "incast-16": 16, "solo-star": 11,
		"two-flows-dumbbell": 2} {
		t.Run(name, func(t *testing.T) {
			data := shared(t, "reference/hpcc-pint-ns3/"+name+"/flow.txt")
			flows, _, err := ReadFlows(bytes.NewReader(data), "flow.txt", nil)
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

// The source ports of each pair equal the ports in the published simulator.
func TestRealSourcePorts(t *testing.T) {
	const dir = "reference/hpcc-pint-ns3/fat320-web-2ms/"
	flows, _, err := ReadFlows(bytes.NewReader(shared(t, dir+"flow.txt")), "flow.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	// A line of fct.txt begins with source IP, destination IP, source port, destination port and size. Host i has the
	// IP 0b000001 + (i/256)·10000 + (i%256)·100.
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

func FuzzReadFlows(f *testing.F) {
	for _, s := range []string{
		"1\n0 1 3 100 1000 2.000000033\n", "2 \n0 1 3 100 1000 2\n0 1 3 200 1 2.5e0\n", "0\n", "1\n0 1 3 100 1000",
		"1\n0 1 3 100 1000 -1",
		"1\n0 0 3 100 1000 1", "1\n4 1 9 100 1000 1\n", "1\n0 1 3 100 99999999999999999999 1", "9\n\n#\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flows, _, err := ReadFlows(strings.NewReader(text), "f", someHosts(5))
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
		back, _, err := ReadFlows(&b, "f", someHosts(5))
		if err != nil || !slices.Equal(flows, back) {
			t.Errorf("%q does not survive: %v\n%s", text, err, cmp.Diff(flows, back))
		}
	})
}

func BenchmarkReadFlows(b *testing.B) {
	w := Workload{Seed: 1, Parts: []Part{{Name: "p", Priority: 3,
		Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 10 * unit.Millisecond}}}}
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
		if _, _, err := ReadFlows(bytes.NewReader(text.Bytes()), "f", nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(flows)), "flows/op")
}

func BenchmarkWriteFlows(b *testing.B) {
	w := Workload{Seed: 1, Parts: []Part{{Name: "p", Priority: 3,
		Generator: Poisson{Sizes: WebSearch(), Load: 0.5, Duration: 10 * unit.Millisecond}}}}
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
