package recovery_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// RFC 6675 §4, NextSeg rule 3: 4, 6, 8 and 10 are lost, and there is no more data than 11.
// The duplicate of 9 is the third: 4 goes, with a window of 4, and 5 are in the network. That
// of 11 takes itself and 6 out, which three have overtaken now: 6 goes. Two have overtaken 8
// and one 10: they are not lost by IsLost, but the ACKs of 4 and 6 leave less than the window
// in the network, and they go by rule 3. The ACK of 8 finds nothing else to send, and the
// rescue of rule 4 repeats 10 once more.
func TestRule3RepairsWhatIsNotLostYet(t *testing.T) {
	l := rounds(recovery.SACK)
	l.Drop = cctest.DropFirst(mss, 4, 6, 8, 10)
	got, x := trace(t, l, 12)
	checkTrace(t, "sack", got, `
		0 1 2 3
		4 5 6 7 8 9 10 11
		4 6
		8 10
		10`)
	if x.Retx != 5 || x.Timeouts != 0 {
		t.Errorf("%d packets sent again, %d timeouts, want 5 and 0", x.Retx, x.Timeouts)
	}
}

// RFC 6675 §4, NextSeg rule 4: 4 is lost, and so is the end of the flow, 10 and 11, about
// which no SACK says anything. When 4 has arrived again, HighACK is beyond what was sent
// again, and one rescue is due: the last segment, 11. Its SACK leaves 10, with only 11
// above it, so 10 is sent by rule 3. Without the rescue a timeout would be needed.
func TestRule4RescuesTheEnd(t *testing.T) {
	l := rounds(recovery.SACK)
	l.Drop = cctest.DropFirst(mss, 4, 10, 11)
	got, x := trace(t, l, 12)
	checkTrace(t, "sack", got, `
		0 1 2 3
		4 5 6 7 8 9 10 11
		4
		11
		10`)
	if x.Retx != 3 || x.Timeouts != 0 {
		t.Errorf("%d packets sent again, %d timeouts, want 3 and 0", x.Retx, x.Timeouts)
	}
}

// RFC 6675 finds a loss once: 4 is lost twice, and only the timer finds that. RACK finds it
// with the next ACK of what was sent later.
func TestOnlyRACKFindsALostRetransmission(t *testing.T) {
	for kind, timeouts := range map[recovery.Kind]uint32{recovery.SACK: 1, recovery.RACK: 0} {
		l := rounds(kind)
		l.Drop = cctest.DropFirst(mss, 4, 4)
		_, x := trace(t, l, 40)
		if x.Timeouts != timeouts || x.Outcome != transport.Finished {
			t.Errorf("recovery %s: %d timeouts, want %d", kind, x.Timeouts, timeouts)
		}
	}
}

// RFC 8985 §7.2: the last segment of a flow of 4 is lost. There is nothing new to send: two
// smoothed round trips after the ACK of 2 the sender repeats 3, and no timeout (5 ms) comes.
// The smoothed RTT is that of the first sample, 400 us and the times of packets, plus an
// eighth of the differences, which are those of the packets that waited in front: 1.2 us
// each. A lost probe leaves it to the timer, which runs from the probe on (§7.3).
func TestTailLossProbe(t *testing.T) {
	for losses, timeouts := range []uint32{0, 0, 1} {
		l := rounds(recovery.RACK)
		l.Drop = cctest.DropFirst(mss, []int64{3, 3}[:losses]...)
		r := l.Run(t, cctest.Flow(0, 1, 4*mss))
		var acked unit.Time
		var tail []unit.Time
		for _, e := range r.Wire {
			switch {
			case e.Packet.Kind == netsim.Ack && e.Packet.Seq == 3*mss:
				acked = e.At
			case e.Sent && e.Packet.Seq == 3*mss:
				tail = append(tail, e.At)
			}
		}
		if x := r.Of(0); x.Timeouts != timeouts || int(x.Retx) != losses {
			t.Errorf("%d losses: %d timeouts, %d packets sent again", losses, x.Timeouts, x.Retx)
		}
		if losses == 0 {
			continue
		}
		if wait := tail[1] - acked; wait < 800*unit.Microsecond || wait > 815*unit.Microsecond {
			t.Errorf("the probe goes %v after the last ACK, want twice the RTT of 400 us and some", wait)
		}
		if losses == 2 && tail[2]-tail[1] != 5*unit.Millisecond {
			t.Errorf("the timeout comes %v after the probe, want 5ms", tail[2]-tail[1])
		}
	}
}

