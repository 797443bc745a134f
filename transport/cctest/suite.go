package cctest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Suite checks the requirements of transport.Controller for arbitrary sequences of events:
//
//   - the window is at least a byte, the rate is above zero and at most the line rate, also after
//     many successive losses, timeouts or marks;
//   - if OnAck reports no change, nothing has changed;
//   - equal calls have equal results, and Start removes all state of the previous flow;
//   - OnAck and alarms do not allocate in the long run.
func Suite(t *testing.T, factory transport.Factory) {
	t.Helper()
	t.Run("KeepsItsBounds", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := factory()
			f := drawInfo(t)
			clock := &Clock{}
			f.Alarms = clock
			c.Start(0, f)
			bounds(t, c, f)
			for _, s := range drawSteps(t, f) {
				clock.Ring(c, s.now, mostAlarms)
				bounds(t, c, f)
				w, r := c.Window(), c.Rate()
				if set := s.apply(c); !set && s.ack != nil && (c.Window() != w || c.Rate() != r) {
					t.Fatalf("OnAck reports no change, but window and rate go from %v, %v to %v, %v",
						w, r, c.Window(), c.Rate())
				}
				bounds(t, c, f)
			}
		})
	})
	t.Run("ForgetsTheFlowBefore", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			used, fresh := factory(), factory()
			before := drawInfo(t)
			clock := &Clock{}
			before.Alarms = clock
			used.Start(0, before)
			for _, s := range drawSteps(t, before) {
				clock.Ring(used, s.now, mostAlarms)
				s.apply(used)
			}
			f := drawInfo(t)
			usedClock, freshClock := &Clock{}, &Clock{}
			f.Alarms = usedClock
			used.Start(0, f)
			f.Alarms = freshClock
			fresh.Start(0, f)
			for i, s := range drawSteps(t, f) {
				usedClock.Ring(used, s.now, mostAlarms)
				freshClock.Ring(fresh, s.now, mostAlarms)
				if !slices.Equal(usedClock.Due, freshClock.Due) {
					t.Fatalf("step %d: alarms %v after another flow; fresh: %v", i, usedClock.Due, freshClock.Due)
				}
				a, b := s.apply(used), s.apply(fresh)
				if a != b || used.Window() != fresh.Window() || used.Rate() != fresh.Rate() {
					t.Fatalf("step %d: %v, window %v, rate %v after another flow; fresh: %v, %v, %v",
						i, a, used.Window(), used.Rate(), b, fresh.Window(), fresh.Rate())
				}
			}
		})
	})
	t.Run("AllocatesNothing", func(t *testing.T) {
		c := factory()
		var clock Clock
		c.Start(0, transport.FlowInfo{
			Segment: 1000, Packet: 1048, Size: 1 << 40,
			LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps, BaseRTT: 10 * unit.Microsecond,
			Alarms: &clock,
		})
		hops := make([]netsim.PortSample, 5)
		a := transport.Ack{Acked: 1000, Flight: 50_000, HasRTT: true, RTT: 12 * unit.Microsecond, Hops: hops}
		now := unit.Time(0)
		step := func() {
			now += 100 * unit.Nanosecond
			a.Seq += 1000
			a.Next = a.Seq + 50_000
			a.ID++
			for i := range hops {
				hops[i] = netsim.PortSample{TS: now, Sent: unit.Bytes(a.Seq), Queue: 1000, Port: netsim.PortID(i)}
			}
			a.Marked, a.Congested = a.ID%7 == 0, a.ID%35 == 0
			clock.Ring(c, now, mostAlarms)
			c.OnAck(now, &a)
		}
		for range 10 {
			step()
		}
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%v allocations per ACK", n)
		}
	})
}

// mostAlarms is the largest number of alarms that ring between two steps.
const mostAlarms = 64

func bounds(t *rapid.T, c transport.Controller, f transport.FlowInfo) {
	t.Helper()
	if w, r := c.Window(), c.Rate(); w < 1 || r <= 0 || r > f.LineRate {
		t.Fatalf("window %v, rate %v with a line rate of %v", w, r, f.LineRate)
	}
}

// step is one call of a controller.
type step struct {
	now  unit.Time
	ack  *transport.Ack
	loss transport.Loss
}

func (s *step) apply(c transport.Controller) bool {
	if s.ack == nil {
		c.OnLoss(s.now, s.loss)
		return true
	}
	a := *s.ack
	a.Hops = slices.Clone(a.Hops)
	return c.OnAck(s.now, &a)
}

