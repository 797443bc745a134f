package packets

import (
	"slices"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func testbed(t testing.TB, load float64, d unit.Time, window int) []Packet {
	t.Helper()
	s, err := Testbed{Load: load, Duration: d, Seed: 3}.Window(window)
	if err != nil {
		t.Fatal(err)
	}
	var list []Packet
	var p Packet
	for s.Next(&p) {
		list = append(list, p)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return list
}

// Two flows of 10 000 and 20 000 B share a link of 40 Gb/s. A packet with 8960 B of payload has 9000 B with IP, and
// 9038 B on the wire, which take 1807.6 ns.
func TestTestbedTakesTurns(t *testing.T) {
	l := link{free: 100, sending: []sending{{tuple: Tuple{1}, left: 10_000}, {tuple: Tuple{2}, left: 20_000}}}
	type sent struct {
		time          unit.Time
		flow          byte
		seq           uint32
		size, payload int
	}
	full, rest := unit.Time(1_807_600), unit.Time((1040+40+38)*200)
	want := []sent{
		{100, 1, 0, 9000, 8960},
		{100 + full, 2, 0, 9000, 8960},
		{100 + 2*full, 1, 8960, 1080, 1040},
		{100 + 2*full + rest, 2, 8960, 9000, 8960},
		{100 + 3*full + rest, 2, 17920, 2120, 2080},
	}
	var got []sent
	for len(l.sending) > 0 {
		var p Packet
		l.send(&p)
		got = append(got, sent{p.Time, p.Tuple[0], p.Seq, p.Size, p.Payload})
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n%v, want\n%v", got, want)
	}
}

// Packets are in the order of time, and packets of one host never overlap on its link. Two adjacent short windows have
// the same packets as one long window.
func TestTestbedWindows(t *testing.T) {
	const d = 10 * unit.Millisecond
	whole := testbed(t, 0.625, 2*d, 0)
	first, second := testbed(t, 0.625, d, 0), testbed(t, 0.625, d, 1)
	if len(first)+len(second) != len(whole) || len(first) == 0 || len(second) == 0 {
		t.Fatalf("%d and %d packets, want %d", len(first), len(second), len(whole))
	}
	free := map[string]unit.Time{}
	last := unit.Time(0)
	for i, p := range whole {
		x := Packet{}
		if i < len(first) {
			x = first[i]
		} else {
			x = second[i-len(first)]
			x.Time += d
		}
		if x.Time != p.Time || x.Tuple != p.Tuple || x.Seq != p.Seq {
			t.Fatalf("packet %d: %+v, want %+v", i, x, p)
		}
		from := p.Tuple.Src().String()
		if p.Time < last || p.Time < free[from] || p.Time >= 2*d {
			t.Fatalf("packet %d at %v, after one at %v, its link free at %v", i, p.Time, last, free[from])
		}
		last, free[from] = p.Time, p.Time+testbedRate.TxTime(unit.Bytes(p.Size)+wireBytes)
	}
}

// The load refers to the links, and the number of flows is as in the paper: 73 000 in 5 s. The standard deviation of
// sizes is 2.2 times their mean, so the load of 3650 flows has a standard deviation of 4 %; the seed is fixed.
func TestTestbedLoad(t *testing.T) {
	s, err := Testbed{Load: 0.625, Duration: unit.Second / 4, Seed: 3}.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	flows, bytes := map[Tuple]bool{}, 0
	var p Packet
	for s.Next(&p) {
		flows[p.Tuple] = true
		bytes += p.Payload
	}
	if n := len(flows); n < 3400 || n > 3900 {
		t.Errorf("%d flows in a quarter of a second, want 3650", n)
	}
	if load := float64(bytes) * 8 / 10e9 / testbedHosts; load < 0.55 || load > 0.70 {
		t.Errorf("load %.3f, want 0.625", load)
	}
}

func TestTestbedRefuses(t *testing.T) {
	for _, c := range []struct {
		spec Testbed
		want string
	}{
		{Testbed{Load: 0.5}, "testbed trace: duration 0s: … 0, … window ends … 106 days"},
		{Testbed{Load: 1.5, Duration: unit.Second},
			`testbed trace: workloads: bad workload: part "0-poisson": load 1.5, … 0 < load <= 1`},
	} {
		if _, err := c.spec.Window(0); !errtest.Says(err, c.want) {
			t.Errorf("%+v: %v, want %s", c.spec, err, c.want)
		}
	}
}

func BenchmarkTestbed(b *testing.B) {
	s, err := DefaultTestbed().Window(0)
	if err != nil {
		b.Fatal(err)
	}
	var p Packet
	b.ReportAllocs()
	for b.Loop() {
		if !s.Next(&p) {
			if s, err = DefaultTestbed().Window(0); err != nil {
				b.Fatal(err)
			}
		}
	}
}
