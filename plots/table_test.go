package plots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

func TestNewTableErrors(t *testing.T) {
	tests := []struct {
		columns []Column
		want    string
	}{
		{nil, "no columns"},
		{[]Column{Text("")}, "column 1 has no name"},
		{[]Column{Text("a:b")}, `column 1: name "a:b", want a name without a colon`},
		{[]Column{Text("a"), Real("a", "")}, `column 2: a second "a"`},
		{[]Column{{Name: "a", Kind: 7}}, `column "a": unknown kind 7`},
		{[]Column{Real("a", "\n")}, `column 1: "\n" has a control character`},
		{[]Column{Text(""), Text("b:")}, "column 1 has no name\ncolumn 2: name \"b:\", want a name without a colon"},
	}
	for _, tt := range tests {
		_, err := NewTable(tt.columns...)
		if want := "plots: bad table: " + tt.want; !errtest.Says(err, want) {
			t.Errorf("NewTable(%v): %v, want %s", tt.columns, err, want)
		}
	}
}

func TestAppend(t *testing.T) {
	tab := table(t, Text("s"), Whole("i", "B"), Real("r", "s"))
	add(t, tab, "x", int64(1), 2)
	add(t, tab, "y", 2, math.NaN())
	tests := []struct {
		row  []any
		want string
	}{
		{[]any{"z", 1}, "plots: row 3 has 2 values for 3 columns"},
		{[]any{1, 1, 1.0}, `plots: row 3, column "s": 1 is a int, want a string`},
		{[]any{"z", 1.5, 1.0}, `plots: row 3, column "i": 1.5 is a float64, want a int`},
		{[]any{"z", 1, "1"}, `plots: row 3, column "r": 1 is a string, want a float`},
		{[]any{"z", nil, 1.0}, `plots: row 3, column "i": <nil> is a <nil>, want a int`},
		{[]any{"a\tb", 1, 1.0}, `plots: row 3, column "s": "a\tb" has a control character`},
	}
	for _, tt := range tests {
		if err := tab.Append(tt.row...); !errtest.Says(err, tt.want) {
			t.Errorf("Append(%v): %v, want %s", tt.row, err, tt.want)
		}
	}
	if tab.Len() != 2 {
		t.Errorf("%d rows after failed appends, want 2", tab.Len())
	}
	reals, err := tab.Reals("r")
	if err != nil || reals[0] != 2 || !math.IsNaN(reals[1]) {
		t.Errorf("Reals = %v, %v", reals, err)
	}
	fromInt, err := tab.Reals("i")
	if err != nil || !cmp.Equal(fromInt, []float64{1, 2}) {
		t.Errorf("Reals of integers = %v, %v", fromInt, err)
	}
	wholes, err := tab.Wholes("i")
	if err != nil || !cmp.Equal(wholes, []int64{1, 2}) {
		t.Errorf("Wholes = %v, %v", wholes, err)
	}
	texts, err := tab.Where(func(r int) bool { return r == 1 }).Texts("s")
	if err != nil || !cmp.Equal(texts, []string{"y"}) {
		t.Errorf("Where, Texts = %v, %v", texts, err)
	}
	if _, err := tab.Texts("q"); !errtest.Says(err, `plots: no column "q" (there are: s, i, r)`) {
		t.Errorf("Texts of no column: %v", err)
	}
	if _, err := tab.Wholes("r"); !errtest.Says(err, `plots: column "r" is float, want int`) {
		t.Errorf("Wholes of reals: %v", err)
	}
}

