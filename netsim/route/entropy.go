package route

import (
	"math/bits"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// EntropyBalancer is a Balancer whose senders write an entropy value (EV) into each packet, as in Ultra Ethernet. A
// switch hashes the EV together with the flow, so that packets of a flow with equal EV take the same path. An ACK
// repeats the EV of its packet and reports what happened to the packet. Entropy chooses the EVs.
type EntropyBalancer interface {
	Balancer
	// Begin initialises the EVs of a sender. All packets of a flow in one direction share the value
	// flow.
	Begin(e *Entropy, flow uint64)
}

// Oblivious uses each EV of a flow once in random order, and then starts again in another order. It
// ignores feedback.
type Oblivious struct {
	// Entropy values of a flow; a power of two.
	Values int `yaml:"entropies" default:"64" range:">=2 <=256" draw:"64|8|256"`
}

// Bitmap skips EVs whose packets were marked, trimmed or lost.
type Bitmap struct{ Oblivious }

// REPS reuses EVs whose packets arrived unmarked, once for each such packet: "recycled entropy
// packet spraying", Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load
// Balancing and Failure Mitigation", 2024.
type REPS struct {
	Oblivious
	// Where good EVs are kept: the last 8 in a ring, or all in a list. A timeout freezes the ring
	// for 10 ms; meanwhile the flow uses only its EVs.
	Memory string `yaml:"memory" default:"ring" oneof:"ring|list"`
}

// Mixed uses good EVs from a list as REPS does, and chooses as Bitmap does when the list is empty.
type Mixed struct{ Oblivious }

// HeedsMarks reports whether senders choose paths by the marks of earlier packets.
func HeedsMarks(b Balancing) bool {
	switch b.(type) {
	case *Bitmap, *REPS, *Mixed:
		return true
	}
	return false
}

// LeavesSlowPaths reports whether traffic moves from slow paths to faster ones: because of marks, or because slow paths
// delay packets so that flowlets begin.
func LeavesSlowPaths(b Balancing) bool {
	_, flowlets := b.(*LetFlow)
	return flowlets || HeedsMarks(b)
}

func (*Oblivious) Splits() Split { return Packets }

func (*Oblivious) Options(*Options) {}

func (p *Oblivious) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return p.balancer(seed, entropic{})
}

func (p *Bitmap) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return p.balancer(seed, entropic{penalises: true})
}

func (p *REPS) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return p.balancer(seed, entropic{recycles: true, ring: p.Memory == "ring"})
}

func (p *Mixed) Balancer(_ *topo.Graph, seed uint64) Balancer {
	return p.balancer(seed, entropic{recycles: true, penalises: true})
}

func (p *Oblivious) balancer(seed uint64, b entropic) Balancer {
	b.dice, b.values = dice{hash.Combine(hash.String("route/entropy"), seed)}, p.Values
	return &b
}

// entropic is balancing by entropy values. Switches choose by the hash of flow and EV.
type entropic struct {
	dice
	values    int
	penalises bool // avoids EVs with bad feedback
	recycles  bool // reuses EVs with good feedback
	ring      bool // keeps good EVs in a ring, not in a list
}

func (b *entropic) Begin(e *Entropy, flow uint64) {
	*e = Entropy{entropic: b, state: hash.Combine(b.salt, flow), penalties: e.penalties[:0], good: e.good[:0]}
	if b.penalises {
		for range b.values {
			e.penalties = append(e.penalties, 0)
		}
	}
	if b.ring {
		for range ringSize {
			e.good = append(e.good, 0)
		}
	}
	e.mask = uint8(e.draw())
}

// Feedback is what a sender learns about the fate of a packet.
type Feedback uint8

// The feedback of a packet.
const (
	Good     Feedback = iota // it arrived without a mark
	Marked                   // it arrived with a mark
	Trimmed                  // only its headers arrived
	TimedOut                 // no answer arrived before a timeout
)

// The constants of uet-htsim.
const (
	mostPenalty  = 15
	ringSize     = 8
	frozen       = 10 * unit.Millisecond
	afterFreeze  = 16 // packets on random EVs
	countsBehind = 64 // the list of good EVs is moved when this many entries in front of it are free
)

