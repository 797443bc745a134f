package buffer

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func lossless(ports int) Config {
	cfg := Config{Total: 100_000, Reserve: 1000, Lossless: true, Resume: 500}
	for range ports {
		cfg.Ports = append(cfg.Ports, Port{Headroom: 5000, Shift: 1})
	}
	return cfg
}

func must(t *testing.T, cfg Config) *Shared {
	t.Helper()
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// One port has a pool of 100000 - 6000 = 94000, and its threshold is half of the free pool. When the port uses its
// reserve of 1000 and x bytes of the pool, the threshold is (94000-x)/2. The port reaches its threshold at x = 31334,
// where the threshold is 31333.
func TestDynamicThresholdByHand(t *testing.T) {
	b := must(t, lossless(1))
	if b.Arrive(0, 3, 1000) {
		t.Error("paused inside the reserve")
	}
	if b.Arrive(0, 3, 31_332) {
		t.Error("paused at 31332, threshold 31334")
	}
	if !b.Arrive(0, 3, 2) {
		t.Error("no pause at 31334, threshold 31333")
	}
	if !b.Paused(0, 3) || b.Paused(0, 2) {
		t.Error("pause of the wrong class")
	}
	// The port resumes when x + 500 <= (94000-x)/2, that is x <= 31000.
	if b.Leave(0, 3, 333) {
		t.Error("resumed at 31001")
	}
	if !b.Leave(0, 3, 1) {
		t.Error("no resume at 31000")
	}
}

// admits reports whether Enter would admit a packet.
func admits(b *Shared, port, class int, n, queued unit.Bytes) bool {
	c := *b
	c.shares = slices.Clone(b.shares)
	ok, _ := c.Enter(port, class, n, queued)
	return ok
}

func TestHeadroomIsUsedAndGivenBackFirst(t *testing.T) {
	b := must(t, lossless(1))
	b.Arrive(0, 3, 1000)
	b.Arrive(0, 3, 31_334)
	b.Arrive(0, 3, 4000) // over the threshold: headroom
	if admits(b, 0, 3, 1001, 0) {
		t.Error("admitted past headroom and threshold")
	}
	if !admits(b, 0, 3, 1000, 0) {
		t.Error("refused what the headroom holds")
	}
	b.Leave(0, 3, 4000)
	if got := b.shares[3].headroom; got != 0 {
		t.Errorf("headroom = %d after its bytes left", got)
	}
}

func TestDropTail(t *testing.T) {
	b := must(t, Config{Total: 3000, QueueCap: 2000, Ports: make([]Port, 2)})
	if !admits(b, 0, 0, 1500, 500) || admits(b, 0, 0, 1500, 501) {
		t.Error("queue limit is not exact")
	}
	b.Arrive(0, 0, 1500)
	if !admits(b, 1, 0, 1500, 0) || admits(b, 1, 0, 1501, 0) {
		t.Error("total is not exact")
	}
}

// If Pass returns true, Enter admits the packet, and Arrive and Leave together change nothing.
func TestPassLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := lossless(2)
		cfg.Lossless = rapid.Bool().Draw(t, "lossless")
		cfg.QueueCap = unit.Bytes(rapid.SampledFrom([]int{0, 700, 50_000}).Draw(t, "cap"))
		b, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 60).Draw(t, "before") {
			if n := unit.Bytes(rapid.IntRange(1, 3000).Draw(t, "n")); admits(b, 0, 3, n, 0) {
				b.Arrive(0, 3, n)
			}
		}
		n := unit.Bytes(rapid.IntRange(1, 9000).Draw(t, "size"))
		port := rapid.IntRange(0, 1).Draw(t, "port")
		if !b.Pass(port, 3, n) {
			return
		}
		if !admits(b, port, 3, n, 0) {
			t.Fatal("Pass says yes, Enter no")
		}
		shares := slices.Clone(b.shares)
		total, shared := b.total, b.shared
		if b.Arrive(port, 3, n) || b.Leave(port, 3, n) {
			t.Fatal("a packet that passes pauses or resumes")
		}
		if b.total != total || b.shared != shared || !slices.Equal(b.shares, shares) {
			t.Fatal("a packet that passes leaves a trace")
		}
	})
}

// With packets of 1000 B, 1 µs and 100 Gb/s, the headroom is the sum of 25000 B on the wire in both directions, one
// byte for rounding, three packets, and a frame of 64 B.
func TestHeadroomByHand(t *testing.T) {
	if got := Headroom(100*unit.Gbps, unit.Microsecond, 1000, 64); got != 28_065 {
		t.Errorf("headroom %d", got)
	}
}