// Segment 2 comes two packets late, too little for three duplicates, and 20 three. SACK takes
// 20 for lost at the third duplicate. RACK has learnt from 2 that packets are reordered: it
// waits a quarter of a round trip for 20, and nothing is sent again (RFC 8985 §6.2 step 4).
func TestRACKLearnsOfReordering(t *testing.T) {
	if invariants.Enabled {
		t.Skip("needs go test without -tags invariants, whose audit finds a packet that is held back in no queue")
	}
	for kind, again := range map[recovery.Kind]uint32{recovery.SACK: 1, recovery.RACK: 0} {
		l := rounds(kind)
		l.Trace = false
		l.Control = cctest.Puppets(&cctest.Puppet{W: 12 * mss})
		r := l.Start(t, cctest.Flow(0, 1, 80*mss))
		r.Engine.Attach(&lates{Stack: r.Stack, e: r.Engine, which: []int64{2, 20}, waits: []int{2, 3},
			held: netsim.NoPacket})
		r.Engine.Run(unit.Never - 1)
		r.CheckEnd()
		if x := r.Of(0); x.Retx != again {
			t.Errorf("recovery %s: %d packets sent again, want %d", kind, x.Retx, again)
		}
	}
}

// lates delivers data segments after some that follow each.
type lates struct {
	*transport.Stack
	e     *netsim.Engine
	which []int64
	waits []int // how many
	held  netsim.PacketID
	wait  int
}

func (l *lates) Deliver(host netsim.NodeID, id netsim.PacketID) {
	p := l.e.Packet(id)
	if p.Kind == netsim.Data && len(l.which) > 0 && p.Seq == l.which[0]*mss {
		l.held, l.wait, l.which, l.waits = id, l.waits[0], l.which[1:], l.waits[1:]
		return
	}
	data := p.Kind == netsim.Data
	l.Stack.Deliver(host, id)
	if data && l.held != netsim.NoPacket {
		if l.wait--; l.wait == 0 {
			held := l.held
			l.held = netsim.NoPacket
			l.Stack.Deliver(host, held)
		}
	}
}

// blocksOf lists the ACKs that reach the source with more than headers: their sizes beyond
// the smallest ACK of 60 bytes.
func blocksOf(r *cctest.Trial) string {
	var b strings.Builder
	for _, e := range r.Wire {
		if !e.Sent && e.Packet.Kind != netsim.Data {
			fmt.Fprintf(&b, "%d ", e.Packet.Size)
		}
	}
	return strings.TrimSpace(b.String())
}

// RFC 2018 §3: two bytes and eight for each block, with two of padding: 54 + 12 for one
// block, + 20 for two, + 28 for three, which is the most. Every second of the first segments
// is lost; the ACK of each other one reports its own block and those before. ACKs without
// blocks are padded to 60 bytes.
func TestBlocksCountOnTheWire(t *testing.T) {
	l := rounds(recovery.SACK)
	l.Control = cctest.Puppets(&cctest.Puppet{W: 10 * mss})
	l.Drop = cctest.DropFirst(mss, 1, 3, 5, 7)
	r := l.Run(t, cctest.Flow(0, 1, 10*mss))
	// 0 has no block; 2, 4, 6 have one more each; 8 and 9, which join, have three; the repeats
	// of 1, 3, 5 leave what is beyond them, and that of 7 nothing. The rescue of rule 4 sent 7
	// twice: its ACK has the block of RFC 2883.
	if got, want := blocksOf(r), "60 66 74 82 82 82 82 74 66 60 66"; got != want {
		t.Errorf("ACKs of %s bytes, want %s", got, want)
	}
}

