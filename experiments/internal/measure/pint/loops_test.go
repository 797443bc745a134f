package pint

import (
	"math"
	"strings"
	"testing"

	"pintlab/netsim/unit"
	"pintlab/pint/global"
	detect "pintlab/pint/loops"
)

// The distribution of the reporting hop agrees with the exact distribution: with 32-bit hashes and 20 000 packets, no
// share deviates by more than 4.5 standard deviations.
func TestLoop(t *testing.T) {
	for _, tt := range []struct{ prefix, ring, threshold int }{{3, 2, 0}, {0, 4, 1}, {2, 3, 0}} {
		c := detect.Config{Bits: 32, Threshold: tt.threshold}
		d, err := detect.New(c, global.Fast(5))
		if err != nil {
			t.Fatal(err)
		}
		l := defaultLoopRun(d)
		l.Prefix, l.Ring, l.Packets = tt.prefix, tt.ring, 20_000
		got, err := l.run()
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.Delay(tt.prefix, tt.ring, l.TTL)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(l.Packets)
		for hop := range got.At {
			p := want.At[hop]
			if hop == 0 {
				p = 1 - want.Within(l.TTL)
			}
			if dev := math.Sqrt(n * p * (1 - p)); math.Abs(float64(got.At[hop])-n*p) > 4.5*dev+1 {
				t.Errorf("%+v: hop %d reports %d packets, want %.0f ± %.0f", tt, hop, got.At[hop], n*p, dev)
			}
		}
		k := got.Counters
		if k.Delivered != 0 || k.Injected != int64(l.Packets) || k.Dropped != k.Injected ||
			k.PacketHops != k.Injected*int64(l.TTL+1) {
			t.Errorf("%+v: %+v, want every packet to make %d hops and end there", tt, k, l.TTL)
		}
	}
}

// The delay of the first report is the sum of the time at which the reported packet was sent and the time that a single
// packet takes for each hop.
func TestLoopDelay(t *testing.T) {
	d, err := detect.New(detect.Fourfold(), global.Fast(6))
	if err != nil {
		t.Fatal(err)
	}
	l := defaultLoopRun(d)
	l.Packets, l.Interval = 50, 5*unit.Microsecond
	got, err := l.run()
	if err != nil || got.Packet == 0 {
		t.Fatalf("%+v, %v: want a report", got, err)
	}
	// At 100 Gb/s, 1000 B take 80 ns. Switches store and forward packets. Packets in a loop may wait for each other, so
	// a hop may take longer, but by less than 4 us, the transmission time of all 50 packets.
	hop := 80*unit.Nanosecond + unit.Microsecond
	least := unit.Time(got.Packet-1)*l.Interval + unit.Time(got.Hop)*hop
	if got.Delay < least || got.Delay > least+unit.Time(got.Hop)*4*unit.Microsecond {
		t.Errorf("packet %d reported at hop %d after %v, want %v or little more", got.Packet, got.Hop, got.Delay, least)
	}
	l.TTL = l.Prefix + l.Ring - 1
	if _, err := l.run(); err == nil || !strings.Contains(err.Error(), "ttl = 4, want prefix + ring = 5") {
		t.Errorf("Run: %v, want what is wrong with the TTL", err)
	}
}