func TestCSV(t *testing.T) {
	tab := table(t, Text("scheme"), Whole("size", "B"), Real("p95", ""))
	add(t, tab, `HPCC, "INT"`, 30_000_000, 1.1)
	add(t, tab, "", -1, math.NaN())
	add(t, tab, "µ", 0, 1e300)
	add(t, tab, "x", 1, math.Nextafter(0.3, 1))
	add(t, tab, "x", 1, math.Inf(-1))
	add(t, tab, "x", 1, 123456789.0)
	want := "scheme,size_B,p95\n" +
		"\"HPCC, \"\"INT\"\"\",30000000,1.1\n,-1,\nµ,0,1e+300\nx,1,0.30000000000000004\nx,1,-Inf\nx,1,123456789\n"
	var b bytes.Buffer
	if err := tab.WriteCSV(&b); err != nil || b.String() != want {
		t.Errorf("WriteCSV (%v):\n%s\nwant\n%s", err, b.String(), want)
	}
	want = `[{"scheme":"HPCC, \"INT\"","size_B":30000000,"p95":1.1},{"scheme":"","size_B":-1,"p95":null},` +
		`{"scheme":"µ","size_B":0,"p95":1e+300},{"scheme":"x","size_B":1,"p95":0.30000000000000004},` +
		`{"scheme":"x","size_B":1,"p95":null},{"scheme":"x","size_B":1,"p95":123456789}]`
	if got, err := json.Marshal(tab); err != nil || string(got) != want {
		t.Errorf("JSON (%v):\n%s\nwant\n%s", err, got, want)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := tab.SaveCSV(path); err != nil {
		t.Fatal(err)
	}
	back, err := LoadCSV(path)
	if err != nil || !sameTable(tab, back) {
		t.Errorf("LoadCSV: %v, %v", back, err)
	}
	schema, err := os.ReadFile(filepath.Join(filepath.Dir(path), "rows.schema.json"))
	if want := `{
  "fields": [
    {
      "name": "scheme",
      "type": "string",
      "title": "scheme"
    },
    {
      "name": "size_B",
      "type": "integer",
      "title": "size",
      "unit": "B"
    },
    {
      "name": "p95",
      "type": "number",
      "title": "p95"
    }
  ],
  "missingValues": [
    ""
  ]
}
`; err != nil || string(schema) != want {
		t.Errorf("schema (%v):\n%s\nwant\n%s", err, schema, want)
	}
	if _, err := LoadCSV(path + "x"); !os.IsNotExist(err) {
		t.Errorf("LoadCSV of no file: %v", err)
	}
}

// sameTable compares tables to the last bit. NaN is equal to NaN.
func sameTable(a, b *Table) bool {
	return cmp.Equal(a, b, cmp.AllowUnexported(Table{}, cells{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
}

func TestReadCSVErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "f.csv: empty, want a line of headings"},
		{"a", `f.csv:1: column 1: heading "a", … name:kind … name:kind:unit … schema … file`},
		{"a:int,b:real", `f.csv:1: column 2: heading "b:real": kind "real", want string, int or float`},
		{"a:int:", `f.csv:1: column 1: heading "a:int:": empty unit`},
		{"a:int,a:int", `f.csv:1: plots: bad table: column 2: a second "a"`},
		{"\ufeffa:int", "f.csv:1: starts … byte order mark, … part … heading"},
		{"a:int\n1\n\n2.5\n", `f.csv:4: column "a": "2.5" … integer … 64 bits`},
		{"a:int\n99999999999999999999\n", `f.csv:2: column "a": "99999999999999999999" … integer … 64 bits`},
		{"a:int,b:int\n1,2\n3\n", `f.csv:3: wrong number of fields`},
		{"a:float\n\n0x1p3\n", `f.csv:3: column "a": "0x1p3" is not a decimal number, NaN, Inf or -Inf`},
		{"a:float\ninfinity\n", `f.csv:2: column "a": "infinity" is not a decimal number, NaN, Inf or -Inf`},
		{"a:float\n1e999\n", `f.csv:2: column "a": "1e999" is not a decimal number, NaN, Inf or -Inf`},
		{"a:int:s,a_s:int\n", `f.csv:1: plots: bad table: column 2: a second "a_s"`},
		{"a:string\n\"x\ny\"\n", `f.csv:2: column "a": "x\ny" has a control character`},
		{"a:string\nx\"y\n", `f.csv:2: bare " in non-quoted-field`},
		{"a:string\n\"x\n", `f.csv:2: extraneous or missing " in quoted-field`},
	}
	for _, tt := range tests {
		_, err := ReadCSV(strings.NewReader(tt.in), "f.csv")
		if !errtest.Says(err, tt.want) {
			t.Errorf("ReadCSV(%q): %v, want %s", tt.in, err, tt.want)
		}
	}
}

func TestHeadings(t *testing.T) {
	for c, want := range map[Column]string{
		Text("scheme"): "scheme", Real("mean_fct", "s"): "mean_fct_s", Real("goodput", "b/s"): "goodput_bps",
		Real("load", "%"): "load_percent", Whole("size", "B"): "size_B",
		Real("rate", "1e6 packets"): "rate_1e6_packets",
	} {
		if got := c.Heading(); got != want {
			t.Errorf("%+v is headed %q, want %q", c, got, want)
		}
	}
	columns := []Column{Real("a", "s")}
	if _, err := ReadCSV(strings.NewReader("a\n1\n"), "f.csv", columns...); !errtest.Says(err,
		`f.csv:1: headings ["a"], … schema: ["a_s"]`) {
		t.Errorf("other headings: %v", err)
	}
	for in, want := range map[string]string{
		`{"fields": [{"name": "a", "type": "date", "title": "a"}]}`: "f: field 1: type " +
			`"date", want string, integer or number`,
		`{"fields": [{"name": "a", "type": "number", "title": "a", "unit": "s"}]}`: "f: field 1: " +
			`name "a", … "a_s" … title "a" … unit "s"`,
		`{"feilds": []}`: `f: json: unknown field "feilds"`,
	} {
		if _, _, err := readSchema([]byte(in), "f"); !errtest.Says(err, want) {
			t.Errorf("readSchema(%s): %v, want %s", in, err, want)
		}
	}
}

// anyTable draws a table with any columns and values that NewTable and Append accept.
func anyTable(t *rapid.T) *Table {
	var columns []Column
	for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
		unit := rapid.SampledFrom([]string{"", "B", "s", "%", "a:b,c\""}).Draw(t, "unit")
		columns = append(columns, Column{Name: fmt.Sprintf("c%d", i), Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
			Unit: unit})
	}
	tab, err := NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	text := rapid.StringOf(rapid.OneOf(rapid.Just('"'), rapid.Just(','), rapid.Just(' '),
		rapid.RuneFrom([]rune("aé日🙂\\#'"))))
	for range rapid.IntRange(0, 6).Draw(t, "rows") {
		row := make([]any, len(columns))
		for i, c := range columns {
			switch c.Kind {
			case String:
				row[i] = text.Draw(t, "text")
			case Int:
				row[i] = rapid.Int64().Draw(t, "int")
			default:
				row[i] = rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)),
					rapid.Just(math.Copysign(0, -1))).Draw(t, "real")
			}
		}
		if err := tab.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return tab
}