// irnLab returns rounds with IRN: a window of eight segments, timeouts of 1 ms while less than
// three are out, and of 3 ms otherwise.
func irnLab() cctest.Lab {
	l := rounds(recovery.IRN)
	c := &l.Transport
	c.DupAcks = 1
	c.RTOLow, c.RTOHigh, c.RTOLowPackets = unit.Millisecond, 3*unit.Millisecond, 3
	l.Control = cctest.Puppets(&cctest.Puppet{W: 8 * mss})
	return l
}

// IRN §3.1: 3 and 5 are lost. The NACK of 4 begins recovery with 3; that of 6 says that 5 is
// lost, too. 11 were sent, 8 are out: nothing new goes before 3 has arrived, which moves the
// window by two, and 5, which moves it to 11. With go-back-N all from 3 on would go again.
func TestIRNRepeatsWhatIsMissing(t *testing.T) {
	l := irnLab()
	l.Drop = cctest.DropFirst(mss, 3, 5)
	got, x := trace(t, l, 20)
	checkTrace(t, "irn", got, `
		0 1 2 3 4 5 6 7
		8 9 10 3 5
		11 12 13 14 15 16 17 18
		19`)
	if x.Retx != 2 || x.Timeouts != 0 {
		t.Errorf("%d packets sent again, %d timeouts, want 2 and 0", x.Retx, x.Timeouts)
	}
}

// BDP-FC: no more than four segments are out, though the window would allow eight.
func TestIRNsCapBoundsTheFlight(t *testing.T) {
	l := irnLab()
	l.Transport.FlightCap, l.Transport.BDP = true, 4*mss
	got, _ := trace(t, l, 9)
	checkTrace(t, "irn", got, `
		0 1 2 3
		4 5 6 7
		8`)
}

// The last of a message of two is lost: RTO_low after the ACK of the first. Of a message of
// three all are lost: a timeout sends the first alone, because what follows is lost only if
// something above it has arrived; so that another timeout finds each of the others.
func TestIRNsTimeouts(t *testing.T) {
	l := irnLab()
	l.Drop = cctest.DropFirst(mss, 1)
	r := l.Run(t, cctest.Flow(0, 1, 2*mss))
	var acked, again unit.Time
	for _, e := range r.Wire {
		if e.Packet.Kind == netsim.Ack && e.Packet.Seq == mss {
			acked = e.At
		}
		if e.Sent && e.Packet.Flags&netsim.FlagRetx != 0 {
			again = e.At
		}
	}
	if again-acked != unit.Millisecond {
		t.Errorf("sent again %v after the ACK, want RTO_low = 1ms", again-acked)
	}
	l = irnLab()
	l.Drop = cctest.DropFirst(mss, 0, 1, 2)
	r = l.Run(t, cctest.Flow(0, 1, 3*mss))
	var sends []unit.Time
	for _, e := range r.Wire {
		if e.Sent {
			sends = append(sends, e.At)
		}
	}
	if x := r.Of(0); x.Timeouts != 3 || x.Retx != 3 {
		t.Errorf("%+v, want three timeouts and three packets sent again", x)
	}
	// The timer starts with the first segment, when less than three are out.
	if len(sends) != 6 || sends[3]-sends[0] != unit.Millisecond {
		t.Errorf("sends at %v", sends)
	}
}