func drawInfo(t *rapid.T) transport.FlowInfo {
	line := unit.Rate(rapid.SampledFrom([]int64{1, 10, 25, 100, 400, 800}).Draw(t, "line")) * unit.Gbps
	return transport.FlowInfo{
		Number: 7, Key: rapid.Uint64().Draw(t, "key"), Size: 1 << 40, Segment: 1000, Packet: 1048, LineRate: line,
		PathRate: min(line, unit.Rate(rapid.SampledFrom([]int64{1, 10, 100, 400}).Draw(t, "path"))*unit.Gbps),
		BaseRTT:  unit.Time(rapid.Int64Range(1_000_000, 200_000_000).Draw(t, "rtt")),
		Hops:     rapid.IntRange(1, 6).Draw(t, "switches"),
	}
}

// longest is the largest number of equal successive steps. So many losses suffice to reduce the
// largest window that drawInfo allows to one byte, even if the control reduces its window by only a
// tenth at each loss.
const longest = 192

// drawSteps returns ACKs and losses as a sender might see them, often many of the same kind in a
// row. Acknowledged bytes, clocks and counters of a port never decrease. Sometimes the path
// changes, and some ACKs have no round-trip time.
func drawSteps(t *rapid.T, f transport.FlowInfo) []step {
	var steps []step
	now, una, nxt := unit.Time(0), int64(0), int64(0)
	ports := make([]netsim.PortSample, 10)
	for i := range ports {
		ports[i].Port = netsim.PortID(i)
	}
	length := rapid.IntRange(0, 5).Draw(t, "hops")
	id, kind, left, congested := uint32(0), 0, 0, false
	for n := rapid.IntRange(0, 40).Draw(t, "steps"); n > 0 || left > 0; left-- {
		if left <= 0 {
			n--
			kind, left, congested = rapid.IntRange(0, 9).Draw(t, "kind"), 1, false
			if rapid.IntRange(0, 7).Draw(t, "streak") == 0 {
				left, congested = rapid.IntRange(2, longest).Draw(t, "in a row"), rapid.Bool().Draw(t, "congested")
			}
		}
		now += unit.Time(rapid.Int64Range(1, 20_000_000).Draw(t, "later"))
		nxt += 1000 * rapid.Int64Range(0, 50).Draw(t, "sent")
		s := step{now: now}
		if kind <= int(transport.Selective) {
			s.loss = transport.Loss{Kind: transport.LossKind(kind), Seq: una, Flight: unit.Bytes(nxt - una),
				Again: rapid.Bool().Draw(t, "again")}
			steps = append(steps, s)
			continue
		}
		acked := 1000 * rapid.Int64Range(0, min(3, (nxt-una)/1000)).Draw(t, "acked")
		una += acked
		id++
		a := &transport.Ack{
			Seq: una, Acked: unit.Bytes(acked), Flight: unit.Bytes(nxt - una), Next: nxt,
			Phase:  transport.Phase(rapid.IntRange(0, 4).Draw(t, "phase")),
			Marked: congested || rapid.Bool().Draw(t, "marked"),
			Digest: rapid.Uint64Range(0, 255).Draw(t, "digest"), ID: id, FlowKey: f.Key,
		}
		if a.HasRTT = rapid.IntRange(0, 9).Draw(t, "timed") > 0; a.HasRTT {
			a.RTT = f.BaseRTT + unit.Time(rapid.Int64Range(0, 1_000_000_000).Draw(t, "wait"))
		}
		a.Congested = a.Marked && (congested || rapid.Bool().Draw(t, "first mark"))
		if rapid.IntRange(0, 19).Draw(t, "reroute") == 0 {
			length = rapid.IntRange(0, 5).Draw(t, "hops")
			slices.Reverse(ports)
		}
		for i := range ports {
			p := &ports[i]
			dt := unit.Time(rapid.Int64Range(0, 20_000_000).Draw(t, "dt"))
			p.TS, p.Sent = p.TS+dt, p.Sent+f.LineRate.In(dt)
			p.Queue = int32(rapid.Int64Range(0, 30_000_000).Draw(t, "queue"))
			if i < length {
				a.Hops = append(a.Hops, *p)
			}
		}
		s.ack = a
		steps = append(steps, s)
	}
	return steps
}
