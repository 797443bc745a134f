package event

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

type entry struct {
	at   unit.Time
	tie  uint64
	slot Slot
}

// The queue against a sorted slice: random schedules, cancellations and takes, at
// several horizons and bucket widths, give the same order.
func TestMatchesSortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots = 200
		horizon := unit.Time(rapid.SampledFrom([]int64{1, 100, 5000, 1 << 20}).Draw(t, "horizon"))
		spacing := unit.Time(rapid.SampledFrom([]int64{1, 7, 64, 4096}).Draw(t, "spacing"))
		q := New(slots, horizon, spacing)
		var ref []entry
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			s := Slot(rapid.IntRange(0, slots-1).Draw(t, "slot"))
			switch rapid.IntRange(0, 4).Draw(t, "op") {
			case 4:
				to := q.Now() + unit.Time(rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1<<22)).Draw(t, "to"))
				for _, e := range ref {
					to = min(to, e.at)
				}
				if q.Advance(to); q.Now() != to {
					t.Fatalf("Now = %d after Advance(%d)", q.Now(), to)
				}
			case 0, 1:
				if q.Pending(s) {
					continue
				}
				at := q.Now() + unit.Time(rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1<<22)).Draw(t, "delay"))
				tie := rapid.Uint64Range(0, 3).Draw(t, "tie")
				q.Set(s, at, tie)
				ref = append(ref, entry{at, tie, s})
			case 2:
				q.Cancel(s)
				ref = slices.DeleteFunc(ref, func(e entry) bool { return e.slot == s })
			case 3:
				slices.SortFunc(ref, func(a, b entry) int {
					if a.at != b.at {
						return int(a.at - b.at)
					}
					if a.tie != b.tie {
						return int(a.tie) - int(b.tie)
					}
					return int(a.slot - b.slot)
				})
				got, ok := q.Next(unit.Never)
				if ok != (len(ref) > 0) {
					t.Fatalf("Next: %v with %d pending", ok, len(ref))
				}
				if ok {
					if got != ref[0].slot || q.Now() != ref[0].at || q.Tie() != ref[0].tie {
						t.Fatalf("Next = slot %d at %d tie %d, want %+v", got, q.Now(), q.Tie(), ref[0])
					}
					ref = ref[1:]
				}
			}
			first := unit.Never
			for _, e := range ref {
				first = min(first, e.at)
			}
			if q.Peek() != first {
				t.Fatalf("Peek = %d, want %d", q.Peek(), first)
			}
			if q.Len() != len(ref) {
				t.Fatalf("Len = %d, want %d", q.Len(), len(ref))
			}
		}
	})
}

// Thousands of events at one time, and in the next bucket, each of which when it is taken
// sets another for the same time, in the order of ties: every comparison with all that
// waits would be counted in steps of a hundred million.
func TestManyEventsAtOneTime(t *testing.T) {
	const events, time = 20_000, 1000
	for name, tie := range map[string]func(i int) uint64{
		"counted": func(i int) uint64 { return uint64(i) },
		"mixed":   func(i int) uint64 { return hash.Mix64(uint64(i)) },
	} {
		q := New(3*events, 4*unit.Microsecond, 64)
		want := make([]entry, 0, 3*events)
		set := func(i int, at unit.Time, tie uint64) {
			q.Set(Slot(i), at, tie)
			want = append(want, entry{at, tie, Slot(i)})
		}
		for i := range events {
			set(i, time, tie(i))
			set(events+i, time+64, tie(i))
		}
		var got []entry
		for i := range events {
			s, _ := q.Next(unit.Never)
			got = append(got, entry{q.Now(), q.Tie(), s})
			set(2*events+i, q.Now(), max(q.Tie(), tie(events+i)))
		}
		for s, ok := q.Next(unit.Never); ok; s, ok = q.Next(unit.Never) {
			got = append(got, entry{q.Now(), q.Tie(), s})
		}
		slices.SortFunc(want, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie), cmp.Compare(a.slot, b.slot))
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: the order is not that of time, tie and slot", name)
		}
	}
}

