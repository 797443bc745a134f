package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// record draws a record that obeys all rules.
func record(t *rapid.T, id int64) FlowRecord {
	count := func(name string) uint32 {
		return rapid.OneOf(rapid.Uint32(), rapid.Just[uint32](Unknown)).Draw(t, name)
	}
	r := FlowRecord{
		ID:  id,
		Src: rapid.Int32Range(0, 1<<31-1).Draw(t, "src"), Dst: rapid.Int32Range(0, 1<<31-1).Draw(t, "dst"),
		SrcPort: rapid.Uint16().Draw(t, "sport"), DstPort: rapid.Uint16().Draw(t, "dport"),
		Class: rapid.Uint8().Draw(t, "class"), Hops: rapid.Uint8().Draw(t, "hops"),
		Outcome: FlowStatus(rapid.IntRange(0, len(statusNames)-1).Draw(t, "outcome")),
		Size:    unit.Bytes(rapid.Int64Range(1, 1<<62).Draw(t, "size")),
		Start:   unit.Time(rapid.Int64Range(0, 1<<62).Draw(t, "start")),
		Ideal:   unit.Time(rapid.Int64Range(1, 1<<62).Draw(t, "ideal")),
		Packets: count("packets"), Retransmitted: count("retx"), Timeouts: count("timeouts"),
		FCT: unit.Never,
	}
	if r.Outcome.Timed() {
		r.FCT = unit.Time(rapid.Int64Range(1, 1<<62).Draw(t, "fct"))
	}
	return r
}

func collect(f *Flows) []FlowRecord {
	var rs []FlowRecord
	for r := range f.All() {
		rs = append(rs, *r)
	}
	return rs
}

// Whatever is written comes back, sorted by ID, through CSV and Parquet; the
// fingerprint does not depend on the order and changes with every field.
func TestFilesKeepRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		sorted, shuffled := &Flows{}, &Flows{}
		var rs []FlowRecord
		for i := range n {
			r := record(t, int64(i)*3)
			rs = append(rs, r)
			sorted.Append(r)
		}
		for _, i := range rapid.Permutation(seq(n)).Draw(t, "order") {
			shuffled.Append(rs[i])
		}
		var csv, pq bytes.Buffer
		if err := WriteFlowsCSV(&csv, shuffled); err != nil {
			t.Fatal(err)
		}
		back, err := csvFlows(&csv, "flows.csv")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(collect(sorted), collect(back)); diff != "" {
			t.Fatalf("CSV changes records:\n%s", diff)
		}
		if err := WriteFlowsParquet(&pq, shuffled); err != nil {
			t.Fatal(err)
		}
		back, err = parquetFlows(bytes.NewReader(pq.Bytes()), int64(pq.Len()), "flows.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(collect(sorted), collect(back)); diff != "" {
			t.Fatalf("Parquet changes records:\n%s", diff)
		}
		a, errA := sorted.Fingerprint()
		b, errB := shuffled.Fingerprint()
		if errA != nil || errB != nil || a != b {
			t.Fatalf("fingerprints %s (%v) and %s (%v) of the same records", a, errA, b, errB)
		}
	})
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// The fingerprint of a record worked out with another program (Python's struct
// and hashlib), so that it is the same everywhere and stays so.
func TestFingerprintIsFixed(t *testing.T) {
	f := &Flows{}
	f.Append(FlowRecord{ID: 7, Src: 1, Dst: 2, SrcPort: 10000, DstPort: 100, Class: 1, Outcome: Finished, Hops: 5,
		Size: 1000, Start: 2_000_000, FCT: 4_188_000, Ideal: 4_000_000, Packets: 1, Retransmitted: 0, Timeouts: 0})
	got, err := f.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	if want := "c3646b8e2ebf7c6c0770350201551c2e"; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func TestFingerprintSeesEveryField(t *testing.T) {
	base := FlowRecord{Size: 1, FCT: 1, Ideal: 1}
	seen := map[string]int{}
	for i, edit := range []func(*FlowRecord){
		func(*FlowRecord) {}, func(r *FlowRecord) { r.ID = 1 }, func(r *FlowRecord) { r.Src = 1 }, func(r *FlowRecord) { r.Dst = 1 },
		func(r *FlowRecord) { r.SrcPort = 1 }, func(r *FlowRecord) { r.DstPort = 1 }, func(r *FlowRecord) { r.Class = 1 },
		func(r *FlowRecord) { r.Outcome, r.FCT = Unfinished, unit.Never }, func(r *FlowRecord) { r.Hops = 1 },
		func(r *FlowRecord) { r.Size = 2 }, func(r *FlowRecord) { r.Start = 1 }, func(r *FlowRecord) { r.FCT = 2 },
		func(r *FlowRecord) { r.Ideal = 2 }, func(r *FlowRecord) { r.Packets = 1 }, func(r *FlowRecord) { r.Retransmitted = 1 },
		func(r *FlowRecord) { r.Timeouts = 1 },
	} {
		r := base
		edit(&r)
		f := &Flows{}
		f.Append(r)
		fp, err := f.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		if j, ok := seen[fp]; ok {
			t.Errorf("edits %d and %d have the same fingerprint", i, j)
		}
		seen[fp] = i
	}
}

// Records come out in the order of IDs, whether these are the first numbers or far apart.
func TestRecordsComeInTheOrderOfIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.SampledFrom([]int64{1, 2, 1 << 20, 1 << 40}).Draw(t, "far")
		ids := rapid.SliceOfNDistinct(rapid.Int64Range(0, 100), 0, 60, rapid.ID).Draw(t, "ids")
		f := &Flows{}
		for _, id := range ids {
			f.Append(FlowRecord{ID: far * id, Size: 1, FCT: 1, Ideal: 1})
		}
		records, err := f.byID()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(ids)
		for r := range records {
			if len(ids) == 0 || r.ID != far*ids[0] {
				t.Fatalf("ID %d, want the first of %d times %v", r.ID, far, ids)
			}
			ids = ids[1:]
		}
		if len(ids) > 0 {
			t.Fatalf("%v are missing", ids)
		}
	})
}

