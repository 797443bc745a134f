package columns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/plots"
)

type sample struct {
	Name  string  `col:"name"`
	Size  int     `col:"size" unit:"B"`
	Value float64 `col:"value" unit:"s"`
}

// If rows are encoded, written, read and decoded, their values do not change up to six digits.
func TestRowsSurviveTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []sample
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			v := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 0})).Draw(t, "value")
			want = append(want,
				sample{rapid.StringMatching(`[ -~]{0,12}`).Draw(t, "name"), rapid.Int().Draw(t, "size"), Round(v)})
		}
		table, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := table.WriteCSV(&file); err != nil {
			t.Fatal(err)
		}
		read, err := plots.ReadCSV(&file, "rows.csv", table.Columns()...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode[sample](read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

func TestEncode(t *testing.T) {
	table, err := Encode([]sample{{"a", 7, 1.0 / 3}})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := table.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if want := "name,size_B,value_s\na,7,0.333333\n"; file.String() != want {
		t.Errorf("got %q, want %q", file.String(), want)
	}
}

func TestDecodeRefusesOtherRows(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"name:string,size:int:B\na,1\n", `rows have 2 columns, want 3: name, size (B), value (s)`},
		{"name:string,size:int:B,value:float\na,1,2\n",
			`column 3 of the rows is "value" (float), want "value (s)" (float)`},
		{"name:string,length:int:B,value:float:s\na,1,2\n",
			`column 2 of the rows is "length (B)" (int), want "size (B)" (int)`},
		{"name:string,size:float:B,value:float:s\na,1.5,2\n",
			`column 2 of the rows is "size (B)" (float), want "size (B)" (int)`},
		{"name:int,size:int:B,value:float:s\n1,1,2\n", `column 1 of the rows is "name" (int), want "name" (string)`},
		{"name:string,size:int:B,value:float:s,z:int\na,1,2,3",
			`rows have 4 columns, want 3: name, size (B), value (s)`},
	} {
		table, err := plots.ReadCSV(strings.NewReader(tt.file), "rows.csv")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode[sample](table); !errtest.Says(err, tt.want) {
			t.Errorf("%q: error %v, want %q", tt.file, err, tt.want)
		}
	}
}

func TestRound(t *testing.T) {
	for v, want := range map[float64]float64{
		0: 0, 1.23456789: 1.23457, -1.23456789e-9: -1.23457e-9, 123456789: 123457000, 0.1: 0.1,
		math.Inf(1): math.Inf(1), 999999.6: 1e6,
	} {
		if got := Round(v); got != want {
			t.Errorf("Round(%v) = %v, want %v", v, got, want)
		}
	}
	if !math.IsNaN(Round(math.NaN())) {
		t.Error("NaN is a number")
	}
}

// Measured is embedded below.
type Measured struct {
	Value float64 `col:"value"`
	Seeds int     `col:"seeds"`
	each  []float64
}