// Writing a table and reading it back preserves every bit.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := anyTable(t)
		tab.Note = rapid.SampledFrom([]string{"", "bars: 95 %"}).Draw(t, "note")
		var b, schema bytes.Buffer
		if err := errors.Join(tab.WriteCSV(&b), tab.writeSchema(&schema)); err != nil {
			t.Fatal(err)
		}
		columns, note, err := readSchema(schema.Bytes(), "f.schema.json")
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadCSV(bytes.NewReader(b.Bytes()), "f.csv", columns...)
		if err == nil {
			back.Note = note
		}
		if err != nil || !sameTable(tab, back) {
			t.Fatalf("%v\n%q\ngave %+v, want %+v", err, b.String(), back, tab)
		}
	})
}

// If ReadCSV accepts a table, the table is the same after it is written and read again. No input causes a panic.
func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{
		"a:string,b:int:B,c:float\nx,1,2.5\n\"q\"\"\",-3,NaN\n", "a:float\n1e-7\n\n-Inf\n", "a:string\n\"\"\n",
		"a:int\r\n1\r\n", "a", "", "a:int:b:c\n1\n", "\"a:int\n\"", "a:float:%\n+1.50\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tab, err := ReadCSV(strings.NewReader(s), "f.csv")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Errorf("message without the file: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := tab.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCSV(&b, "f.csv", tab.Columns()...)
		if err != nil || !sameTable(tab, back) {
			t.Errorf("%q: %v", s, err)
		}
		for _, write := range []func(*Table) error{
			func(t *Table) error { return t.WriteText(&bytes.Buffer{}) },
			func(t *Table) error { return t.WriteMarkdown(&bytes.Buffer{}) },
		} {
			if err := write(tab); err != nil {
				t.Error(err)
			}
		}
	})
}

func textTable(t testing.TB) *Table {
	tab := table(t, Text("scheme"), Whole("size", "B"), Real("p95", ""), Real("error", "%"), Real("load", "%"))
	add(t, tab, "HPCC|INT", 12345678, 1.5, 0.001234, 30)
	add(t, tab, "日本語 *x*", 999, 12.25, math.NaN(), 50)
	add(t, tab, "e\u0301té", -1234567, -3, 0.5, math.Inf(1))
	return tab
}

func TestWriteText(t *testing.T) {
	want := `scheme        size (B)    p95  error (%)  load (%)
──────────  ──────────  ─────  ─────────  ────────
HPCC|INT    12,345,678   1.50    0.00123        30
日本語 *x*         999  12.25          –        50
été         −1,234,567  −3.00    0.50000         ∞
`
	want = strings.Replace(want, "été", "e\u0301té", 1)
	var b strings.Builder
	if err := textTable(t).WriteText(&b); err != nil || b.String() != want {
		t.Errorf("(%v)\n%s\nwant\n%s", err, b.String(), want)
	}
}

// A mark is in front of its number for readers, also in selected rows, but not in files.
func TestMarkedNumbers(t *testing.T) {
	tab := table(t, Text("scheme"), Real("p95", ""))
	add(t, tab, "a", 12.25)
	add(t, tab, "b", Marked{1.5, "~"})
	var b strings.Builder
	const want = "scheme    p95\n──────  ─────\nb       ~1.50\n"
	if err := tab.Where(func(row int) bool { return row == 1 }).WriteText(&b); err != nil || b.String() != want {
		t.Errorf("(%v)\n%s\nwant\n%s", err, b.String(), want)
	}
	b.Reset()
	if err := tab.WriteCSV(&b); err != nil || b.String() != "scheme,p95\na,12.25\nb,1.5\n" {
		t.Errorf("(%v)\n%s", err, b.String())
	}
}

