package interp

import (
	"math/rand/v2"
	"testing"
)

// A train of packets of 500 bytes passes a meter with CIR 1 B/us, CBS 1000 B, PIR 2 B/us and PBS 1500 B. The colours
// were worked out by hand from RFC 2698 (§3.1, colour-blind): a red packet takes no tokens, and a yellow packet
// takes peak tokens only.
func TestMeterByHand(t *testing.T) {
	m := &meter{sw: &Switch{}, bytes: true, at: map[any]*marker{}}
	if _, err := meterSetAll(m, []string{"1:1000", "2:1500"}); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		us     uint64
		size   int
		colour uint64
	}{
		{0, 500, green},       // tokens now: Tc 1000, Tp 1500
		{0, 500, green},       // 500, 1000
		{0, 500, yellow},      // 0, 500
		{0, 500, red},         // 0, 0
		{249, 500, red},       // 249, 498
		{250, 500, yellow},    // 250, 500
		{500, 500, green},     // 500, 500
		{750, 501, red},       // 250, 500: red although a smaller packet would be yellow
		{750, 500, yellow},    // 250, 500
		{1500, 1000, green},   // 1000, 1500
		{10000, 1501, red},    // 1000, 1500: a packet above the burst never passes
		{10000, 1001, yellow}, // 1000, 1500
		{10000, 499, green},   // 1000, 499
		{10000, 1, red},       // 501, 0
	} {
		m.sw.now = c.us
		if got := m.mark(0, c.size); got != c.colour {
			t.Errorf("packet %d of %d B at %d us: colour %d, want %d", i+1, c.size, c.us, got, c.colour)
		}
	}
}

// Random trains get the colours of RFC 2698. The reference fills its buckets token by token.
func TestMeterLikeTheRFC(t *testing.T) {
	r := rand.New(rand.NewPCG(2698, 1))
	for range 200 {
		committed, extra := uint64(r.IntN(20)), uint64(r.IntN(20))
		bursts := [2]uint64{uint64(r.IntN(3000)), uint64(r.IntN(5000))}
		rates := [2]uint64{committed, committed + extra}
		m := &meter{sw: &Switch{}, bytes: true, at: map[any]*marker{0: {}}}
		tokens, now := bursts, uint64(0)
		for i := range m.at[0] {
			m.at[0][i] = bucket{rate: float64(rates[i]), burst: bursts[i], tokens: bursts[i]}
		}
		for n := range 300 {
			for range r.IntN(60) {
				now++
				for i := range tokens {
					tokens[i] = min(tokens[i]+rates[i], bursts[i])
				}
			}
			size := uint64(64 + r.IntN(1437))
			want := uint64(green)
			switch {
			case tokens[1] < size:
				want = red
			case tokens[0] < size:
				want = yellow
				tokens[1] -= size
			default:
				tokens[0] -= size
				tokens[1] -= size
			}
			m.sw.now = now
			if got := m.mark(0, int(size)); got != want {
				t.Fatalf("rates %v B/us, bursts %v B: packet %d of %d B at %d us: colour %d, want %d", rates, bursts, n,
					size, now, got, want)
			}
		}
	}
}

// At a rate of a third of a packet per microsecond, a packet passes every third microsecond, however often packets
// come.
func TestMeterOfFractions(t *testing.T) {
	m := &meter{sw: &Switch{}, at: map[any]*marker{0: {{rate: 1. / 3, burst: 1}, {rate: 1. / 3, burst: 1}}}}
	for us := range uint64(3000) {
		m.sw.now = us
		want := uint64(red)
		if us > 0 && us%3 == 0 {
			want = green
		}
		if got := m.mark(0, 1500); got != want {
			t.Fatalf("at %d us: colour %d, want %d", us, got, want)
		}
	}
}
