package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func portSamples(n int) []PortSample {
	var list []PortSample
	for i := range n {
		list = append(list, PortSample{
			Time: unit.Time(i/2) * unit.Microsecond, Node: int32(i % 2), Peer: 5,
			Layer: []string{"edge-core", "host-edge"}[i%2],
			Queue: unit.Bytes(i * 7), Sent: unit.Bytes(i * 1000), Packets: int64(i), Utilisation: float64(i%7) / 7,
			Marks: 2, Drops: int64(i / 10), Paused: i%3 == 0, Pauses: 3, PausedTime: unit.Time(i),
		})
	}
	list[0].Utilisation = math.NaN()
	return list
}

func flowSamples(n int) []FlowSample {
	var list []FlowSample
	for i := range n {
		list = append(list, FlowSample{
			Time: unit.Time(i) * unit.Microsecond, Flow: int64(i % 5), Src: 1, Dst: 2, Acked: unit.Bytes(i * 1000),
			Delivered: unit.Bytes(i * 1001), Flight: 7000, Window: 12_345, Rate: 100 * unit.Gbps, Load: 0.95,
		})
	}
	list[0].Load, list[0].Window = math.NaN(), NoWindow
	list[1].Load = -2.5 // the power of θ-PowerTCP when a queue drains fast
	return list
}

