package netsim

import (
	"cmp"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Each of two workers runs half of the pods of a fat tree. Half of the links between pods and core connect domains of
// different workers, which is the smallest possible number if both have whole pods.
func TestWorkersHavePods(t *testing.T) {
	g, err := schema.Default[topo.KAry]().Build()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.MaxPacket = 1500
	n, err := New(g, 5, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedule(n, 2, false)
	homes := s.assign(2)
	between, ports := 0, [2]int{}
	for i := range n.ports {
		p := &n.ports[i]
		ports[homes[p.domain]]++
		if homes[p.domain] != homes[p.onward] {
			between++
		}
	}
	if between != 128 || ports[0] != ports[1] {
		t.Errorf("%d of %d ports lead to the other worker, want 128 of 768; they have %v", between, len(n.ports), ports)
	}
}

// Domains are in descending order of their numbers of arrivals, where numbers of the same length in bits count as
// equal. Among equal numbers, domains are in the order of their own numbers.
func TestArrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOf(rapid.IntRange(0, 3*blockSize)).Draw(t, "arrivals")
		s := &schedule{windows: 1, classes: make([]uint8, len(counts))}
		s.engines = []*Engine{{s: s, words: 1 + len(counts)/64}, {s: s, words: 1 + len(counts)/64}}
		for _, e := range s.engines {
			e.mailboxes, e.marks = make([]mailbox, len(counts)), make([]uint64, e.words)
		}
		want := 0
		for dom, n := range counts {
			s.list = append(s.list, dom)
			for i := range n {
				s.engines[i%2].put(int32(dom), 0, arrival{})
			}
			want += n
		}
		if got := s.arrange(); got != want {
			t.Fatalf("%d arrivals, want %d", got, want)
		}
		sorted := slices.IsSortedFunc(s.list, func(a, b int) int {
			return cmp.Or(bits.Len(uint(counts[b]))-bits.Len(uint(counts[a])), a-b)
		})
		if !sorted || len(slices.Compact(slices.Sorted(slices.Values(s.list)))) != len(counts) {
			t.Fatalf("%v of %v", s.list, counts)
		}
	})
}

// gather sorts any number of arrivals by time and tie, with different or equal times and ties. Equal arrivals keep
// their order.
func TestGatherSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &schedule{span: 1 << 20, shift: 20, windows: 1}
		e := &Engine{s: s, mailboxes: make([]mailbox, 1), marks: make([]uint64, 1), words: 1}
		s.engines = []*Engine{e}
		times := rapid.SampledFrom([]unit.Time{1, 3, 1 << 10, 1 << 20}).Draw(t, "times")
		ties := rapid.SampledFrom([]uint64{1, 5, 1 << 22, 1 << 63}).Draw(t, "ties")
		var list []arrival
		for i := range rapid.IntRange(0, 300).Draw(t, "arrivals") {
			at := unit.Time(rapid.Uint64Range(0, uint64(times-1)).Draw(t, "at"))
			tie := rapid.Uint64Range(0, ties-1).Draw(t, "tie")
			e.pkts = append(e.pkts, Packet{At: at, tie: tie})
			list = append(list, arrival{uint64(at)<<44 | tie>>20, 0, PacketID(i)})
		}
		for _, x := range list {
			e.put(0, 0, x)
		}
		got := slices.Clone(e.gather(0))
		if e.used != 0 || len(e.gather(0)) != 0 {
			t.Fatal("the mailbox is not empty")
		}
		for i := 1; i < len(got); i++ {
			a, b := &e.pkts[got[i-1].id], &e.pkts[got[i].id]
			if a.At > b.At || a.At == b.At && (a.tie > b.tie || a.tie == b.tie && got[i-1].id > got[i].id) {
				t.Fatalf("%d: packet %d before %d", i, got[i-1].id, got[i].id)
			}
		}
		slices.SortFunc(got, func(a, b arrival) int { return int(a.id - b.id) })
		if !slices.Equal(got, list) {
			t.Fatalf("%v of %v", got, list)
		}
	})
}

// The events of a domain run in the order of time and tie, without cancelled events. This is tested for domains with
// few and with many ports.
func TestEventsOfAPlaceComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ports, timers = 4, 200
		n := &Network{ports: make([]port, ports)}
		s := &schedule{net: n, domains: []domain{{crowd: rapid.Bool().Draw(t, "crowd"), first: unit.Never}}}
		s.wakes, s.alarms = make([]alarm, ports), make([]alarm, timers)
		p := &s.domains[0]
		p.room, p.start.at = 8, unit.Never
		pending := map[slot]due{}
		for i := range s.alarms {
			s.alarms[i].clear()
		}
		for i := range s.wakes {
			s.wakes[i].clear()
		}
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			i := int32(rapid.IntRange(0, timers-1).Draw(t, "timer"))
			x, pi := n.timer(i), PortID(i%ports)
			if wake := rapid.Bool().Draw(t, "wake"); wake {
				x = n.wake(pi)
				s.cancelWake(0, pi)
			} else {
				s.alarms[i].clear()
			}
			delete(pending, x)
			if rapid.Bool().Draw(t, "set") {
				d := due{at: unit.Time(rapid.IntRange(0, 50).Draw(t, "at")),
					tie: rapid.Uint64Range(0, 50).Draw(t, "tie") << 8, slot: x}
				d.tie += uint64(x) & 0xff // no two are equal
				put := s.push
				if x == n.wake(pi) {
					put = s.pushSoon
				}
				put(0, s.alarm(p, x).set(x, d.at, d.tie))
				pending[x] = d
			}
		}
		last := due{at: -1}
		for {
			s.trim(p)
			p.update()
			if p.first == unit.Never {
				break
			}
			var x due
			if !p.soon.empty() && (len(p.late) == 0 || p.soon.first().before(&p.late[0])) {
				x = p.soon.pop()
			} else {
				x = p.late[0]
				p.pop()
			}
			want, ok := pending[x.slot]
			if !ok || want.at != x.at || want.tie != x.tie || x.before(&last) {
				t.Fatalf("%+v after %+v, want %+v", x, last, want)
			}
			delete(pending, x.slot)
			last = x
		}
		if len(pending) != 0 {
			t.Fatalf("%d events are missing: %v", len(pending), pending)
		}
	})
}

// If an engine has reached its limit of events, it leaves the arrivals in further domains unsorted, and finds them
// again later.
func TestStoppedVisitSortsNothing(t *testing.T) {
	s := &schedule{net: &Network{}, span: 1 << 20, shift: 20, windows: 1, domains: make([]domain, 1), list: []int{0}}
	e := &Engine{s: s, net: s.net, mailboxes: make([]mailbox, 1), marks: make([]uint64, 1), words: 1,
		pkts: make([]Packet, 3)}
	s.engines = []*Engine{e}
	for i := range PacketID(3) {
		e.put(0, 0, arrival{uint64(3-i) << 44, 0, i})
	}
	e.marks[0] = 0 // find has cleared the mark of a listed domain
	if s.visit() || e.marks[0] != 1 {
		t.Errorf("marks %b", e.marks)
	}
	var ids []PacketID
	e.mailboxes[0].each(func(x *arrival) { ids = append(ids, x.id) })
	if !slices.Equal(ids, []PacketID{2, 1, 0}) {
		t.Errorf("arrivals %v", ids)
	}
}
