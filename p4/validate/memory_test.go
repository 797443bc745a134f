package validate

import (
	"math"
	"strings"
	"testing"

	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
)

// entryBytes lists the size of an entry, in bytes, of each table that computes U: key, mask and data.
var entryBytes = map[string]map[string]int{
	"hpcc_util":            {"shares": 12, "logarithms": 12, "powers": 6},
	"hpcc_util-appendix-b": {"first": 8, "logarithm": 5, "power": 5, "shift": 4},
	"hpcc_util-decrement":  {"first": 8, "logarithm": 5, "power": 5, "shift": 4},
}

// The memory that is printed for U is the memory of the entries of the program, counting all copies of a table.
// Prefixes at the end of a range, which the program splits, may add a percent.
func TestMemoryIsOfTheProgram(t *testing.T) {
	for _, form := range fixedpoint.Forms() {
		name := "hpcc_util"
		if form != fixedpoint.Difference {
			name += "-" + form.String()
		}
		commands, err := EntryCommands(name, interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, c := range commands {
			if f := strings.Fields(c); f[0] == "table_add" {
				want += entryBytes[name][f[1][strings.LastIndex(f[1], ".")+1:]]
			}
		}
		got := fixedpoint.ConfigOf(form, form.TableBits()).Bytes(form.Chain(), p4.Horizon)
		if want == 0 || math.Abs(float64(got)/float64(want)-1) > 0.01 {
			t.Errorf("%s: %d bytes, the program has %d", name, got, want)
		}
	}
}