// Long lists of one bucket, with ties that are spread evenly, counted, or mostly equal.
func TestLongListsAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const time = 1 << 20
		q := New(400, 4*unit.Microsecond, unit.Time(rapid.SampledFrom([]int64{1, 8, 64, 4096}).Draw(t, "spacing")))
		times := rapid.Int64Range(0, 63)
		if rapid.Bool().Draw(t, "one time") {
			times = rapid.Just(int64(0))
		}
		ties := rapid.SampledFrom([]*rapid.Generator[uint64]{
			rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Uint64Range(1<<63, 1<<63+500),
			rapid.OneOf(rapid.Just(uint64(0)), rapid.Just(^uint64(0)), rapid.Uint64Range(100, 200)),
		}).Draw(t, "ties")
		var want []entry
		for s := range Slot(rapid.IntRange(1, 400).Draw(t, "events")) {
			e := entry{unit.Time(time + times.Draw(t, "at")), ties.Draw(t, "tie"), s}
			q.Set(e.slot, e.at, e.tie)
			want = append(want, e)
		}
		slices.SortFunc(want, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie), cmp.Compare(a.slot, b.slot))
		})
		for i, e := range want {
			s, ok := q.Next(unit.Never)
			if got := (entry{q.Now(), q.Tie(), s}); !ok || got != e {
				t.Fatalf("event %d: %+v, want %+v", i, got, e)
			}
		}
	})
}

func TestNextStopsAtTheLimit(t *testing.T) {
	q := New(2, 1000, 1)
	q.Set(0, 10, 0)
	q.Set(1, 1_000_000, 0)
	if _, ok := q.Next(9); ok {
		t.Error("took an event past the limit")
	}
	if s, ok := q.Next(10); !ok || s != 0 {
		t.Errorf("Next(10) = %v, %v", s, ok)
	}
	if _, ok := q.Next(999_999); ok {
		t.Error("took a far event past the limit")
	}
	if q.Now() != 10 || q.Peek() != 1_000_000 {
		t.Errorf("now %v, peek %v", q.Now(), q.Peek())
	}
}

