package inband

import (
	"testing"

	"pintlab/netsim/unit"
)

// The sizes printed in PINT §2 and its first footnote. Exact, so no tolerance.
func TestHeaderBytesMatchThePaper(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		hops   int
		want   unit.Bytes
	}{
		{"nothing", Format{}, 5, 0},
		{"INT, one value, 5 hops", Standard(1), 5, 28},
		{"INT, two values, 5 hops", Standard(2), 5, 48},
		{"INT, three values, 5 hops", HPCCStandard(), 5, 68},
		{"INT, five values, 5 hops", Standard(5), 5, 108},
		{"INT at the sender", Standard(5), 0, 8},
		{"INT after one hop", Standard(5), 1, 28},
		{"HPCC at the sender", HPCC(), 0, 42},
		{"HPCC after 5 hops", HPCC(), 5, 42},
		{"PINT, 8 bits", PINT(8), 5, 1},
		{"PINT, 16 bits, 59 hops", PINT(16), 59, 2},
		{"PINT, 1 bit", PINT(1), 5, 1},
		{"PINT, no digest", PINT(0), 5, 0},
	}
	for _, tt := range tests {
		if got := tt.format.Bytes(tt.hops); got != tt.want {
			t.Errorf("%s: %d B, want %d", tt.name, got, tt.want)
		}
	}
}

func TestFullTakesTheSpaceFromTheStart(t *testing.T) {
	f, err := Standard(2).Full(5)
	if err != nil {
		t.Fatal(err)
	}
	for hops := range 6 {
		if got := f.Bytes(hops); got != 48 {
			t.Errorf("after %d hops %d B, want 48", hops, got)
		}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{f.Check(6), "inband: INT, 2 values per hop, 5 hops in full has room for 5 hops, a path has 6"},
		{HPCC().Check(6), "inband: HPCC's INT has room for 5 hops, a path has 6"},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("%v, want %s", tt.err, tt.want)
		}
	}
	if _, err := HPCC().Full(7); err == nil {
		t.Error("seven hops in HPCC's header")
	}
	if err := Standard(3).Check(200); err != nil {
		t.Error(err)
	}
}

// A caller's mistakes: what a run has not checked, and sizes below zero.
func TestHeaderPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"six hops in HPCC's header": func() { HPCC().Bytes(6) },
		"hops below zero":           func() { Standard(1).Bytes(-1) },
		"values below zero":         func() { Standard(-1) },
		"digest below zero":         func() { PINT(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	if _, err := Standard(1).Full(-1); err == nil || err.Error() != "inband: -1 hops, want none or more" {
		t.Errorf("Full(-1): %v", err)
	}
}