// The columns of an embedded struct take its position. Unexported fields are not columns.
func TestEncodeEmbedded(t *testing.T) {
	type row struct {
		Name string `col:"name"`
		Measured
	}
	want := []row{{"a", Measured{Value: 3, Seeds: 7, each: []float64{1}}}}
	table, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := table.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if want := "name,value,seeds\na,3,7\n"; file.String() != want {
		t.Errorf("got %q, want %q", file.String(), want)
	}
	got, err := Decode[row](table)
	if err != nil || len(got) != 1 || got[0].Name != "a" || got[0].Value != 3 || got[0].Seeds != 7 {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestRounded(t *testing.T) {
	rows := []sample{{"a", 7, 1.0 / 3}}
	if got := Rounded(rows)[0]; got.Value != 0.333333 || got.Size != 7 || rows[0].Value == got.Value {
		t.Errorf("%+v of %+v", got, rows[0])
	}
}

func TestNumber(t *testing.T) {
	got, err := json.Marshal([]Number{1.5, Number(math.NaN())})
	if err != nil || string(got) != "[1.5,null]" {
		t.Errorf("%s, %v", got, err)
	}
	table, err := Encode([]struct {
		Error Number `col:"error"`
	}{{Number(math.NaN())}, {1.25}})
	if err != nil {
		t.Fatal(err)
	}
	if cells := table.Cells(); cells[0][0] != "–" || cells[1][0] != "1.25" {
		t.Errorf("cells %q", cells)
	}
}

// A view selects, orders and renames columns. Omitted columns are decoded as NaN or empty.
func TestView(t *testing.T) {
	view := View{"length=size", "value"}
	table, err := Encode([]sample{{"a", 7, 2}}, view...)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := table.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if want := "length_B,value_s\n7,2\n"; file.String() != want {
		t.Errorf("got %q, want %q", file.String(), want)
	}
	rows, err := Decode[sample](table, view...)
	if err != nil || len(rows) != 1 || rows[0] != (sample{"", 7, 2}) {
		t.Errorf("%+v, %v", rows, err)
	}
	if rows, err = Decode[sample](table); err == nil {
		t.Errorf("without the view: %+v", rows)
	}
	if table, err = Encode([]sample{{"a", 7, 2}}, "name"); err != nil {
		t.Fatal(err)
	}
	if rows, err = Decode[sample](table, "name"); err != nil || !math.IsNaN(rows[0].Value) {
		t.Errorf("%+v, %v: want NaN for the value", rows, err)
	}
}

// A blank row has no numbers. Field returns the column that a view selects, and the value of a field with the digits of
// the table.
func TestBlankAndField(t *testing.T) {
	if row := Blank[sample](); !math.IsNaN(row.Value) || row.Size != 0 || row.Name != "" {
		t.Errorf("%+v", row)
	}
	c, of := Field[sample]("time=value")
	if want := plots.Real("time", "s"); c != want || of(sample{"a", 7, 1.0 / 3}) != 0.333333 {
		t.Errorf("%+v of %v", c, of(sample{"a", 7, 1.0 / 3}))
	}
}

// A view can set the unit of a column that has no unit, and can omit a unit. It cannot relabel seconds as milliseconds.
func TestUnitOfView(t *testing.T) {
	type row struct {
		X    float64 `col:"x"`
		Time float64 `col:"time" unit:"s"`
	}
	for word, want := range map[string]plots.Column{
		"arrivals:ms=x": plots.Real("arrivals", "ms"), "t:=time": plots.Real("t", ""), "t=time": plots.Real("t", "s"),
	} {
		if c, _ := Field[row](word); c != want {
			t.Errorf("%s: %+v, want %+v", word, c, want)
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, `time:ms=time: the unit of column "time" is s`) {
			t.Errorf("time:ms=time: %s", got)
		}
	}()
	Field[row]("time:ms=time")
}

// If a field is a struct, its columns are the first columns of the struct, with names and a unit from the field's tags.
// Fields that are not stored are decoded as NaN or zero.
func TestStructField(t *testing.T) {
	type number struct {
		Value float64 `col:"value"`
		Lo    float64 `col:"lo"`
		Hi    float64 `col:"hi"`
	}
	type row struct {
		Name string `col:"name"`
		F1   number `col:"f1,f1_lo,f1_hi"`
		Rate number `col:"rate" unit:"b/s"`
	}
	table, err := Encode([]row{{"a", number{1, 0.5, 2}, number{7, 6, 8}}})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := table.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if want := "name,f1,f1_lo,f1_hi,rate_bps\na,1,0.5,2,7\n"; file.String() != want {
		t.Errorf("got %q, want %q", file.String(), want)
	}
	rows, err := Decode[row](table)
	if err != nil || len(rows) != 1 || rows[0].F1 != (number{1, 0.5, 2}) || rows[0].Rate.Value != 7 {
		t.Errorf("%+v, %v", rows, err)
	}
	if r := rows[0].Rate; !math.IsNaN(r.Lo) || !math.IsNaN(r.Hi) {
		t.Errorf("%+v: want NaN for the ends", r)
	}
}