func TestMisusePanics(t *testing.T) {
	q := New(2, 1000, 1)
	q.Set(0, 10, 0)
	q.Next(unit.Never)
	q.Set(0, 20, 0)
	for name, f := range map[string]func(){
		"pending slot":    func() { q.Set(0, 30, 0) },
		"time goes back":  func() { q.Set(1, 9, 0) },
		"clock goes back": func() { q.Advance(9) },
		"event is passed": func() { q.Advance(21) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// hold runs the classic hold model: it takes the first event and puts it back a link
// delay or a packet time later, with as many events as a fat tree has links.
func hold(q *Queue, n int) {
	x := uint64(q.Now()) + 1
	for range n {
		s, _ := q.Next(unit.Never)
		x = hash.Mix64(x)
		q.Set(s, q.Now()+unit.Time(1_000_000+x%87_200), x)
	}
}

func filled(slots int) *Queue {
	q := New(slots, 4*unit.Microsecond, 64)
	for s := range slots {
		x := hash.Mix64(uint64(s))
		q.Set(Slot(s), unit.Time(x%1_000_000), x)
	}
	return q
}

func TestHoldAllocatesNothing(t *testing.T) {
	q := filled(960)
	if n := testing.AllocsPerRun(10, func() { hold(q, 10_000) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// instants holds events of which all are at a few times: long lists, and arrays that are sorted.
func instants(slots int) *Queue {
	q := New(slots, 4*unit.Microsecond, 8)
	for s := range slots {
		q.Set(Slot(s), 1000, hash.Mix64(uint64(s)))
	}
	return q
}

// again takes events and sets each a microsecond later.
func again(q *Queue, n int) {
	for range n {
		s, _ := q.Next(unit.Never)
		q.Set(s, q.Now()+1_000_000, hash.Mix64(q.Tie()))
	}
}

func TestInstantsAllocateNothing(t *testing.T) {
	const slots = 1024
	q := instants(slots)
	again(q, 3*slots) // the arrays have grown
	if n := testing.AllocsPerRun(10, func() { again(q, slots) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// More events far ahead than the heap has room for until it grows for all slots: they come in order.
func TestLongHeap(t *testing.T) {
	const slots = 3 * long
	q := New(0, 1000, 1)
	for s := range Slot(slots) {
		q.Grow(int(s)+1, slots)
		q.Set(s, 1_000_000+unit.Time(hash.Mix64(uint64(s))%slots), uint64(s))
	}
	var last entry
	for n := 0; ; n++ {
		s, ok := q.Next(unit.Never)
		if !ok {
			if n != slots {
				t.Errorf("%d events, want %d", n, slots)
			}
			return
		}
		e := entry{q.Now(), q.Tie(), s}
		if cmp.Or(cmp.Compare(last.at, e.at), cmp.Compare(last.tie, e.tie)) > 0 {
			t.Fatalf("%+v after %+v", e, last)
		}
		last = e
	}
}

func BenchmarkHold(b *testing.B) {
	q := filled(960)
	hold(q, 100_000)
	b.ReportAllocs()
	b.ResetTimer()
	hold(q, b.N)
}

// Instants of 4096 events each, as when all links of a large network are in step.
func BenchmarkInstant(b *testing.B) {
	q := instants(4096)
	b.ReportAllocs()
	b.ResetTimer()
	again(q, b.N)
}

// Timers that are set far ahead and mostly cancelled, as those of flows that end in time: the
// rest come in order, and the heap does not keep the others for long.
func TestCancelledTimersLeaveTheHeap(t *testing.T) {
	const slots = 1000
	q := New(slots, 1000, 1)
	var want []entry
	for round := range 20 {
		want = want[:0]
		for s := range Slot(slots) {
			x := hash.Mix64(uint64(s) + uint64(round)<<32)
			q.Set(s, q.Now()+unit.Time(1_000_000+x%1000), x)
			if x%10 != 0 {
				q.Cancel(s)
				if s%3 == 0 { // and set again
					x = hash.Mix64(x)
					q.Set(s, q.Now()+unit.Time(1_000_000+x%1000), x)
				}
			}
			if q.Pending(s) {
				want = append(want, entry{q.At(s), x, s})
			}
			if n := len(q.far); n > 2*q.Len()+64 {
				t.Fatalf("round %d: %d events in the heap, %d pending", round, n, q.Len())
			}
		}
		slices.SortFunc(want, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie)) })
		for i, e := range want {
			if s, ok := q.Next(unit.Never); !ok || (entry{q.Now(), q.Tie(), s}) != e {
				t.Fatalf("round %d, event %d: slot %d at %d with tie %d, want %+v", round, i, s, q.Now(), q.Tie(), e)
			}
		}
	}
	if q.Len() != 0 || q.Peek() != unit.Never {
		t.Errorf("%d pending, the first at %v", q.Len(), q.Peek())
	}
}

// A long agenda, of which events are cancelled and set again while it is taken, and before which
// something comes when it has been looked at, gives the order of a sorted list.
func TestLongAgendasChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots, start = 120, 1 << 20
		q := New(slots, 4*unit.Microsecond, 64)
		ref := map[Slot]entry{}
		set := func(s Slot, at unit.Time, tie uint64) {
			if !q.Pending(s) {
				q.Set(s, at, tie)
				ref[s] = entry{at, tie, s}
			}
		}
		for s := range Slot(slots - 20) {
			set(s, start+unit.Time(s%7), hash.Mix64(uint64(s)))
		}
		if rapid.Bool().Draw(t, "look") {
			if _, ok := q.Next(start - 1); ok {
				t.Fatal("an event before the first")
			}
			set(slots-1, rapid.SampledFrom([]unit.Time{5, start - 64, start}).Draw(t, "before"), 9)
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			s := Slot(rapid.IntRange(0, slots-1).Draw(t, "slot"))
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				q.Cancel(s)
				delete(ref, s)
			case 1:
				set(s, q.Now()+unit.Time(rapid.SampledFrom([]int{0, 1, 3, 64, 1 << 21}).Draw(t, "delay")), rapid.Uint64().Draw(t, "tie"))
			default:
				first, any := entry{}, false
				for _, e := range ref {
					if !any || cmp.Or(cmp.Compare(e.at, first.at), cmp.Compare(e.tie, first.tie), cmp.Compare(e.slot, first.slot)) < 0 {
						first, any = e, true
					}
				}
				got, ok := q.Next(unit.Never)
				if ok != any || ok && (entry{q.Now(), q.Tie(), got}) != first {
					t.Fatalf("slot %d at %d, %v; want %+v, %v", got, q.Now(), ok, first, any)
				}
				delete(ref, first.slot)
			}
			at := unit.Never
			for _, e := range ref {
				at = min(at, e.at)
			}
			if q.Peek() != at || q.Len() != len(ref) {
				t.Fatalf("the first at %d of %d, want %d of %d", q.Peek(), q.Len(), at, len(ref))
			}
		}
	})
}