// Whatever is lost, data or ACKs, every flow ends with every byte, and only packets that
// were lost or counted as lost are sent again.
func TestSelectiveRepeatSurvivesAnyLoss(t *testing.T) {
	for _, kind := range []recovery.Kind{recovery.SACK, recovery.RACK, recovery.IRN} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := rounds(kind)
				if kind == recovery.IRN {
					l = irnLab()
					l.Transport.DupAcks = rapid.IntRange(1, 4).Draw(t, "threshold")
				} else {
					l.Control = renoWith(rapid.IntRange(1, 30).Draw(t, "window"))
				}
				l.Trace = false
				l.Transport.AckEvery = rapid.IntRange(1, 3).Draw(t, "ack every")
				l.Transport.AckDelay = 50 * unit.Microsecond
				share := rapid.SampledFrom([]float64{0.01, 0.1, 0.3}).Draw(t, "loss")
				seed := rapid.Uint64().Draw(t, "seed")
				n := uint64(0)
				l.Drop = func(unit.Time, *netsim.Packet) bool {
					n++
					return hash.Unit(hash.Combine(seed, n)) < share
				}
				r := l.Run(t, cctest.Flow(0, 1, unit.Bytes(rapid.IntRange(1, 60*mss).Draw(t, "size"))))
				if x := r.Of(0); x.Outcome != transport.Finished {
					t.Errorf("%+v", x)
				}
			})
		})
	}
}

// Scoreboards, blocks and the timers of RACK allocate nothing in the long run, with a loss in
// every hundred packets.
func TestSelectiveRepeatAllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("needs go test without -tags invariants, whose checks allocate")
	}
	for _, kind := range []recovery.Kind{recovery.SACK, recovery.RACK, recovery.IRN} {
		l := rounds(kind)
		if kind == recovery.IRN {
			l = irnLab()
		}
		l.Trace = false
		l.Control = func(*netsim.Network) transport.Factory { return cctest.Fixed(30*mss, unit.Tbps) }
		n := 0
		l.Drop = func(_ unit.Time, p *netsim.Packet) bool {
			n++
			return p.Kind == netsim.Data && n%100 == 0
		}
		r := l.Start(t, cctest.Flow(0, 1, 1<<40))
		at := 100 * unit.Millisecond
		r.Engine.Run(at)
		before := n
		allocs := testing.AllocsPerRun(10, func() {
			at += 10 * unit.Millisecond
			r.Engine.Run(at)
		})
		if allocs != 0 || n < before+1000 {
			t.Errorf("recovery %s: %v allocations in 10 ms, %d packets in all", kind, allocs, n-before)
		}
	}
}

// A flow of one packet whose first transmission is lost knows no round trip: the probe comes when
// the timeout of 1 ms would, and no timeout counts. If the probe is lost, too, the timeout is 1 ms
// after it, where without RACK-TLP it has doubled.
func TestTheFirstProbeNeedsNoRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		kind     recovery.Kind
		lost     []int64
		fct      unit.Time // and less than 100 us more
		timeouts uint32
	}{
		{recovery.SACK, []int64{0}, 1 * unit.Millisecond, 1},
		{recovery.RACK, []int64{0}, 1 * unit.Millisecond, 0},
		{recovery.SACK, []int64{0, 0}, 3 * unit.Millisecond, 2},
		{recovery.RACK, []int64{0, 0}, 2 * unit.Millisecond, 1},
	} {
		c := cctest.TCP()
		c.Recovery = tt.kind
		r := cctest.Lab{Graph: netsimtest.Star(2), Transport: c, Drop: cctest.DropFirst(1000, tt.lost...)}.Run(t,
			cctest.Flow(0, 1, 1000))
		if x := r.Of(0); x.FCT < tt.fct || x.FCT > tt.fct+100*unit.Microsecond || x.Timeouts != tt.timeouts {
			t.Errorf("recovery %s, %d lost: %v and %d timeouts, want %v and %d",
				tt.kind, len(tt.lost), x.FCT, x.Timeouts, tt.fct, tt.timeouts)
		}
	}
}
