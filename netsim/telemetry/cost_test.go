package telemetry

import (
	"fmt"
	"math"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func TestHopDelay(t *testing.T) {
	tests := []struct {
		rate unit.Rate
		n    unit.Bytes
		want unit.Time
	}{
		// PINT §2: adding 48 B costs "almost 76ns and 6ns". These are two times 6 cycles of 6.4 ns, and two times one
		// cycle of 3 ns.
		{10 * unit.Gbps, 48, 76_800 * unit.Picosecond},
		{100 * unit.Gbps, 48, 6 * unit.Nanosecond},
		// Sizes at the limits of a word.
		{10 * unit.Gbps, 0, 0},
		{10 * unit.Gbps, 1, 12_800 * unit.Picosecond},
		{10 * unit.Gbps, 8, 12_800 * unit.Picosecond},
		{10 * unit.Gbps, 9, 25_600 * unit.Picosecond},
		{100 * unit.Gbps, 64, 6 * unit.Nanosecond},
		{100 * unit.Gbps, 65, 12 * unit.Nanosecond},
		{100 * unit.Gbps, 108, 12 * unit.Nanosecond},
		{400 * unit.Gbps, 108, 5_120 * unit.Picosecond},
		{400 * unit.Gbps, 129, 10_240 * unit.Picosecond},
	}
	for _, tt := range tests {
		d, err := DatapathAt(tt.rate)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.HopDelay(tt.n); got != tt.want {
			t.Errorf("%v at %v: %v, want %v", tt.n, tt.rate, got, tt.want)
		}
	}
	_, err := DatapathAt(40 * unit.Gbps)
	want := "telemetry: … clock cycle … known … interface … 40Gbps (known: 10Gbps, 100Gbps, 400Gbps)"
	if !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// §2: "1 - (100%-70%·1.072)/(100%-70%·1.032) ≈ 10.1%" from 48 B to 108 B.
func TestGoodputLoss(t *testing.T) {
	got, err := GoodputLoss(0.70, 1500, 48, 108)
	want := 1 - (1-0.70*1.072)/(1-0.70*1.032)
	if err != nil || math.Abs(got-want) > 1e-15 || fmt.Sprintf("%.1f %%", 100*got) != "10.1 %" {
		t.Errorf("48 B to 108 B at 70 %%: %v, %v; want %v", got, err, want)
	}
	for _, tt := range []struct {
		load          float64
		before, after unit.Bytes
		want          float64
	}{
		{0, 0, 108, 0},     // an idle network loses nothing to telemetry in this model
		{0.5, 48, 48, 0},   // no change
		{0.5, 0, 750, 0.5}, // half a packet more: the residual capacity falls from 0.5 to 0.25
		{0.8, 0, 750, 1},   // more than the capacity of the link
		{0.5, 750, 0, -1},  // less telemetry: a gain
	} {
		if got, err := GoodputLoss(tt.load, 1500, tt.before, tt.after); err != nil || math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("load %v, %v to %v: %v, %v; want %v", tt.load, tt.before, tt.after, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		load                  float64
		packet, before, after unit.Bytes
		want                  string
	}{
		{1, 1500, 0, 0, "telemetry: goodput … load 1 … 0B … then 0B … telemetry … 1.5KB: … 0 <= load < 1 … sizes … " +
			"negative"},
		{math.NaN(), 1500, 0, 0,
			"telemetry: goodput … load NaN … 0B … then 0B … telemetry … 1.5KB: … 0 <= load < 1 … sizes … negative"},
		{0.5, 0, 0, 0, "telemetry: goodput … load 0.5 … 0B … then 0B … telemetry … 0B: … 0 <= load < 1 … sizes … " +
			"negative"},
		{0.8, 1500, 750, 751, "telemetry: goodput at load 0.8: 750B of telemetry on packets of 1.5KB already use " +
			"the whole capacity"},
	} {
		if _, err := GoodputLoss(tt.load, tt.packet, tt.before, tt.after); !errtest.Says(err, tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}
