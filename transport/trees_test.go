package transport

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/invariants"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// scan returns the entry that pick or pickStrict must return, from a scan of the round.
func (r *Round) scan(classes uint8, now unit.Time, strict bool) int {
	best := -1
	for k := range r.Entries {
		i := (r.Last + 1 + k) % len(r.Entries)
		x := &r.Entries[i]
		if x.State == Ready && classes>>x.Class&1 != 0 && x.Avail <= now && (best < 0 || r.precedes(i, best, strict)) {
			best = i
		}
	}
	return best
}

// The trees of a round find the same entries as a scan, in the order of a round robin, of strict priorities and of a
// queue, whatever happens to the entries.
func TestTreesPickLikeAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Round{Last: -1, senders: &slab[Sender]{}}
		if rapid.Bool().Draw(t, "queue") {
			r.queue = &queue{}
		}
		strict := rapid.Bool().Draw(t, "strict")
		now := unit.Time(0)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				n := rapid.SampledFrom([]int{1, 7, 64, 600}).Draw(t, "join")
				r.joinSome(n, rapid.Uint8Range(0, 7).Draw(t, "class"), now)
			case 1:
				r.plant()
			case 2:
				r.tidy()
			case 3:
				now += unit.Time(rapid.IntRange(0, 100).Draw(t, "later"))
			case 4:
				r.change(t, rapid.IntRange(1, 300).Draw(t, "changes"))
			default:
				r.serve(t, now, strict)
			}
		}
	})
}

// joinSome adds entries.
func (r *Round) joinSome(n int, class uint8, now unit.Time) {
	for range n {
		at := int32(len(r.Entries))
		slot := r.senders.add()
		r.senders.at(slot).entry = at
		r.Entries = append(r.Entries, Entry{Avail: now, Class: class, slot: slot})
		r.ready++
		if r.queue != nil {
			r.queue.tickets = append(r.queue.tickets, 0)
			r.queue.join(at)
		}
		r.moved(at)
	}
}

// change changes states and due times of random entries.
func (r *Round) change(t *rapid.T, n int) {
	if len(r.Entries) == 0 {
		return
	}
	at := rapid.IntRange(0, len(r.Entries)-1).Draw(t, "first")
	stride := rapid.IntRange(1, 20).Draw(t, "stride")
	state := rapid.SampledFrom([]EntryState{Ready, Blocked, Idle, Ended}).Draw(t, "state")
	shift := unit.Time(rapid.IntRange(-50, 200).Draw(t, "shift"))
	for range n {
		at = (at + stride) % len(r.Entries)
		x := &r.Entries[at]
		if x.State == Ended {
			continue
		}
		if r.queue == nil { // flows in a queue are not paced
			x.Avail += shift * unit.Time(at%5)
			r.moved(int32(at))
		}
		r.mark(int32(at), state)
	}
}

// serve serves a flow, and compares the choice and Due with a scan.
func (r *Round) serve(t *rapid.T, now unit.Time, strict bool) {
	classes := rapid.Uint8().Draw(t, "classes")
	want := r.scan(classes, now, strict)
	if r.planted {
		got := r.pick
		if strict {
			got = r.pickStrict
		}
		if i := got(classes&r.trees.used, now); i != want {
			t.Fatalf("%v: entry %d, want %d of %d", now, i, want, len(r.Entries))
		}
		if least := r.trees.least(classes & r.trees.used); r.queue == nil {
			due := unit.Never
			for _, x := range r.Entries {
				if x.State == Ready && classes>>x.Class&1 != 0 {
					due = min(due, x.Avail)
				}
			}
			if least != due {
				t.Fatalf("%v: an entry is due at %v, want %v", now, least, due)
			}
		}
	}
	if want >= 0 {
		r.Last = want
		r.call(int32(want))
		if r.queue == nil {
			r.Entries[want].Avail = now + 3
			r.moved(int32(want))
		}
		r.mark(int32(want), rapid.SampledFrom([]EntryState{Ready, Ready, Blocked, Idle, Ended}).Draw(t, "then"))
	}
}