// Columns of bytes, seconds and bits per second have a prefix that suits their numbers.
func TestUnitsHavePrefixes(t *testing.T) {
	tab := table(t, Real("time", "s"), Real("wait", "s"), Real("rate", "b/s"), Real("size", "B"), Whole("left", "B"))
	add(t, tab, 0.012, 2.76e-5, 1.98e10, 4e6, 4000000)
	add(t, tab, 0.00564, math.NaN(), 2.5e9, 500.4, 0)
	want := `time (ms)  wait (µs)  rate (Gb/s)  size (KB)   left (B)
─────────  ─────────  ───────────  ─────────  ─────────
    12.00       27.6        19.80   4000.000  4,000,000
     5.64          –         2.50      0.500          0
`
	var b strings.Builder
	if err := tab.WriteText(&b); err != nil || b.String() != want {
		t.Errorf("(%v)\n%s\nwant\n%s", err, b.String(), want)
	}
}

// Sizes that are multiples of 1024 have the unit that needs the fewest digits.
func TestPowersOfTwo(t *testing.T) {
	tab := table(t, Whole("memory", "B"), Real("buffer", "B"), Whole("packet", "B"), Whole("file", "B"),
		Whole("none", "B"))
	add(t, tab, 98304, 3<<20, 2048, 512_000, 0)
	add(t, tab, 512_000, 1.5*(1<<20), 1500, 0, 0)
	add(t, tab, 0, math.NaN(), 0, 0, 0)
	want := `memory (KiB)  buffer (KiB)  packet (B)  file (B)  none (B)
────────────  ────────────  ──────────  ────────  ────────
          96          3072        2048   512,000         0
         500          1536        1500         0         0
           0             –           0         0         0
`
	var b strings.Builder
	if err := tab.WriteText(&b); err != nil || b.String() != want {
		t.Errorf("(%v)\n%s\nwant\n%s", err, b.String(), want)
	}
}

func TestWriteMarkdown(t *testing.T) {
	want := `| scheme       |   size (B) |   p95 | error (%) | load (%) |
| ------------ | ---------: | ----: | --------: | -------: |
| HPCC\|INT    | 12,345,678 |  1.50 |   0.00123 |       30 |
| 日本語 \*x\* |        999 | 12.25 |         – |       50 |
| été          | −1,234,567 | −3.00 |   0.50000 |        ∞ |
`
	want = strings.Replace(want, "été", "e\u0301té", 1)
	var b strings.Builder
	if err := textTable(t).WriteMarkdown(&b); err != nil || b.String() != want {
		t.Errorf("(%v)\n%s\nwant\n%s", err, b.String(), want)
	}
}

// The columns of a text table begin at the same terminal columns in all lines.
func TestTextIsAligned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := anyTable(t)
		var b strings.Builder
		if err := tab.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != tab.Len()+2 {
			t.Fatalf("%d lines for %d rows", len(lines), tab.Len())
		}
		for _, l := range lines {
			if terminal.StringWidth(l) != terminal.StringWidth(lines[0]) {
				t.Fatalf("%q is %d wide, the heading %d", l, terminal.StringWidth(l), terminal.StringWidth(lines[0]))
			}
		}
	})
}

func TestTerminalWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "日本": 4, "ｆｕ": 4, "🙂": 2, "→≤µ−": 4, "a\u200bb": 2, "\u1100\u1161": 2,
		"✓": 1,
	} {
		if got := terminal.StringWidth(s); got != want {
			t.Errorf("width of %q is %d, want %d", s, got, want)
		}
	}
}

func BenchmarkReadCSV(b *testing.B) {
	columns := []Column{Text("scheme"), Whole("size", "B"), Real("fct", "s")}
	tab := table(b, columns...)
	r := random(1)
	for range 10000 {
		add(b, tab, "HPCC (PINT)", r.IntN(1e7), r.Float64())
	}
	var buf bytes.Buffer
	if err := tab.WriteCSV(&buf); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadCSV(bytes.NewReader(buf.Bytes()), "f.csv", columns...); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleTable() {
	t, err := NewTable(Text("scheme"), Real("load", "%"), Real("goodput", "Gbps"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range [][]any{{"INT", 70, 9.25}, {"PINT", 70, 15.5}} {
		if err := t.Append(row...); err != nil {
			fmt.Println(err)
			return
		}
	}
	t.WriteText(os.Stdout)
	t.WriteCSV(os.Stdout)
	// Output:
	// scheme  load (%)  goodput (Gbps)
	// ──────  ────────  ──────────────
	// INT           70            9.25
	// PINT          70           15.50
	// scheme,load_percent,goodput_Gbps
	// INT,70,9.25
	// PINT,70,15.5
}
