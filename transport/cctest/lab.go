// Package cctest contains helpers for tests of transports and congestion controls. No program
// imports it. Lab runs flows over a small network, can lose selected packets and records packets.
// Suite is a set of tests that every transport.Controller must pass.
package cctest

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/fixed"
)

// Lab configures runs of flows. Graph and Transport must be set.
type Lab struct {
	Graph     *topo.Graph
	Transport transport.Config
	Network   func(*netsim.Config)                    // modifies netsim.Default
	Control   func(*netsim.Network) transport.Factory // nil: flows are not limited
	Taps      func(*netsim.Network) []netsim.Tap
	Sinks     []netsim.Sink
	Engine    func(*netsim.Engine) // called before the transport is made; may be nil
	Seed      uint64

	Faults []Fault // in order of time

	Trace bool // keep Trial.Wire
	// Drop reports whether a packet is lost when it reaches its host. The network counts the packet
	// as delivered.
	Drop func(now unit.Time, p *netsim.Packet) bool
}

// Fault breaks or repairs a link, or it stops or resumes the sending of a host. When a link breaks
// or is repaired, the routes change at the same time.
type Fault struct {
	At     unit.Time
	Link   int // -1: the fault is of Host
	Host   netsim.NodeID
	Broken bool
}

// Trial is a run of a Lab.
type Trial struct {
	*netsimtest.Net
	Stack   *transport.Stack
	Records []transport.Record // in the order in which flows end
	Wire    []Event

	tb    netsimtest.TB
	flows int
}

// Event is the departure of a data packet from its source or the arrival of a packet at its host.
type Event struct {
	At     unit.Time
	Sent   bool // departure; otherwise arrival
	Lost   bool // lost by Lab.Drop
	Packet netsim.Packet
}

// NoLimit makes controllers that let a flow send at the rate of its port.
func NoLimit(*netsim.Network) transport.Factory { return Fixed(1<<50, 1<<60) }

// Fixed makes controllers with a constant window and rate.
func Fixed(window unit.Bytes, rate unit.Rate) transport.Factory {
	f, err := (&fixed.Params{Window: unit.Limit(window), Rate: rate}).New(nil)
	if err != nil {
		panic(err)
	}
	return f
}

// Flow returns a flow of class 3 that starts at time 0. Lab.Start sets the number and the ports of the flow.
func Flow(src, dst netsim.NodeID, size unit.Bytes) transport.Flow {
	return transport.Flow{Number: -1, Src: src, Dst: dst, Size: size, Class: 3}
}

// Start builds the network and attaches the transport. Flows without a number get their index in
// the list. The list must be in order of start times.
func (l Lab) Start(tb netsimtest.TB, flows ...transport.Flow) *Trial {
	tb.Helper()
	r := l.build(tb, 0, flows)
	if l.Trace || l.Drop != nil {
		r.Engine.Attach(&wire{Stack: r.Stack, r: r, lab: l})
	}
	return r
}

// RunParts works like Run on a network that is divided among this many workers. It cannot trace or
// drop packets.
func (l Lab) RunParts(tb netsimtest.TB, workers int, flows ...transport.Flow) *Trial {
	tb.Helper()
	r := l.build(tb, workers, flows)
	l.Finish(r)
	return r
}

// Finish continues a trial of Start to its end, with all faults. It then makes the same checks as
// Run.
func (l Lab) Finish(r *Trial) {
	r.tb.Helper()
	e := r.Engine
	down := make([]bool, len(l.Graph.Links))
	for _, f := range l.Faults {
		e.Run(f.At - 1)
		e.Advance(f.At)
		if f.Link < 0 {
			e.HaltHost(f.Host, f.Broken)
			continue
		}
		e.SetLink(f.Link, f.Broken)
		down[f.Link] = f.Broken
		routes, err := route.NewExcluding(l.Graph, route.Options{Seed: l.Seed}, down)
		if err != nil {
			r.tb.Fatalf("routes: %v", err)
		}
		r.Stack.SetRoutes(routes)
	}
	for e.Peek() != unit.Never {
		e.Run(e.Peek() + unit.Millisecond)
		if events := r.Counters().Events; events > maxEvents {
			r.tb.Fatalf("%d events up to %v, and no end", events, e.Peek())
		}
	}
	r.CheckEnd()
}

// maxEvents is the number of events after which Finish gives up a run that does not end.
const maxEvents = 1 << 24

