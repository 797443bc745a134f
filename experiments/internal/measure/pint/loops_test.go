package pint

import (
	"slices"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/global"
	detect "pintlab/pint/loops"
)

// Each packet is reported at the same hop as by a detector that processes the switches of its path without a network.
func TestLoop(t *testing.T) {
	for _, tt := range []struct{ prefix, ring, threshold int }{{3, 2, 0}, {0, 4, 1}, {2, 3, 0}} {
		d, err := detect.New(detect.Config{Bits: 32, Threshold: tt.threshold}, global.Fast(5))
		if err != nil {
			t.Fatal(err)
		}
		l := defaultLoopRun(d)
		l.Prefix, l.Ring, l.Packets = tt.prefix, tt.ring, 5000
		got, err := l.run()
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int, l.TTL+1)
		for n := range uint32(l.Packets) {
			digest, loop, hop := uint64(0), false, 0
			for !loop && hop < l.TTL {
				at := hop + 1
				if hop >= tt.prefix {
					at = tt.prefix + 1 + (hop-tt.prefix)%tt.ring
				}
				hop++
				digest, loop = d.Process(netsim.PacketKey(1, n), hop, uint64(at), digest)
			}
			if !loop {
				hop = 0
			}
			want[hop]++
		}
		if !slices.Equal(got.At, want) {
			t.Errorf("%+v: reports by hop %d, want %d", tt, got.At, want)
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
