package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// whimsical is a controller whose window and rate change at random with every ACK and loss.
type whimsical struct {
	state  uint64
	line   unit.Rate
	window unit.Bytes
	rate   unit.Rate
}

func (c *whimsical) Start(_ unit.Time, f FlowInfo) {
	c.state, c.line = f.Key, f.LineRate
	c.change()
}

func (c *whimsical) change() bool {
	c.state = hash.Mix64(c.state + 1)
	c.window = []unit.Bytes{1, 1000, 1500, 5000, 20_000, 1 << 40}[c.state%6]
	c.rate = c.line / []unit.Rate{1, 1, 2, 10, 300}[c.state>>8%5]
	return c.state>>16%4 != 0
}

func (c *whimsical) OnAck(unit.Time, *Ack) bool { c.change(); return true }
func (c *whimsical) OnLoss(unit.Time, Loss)     { c.change() }
func (c *whimsical) Window() unit.Bytes         { return c.window }
func (c *whimsical) Rate() unit.Rate            { return c.rate }

// The test covers a defect: the wake-up of one flow suppressed the other flows of the host. After every instant of a
// run, for any controllers, PFC, losses and other flows:
//
//   - if a host's port is free, none of its flows can send;
//   - if pacing allows a flow to send later, the port has a wake-up no later than that;
//   - the round robin records the true state of each flow;
//   - a flow with something in flight has a timer.
//
// Trees do not change the records of the flows.
func TestNoHostPortIdlesWhileAFlowMaySend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
		g := netsimtest.Star(hosts)
		loss := rapid.SampledFrom([]float64{0, 0, 0.02, 0.2}).Draw(t, "loss")
		for i := range g.Links {
			g.Links[i].Rate = unit.Rate(rapid.SampledFrom([]int64{10, 40, 100}).Draw(t, "gbps")) * unit.Gbps
			g.Links[i].ErrorRate = loss
		}
		c := plain()
		if rapid.Bool().Draw(t, "tcp") {
			c = plainTCP()
			c.Recovery = Recoveries[rapid.IntRange(1, 3).Draw(t, "recovery")]
		}
		c.Segment = 1000
		c.AckEvery = rapid.SampledFrom([]int{1, 2}).Draw(t, "every")
		if c.AckEvery > 1 {
			c.AckDelay = 30 * unit.Microsecond
		}
		c.RTOMin, c.RTOInitial, c.RTOMax = 20*unit.Microsecond, 40*unit.Microsecond, unit.Millisecond
		c.Strict = rapid.Bool().Draw(t, "strict")
		seed := rapid.Uint64().Draw(t, "seed")
		var flows oneByOne
		start := unit.Time(0)
		for i := range rapid.IntRange(1, 12).Draw(t, "flows") {
			start += unit.Time(rapid.Int64Range(0, 5_000_000).Draw(t, "start"))
			src := netsim.NodeID(rapid.IntRange(0, hosts-1).Draw(t, "src"))
			flows.flows = append(flows.flows, Flow{
				Number: int32(i), Src: src, Dst: (src + 1 + netsim.NodeID(i%(hosts-1))) % netsim.NodeID(hosts),
				Class: uint8(3 + i%2), Size: unit.Bytes(rapid.Int64Range(1, 40_000).Draw(t, "size")), Start: start,
			})
		}
		run := func(planted bool) (records []Record) {
			n := netsimtest.New(t, g, netsimtest.Options{Seed: seed, Config: func(cfg *netsim.Config) {
				cfg.PFC.Reserve, cfg.Classes = 0, 2
				cfg.PFC.Threshold, cfg.PFC.XOff, cfg.PFC.Hysteresis = "static", 5000, 2000
			}})
			source := flows
			stack, err := New(n.Engine, n.Routes, c, seed, func() Controller {
				return &whimsical{}
			}, &source, func(r *Record) { records = append(records, *r) })
			if err != nil {
				t.Fatal(err)
			}
			for n.Engine.Peek() != unit.Never {
				n.Engine.Run(n.Engine.Peek())
				checkNICs(t, stack)
				for p := range stack.rounds {
					if r := &stack.rounds[p]; planted && !r.planted {
						r.plant()
					}
				}
			}
			if len(records) != len(flows.flows) {
				t.Fatalf("%d of %d flows have ended", len(records), len(flows.flows))
			}
			n.CheckEnd(t)
			return records
		}
		if scanned, searched := run(false), run(true); !slices.Equal(scanned, searched) {
			t.Fatalf("with scans:\n%+v\nwith trees:\n%+v", scanned, searched)
		}
	})
}