// build makes the network of a trial and attaches the transport. With 0 workers the network is one domain.
func (l *Lab) build(tb netsimtest.TB, workers int, flows []transport.Flow) *Trial {
	tb.Helper()
	flows = slices.Clone(flows)
	for i := range flows {
		if f := &flows[i]; f.Number < 0 {
			f.Number, f.SrcPort, f.DstPort = int32(i), uint16(10_000+i), 100
		}
	}
	if l.Control == nil {
		l.Control = NoLimit
	}
	r := &Trial{tb: tb, flows: len(flows)}
	r.Net = netsimtest.New(tb, l.Graph, netsimtest.Options{
		Seed: l.Seed, Workers: workers, Taps: l.Taps, Sinks: l.Sinks,
		Config: func(c *netsim.Config) {
			c.MaxPacket = max(l.Transport.PacketSize(l.Transport.Segment), l.Transport.LargestAck(), c.PFC.Frame)
			_, c.Options = l.Transport.Recovery.Options()
			if l.Network != nil {
				l.Network(c)
			}
		},
	})
	if l.Engine != nil {
		l.Engine(r.Engine)
	}
	done := func(x *transport.Record) { r.Records = append(r.Records, *x) }
	var err error
	r.Stack, err = transport.New(r.Engine, r.Routes, l.Transport, l.Seed, l.Control(r.Net.Net),
		&List{Flows: flows}, done)
	if err != nil {
		tb.Fatalf("transport: %v", err)
	}
	return r
}

// Run runs flows to the end. It checks that each flow has one record with the outcome finished,
// failed or unreachable, and that the network is empty.
func (l Lab) Run(tb netsimtest.TB, flows ...transport.Flow) *Trial {
	tb.Helper()
	r := l.Start(tb, flows...)
	l.Finish(r)
	return r
}

// CheckEnd fails the test unless every flow has ended and the network is empty.
func (r *Trial) CheckEnd() {
	r.tb.Helper()
	if len(r.Records) != r.flows {
		r.tb.Fatalf("%d records of %d flows", len(r.Records), r.flows)
	}
	if r.Stack.Active() != 0 {
		r.tb.Fatalf("%d flows still active", r.Stack.Active())
	}
	seen := map[int32]bool{}
	for i := range r.Records {
		x := &r.Records[i]
		if seen[x.Number] {
			r.tb.Fatalf("flow %d ended twice", x.Number)
		}
		seen[x.Number] = true
		switch x.Outcome {
		case transport.Finished:
			if x.Acked != x.Size || x.FCT <= 0 || x.FCT == unit.Never {
				r.tb.Fatalf("flow %d finished with %d of %d bytes in %v", x.Number, x.Acked, x.Size, x.FCT)
			}
		case transport.Failed, transport.Unreachable:
			if x.FCT != unit.Never {
				r.tb.Fatalf("flow %d failed, but its FCT is %v", x.Number, x.FCT)
			}
		default:
			r.tb.Fatalf("flow %d: outcome %v at the end of a run", x.Number, x.Outcome)
		}
	}
	r.Net.CheckEnd(r.tb)
}

// Of returns the record of a flow.
func (r *Trial) Of(number int32) *transport.Record {
	r.tb.Helper()
	for i := range r.Records {
		if r.Records[i].Number == number {
			return &r.Records[i]
		}
	}
	r.tb.Fatalf("flow %d has no record", number)
	return nil
}

// Sends lists the data packets in the order in which they left their source, by segment number,
// such as "0 1 2 1". If there is only one flow, a repeated number is a retransmission. A pause of
// at least gap starts a new line.
func (r *Trial) Sends(segment unit.Bytes, gap unit.Time) string {
	var b strings.Builder
	last := unit.Time(0)
	for _, e := range r.Wire {
		if !e.Sent {
			continue
		}
		switch {
		case b.Len() == 0:
		case e.At-last >= gap:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		last = e.At
		fmt.Fprint(&b, e.Packet.Seq/int64(segment))
	}
	return b.String()
}

// wire is a transport that traces and drops packets.
type wire struct {
	*transport.Stack
	r   *Trial
	lab Lab
}

func (w *wire) Next(p netsim.PortID) netsim.PacketID {
	id := w.Stack.Next(p)
	if id != netsim.NoPacket && w.lab.Trace {
		w.r.Wire = append(w.r.Wire, Event{At: w.r.Engine.Now(), Sent: true, Packet: *w.r.Engine.Packet(id)})
	}
	return id
}

func (w *wire) Deliver(host netsim.NodeID, id netsim.PacketID) {
	p := w.r.Engine.Packet(id)
	lost := w.lab.Drop != nil && w.lab.Drop(w.r.Engine.Now(), p)
	if w.lab.Trace {
		w.r.Wire = append(w.r.Wire, Event{At: w.r.Engine.Now(), Lost: lost, Packet: *p})
	}
	if lost {
		w.r.Engine.Free(id)
		return
	}
	w.Stack.Deliver(host, id)
}

// DropFirst returns a Drop that loses the first transmission of the given data segments.
func DropFirst(segment unit.Bytes, numbers ...int64) func(unit.Time, *netsim.Packet) bool {
	left := slices.Clone(numbers)
	return func(_ unit.Time, p *netsim.Packet) bool {
		if p.Kind != netsim.Data {
			return false
		}
		i := slices.Index(left, p.Seq/int64(segment))
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
		return true
	}
}