func TestBadRecordsAreRefused(t *testing.T) {
	tests := []struct {
		rs   []FlowRecord
		want string
	}{
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 1, Ideal: 1}, {ID: 1, Size: 1, FCT: 1, Ideal: 1}}, "flow 1 is recorded twice"},
		{[]FlowRecord{{ID: 1 << 40, Size: 1, FCT: 1, Ideal: 1}, {ID: 1 << 40, Size: 1, FCT: 1, Ideal: 1}}, "flow 1099511627776 is recorded twice"},
		{[]FlowRecord{{ID: 1, Size: 0, FCT: 1, Ideal: 1}}, "flow 1: size 0 B, want at least 1"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: unit.Never, Ideal: 1}}, "flow 1: completion time 9223372036854775807 ps of a finished flow, want at least 1"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 5, Ideal: 1, Outcome: OutOfTries}}, "flow 1: completion time 5 ps of a flow that is out-of-tries"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 5, Ideal: 1, Outcome: 9}}, "flow 1: outcome 9 is not known"},
		{[]FlowRecord{{ID: -1, Size: 1, FCT: 5, Ideal: 1}}, "flow -1: id -1 is negative"},
	}
	for _, tt := range tests {
		f := &Flows{}
		for _, r := range tt.rs {
			f.Append(r)
		}
		_, err := f.Fingerprint()
		if !errtest.Says(err, tt.want) {
			t.Errorf("fingerprint: %v, want %s", err, tt.want)
		}
		if err := WriteFlowsCSV(io.Discard, f); !errtest.Says(err, "flows.csv: "+tt.want) {
			t.Errorf("CSV: %v, want %s", err, tt.want)
		}
		if err := WriteFlowsParquet(io.Discard, f); !errtest.Says(err, "flows.parquet: "+tt.want) {
			t.Errorf("Parquet: %v, want %s", err, tt.want)
		}
	}
}