func checkNICs(t *rapid.T, s *Stack) {
	now := s.e.Now()
	for p := range s.rounds {
		port := netsim.PortID(p)
		wake := unit.Never
		if at, ok := s.e.Wake(port); ok {
			wake = at
		}
		ready, ended := 0, 0
		for i := range s.rounds[p].Entries {
			r := &s.rounds[p].Entries[i]
			switch r.State {
			case Ready:
				ready++
			case Ended:
				ended++
				continue
			}
			x := s.senders.at(r.slot)
			if x.ended || int(x.entry) != i || x.Port != port || r.State != s.strategy.State(x) {
				t.Fatalf("%v: port %d, entry %d is of flow %d: %+v, which is in state %d",
					now, p, i, x.Flow.Number, *r, s.strategy.State(x))
			}
			if s.e.Busy(port) || r.State != Ready || s.e.Paused(port, r.Class) {
				continue
			}
			if r.Avail <= now {
				t.Fatalf("%v: port %d is free, and flow %d could send since %v", now, p, x.Flow.Number, r.Avail)
			}
			if wake > r.Avail {
				t.Fatalf("%v: flow %d may send at %v, but port %d wakes at %v", now, x.Flow.Number, r.Avail, p, wake)
			}
		}
		if n := &s.rounds[p]; !n.waiting.empty() && s.mayCall(port) && !s.e.Busy(port) {
			t.Fatalf("%v: port %d is free, and a flow waits for its first turn", now, p)
		}
		if n := &s.rounds[p]; n.ready != ready || n.ended != ended || 2*ended > len(n.Entries) {
			t.Fatalf("%v: port %d has %d entries, of which %d are ready and %d ended, and counts %d and %d",
				now, p, len(n.Entries), ready, ended, n.ready, n.ended)
		}
	}
	for slot := range s.senders.n {
		x := s.senders.at(slot)
		if x.ended {
			continue
		}
		if x.Una > x.Nxt || x.Nxt > x.Top || x.Top > int64(x.Flow.Size) {
			t.Fatalf("%v: flow %d has una %d, next %d, top %d of %d",
				now, x.Flow.Number, x.Una, x.Nxt, x.Top, x.Flow.Size)
		}
		if x.Nxt > x.Una && (x.Deadline == unit.Never || x.timerAt > x.Deadline) {
			t.Fatalf("%v: flow %d has %d bytes in flight and no timer", now, x.Flow.Number, x.Nxt-x.Una)
		}
	}
}

// A flow that may send gets a place at the end of the queue. If it then may not send, it keeps its place until a flow
// behind it is served.
func TestQueueOfFlows(t *testing.T) {
	r := Round{queue: &queue{tickets: make([]uint64, 3)}, Entries: make([]Entry, 3)}
	for at := range r.Entries {
		r.Entries[at].State = Idle
	}
	for at := range int32(3) {
		r.mark(at, Ready)
	}
	next := func() int {
		best := -1
		for i, x := range r.Entries {
			if x.State == Ready && (best < 0 || r.precedes(i, best, false)) {
				best = i
			}
		}
		r.call(int32(best))
		return best
	}
	var order []int
	serve := func() {
		at := next()
		order = append(order, at)
		r.mark(int32(at), Ready)
	}
	serve() // 0: now 1 2 0
	r.mark(1, Blocked)
	r.mark(1, Ready)
	serve() // 1: now 2 0 1
	r.mark(2, Blocked)
	serve() // 0, because 2 cannot send: now 1 0
	r.mark(2, Ready)
	for range 3 {
		serve()
	}
	if want := []int{0, 1, 0, 1, 0, 2}; !slices.Equal(order, want) {
		t.Errorf("served %v, want %v", order, want)
	}
	r.Entries[2].Class = 1
	if !r.precedes(2, 0, true) || !r.precedes(2, 1, true) || r.precedes(0, 2, true) {
		t.Error("a higher class does not come first")
	}
}