// Every class in use has a reserve and headroom at every port: 2 ports with 3 classes of 6000 B leave 64000 of 100000 B
// in the pool.
func TestReserveAndHeadroomAreSetAsideForEveryClass(t *testing.T) {
	cfg := lossless(2)
	cfg.Classes = 3
	if b := must(t, cfg); b.pool != 64_000 {
		t.Errorf("pool of %d bytes, want 64000", b.pool)
	}
	cfg.Classes, cfg.Total = 9, 1_000_000
	want := "buffer: bad config: classes = 9, want 0 to 8"
	if _, err := New(cfg); !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A fixed threshold cannot use more than the pool: with a pool of 88000 B and a threshold of 50000 B for each of two
// ports, the second port gets 38000 B.
func TestFixedThresholdEndsWithThePool(t *testing.T) {
	cfg := lossless(2)
	cfg.Threshold = 50_000
	b := must(t, cfg)
	if b.Arrive(0, 3, 1000+49_999) || !b.Arrive(0, 3, 1) {
		t.Error("the first port is not paused at 50000")
	}
	if b.Arrive(1, 3, 1000+37_999) || !b.Arrive(1, 3, 1) {
		t.Error("the second port is not paused at 38000, when nothing is left")
	}
}

// For any arrivals and departures, every byte is returned, the pool is never negative, and the switch never uses more
// than its memory.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := lossless(3)
		cfg.Lossless = rapid.Bool().Draw(t, "lossless")
		cfg.Classes = rapid.IntRange(1, Classes).Draw(t, "classes")
		cfg.Total = cfg.fixed() + unit.Bytes(rapid.Int64Range(1, 50_000).Draw(t, "pool"))
		cfg.Threshold = unit.Bytes(rapid.SampledFrom([]int64{0, 0, 20_000}).Draw(t, "threshold"))
		b, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		type packet struct {
			port, class int
			n           unit.Bytes
		}
		var held []packet
		var sum unit.Bytes
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if len(held) > 0 && rapid.Bool().Draw(t, "leave") {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				p := held[i]
				held = append(held[:i], held[i+1:]...)
				b.Leave(p.port, p.class, p.n)
				sum -= p.n
			} else {
				p := packet{rapid.IntRange(0, 2).Draw(t, "port"), rapid.IntRange(0, cfg.Classes-1).Draw(t, "class"),
					unit.Bytes(rapid.IntRange(1, 4000).Draw(t, "n"))}
				if b.Pass(p.port, p.class, p.n) {
					before := snapshot(b)
					if !admits(b, p.port, p.class, p.n, 0) || b.Arrive(p.port, p.class, p.n) ||
						b.Leave(p.port, p.class, p.n) {
						t.Fatalf("packet %+v passes, but is refused or has to do with a pause", p)
					}
					if after := snapshot(b); after != before {
						t.Fatalf("packet %+v passes, but leaves %s instead of %s", p, after, before)
					}
				}
				if admits(b, p.port, p.class, p.n, 0) {
					b.Arrive(p.port, p.class, p.n)
					held = append(held, p)
					sum += p.n
				}
			}
			if b.Used() != sum || sum > cfg.Total {
				t.Fatalf("holds %d, counted %d of %d", sum, b.Used(), cfg.Total)
			}
			if b.shared < 0 || cfg.Lossless && b.shared > b.pool {
				t.Fatalf("pool use %d of %d", b.shared, b.pool)
			}
		}
		for _, p := range held {
			b.Leave(p.port, p.class, p.n)
		}
		if b.Used() != 0 || b.shared != 0 {
			t.Fatalf("%d bytes, %d of the pool left behind", b.Used(), b.shared)
		}
		for i, s := range b.shares {
			if s.used != 0 || s.headroom != 0 || s.paused {
				t.Fatalf("share %d not empty: %+v", i, s)
			}
		}
	})
}

func snapshot(b *Shared) string { return fmt.Sprint(b.total, b.shared, b.shares) }

// Pass is the fast path for a packet whose egress port is free. It admits the first packet of a port, a packet within
// the reserve, and any packet in an empty drop-tail switch. It refuses packets beyond the reserve, packets that fill
// the memory, and packets of a paused class.
func TestPassByHand(t *testing.T) {
	b := must(t, lossless(1))
	if !b.Pass(0, 3, 1000) || b.Pass(0, 3, 1001) {
		t.Error("the reserve of 1000 is not the limit")
	}
	b.Arrive(0, 3, 1000+31_334)
	b.Leave(0, 3, 31_334+500) // still 500 B in the reserve, and the class is resumed
	if b.Paused(0, 3) || !b.Pass(0, 3, 500) || b.Pass(0, 3, 501) {
		t.Error("with 500 bytes held, 500 pass and 501 do not")
	}
	d := must(t, Config{Total: 3000, QueueCap: 2000, Ports: make([]Port, 1)})
	d.Arrive(0, 3, 1500)
	if !d.Pass(0, 3, 1500) || d.Pass(0, 3, 1501) || d.Pass(0, 3, 2001) {
		t.Error("a drop-tail switch passes what its memory and a queue hold")
	}
}

func TestValidate(t *testing.T) {
	_, err := New(Config{Total: 10_000, Reserve: 4000, Lossless: true, Ports: make([]Port, 3)})
	want := "buffer: bad config: total = 10KB, but headroom and reserve of 3 ports alone take 12KB"
	if !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func BenchmarkArriveLeave(b *testing.B) {
	cfg := lossless(32)
	cfg.Total = 32 * unit.MB
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := range b.N {
		s.Arrive(i&31, 3, 1048)
		s.Leave(i&31, 3, 1048)
	}
}

// Reserve and headroom of two ports need 12000 bytes of a memory of 10000, so the pool is -2000. Here Free changes the
// sign, so that the pool counts as 2000 and a port gets half of it.
func TestFreeOfANegativePool(t *testing.T) {
	cfg := lossless(2)
	cfg.Total = 10_000
	if _, err := New(cfg); err == nil {
		t.Error("a pool of -2000 bytes is accepted")
	}
	cfg.Free = func(pool, used unit.Bytes) unit.Bytes { return -pool - used }
	b := must(t, cfg)
	if b.Arrive(0, 3, 1666) {
		t.Error("paused at 666 bytes, threshold 667")
	}
	if !b.Arrive(0, 3, 1) {
		t.Error("no pause at 667 bytes, threshold 666")
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
}
