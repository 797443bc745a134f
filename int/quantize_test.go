package inband

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func mustQuantizer(t testing.TB, s Spec) *Quantizer {
	t.Helper()
	q, err := NewQuantizer(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The published format rounds the time of 1 234 567 ns and 890 ps down to whole ns. 10 000 B sent are 10000/512 = 19.5
// steps, rounded to 19. A queue of 1000 B is 1000/320 = 3.1 steps, rounded to 3. The rate of 100 Gb/s has code 2.
func TestPublishedFormatByHand(t *testing.T) {
	q := mustQuantizer(t, Published())
	h := Hop{Time: 1_234_567_890, Tx: 10_000, Queue: 1000, Rate: 100 * unit.Gbps}
	want := Hop{Time: 1_234_567_000, Tx: 19 * 512, Queue: 3 * 320, Rate: 100 * unit.Gbps}
	if got := q.Quantize(h); got != want {
		t.Errorf("Quantize = %+v, want %+v", got, want)
	}
	w, err := q.Pack(h)
	if wantWord := uint64(2 | 1_234_567<<3 | 19<<27 | 3<<47); err != nil || w != wantWord {
		t.Errorf("Pack = %#x, %v; want %#x", w, err, wantWord)
	}
	if got, err := q.Unpack(w); err != nil || got != want {
		t.Errorf("Unpack = %+v, %v; want %+v", got, err, want)
	}
	if q.HopBits() != 64 {
		t.Errorf("a hop has %d bits, want 64", q.HopBits())
	}
	ts, tx, queue := q.Spans()
	if ts != 16_777_216*unit.Nanosecond || tx != 536_870_912 || queue != 41_943_040 {
		t.Errorf("fields wrap after %v, %v, %v; want 16.777216ms, 512MiB, 40MiB", ts, tx, queue)
	}
}

// Each field can contain its largest value, and wraps to zero one step later. Differences across the wrap are
// recovered.
func TestWrapOfEachField(t *testing.T) {
	q := mustQuantizer(t, Published())
	ts, tx, queue := q.Spans()

	before, after := q.Quantize(Hop{Time: ts - 1}), q.Quantize(Hop{Time: ts})
	if before.Time != ts-unit.Nanosecond || after.Time != 0 {
		t.Errorf("time around its wrap: %v, %v", before.Time, after.Time)
	}
	if got := q.TimeSince(after.Time, before.Time); got != unit.Nanosecond {
		t.Errorf("time across the wrap: %v, want 1ns", got)
	}

	before, after = q.Quantize(Hop{Tx: tx - 1}), q.Quantize(Hop{Tx: tx + 1024})
	if before.Tx != tx-512 || after.Tx != 1024 {
		t.Errorf("bytes sent around their wrap: %v, %v", before.Tx, after.Tx)
	}
	if got := q.TxSince(after.Tx, before.Tx); got != 1536 {
		t.Errorf("bytes sent across the wrap: %v, want 1536", got)
	}

	// A queue is not a counter, so a value beyond the span is lost. Check refuses buffers that can exceed the span.
	if got := q.Quantize(Hop{Queue: queue + 320}).Queue; got != 320 {
		t.Errorf("queue beyond its span reads %v, want 320", got)
	}
	if err := q.Check(nil, 5, queue-1); err != nil {
		t.Error(err)
	}
	if err := q.Check(nil, 5, queue); err == nil {
		t.Error("a queue as large as the span of its field is accepted")
	}
}

func drawSpec(t *rapid.T) Spec {
	f := func(name string) FieldSpec {
		s := FieldSpec{Bits: rapid.IntRange(1, 40).Draw(t, name+" bits")}
		s.Unit = rapid.Int64Range(1, min(int64(1)<<(63-s.Bits), 1<<20)).Draw(t, name+" unit")
		return s
	}
	return Spec{Time: f("time"), Tx: f("tx"), Queue: f("queue"), MaxHops: AnyHops}
}

// Any difference below the span minus one step (for rounding) is recovered with an error of up to one step, for any
// value of the counter.
func TestDifferencesAcrossAWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		q, err := NewQuantizer(s)
		if err != nil {
			t.Fatal(err)
		}
		span, _, _ := q.Spans()
		step := unit.Time(s.Time.Unit)
		start := unit.Time(rapid.Int64Range(0, 1<<61).Draw(t, "start"))
		d := unit.Time(rapid.Int64Range(0, min(int64(span-step), 1<<61)).Draw(t, "difference"))
		a, b := q.Quantize(Hop{Time: start}), q.Quantize(Hop{Time: start + d})
		got := q.TimeSince(b.Time, a.Time)
		if diff := got - d; diff <= -step || diff >= step || got%step != 0 {
			t.Fatalf("difference %d read as %d with step %d, span %d", d, got, step, span)
		}
	})
}

func TestPackRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		s.RateBits = rapid.IntRange(1, 4).Draw(t, "rate bits")
		for i := range rapid.IntRange(1, 1<<s.RateBits).Draw(t, "rates") {
			s.Rates = append(s.Rates, unit.Rate(i+1)*unit.Gbps)
		}
		q, err := NewQuantizer(s)
		if err != nil {
			t.Fatal(err)
		}
		big := rapid.Int64Range(0, 1<<62)
		h := Hop{
			Time: unit.Time(big.Draw(t, "time")), Tx: unit.Bytes(big.Draw(t, "tx")),
			Queue: unit.Bytes(big.Draw(t, "queue")), Rate: rapid.SampledFrom(s.Rates).Draw(t, "rate"),
		}
		w, err := q.Pack(h)
		if q.HopBits() > 64 {
			if err == nil {
				t.Fatalf("%d bits packed into 64", q.HopBits())
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Unpack(w)
		if err != nil || got != q.Quantize(h) {
			t.Fatalf("Unpack(Pack(%+v)) = %+v, %v; want %+v", h, got, err, q.Quantize(h))
		}
		if again, err := q.Pack(got); err != nil || again != w {
			t.Fatalf("packed again: %#x, %v; want %#x", again, err, w)
		}
	})
}

func TestExactChangesNothing(t *testing.T) {
	q := mustQuantizer(t, Exact())
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 1<<63-1)
		h := Hop{Time: unit.Time(v.Draw(t, "time")), Tx: unit.Bytes(v.Draw(t, "tx")),
			Queue: unit.Bytes(v.Draw(t, "queue")), Rate: 1}
		if got := q.Quantize(h); got != h {
			t.Fatalf("Quantize(%+v) = %+v", h, got)
		}
		before := unit.Time(rapid.Int64Range(0, int64(h.Time)).Draw(t, "before"))
		if got := q.TimeSince(h.Time, before); got != h.Time-before {
			t.Fatalf("TimeSince = %v, want %v", got, h.Time-before)
		}
	})
	if err := q.Check([]unit.Rate{7, 40 * unit.Gbps}, 1000, 1<<40); err != nil {
		t.Error(err)
	}
}