// roundTrip writes a series as Parquet and converts it to CSV. Both files must contain the same rows.
func roundTrip[T any](t *testing.T, s *SeriesFile[T], want []T) {
	dir := t.TempDir()
	var b bytes.Buffer
	w := s.NewWriter(&b, int64(len(want)))
	for _, row := range want {
		if err := w.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(want[0]); !errors.Is(err, ErrSeriesFull) ||
		!strings.Contains(err.Error(), s.name+": the series is full: more than ") {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := w.Close(); err != nil || w.Rows() != int64(len(want)) {
		t.Fatalf("%d rows, %v", w.Rows(), err)
	}
	check := func(source string, read func(use func(*T) error) error) {
		t.Helper()
		var got []T
		if err := read(func(row *T) error { got = append(got, *row); return nil }); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
	data := bytes.NewReader(b.Bytes())
	check("Parquet", func(use func(*T) error) error { return s.Read(data, data.Size(), "x", use) })
	var text bytes.Buffer
	if err := s.WriteCSV(&text, data, data.Size()); err != nil {
		t.Fatal(err)
	}
	check("CSV", func(use func(*T) error) error { return s.ReadCSV(strings.NewReader(text.String()), "x", use) })

	nothing := func(*T) error { return nil }
	m := &Manifest{Scenario: fmt.Appendf(nil, `{"run": {"sampling": {"max_rows": %d}}}`, len(want))}
	if err := s.ReadDir(dir, m, nothing); !errtest.Says(err,
		"… both "+s.Parquet()+" and "+s.CSV()+" are missing …") {
		t.Errorf("empty directory: %v", err)
	}
	files := map[string][]byte{s.CSV(): text.Bytes(), s.Parquet(): b.Bytes()}
	for _, name := range []string{s.CSV(), s.Parquet()} { // if both files exist, the Parquet file is read
		content := files[name]
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := s.ReadDir(dir, m, nothing); !errtest.Says(err, "… is not a file of the run …") {
			t.Errorf("a file that the run did not write: %v", err)
		}
		file, err := fileOf(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m.Files = append(m.Files, file)
		check(name, func(use func(*T) error) error { return s.ReadDir(dir, m, use) })
	}
	broken := errors.New("broken")
	if err := s.ReadDir(dir, m, func(*T) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
}

func TestSeriesSurviveTheirFiles(t *testing.T) {
	t.Run("ports", func(t *testing.T) { roundTrip(t, &PortSeries, portSamples(3000)) })
	t.Run("flows", func(t *testing.T) { roundTrip(t, &FlowSeries, flowSamples(3000)) })
}

// A missing number is null in Parquet, so that queries exclude it from means. A zero is a number.
func TestMissingNumbersAreNull(t *testing.T) {
	var b bytes.Buffer
	w := FlowSeries.NewWriter(&b, 3)
	for _, load := range []float64{math.NaN(), 0, 0.5} {
		if err := w.Append(FlowSample{Load: load}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	type column struct {
		Load *float64 `parquet:"load,optional"`
	}
	zero, half := 0.0, 0.5
	got, err := parquet.Read[column](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if diff := cmp.Diff([]column{{nil}, {&zero}, {&half}}, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

// A small file can claim a run of billions of rows. It is refused before it takes memory.
func TestParquetBombs(t *testing.T) {
	fct, ideal := int64(1), int64(1)
	flow := flowRow{Outcome: "finished", Size: 1, Ideal: &ideal, FCT: &fct}
	bomb := func(rows, group int64) string {
		path := filepath.Join(t.TempDir(), "flows.parquet")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.NewGenericWriter[flowRow](f, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(group))
		list := make([]flowRow, 1024)
		for i := range list {
			list[i] = flow
		}
		for range rows / 1024 {
			if _, err := w.Write(list); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m := &Manifest{Summary: Summary{Flows: 3}}
	for _, tt := range []struct{ path, want string }{
		{bomb(1<<20, 1<<20),
			"flows.parquet: row group 0 has 1048576 rows of … bytes, want at most 131072 rows of 67108864 bytes"},
		{bomb(1<<20, rowGroup), "flows.parquet: row 2: id 0 occurs twice"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := m.eachFlow(tt.path, func(*FlowRecord) error { return nil })
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; !errtest.Says(err, "…"+tt.want) || took > mostGroup {
			t.Errorf("%v, and %d bytes of memory; want %s", err, took, tt.want)
		}
	}
	rows := 0
	count := atMost(3, "summary.flows", func(*FlowRecord) error { rows++; return nil })
	for range 3 {
		if err := count(nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := count(nil); !errtest.Says(err,
		"more than 3 rows, the limit that summary.flows in manifest.json sets") || rows != 3 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Older versions wrote NaN instead of null.
func TestSeriesOfOlderVersions(t *testing.T) {
	type old struct {
		Time    unit.Time  `parquet:"time_ps,delta"`
		Flow    int64      `parquet:"flow,dict"`
		Src     int32      `parquet:"src,dict"`
		Dst     int32      `parquet:"dst,dict"`
		Acked   unit.Bytes `parquet:"acked_bytes"`
		Arrived unit.Bytes `parquet:"delivered_bytes"`
		Flight  unit.Bytes `parquet:"flight_bytes"`
		Window  unit.Bytes `parquet:"window_bytes"`
		Rate    unit.Rate  `parquet:"rate_bps"`
		Load    float64    `parquet:"load"`
	}
	var b bytes.Buffer
	w := CreateParquet[old](&b)
	if _, err := w.Write([]old{{Load: math.NaN()}, {Load: 0}, {Load: 0.5}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []float64
	err := FlowSeries.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", func(f *FlowSample) error {
		got = append(got, f.Load)
		return nil
	})
	if diff := cmp.Diff([]float64{math.NaN(), 0, 0.5}, got, cmpopts.EquateNaNs()); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

// If another version wrote a run, whose series have other columns, the error contains the command that repeats the run.
func TestRunOfAnotherVersion(t *testing.T) {
	type old struct {
		Time unit.Time `parquet:"time_ps,delta"`
	}
	var b bytes.Buffer
	w := CreateParquet[old](&b)
	if _, err := w.Write([]old{{}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{FlowSeries.Parquet(): b.String(), FlowSeries.CSV(): "time_ps\n0\n"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := fileOf(path)
		if err != nil {
			t.Fatal(err)
		}
		m := &Manifest{Scenario: []byte(`{"run": {"sampling": {"max_rows": 9}}}`), Command: "pintlab run mine.yaml",
			Files: []File{file}}
		const advice = "Another version of pintlab wrote this run: run it again with\npintlab run mine.yaml"
		text := fmt.Sprint(FlowSeries.ReadDir(dir, m, func(*FlowSample) error { return nil }))
		if !strings.HasPrefix(text, path) || !strings.Contains(text, `"time_ps"`) ||
			!strings.Contains(text, "delivered_bytes") || !strings.HasSuffix(text, advice) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestSeriesErrors(t *testing.T) {
	const head = "time_ps,flow,src,dst,acked_bytes,delivered_bytes,flight_bytes,window_bytes,rate_bps,load\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "f: empty, want the column names time_ps,flow"},
		{"columns", "a,b\n", `f:1: columns "a,b", want time_ps,flow`},
		{"too few", head + "1,2,3\n", "f:2: 3 columns, want 10: time_ps,flow"},
		{"sign", head + "1,0,1,2,-5,0,0,1,1,\n",
			`f:2: acked_bytes = "-5", want a whole number between 0 and 9223372036854775807`},
		{"number", head + "1,0,1,2,5,5,0,1,1,much\n", `f:2: load = "much", want a number or nothing`},
		{"infinite", head + "1,0,1,2,5,5,0,1,1,Inf\n", `f:2: load = "Inf", want a number or nothing`},
		{"time", head + "2,0,1,2,5,5,0,1,1,\n1,0,1,2,5,5,0,1,1,\n",
			"f:3: time_ps = 1 after 2, want rows in the order of time"},
	}
	for _, tt := range tests {
		err := FlowSeries.ReadCSV(strings.NewReader(tt.text), "f", func(*FlowSample) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	negative := "time_ps,node,peer,layer,queue_bytes,sent_bytes,packets,utilisation,marks,drops," +
		"paused,pauses,paused_ps\n1,0,1,edge,0,0,0,-0.5,0,0,false,0,0\n"
	err := PortSeries.ReadCSV(strings.NewReader(negative), "f", func(*PortSample) error { return nil })
	if !errtest.Says(err, `f:2: utilisation = "-0.5", want a number >= 0 or nothing`) {
		t.Errorf("negative utilisation: %v", err)
	}
	var b bytes.Buffer
	w := PortSeries.NewWriter(&b, 5)
	if err := errors.Join(w.Append(PortSample{Queue: -1}), w.Close()); err != nil {
		t.Fatal(err)
	}
	err = PortSeries.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), "p", func(*PortSample) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "p: row 1: negative value in ") {
		t.Errorf("negative queue: %v", err)
	}
}

// Reading any text results in an error or in rows. If the rows are written again, their values are the same.
func FuzzSeriesCSV(f *testing.F) {
	var b, text bytes.Buffer
	w := PortSeries.NewWriter(&b, 10)
	for _, p := range portSamples(10) {
		if err := w.Append(p); err != nil {
			f.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(),
		PortSeries.WriteCSV(&text, bytes.NewReader(b.Bytes()), int64(b.Len()))); err != nil {
		f.Fatal(err)
	}
	f.Add(text.String())
	f.Add(PortSeries.header() + "\n1,2,3,x,0,0,0,,0,0,true,0,0\n")
	f.Fuzz(func(t *testing.T, in string) {
		err := PortSeries.ReadCSV(strings.NewReader(in), "f", func(p *PortSample) error {
			want := *p
			PortSeries.store(p)
			line := string(PortSeries.line(nil, p))
			err := PortSeries.ReadCSV(strings.NewReader(PortSeries.header()+"\n"+line), "g",
				func(again *PortSample) error {
					if !cmp.Equal(want, *again, cmpopts.EquateNaNs()) {
						t.Errorf("%+v is written as %q and read as %+v", want, line, *again)
					}
					return nil
				})
			if err != nil {
				t.Errorf("%+v is written as %q: %v", want, line, err)
			}
			return nil
		})
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("error without a place: %v", err)
		}
	})
}