var penalties = [...]uint8{Marked: 1, Trimmed: 4, TimedOut: mostPenalty}

// Entropy chooses the EVs of a flow's packets. A round is a permutation of all EVs: a counter whose
// bits are flipped by a random mask.
type Entropy struct {
	*entropic
	state     uint64
	penalties []uint8 // by EV
	// EVs with good feedback: the ring, or the list from head on.
	good    []uint8
	count   int   // position in the present round
	mask    uint8 // mask of the present round
	head    int   // start of the list; in the ring, the index of the next entry
	fresh   uint8 // number of unused EVs of the ring, which are the last ones before head
	held    uint8 // EVs in the ring
	random  uint8 // number of coming packets that use random EVs
	turn    uint8 // position in the frozen ring
	started bool  // the list has been used, or the first round has ended
	thaws   unit.Time
}

func (e *Entropy) draw() uint64 {
	e.state += 0x9e37_79b9_7f4a_7c15
	return hash.Mix64(e.state)
}

// any returns a random EV.
func (e *Entropy) any() uint8 {
	ev, _ := bits.Mul64(e.draw(), uint64(e.values))
	return uint8(ev)
}

// Next returns the EV of the packet that is sent now.
func (e *Entropy) Next(now unit.Time) uint8 {
	switch {
	case e.ring:
		return e.fromRing(now)
	case e.recycles && e.head < len(e.good):
		ev := e.good[e.head]
		if e.head++; e.head == len(e.good) {
			e.good, e.head = e.good[:0], 0
		}
		return ev
	case e.penalises:
		return e.passing()
	case e.recycles && !e.started:
		ev := uint8(e.count)
		e.count++
		e.started = e.count == e.values
		return ev
	case e.recycles:
		return e.any()
	}
	return e.step()
}

// step returns the next EV of the round.
func (e *Entropy) step() uint8 {
	ev := uint8((e.count ^ int(e.mask)) & (e.values - 1))
	if e.count++; e.count == e.values {
		e.count, e.mask = 0, uint8(e.draw())
	}
	return ev
}

// passing returns the next EV of the round that has no penalty. If it skips EVs, it lowers the penalty of the first
// skipped EV by 1.
func (e *Entropy) passing() uint8 {
	ev := e.step()
	if e.penalties[ev] == 0 {
		return ev
	}
	e.penalties[ev]--
	for range e.values {
		if ev = e.step(); e.penalties[ev] == 0 {
			break
		}
	}
	return ev
}

// fromRing returns the oldest unused EV of the ring, or a random one if all are used. While the
// ring is frozen it cycles through all its EVs.
func (e *Entropy) fromRing(now unit.Time) uint8 {
	switch {
	case e.random > 0:
		e.random--
		return e.any()
	case now < e.thaws && e.held > 0:
		ev := e.good[e.turn%e.held]
		e.turn++
		return ev
	case e.fresh > 0:
		ev := e.good[(e.head+ringSize-int(e.fresh))%ringSize]
		e.fresh--
		return ev
	}
	return e.any()
}

// Hear updates the state with the feedback for a packet on an EV.
func (e *Entropy) Hear(now unit.Time, ev uint8, f Feedback) {
	if e.penalises && f != Good {
		e.penalties[ev] = min(e.penalties[ev]+penalties[f], mostPenalty)
	}
	if e.ring {
		e.hearRing(now, ev, f)
		return
	}
	if !e.recycles || f != Good {
		return
	}
	if e.head >= countsBehind {
		e.good, e.head = e.good[:copy(e.good, e.good[e.head:])], 0
	}
	e.good = append(e.good, ev)
}

func (e *Entropy) hearRing(now unit.Time, ev uint8, f Feedback) {
	switch {
	case f == TimedOut:
		e.thaws = now + frozen
		return
	case now < e.thaws:
	case e.thaws > 0:
		e.thaws, e.random = 0, afterFreeze
		e.head, e.fresh, e.held, e.turn = 0, 0, 0, 0
	}
	if f == Good {
		e.good[e.head] = ev
		e.head = (e.head + 1) % ringSize
		e.fresh = min(e.fresh+1, ringSize)
		e.held = min(e.held+1, ringSize)
	}
}