// T is 13 us. A clock that wraps after 256 ns wraps within T. A counter that wraps after 131 kB also does, because a
// link of 100 Gb/s sends 162.5 kB in T. Steps larger than T, or than the bytes that a link of 25 Gb/s sends in T, hide
// the load.
func TestFollows(t *testing.T) {
	const within = 13 * unit.Microsecond
	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(*Spec) {}, ""},
		{func(s *Spec) { *s = Exact() }, ""},
		{func(s *Spec) { s.Time.Bits = 8 }, "… clock wraps … 256ns, … T = 13us … link … 100Gbps"},
		{func(s *Spec) { s.Tx.Bits = 8 }, "… bytes sent wraps … 128KiB, … T = 13us … link … 100Gbps"},
		{func(s *Spec) { s.Time.Unit = int64(unit.Millisecond) }, "… clock … step … 1ms, … T = 13us … link … 25Gbps"},
		{func(s *Spec) { s.Tx.Unit = 1e6 }, "… bytes sent … step … 1MB, … T = 13us … link … 25Gbps"},
		{func(s *Spec) { s.Queue.Unit = 1e6 }, "… queue … step … 1MB, … T = 13us … link … 25Gbps"},
	} {
		s := Published()
		c.change(&s)
		err := mustQuantizer(t, s).follows(within, 25*unit.Gbps, 100*unit.Gbps)
		if c.want == "" && err == nil {
			continue
		}
		if want := "the telemetry format cannot describe this network: " + c.want; !errtest.Says(err, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestCheckRefusesWhatTheFormatCannotCarry(t *testing.T) {
	q := mustQuantizer(t, Published())
	if err := q.Check([]unit.Rate{100 * unit.Gbps, 400 * unit.Gbps}, 5, 32*unit.MiB); err != nil {
		t.Errorf("the paper's network: %v", err)
	}
	err := q.Check([]unit.Rate{100 * unit.Gbps, 40 * unit.Gbps, 40 * unit.Gbps, 800 * unit.Gbps}, 6, 64*unit.MiB)
	want := `the telemetry format cannot describe this network: ` +
		`the format has no code for a link of 40Gbps (it has codes for 25Gbps, 50Gbps, 100Gbps, 200Gbps, 400Gbps)
the format has no code for a link of 800Gbps (it has codes for 25Gbps, 50Gbps, 100Gbps, 200Gbps, 400Gbps)
a path has 6 switches, but the stack has room for 5
a queue may hold 64MiB, but its field wraps at 40MiB`
	if !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	for _, tt := range []struct {
		pack func() error
		want string
	}{
		{func() error { _, err := q.Pack(Hop{Rate: unit.Gbps}); return err },
			"the format has no code for a link of 1Gbps (it has codes for 25Gbps, 50Gbps, 100Gbps, 200Gbps, " +
				"400Gbps)"},
		{func() error { _, err := q.Pack(Hop{Rate: 25 * unit.Gbps, Tx: -1}); return err },
			"a hop with a negative field: {Time:0s Tx:-1B Queue:0B Rate:25Gbps}"},
		{func() error { _, err := q.Unpack(7); return err }, "rate code 7, want 0 to 4"},
		{func() error { _, err := mustQuantizer(t, Exact()).Pack(Hop{}); return err },
			"… hop … 189 bits … 0 rate codes … word … 64 bits"},
	} {
		if err := tt.pack(); !errtest.Says(err, tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	for _, tt := range []struct {
		edit func(*Spec)
		want string
	}{
		{func(s *Spec) { s.Time.Bits = 0 }, "time.bits = 0, want 1 to 63"},
		{func(s *Spec) { s.Tx.Unit = 0 }, "tx.unit = 0, … 1"},
		{func(s *Spec) { s.Queue = FieldSpec{Bits: 60, Unit: 9} },
			"queue: 60 bits in steps of 9 need more than 63 bits"},
		{func(s *Spec) { s.RateBits = 17 }, "rate_bits = 17, want 0 to 16"},
		{func(s *Spec) { s.RateBits = 2 }, "rates lists 5 rates, want 1 to 4 with rate_bits = 2"},
		{func(s *Spec) { s.RateBits = 0 }, "rates … 5 rates, … rate_bits = 0"},
		{func(s *Spec) { s.Rates[1] = 25 * unit.Gbps }, "rates[1] = 25Gbps occurs twice"},
		{func(s *Spec) { s.Rates[1] = 0 }, "rates[1] = 0bps, … 0bps"},
		{func(s *Spec) { s.MaxHops = 0; s.Time.Bits = 64 },
			"time.bits = 64, want 1 to 63\nmax_hops = 0, want at least 1"},
	} {
		s := Published()
		tt.edit(&s)
		_, err := NewQuantizer(s)
		if want := "bad field widths: " + tt.want; !errtest.Says(err, want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Changing a specification does not change quantisers made from it.
func TestSpecIsACopy(t *testing.T) {
	s := Published()
	q := mustQuantizer(t, s)
	s.Rates[0] = 1
	q.Spec().Rates[1] = 1
	if d := cmp.Diff(Published(), q.Spec()); d != "" {
		t.Errorf("spec (-want +got):\n%s", d)
	}
}

func TestUnpackRefusesBitsAboveAHop(t *testing.T) {
	s := Published()
	s.Queue.Bits = 10
	_, err := mustQuantizer(t, s).Unpack(1 << 57)
	if !errtest.Says(err, "bits … 57 … hop … set") {
		t.Errorf("got %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(uint64(0))
	f.Add(^uint64(0))
	f.Add(uint64(2 | 1_234_567<<3 | 19<<27 | 3<<47))
	q := mustQuantizer(f, Published())
	f.Fuzz(func(t *testing.T, w uint64) {
		h, err := q.Unpack(w)
		if err != nil {
			return
		}
		if again, err := q.Pack(h); err != nil || again != w {
			t.Errorf("%#x -> %+v -> %#x, %v", w, h, again, err)
		}
	})
}

func BenchmarkQuantize(b *testing.B) {
	for _, tt := range []struct {
		name string
		spec Spec
	}{{"exact", Exact()}, {"published", Published()}} {
		b.Run(tt.name, func(b *testing.B) {
			q := mustQuantizer(b, tt.spec)
			b.ReportAllocs()
			var sum unit.Time
			for i := range b.N {
				h := q.Quantize(Hop{Time: unit.Time(i&0xffff) * 83_840, Tx: unit.Bytes(i&0xffff) * 1048,
					Queue: unit.Bytes(i & 0xfffff), Rate: 100 * unit.Gbps})
				sum |= h.Time | unit.Time(h.Tx|h.Queue)
			}
			if sum < 0 {
				b.Fatal(sum)
			}
		})
	}
}

// Two reports of a 100 Gb/s link are half a microsecond and 6250 B apart. The link was busy, up to the steps of the
// published format.
func ExampleQuantizer() {
	q, _ := NewQuantizer(Published())
	a := q.Quantize(Hop{Time: 16_777 * unit.Microsecond, Tx: 1_000_000, Rate: 100 * unit.Gbps})
	b := q.Quantize(Hop{Time: 16_777*unit.Microsecond + 500*unit.Nanosecond, Tx: 1_006_250, Rate: 100 * unit.Gbps})
	fmt.Println(b.Time < a.Time, q.TimeSince(b.Time, a.Time), q.TxSince(b.Tx, a.Tx))
	// Output: true 500ns 6KiB
}
