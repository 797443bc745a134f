package ns3

import (
	"slices"
	"testing"

	"pintlab/netsim/unit"
)

// Durations measured in the published simulator: bytes on a link, and the whole nanoseconds of its clock.
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

// First numbers of streams and the beginning of the stream of losses, measured in the
// published simulator.
func TestStreams(t *testing.T) {
	f := newFresh(20)
	for i, want := range []float64{0.030855163796309867, 0.323188364557731} {
		if got := f.next(); got != want {
			t.Errorf("stream %d begins with %v, want %v", 20+i, got, want)
		}
	}
	for number, want := range map[uint64]float64{110: 0.20833931568418113, 111: 0.9465378827601392,
		2258: 0.3501513057461641} {
		if got := newStream(number).Next(); got != want {
			t.Errorf("stream %d begins with %v, want %v", number, got, want)
		}
	}
	s := newStream(lossStream)
	for i, want := range []float64{0.46039245737754536, 0.05666046538049747, 0.09433582718992888, 0.7163766145255268} {
		if got := s.Next(); got != want {
			t.Errorf("number %d of the losses is %v, want %v", i, got, want)
		}
	}
}

// Fourteen keys by hand. The table has 13 buckets for up to 13 keys, and then 29. With 13 buckets,
// keys 0, 13 and 26 share the first bucket. A new key goes to the front of the group of its bucket,
// and a new group goes to the front of all groups.
func TestTableOrder(t *testing.T) {
	var x table
	for slot, key := range []uint64{0, 5, 13, 7, 26, 18} {
		x.add(key, int32(slot))
	}
	// 7 is alone in the latest group, 18 precedes 5, and 26 and 13 precede 0.
	if got, want := x.order(), []int32{3, 5, 1, 4, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	for slot := int32(6); slot < 14; slot++ {
		x.add(uint64(slot)+24, slot) // 30 to 37: buckets 4 to 11 of 13, 1 to 8 of 29
	}
	if x.buckets != 29 || len(x.order()) != 14 {
		t.Errorf("%d buckets, %d flows", x.buckets, len(x.order()))
	}
	// With 29 buckets the last key, 37, shares the bucket of key 8, which is not in the table.
	if got := x.order()[0]; got != 13 {
		t.Errorf("slot %d is first, want the latest", got)
	}
}
