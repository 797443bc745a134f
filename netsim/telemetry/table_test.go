package telemetry

import (
	"math"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Times and sizes are numbers in a table, without their units, which the head names.
func TestTableCells(t *testing.T) {
	x := NewTable("x", "a b c")
	x.Add(netsim.NodeID(3), uint64(math.MaxUint64), unit.Time(-7))
	x.Add(1.0/3, math.NaN(), math.Inf(1))
	x.Add("word", true, unit.KB)
	want := "3 18446744073709551615 -7|0.333333  |word true 1000"
	var got []string
	for _, row := range x.Rows {
		got = append(got, strings.Join(row, " "))
	}
	if text := strings.Join(got, "|"); text != want || len(x.Head) != 3 {
		t.Errorf("%q with %v, want %q", text, x.Head, want)
	}
}