func TestFlowsCSVErrors(t *testing.T) {
	header := strings.Join(flowColumns, ",") + "\n"
	const good = "0,1,2,10000,100,0,finished,5,1000,0,5,4,1,0,0\n"
	tests := []struct{ text, want string }{
		{"", "f: empty, want the column names " + strings.TrimSpace(header)},
		{"id,src\n", `f:1: columns "id,src", want ` + strings.TrimSpace(header)},
		{header + "1,2\n", "f:2: 2 columns, want 15: " + strings.TrimSpace(header)},
		{header + good + good, "f:3: id 0 is there twice"},
		{header + good + strings.Replace(good, "finished", "done", 1), `f:3: outcome "done" (accepted: ["finished" "unfinished" "out-of-tries" "unreachable" "stalled" "projected" "estimated"])`},
		{header + strings.Replace(good, "finished", "stalled", 1), `f:2: fct_ps = "5", want nothing for a flow that is stalled`},
		{header + strings.Replace(good, "10000", "-1", 1), `f:2: src_port = "-1", want a whole number between 0 and 65535`},
		{header + strings.Replace(good, "10000", "65536", 1), `f:2: src_port = "65536", want a whole number between 0 and 65535`},
		{header + strings.Replace(good, ",5,4,", ",,4,", 1), `f:2: fct_ps = "", want a whole number between 1 and 9223372036854775806`},
	}
	for _, tt := range tests {
		_, err := csvFlows(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestFCT(t *testing.T) {
	f := &Flows{}
	// Node 9 sends to node 16: the first line of a published run.
	f.Append(FlowRecord{ID: 3, Src: 9, Dst: 16, SrcPort: 10000, DstPort: 100, Size: 500000, Start: 2 * unit.Second, FCT: 565_574_999, Ideal: 46_080_000})
	f.Append(FlowRecord{ID: 2, Src: 300, Dst: 1, SrcPort: 10001, DstPort: 200, Size: 1, Start: 1500, FCT: unit.Never, Ideal: 1000, Outcome: Unfinished})
	f.Append(FlowRecord{ID: 1, Src: 300, Dst: 1, SrcPort: 10001, DstPort: 200, Size: 1, Start: 1500, FCT: 2500, Ideal: 1000})
	var b strings.Builder
	if err := WriteFCT(&b, f); err != nil {
		t.Fatal(err)
	}
	want := "0b000901 0b001001 10000 100 500000 2000000000 565574 46080\n" + // 565574.999 ns is cut
		"0b012c01 0b000101 10001 200 1 1 2 1\n" // order of ending; 300 = 0x012c
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	// Estimates are lines, projections are none.
	for outcome, want := range map[FlowStatus]string{Estimated: "0b012c01 0b000101 10001 200 1 1 2 1\n", Projected: ""} {
		one := &Flows{}
		one.Append(*f.At(2))
		one.At(0).Outcome = outcome
		b.Reset()
		if err := WriteFCT(&b, one); err != nil || b.String() != want {
			t.Errorf("%v: %v, got %q, want %q", outcome, err, b.String(), want)
		}
	}
	// A flow that ends again has another line, behind those that ended before, and no record.
	again := &Flows{}
	again.Append(*f.At(0))
	again.Repeat(*f.At(2))
	again.Append(*f.At(1))
	again.Append(*f.At(2))
	again.Repeat(*f.At(0))
	b.Reset()
	if err := WriteFCT(&b, again); err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(want, "\n")
	if got := b.String(); got != first+"\n"+second+second+first+"\n" || again.Len() != 3 {
		t.Errorf("%d flows, got\n%s", again.Len(), got)
	}
	lines, err := ReadFCT(strings.NewReader(want), "fct.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]FCT{FCTOf(f.At(0)), FCTOf(f.At(2))}, lines); diff != "" {
		t.Error(diff)
	}
	if n, err := hostOf(lines[1].SrcIP); n != 300 || err != nil {
		t.Errorf("host %d, %v", n, err)
	}
	if _, err := hostOf(0x0a000101); err == nil {
		t.Error("an address of another form has a host")
	}
}

// hostOf is the node of an address that route.HostIP made.
func hostOf(ip uint32) (int32, error) {
	n := int32(ip >> 8 & 0xffff)
	if route.HostIP(topo.NodeID(n)) != ip {
		return 0, fmt.Errorf("address %08x, want 0b____01, the form of the HPCC simulators", ip)
	}
	return n, nil
}

func TestFCTErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"\n0b000901 0b001001 10000 100 500000 2000000000 565574\n", "f:2: 7 columns, want 8: sip dip sport dport size start_ns fct_ns standalone_ns"},
		{"0b000901 xyz 10000 100 500000 2000000000 565574 1", `f:1: dip = "xyz", want a hexadecimal number between 0 and ffffffff`},
		{"0b000901 0b001001 10000 100 0 2000000000 565574 1", `f:1: size = "0", want a whole number between 1 and 9223372036854775807`},
		{"0b000901 0b001001 10000 100 1 2000000000 565574 0", `f:1: standalone_ns = "0", want a whole number between 1 and 9223372036854775`},
		{"0b000901 0b001001 10000 100 1 9223372036854776 565574 1", `f:1: start_ns = "9223372036854776", want a whole number between 0 and 9223372036854775`},
	}
	for _, tt := range tests {
		_, err := ReadFCT(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// The published runs can be read, and written back as they were.
func TestPublishedFCT(t *testing.T) {
	const dir = "../../../../shared/reference/hpcc-pint-ns3"
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "fct.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("needs recorded runs of the published simulator beside the checkout, as ../shared/reference/hpcc-pint-ns3/CASE/SCHEME/fct.txt")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := ReadFCT(bytes.NewReader(text), name)
		if err != nil {
			t.Error(err)
			continue
		}
		f := &Flows{}
		for i, l := range lines {
			src, err1 := hostOf(l.SrcIP)
			dst, err2 := hostOf(l.DstIP)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			f.Append(FlowRecord{ID: int64(i), Src: src, Dst: dst, SrcPort: l.SrcPort, DstPort: l.DstPort, Size: l.Size, Start: l.Start, FCT: l.FCT, Ideal: l.Standalone})
		}
		var b bytes.Buffer
		if err := WriteFCT(&b, f); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s changes when it is read and written", name)
		}
	}
}

func TestParquetErrors(t *testing.T) {
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("id,src,dst\n"), "cut": []byte("PAR1....PAR1")} {
		if _, err := parquetFlows(bytes.NewReader(data), int64(len(data)), name); err == nil || !strings.HasPrefix(err.Error(), name+": not a readable Parquet file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b bytes.Buffer
	w := PortSeries.NewWriter(&b, 10)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := parquetFlows(bytes.NewReader(b.Bytes()), int64(b.Len()), "x.parquet")
	if err == nil || !strings.HasPrefix(err.Error(), `x.parquet: columns ["time_ps" "node"`) {
		t.Errorf("wrong columns: %v", err)
	}
}

// Appending record after record costs no more than the records themselves.
func TestFlowsAreLean(t *testing.T) {
	if size := unsafe.Sizeof(FlowRecord{}); size > 72 {
		t.Errorf("a record takes %d bytes, want at most 72", size)
	}
	f := &Flows{}
	r := FlowRecord{Size: 1}
	for range chunkLen {
		f.Append(r)
	}
	perChunk := testing.AllocsPerRun(2, func() {
		for range chunkLen {
			f.Append(r)
		}
	})
	if perChunk > 2 { // the chunk, and now and then the list of chunks
		t.Errorf("%v allocations per %d records", perChunk, chunkLen)
	}
	for i := range f.Len() {
		if f.At(i).Size != 1 {
			t.Fatalf("record %d is lost", i)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	b.ReportAllocs()
	f := &Flows{}
	for i := range b.N {
		f.Append(FlowRecord{ID: int64(i), Size: 1, FCT: 1, Ideal: 1})
	}
}

func BenchmarkWriteParquet(b *testing.B) {
	f := benchmarkFlows(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteFlowsParquet(io.Discard, f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Len())*float64(b.N)/b.Elapsed().Seconds(), "flows/s")
}

func BenchmarkFingerprint(b *testing.B) {
	f := benchmarkFlows(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Fingerprint(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Len())*float64(b.N)/b.Elapsed().Seconds(), "flows/s")
}

func benchmarkFlows(n int) *Flows {
	f := &Flows{}
	for i := range n {
		f.Append(FlowRecord{ID: int64(n - i), Src: int32(i % 320), Dst: int32(i % 319), Size: unit.Bytes(1 + i), Start: unit.Time(i), FCT: unit.Time(1 + 3*i), Ideal: 1, Packets: uint32(i)})
	}
	return f
}

func FuzzReadFCT(f *testing.F) {
	f.Add("0b000901 0b001001 10000 100 500000 2000000000 565574 46080\n")
	f.Add("\n0b000901 0b001001")
	f.Add("ffffffff 0 0 0 1 0 0 9223372036854775\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := ReadFCT(strings.NewReader(text), "fct.txt")
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Size < 1 || l.Start < 0 || l.FCT < 0 || l.Standalone < 1 {
				t.Errorf("accepted %+v", l)
			}
		}
	})
}

func FuzzReadFlowsCSV(f *testing.F) {
	flows := &Flows{}
	flows.Append(FlowRecord{ID: 3, Src: 9, Dst: 16, SrcPort: 10000, DstPort: 100, Size: 500000, Start: 2 * unit.Second, FCT: 565_574_999, Ideal: 46_080_000})
	flows.Append(FlowRecord{ID: 4, Size: 1, FCT: unit.Never, Ideal: 1, Outcome: Stalled})
	var b strings.Builder
	if err := WriteFlowsCSV(&b, flows); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(strings.Join(flowColumns, ",") + "\n1,2,3")
	f.Fuzz(func(t *testing.T, text string) {
		flows, err := csvFlows(strings.NewReader(text), "flows.csv")
		if err != nil {
			return
		}
		// What was accepted can be written and read again.
		var b bytes.Buffer
		if err := WriteFlowsCSV(&b, flows); err != nil {
			t.Fatalf("read, but not writable: %v", err)
		}
		again, err := csvFlows(&b, "flows.csv")
		if err != nil {
			t.Fatal(err)
		}
		x, _ := flows.Fingerprint()
		if y, _ := again.Fingerprint(); x != y {
			t.Error("changed by writing and reading")
		}
	})
}

func FuzzReadFlowsParquet(f *testing.F) {
	var b bytes.Buffer
	if err := WriteFlowsParquet(&b, benchmarkFlows(5)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		if flows, err := parquetFlows(bytes.NewReader(data), int64(len(data)), "f"); err == nil {
			if _, err := flows.Fingerprint(); err != nil {
				t.Errorf("accepted: %v", err)
			}
		}
	})
}

func TestDir(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "results")
	write := func(text string) *Manifest {
		d, err := Create(parent, "run-1")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Abort()
		if runs, _ := Runs(parent); text == "one" && len(runs) != 0 {
			t.Errorf("there before Commit: %v", runs)
		}
		if err := d.WriteFile("fct.txt", func(f *os.File) error { _, err := fmt.Fprint(f, text); return err }); err != nil {
			t.Fatal(err)
		}
		m := &Manifest{Scenario: json.RawMessage(`{"seed":1}`), Command: "pintlab run x", Notes: []string{"n"}, Summary: Summary{Flows: 3, Dir: d.Final()}}
		if err := d.Commit(m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	write("one")
	m := write("two") // the same name again
	runs, err := Runs(parent)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	if data, _ := os.ReadFile(filepath.Join(runs[0], "fct.txt")); string(data) != "two" {
		t.Errorf("fct.txt holds %q", data)
	}
	got, err := ReadManifest(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	var scenario bytes.Buffer
	if err := json.Compact(&scenario, got.Scenario); err != nil {
		t.Fatal(err)
	}
	got.Scenario = scenario.Bytes()
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]File{{Name: "fct.txt", Bytes: 3, SHA256: "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"}}, got.Files); diff != "" {
		t.Error(diff)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	d, err := Create(parent, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(parent, "x"); err == nil {
		t.Error("the same directory was begun twice")
	}
	if err := d.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, bad := range []string{"", ".x", "a/b", "../x", "a b"} {
		if _, err := Create(parent, bad); err == nil {
			t.Errorf("name %q is accepted", bad)
		}
	}
}

func TestReadManifestErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{\n\"format\": 2,\n\"nonsense\": 2}", `json: unknown field "nonsense"`},
		{`{"format": 1}`, "format 1, this program reads 2"},
		{`{"format": 2}`, "was changed after the run: its digest does not fit"},
		{`{"format": 2} {}`, "more than one JSON value"},
		{"{\n\n\"format\": }", ":3: invalid character '}'"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// stored makes a run directory with flow records in these files.
func stored(t *testing.T, parent, name string, flows *Flows, files ...string) (string, *Manifest) {
	t.Helper()
	d, err := Create(parent, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		write := func(w *os.File) error { return WriteFlowsCSV(w, flows) }
		if f == "flows.parquet" {
			write = func(w *os.File) error { return WriteFlowsParquet(w, flows) }
		}
		if err := d.WriteFile(f, write); err != nil {
			t.Fatal(err)
		}
	}
	print, err := flows.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(&Manifest{Scenario: json.RawMessage("{}"), Summary: Summary{Flows: flows.Len(), Fingerprint: print}}); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(d.Final())
	if err != nil {
		t.Fatal(err)
	}
	return d.Final(), m
}

func TestFlowsFindsTheFile(t *testing.T) {
	parent := t.TempDir()
	dir, m := stored(t, parent, "none", benchmarkFlows(10))
	if _, err := m.Flows(dir); err == nil || !strings.HasSuffix(err.Error(), "neither flows.parquet nor flows.csv") {
		t.Errorf("no file: %v", err)
	}
	for _, file := range []string{"flows.csv", "flows.parquet"} {
		dir, m := stored(t, parent, file, benchmarkFlows(10), file)
		got, err := m.Flows(dir)
		if err != nil || got.Len() != 10 {
			t.Fatalf("%v, %v", got, err)
		}
		if finished, unfinished, failed := got.Count(); finished != 10 || unfinished != 0 || failed != 0 {
			t.Errorf("counted %d, %d, %d", finished, unfinished, failed)
		}
	}
}

// Files of another run and changed manifests are noticed.
func TestStoredRunsAreNotTrusted(t *testing.T) {
	parent := t.TempDir()
	one, m := stored(t, parent, "one", benchmarkFlows(10), "flows.parquet", "flows.csv")
	two, _ := stored(t, parent, "two", benchmarkFlows(11), "flows.parquet", "flows.csv")
	other, err := os.ReadFile(filepath.Join(two, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "flows.parquet"), other, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flows(one); err == nil || !strings.Contains(err.Error(), "flows.parquet is not the file that the run wrote") {
		t.Errorf("records of another run: %v", err)
	}
	if err := m.Check(one, "flows.csv"); err != nil {
		t.Error(err)
	}
	if err := m.Check(one, "mine.txt"); err == nil || !strings.Contains(err.Error(), "manifest.json does not list it") {
		t.Errorf("a file of the user: %v", err)
	}
	three, m3 := stored(t, parent, "three", benchmarkFlows(10), "flows.parquet", "flows.csv")
	if err := os.WriteFile(filepath.Join(three, "flows.csv"), []byte("id\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := m3.Flows(three); err == nil || !strings.Contains(err.Error(), "flows.csv is not the file that the run wrote") {
		t.Errorf("edited records beside those that are read: %v", err)
	}
	// A manifest whose digests were made to fit: the fingerprint tells.
	m.Summary.Flows++
	m.Files[1], err = fileOf(filepath.Join(one, "flows.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flows(one); err == nil || !strings.Contains(err.Error(), "the records have the fingerprint") {
		t.Errorf("digests that fit: %v", err)
	}
	name := filepath.Join(two, ManifestFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, edited := range []string{
		strings.Replace(string(text), `"seed": 0`, `"seed": 1`, 1), string(text) + "\n", strings.Replace(string(text), `"notes": null`, `"notes": []`, 1),
	} {
		if edited == string(text) {
			t.Fatalf("not edited:\n%s", text)
		}
		if err := os.WriteFile(name, []byte(edited), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(two); err == nil || !strings.HasSuffix(err.Error(), "was changed after the run: its digest does not fit") {
			t.Errorf("edited manifest: %v", err)
		}
	}
}

// A file without an end in the place of one of a run is an error at once, and not all the
// memory that there is.
func TestStoredRunsHaveAnEnd(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skipf("needs the file %s, as Linux, macOS and the BSDs have it: %v", endless, err)
	}
	dir, m := stored(t, t.TempDir(), "one", benchmarkFlows(10), "flows.csv")
	for name, read := range map[string]func() error{
		"flows.csv":  func() error { _, err := m.Flows(dir); return err },
		ManifestFile: func() error { _, err := ReadManifest(dir); return err },
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Remove(path), os.Symlink(endless, path)); err != nil {
			t.Fatal(err)
		}
		if err := read(); err == nil || !strings.HasSuffix(err.Error(), "no regular file") && !strings.HasSuffix(err.Error(), "not text: a NUL at byte 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run that is made again leaves alone what a user has put into its directory.
func TestCommitKeepsOtherFiles(t *testing.T) {
	parent := t.TempDir()
	dir, _ := stored(t, parent, "x", benchmarkFlows(10), "flows.parquet", "flows.csv")
	mine := filepath.Join(dir, "notes", "mine.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o777), os.WriteFile(mine, []byte("precious"), 0o666)); err != nil {
		t.Fatal(err)
	}
	_, m := stored(t, parent, "x", benchmarkFlows(12), "flows.parquet")
	if got, err := os.ReadFile(mine); err != nil || string(got) != "precious" {
		t.Errorf("%q, %v", got, err)
	}
	if flows, err := m.Flows(dir); err != nil || flows.Len() != 12 {
		t.Errorf("%v, %v", flows, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "flows.csv")); err == nil {
		t.Error("a file of the run before is still there")
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// What is no run is not touched.
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil {
		t.Fatal(err)
	}
	d, err := Create(parent, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	if err := d.Commit(&Manifest{Scenario: json.RawMessage("{}")}); err == nil || !strings.Contains(err.Error(), "not the results of a run") {
		t.Errorf("error %v", err)
	}
}

func TestUsage(t *testing.T) {
	u := ThisUsage()
	if u.CPUSeconds < 0 || u.PeakMemory < 0 {
		t.Errorf("%+v", u)
	}
	if m := ThisMachine(); m.Cores < 1 || m.Host == "" || m.OS == "" {
		t.Errorf("%+v", m)
	}
	if p := ThisProgram(); p.Go == "" || p.Version == "" || p.Revision == "" {
		t.Errorf("%+v", p)
	}
}

func TestDerive(t *testing.T) {
	s := Summary{PacketHops: 100, Events: 150, CPUSeconds: 4}
	s.Derive()
	if s.HopsPerCPU != 25 || s.EventsPerHop != 1.5 {
		t.Errorf("%+v", s)
	}
	s = Summary{}
	s.Derive()
	if s.HopsPerCPU != 0 || s.EventsPerHop != 0 {
		t.Errorf("%+v", s)
	}
}

// csvFlows reads a CSV file.
func csvFlows(r io.Reader, name string) (*Flows, error) {
	flows := &Flows{}
	return flows, readFlowsCSV(r, name, flows.take)
}

// parquetFlows reads a Parquet file.
func parquetFlows(r io.ReaderAt, size int64, name string) (*Flows, error) {
	flows := &Flows{}
	return flows, readFlowsParquet(r, size, name, flows.take)
}

// Two builds that cannot be told are not taken for the same one.
func TestMadeHere(t *testing.T) {
	own := ThisProgram().Build
	if !same(own, own) || same(own, "0123456789abcdef") || same(unknown, unknown) {
		t.Errorf("build %s: itself %v, another %v, both unknown %v", own, same(own, own), same(own, "0123456789abcdef"), same(unknown, unknown))
	}
}
