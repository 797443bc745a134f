package fixedpoint

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

const horizon = 13 * unit.Microsecond

func mustPort(t testing.TB, q int, form Form, rate unit.Rate) *Port {
	t.Helper()
	s, err := NewShared(ConfigOf(form, q))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.NewPort(rate, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// T = 13000 ticks, B = 12.5 bytes per tick: log2 T = 13.6662, log2 BT = 17.3101,
// log2 BT² = 30.9763.
func TestConstantsOf100G(t *testing.T) {
	c, err := ConfigOf(AppendixB, 8).NewConstants(100*unit.Gbps, horizon)
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got Log, want float64) {
		if math.Abs(got.Real()-want) > 1e-4 {
			t.Errorf("%s = %v, want %v", name, got.Real(), want)
		}
	}
	if c.T != 13000 {
		t.Errorf("T = %d ticks, want 13000", c.T)
	}
	near("decay", c.Decay, -13.6662-22)
	near("packet", c.Packet, -17.3101)
	near("queue", c.Queue, -30.9763)
	if _, err := ConfigOf(AppendixB, 8).NewConstants(0, horizon); err == nil {
		t.Error("a rate of 0 is accepted")
	}
	if _, err := ConfigOf(AppendixB, 8).NewConstants(unit.Gbps, horizon+1); err == nil {
		t.Error("a horizon of a fraction of a tick is accepted")
	}
}

// docs/p4.md has this number for a link of 50 Gb/s. B·T is 81250 B, and a register counts 2^-5 B, so U = 1/512 is
// 81250·32/512 = 5078.125. Its code is ln(5078.125)/ln(1.050625) = 172.778, and 256 times this is 44231.
func TestOffsetOf50G(t *testing.T) {
	c, err := ConfigOf(Difference, 6).NewConstants(50*unit.Gbps, 13*unit.Microsecond)
	if err != nil || c.Offset != 44231 {
		t.Errorf("offset %d, %v, want 44231", c.Offset, err)
	}
}

// Each case is one update from a random state. AppendixB multiplies U by a factor with the errors of three
// logarithms and a power. Decrement has this error only in U·τ/T. Difference has half a cell of error in each of two
// logarithms and a power, and only in |Q-U|·τ/T.
func TestOneUpdateIsWithinItsBound(t *testing.T) {
	link, err := approx.NewLink(100*unit.Gbps, horizon)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range Forms() {
		for _, q := range []int{4, 6, 8, 12} {
			p := mustPort(t, q, form, 100*unit.Gbps)
			rapid.Check(t, func(t *rapid.T) {
				u := rapid.Uint32Range(0, 1<<29).Draw(t, "u")
				tau := rapid.Uint32Range(0, 20000).Draw(t, "tau")
				qlen := rapid.Uint32Range(0, 1<<24).Draw(t, "qlen")
				size := rapid.Uint32Range(64, 9000).Draw(t, "size")
				got := p.Value(p.Next(u, tau, qlen, size))
				v := p.Value(u)
				want := link.Update(v, unit.Time(tau)*Tick, unit.Bytes(qlen), unit.Bytes(size))
				unitError := math.Pow(2, -float64(q))
				rest := want - v*(1-min(float64(tau)/13000, 1))
				short := 1 - math.Exp2(-3.8854*unitError-4e-6)
				low, high := want*(1-short), want
				if form == Decrement {
					low, high = want-rest*short, want+v*min(float64(tau)/13000, 1)*short
				}
				units := 4 / p.scale
				if form == Difference {
					change := math.Abs(float64(qlen)/162500-v) * min(float64(tau)/13000, 1)
					change *= math.Exp2(1.9427*unitError+4e-6) - 1
					low, high = want-change, want+change
					if tau >= 13000 { // exactly the packet plus the queue
						low, high = want, want
					}
				}
				if got < low-units || got > high+units {
					t.Fatalf("U = %v, want %v to %v", got, low, high)
				}
			})
		}
	}
}

// A link that is always busy with 1048-byte packets has U = 1. AppendixB loses part of U with every packet, so that
// its result is half of U at q = 8 and 100 Gb/s. The other forms only have the errors of their terms.
func TestBusyLink(t *testing.T) {
	for _, c := range []struct {
		form      Form
		rate      unit.Rate
		q         int
		low, high float64
	}{
		{AppendixB, 100 * unit.Gbps, 4, 0, 0.2},
		{AppendixB, 100 * unit.Gbps, 8, 0.3, 0.8},
		{AppendixB, 100 * unit.Gbps, 12, 0.9, 1},
		{AppendixB, 400 * unit.Gbps, 8, 0.1, 0.5},
		{Decrement, 100 * unit.Gbps, 4, 0.8, 1.2},
		{Decrement, 100 * unit.Gbps, 8, 0.99, 1.01},
		{Decrement, 400 * unit.Gbps, 8, 0.99, 1.01},
		{Difference, 100 * unit.Gbps, 4, 0.95, 1.05},
		{Difference, 100 * unit.Gbps, 6, 0.99, 1.01},
		{Difference, 400 * unit.Gbps, 6, 0.98, 1.02},
		{Difference, 400 * unit.Gbps, 8, 0.99, 1.01},
	} {
		p := mustPort(t, c.q, c.form, c.rate)
		u, sum := 0.0, 0.0
		for i := range 8000 {
			u = p.Update(u, c.rate.TxTime(1048), 0, 1048)
			if i >= 4000 {
				sum += u / 4000
			}
		}
		if sum < c.low || sum > c.high {
			t.Errorf("%v, q = %d, %v: U of a busy link is %v, want %v to %v", c.form, c.q, c.rate, sum, c.low, c.high)
		}
	}
}

// The clock of a switch shows 84 ns or 83 ns for 83.84 ns. The mean is 83.84 ns.
func TestTicksAreRightOnAverage(t *testing.T) {
	p := mustPort(t, 12, Decrement, 100*unit.Gbps)
	r := hash.Stream(1, "ticks")
	up, n := 0, 20000
	for range n {
		u := float64(1<<20+r.Uint32N(1<<20)) / (1 << utilizationBits)
		low := p.Next(uint32(u*(1<<utilizationBits)), 83, 5000, 1048)
		if p.Update(u, 83840, 5000, 1048) != Utilization.Value(low) {
			up++
		}
	}
	// The standard deviation is 0.0026, and the test allows five of them.
	if share := float64(up) / float64(n); math.Abs(share-0.84) > 0.013 {
		t.Errorf("83.84 ns are 84 ticks in %v of the cases, want 0.84", share)
	}
}

func TestUpdateEnds(t *testing.T) {
	for _, form := range append(Forms(), Power) {
		p := mustPort(t, 8, form, 100*unit.Gbps)
		full := uint32(math.MaxUint32)
		if form.inBytes() {
			full = math.MaxInt32
		}
		most := full
		if form == Power { // new bytes are added first, and then T decays all of it
			most -= p.part(full, 1)
		}
		first := p.Update(0, unit.Never, 0, 1048)
		if want := 1048.0 / 162500; math.Abs(first-want) > 0.01*want {
			t.Errorf("%v: first packet: U = %v, want %v", form, first, want)
		}
		if got := p.Update(100, unit.Never, 0, 1048); got != first {
			t.Errorf("%v: after an idle T U is %v, want what the packet adds, %v", form, got, first)
		}
		if got := p.Next(full, 1, math.MaxUint32, math.MaxUint32); got != most {
			t.Errorf("%v: U of a full register is %d, want saturation", form, got)
		}
		if n := testing.AllocsPerRun(100, func() { first = p.Update(first, 84000, 3000, 1048) }); n != 0 {
			t.Errorf("%v: %v allocations per update", form, n)
		}
	}
	if _, err := ParseForm("appendix"); err == nil {
		t.Error("a form that does not exist is accepted")
	}
	for _, f := range Forms() {
		if got, err := ParseForm(f.String()); err != nil || got != f {
			t.Errorf("ParseForm(%q) = %v, %v", f, got, err)
		}
	}
	if _, err := NewShared(Config{TableBits: 8, Form: 4, Base: 1.05, Codes: 256}); err == nil {
		t.Error("a form that does not exist is accepted")
	}
}

// With n stored values every n-th packet is recirculated. Without recirculation delay, U is the same as with one
// stage (section 5).
func TestStoredValues(t *testing.T) {
	p := mustPort(t, 8, Decrement, 100*unit.Gbps)
	for _, n := range []int{1, 3, 10} {
		s, err := NewStored(p, n, 0)
		if err != nil {
			t.Fatal(err)
		}
		u := uint32(0)
		for i := range uint32(300) {
			u = p.Next(u, 60+i%50, i*10, 1048)
			got, again := s.Next(60+i%50, i*10, 1048)
			if got != u || again != (int(i)%n == n-1) {
				t.Fatalf("n = %d, packet %d: U = %d, again %v; want %d, %v", n, i, got, again, u, int(i)%n == n-1)
			}
		}
	}
	// 4 packets enter, and 2 pass while the recirculated packet is under way.
	s, err := NewStored(p, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	third := uint32(0)
	for i := range 60 {
		u, again := s.Next(84, 0, 1048)
		// These two packets read the same register value as the fourth.
		if i%6 >= 4 && u != third || again != (i%6 == 3) {
			t.Fatalf("packet %d: U = %d, the register has %d, again %v", i, u, third, again)
		}
		if i%6 == 2 {
			third = u
		}
	}
	if _, err := NewStored(p, 0, 0); err == nil {
		t.Error("no stored value is accepted")
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, form := range Forms() {
		b.Run(form.String(), func(b *testing.B) {
			p := mustPort(b, form.TableBits(), form, 100*unit.Gbps)
			b.ReportAllocs()
			u := 0.0
			for i := 0; b.Loop(); i++ {
				u = p.Update(u, unit.Time(80000+i%50000), unit.Bytes(i%100000), 1048)
			}
		})
	}
	b.Run("encode", func(b *testing.B) {
		p := mustPort(b, 6, Difference, 100*unit.Gbps)
		b.ReportAllocs()
		for i := uint64(0); b.Loop(); i++ {
			p.Encode(0.7, i<<50)
		}
	})
}
