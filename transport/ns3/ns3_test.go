package ns3

import (
	"testing"

	"pintlab/netsim/unit"
)

// Durations measured in the published simulator: bytes on a link, and the whole
// nanoseconds that its clock makes of them.
func TestTxTimeFloors(t *testing.T) {
	tests := []struct {
		rate unit.Rate
		n    unit.Bytes
		want int64
	}{
		{100 * unit.Gbps, 1090, 87}, {100 * unit.Gbps, 1050, 83}, {100 * unit.Gbps, 1048, 83},
		{100 * unit.Gbps, 1000, 79}, {100 * unit.Gbps, 88, 7}, {100 * unit.Gbps, 60, 4}, {100 * unit.Gbps, 125, 9},
		{400 * unit.Gbps, 1090, 21}, {400 * unit.Gbps, 1050, 20}, {400 * unit.Gbps, 88, 1}, {400 * unit.Gbps, 60, 1},
	}
	for _, tt := range tests {
		if got := TxTime(tt.rate, tt.n); got != unit.Time(tt.want)*unit.Nanosecond {
			t.Errorf("TxTime(%v, %d) = %v, want %d ns", tt.rate, tt.n, got, tt.want)
		}
	}
	if got := Start(2*unit.Second + 200*unit.Microsecond); got.Nanoseconds() != 2000199999 {
		t.Errorf("a start at 2.0002 s begins at %d ns, want 2000199999", got.Nanoseconds())
	}
}

// The first numbers of rand() after srand(1), as every C tutorial prints them.
func TestRand(t *testing.T) {
	g := NewRand()
	for i, want := range []uint32{1804289383, 846930886, 1681692777, 1714636915, 1957747793} {
		if got := g.Int(); got != want {
			t.Fatalf("number %d is %d, want %d", i, got, want)
		}
	}
}
