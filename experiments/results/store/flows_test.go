package store

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// record draws a record that obeys all rules of FlowRecord.check.
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
	if r.Outcome == Unreachable {
		r.Ideal = unit.Never
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

// CSV and Parquet preserve all records, sorted by ID. The fingerprint does not depend on the order of the records, and
// changes with every field.
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

// The fingerprint of a record was computed with another program (Python's struct and hashlib). It must be the same on
// all machines and in all versions.
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
		func(*FlowRecord) {}, func(r *FlowRecord) { r.ID = 1 }, func(r *FlowRecord) { r.Src = 1 },
		func(r *FlowRecord) { r.Dst = 1 },
		func(r *FlowRecord) { r.SrcPort = 1 }, func(r *FlowRecord) { r.DstPort = 1 },
		func(r *FlowRecord) { r.Class = 1 },
		func(r *FlowRecord) { r.Outcome, r.FCT = Unfinished, unit.Never }, func(r *FlowRecord) { r.Hops = 1 },
		func(r *FlowRecord) { r.Size = 2 }, func(r *FlowRecord) { r.Start = 1 }, func(r *FlowRecord) { r.FCT = 2 },
		func(r *FlowRecord) { r.Ideal = 2 }, func(r *FlowRecord) { r.Packets = 1 },
		func(r *FlowRecord) { r.Retransmitted = 1 },
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

// Records are returned in the order of IDs, whether the IDs are 0, 1, 2, … or far apart.
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
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 1, Ideal: 1}, {ID: 1, Size: 1, FCT: 1, Ideal: 1}},
			"flow 1 is recorded twice"},
		{[]FlowRecord{{ID: 1 << 40, Size: 1, FCT: 1, Ideal: 1}, {ID: 1 << 40, Size: 1, FCT: 1, Ideal: 1}},
			"flow 1099511627776 is recorded twice"},
		{[]FlowRecord{{ID: 1, Size: 0, FCT: 1, Ideal: 1}}, "flow 1: size 0 B, want at least 1"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: unit.Never, Ideal: 1}},
			"flow 1: completion time 9223372036854775807 ps of a finished flow, want at least 1"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 5, Ideal: 1, Outcome: OutOfTries}},
			"flow 1: completion time 5 ps, want none for a flow that is out-of-tries"},
		{[]FlowRecord{{ID: 1, Size: 1, FCT: 5, Ideal: unit.Never}},
			"flow 1: no ideal completion time, want one for a flow that is finished"},
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
	header := flowTable.header() + "\n"
	const good = "0,1,2,10000,100,0,finished,5,1000,0,5,4,1,0,0\n"
	tests := []struct{ text, want string }{
		{"", "f: empty, want the column names " + strings.TrimSpace(header)},
		{"id,src\n", `f:1: columns "id,src", want ` + strings.TrimSpace(header)},
		{header + "1,2\n", "f:2: 2 columns, want 15: " + strings.TrimSpace(header)},
		{header + good + good, "f:3: id 0 occurs twice"},
		{header + good + strings.Replace(good, "finished", "done", 1),
			`f:3: outcome "done" (accepted: ["finished" "unfinished" "out-of-tries" "unreachable" "stalled" ` +
				`"projected" "estimated"])`},
		{header + strings.Replace(good, "finished", "stalled", 1),
			`f:2: fct_ps = "5", want an empty value for a flow that is stalled`},
		{header + strings.Replace(good, "10000", "-1", 1),
			`f:2: src_port = "-1", want a whole number between 0 and 65535`},
		{header + strings.Replace(good, "10000", "65536", 1),
			`f:2: src_port = "65536", want a whole number between 0 and 65535`},
		{header + strings.Replace(good, ",5,4,", ",,4,", 1),
			`f:2: fct_ps = "", want a whole number between 1 and 9223372036854775806`},
		{header + strings.Replace(good, ",5,4,", ",5,,", 1),
			"f:2: no ideal completion time, want one for a flow that is finished"},
		{strings.Repeat("0", bufio.MaxScanTokenSize), "f:1: line longer than 65536 bytes"},
		{header + good + strings.Repeat("0", bufio.MaxScanTokenSize), "f:3: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		_, err := csvFlows(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestParquetErrors(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("id,src,dst\n"), "cut": []byte("PAR1....PAR1"),
	} {
		if _, err := parquetFlows(bytes.NewReader(data), int64(len(data)), name); err == nil ||
			!strings.HasPrefix(err.Error(), name+": not a readable Parquet file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parquetFlows(strings.NewReader("PAR1\xff\xff\xff\xffPAR1"), 12, "f"); !errtest.Says(err,
		"f: not a readable Parquet file: it ends with a footer of 4294967295 bytes") {
		t.Errorf("a footer without end: %v", err)
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

// Appending records needs no memory except for the records.
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
	if perChunk > 2 { // one allocation for the chunk and sometimes one for the list of chunks
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
		f.Append(FlowRecord{
			ID: int64(n - i), Src: int32(i % 320), Dst: int32(i % 319), Size: unit.Bytes(1 + i), Start: unit.Time(i),
			FCT: unit.Time(1 + 3*i), Ideal: 1, Packets: uint32(i),
		})
	}
	return f
}

func FuzzReadFlowsCSV(f *testing.F) {
	flows := &Flows{}
	flows.Append(FlowRecord{
		ID: 3, Src: 9, Dst: 16, SrcPort: 10000, DstPort: 100, Size: 500000, Start: 2 * unit.Second, FCT: 565_574_999,
		Ideal: 46_080_000,
	})
	flows.Append(FlowRecord{ID: 4, Size: 1, FCT: unit.Never, Ideal: 1, Outcome: Stalled})
	var b strings.Builder
	if err := WriteFlowsCSV(&b, flows); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(flowTable.header() + "\n1,2,3")
	f.Fuzz(func(t *testing.T, text string) {
		flows, err := csvFlows(strings.NewReader(text), "flows.csv")
		if err != nil {
			return
		}
		// Accepted records can be written and read again.
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

// Two builds without an identity do not count as the same build.
func TestMadeHere(t *testing.T) {
	own := ThisProgram().Build
	if !same(own, own) || same(own, "0123456789abcdef") || same(unknown, unknown) {
		t.Errorf("build %s: itself %v, another %v, both unknown %v", own, same(own, own), same(own, "0123456789abcdef"),
			same(unknown, unknown))
	}
}