// steady is a controller with a constant rate.
type steady struct{ rate unit.Rate }

func (steady) Start(unit.Time, FlowInfo)  {}
func (steady) OnAck(unit.Time, *Ack) bool { return false }
func (steady) OnLoss(unit.Time, Loss)     {}
func (steady) Window() unit.Bytes         { return NoWindow }
func (c steady) Rate() unit.Rate          { return c.rate }

// crowds lists reasons why a scan of the flows of a host would read many entries: rates that let few
// flows send at a time, pauses by the switch, and strict priorities.
var crowds = []struct {
	name   string
	rate   unit.Rate // of all flows of the host together, at most line rate for each
	strict bool
}{
	{"rates", 96 * unit.Gbps, false},
	{"pauses", 1000 * unit.Tbps, false},
	{"classes", 96 * unit.Gbps, true},
}

// manyFlows returns a network in which host 0 sends n endless flows to host 1, and host 2 sends one.
// Every flow has sent some packets.
func manyFlows(tb netsimtest.TB, n int, rate unit.Rate, strict bool) (*netsimtest.Net, *Stack) {
	lab := netsimtest.New(tb, netsimtest.Star(3), netsimtest.Options{})
	flows := make([]Flow, n+1)
	for i := range flows {
		flows[i] = Flow{Number: int32(i), Dst: 1, SrcPort: uint16(i), Class: 3, Size: 1e12}
	}
	flows[n].Src = 2
	c := plain()
	c.Strict = strict
	control := func() Controller { return steady{rate / unit.Rate(n)} }
	s, err := New(lab.Engine, lab.Routes, c, 1, control, &oneByOne{flows}, func(*Record) {})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	lab.Engine.Run(unit.Time(n)*300*unit.Nanosecond + 200*unit.Microsecond)
	return lab, s
}

// A host with many flows finds the next one without a scan. Then it allocates no memory.
func TestManyFlowsAreNotScanned(t *testing.T) {
	const flows = 3000
	for _, x := range crowds {
		lab, s := manyFlows(t, flows, x.rate, x.strict)
		r := s.round(s.senders.at(0).Port)
		if len(r.Entries) != flows || !r.planted {
			t.Errorf("%s: %d entries, with trees: %v", x.name, len(r.Entries), r.planted)
		}
		before := lab.Counters().PacketHops
		if n := testing.AllocsPerRun(5, func() { lab.Engine.Run(lab.Engine.Now() + 20*unit.Microsecond) }); n != 0 &&
			!invariants.Enabled { // its checks allocate
			t.Errorf("%s: %v allocations", x.name, n)
		}
		if sent := lab.Counters().PacketHops - before; sent < 1000 {
			t.Errorf("%s: %d packet-hops", x.name, sent)
		}
	}
}

// A host with few flows scans them.
func TestFewFlowsAreScanned(t *testing.T) {
	for _, x := range crowds {
		_, s := manyFlows(t, fewEntries, x.rate, x.strict)
		for p := range s.rounds {
			if s.rounds[p].planted {
				t.Errorf("%s: port %d has trees", x.name, p)
			}
		}
	}
}

// BenchmarkFlowsOfAHost shows that the time for a packet-hop does not grow with the number of flows of a host.
func BenchmarkFlowsOfAHost(b *testing.B) {
	for _, x := range crowds {
		for _, flows := range []int{10, 100, 1000, 10_000, 50_000} {
			b.Run(fmt.Sprintf("%s-%d", x.name, flows), func(b *testing.B) {
				lab, _ := manyFlows(b, flows, x.rate, x.strict)
				begin := lab.Counters().PacketHops
				b.ReportAllocs()
				b.ResetTimer()
				until := lab.Engine.Now()
				for lab.Counters().PacketHops-begin < int64(b.N) {
					until += unit.Microsecond
					lab.Engine.Run(until)
				}
			})
		}
	}
}
