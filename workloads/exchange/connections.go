package exchange

import (
	"math/rand/v2"

	"pintlab/internal/hash"
	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Connections generates the packets of TCP connections as a switch next to their clients sees them. Clients in
// 10.0.0.0/8 connect to near servers in 192.0.2.0/24 and to far servers in 198.51.100.0/24. No paper has this trace.
// Its delays are known, for the kinds of requests that Match finds and for the subsets of flows that Only selects.
//
// A SYN is answered after a round trip. The client's request follows at once, and its acknowledgement follows after
// another round trip. Then comes the client's FIN or RST, and a round trip later the server's FIN.
type Connections struct {
	number          int64
	arrivals, draws *rand.Rand
	made            int64
	next            unit.Time
	coming          heap // an identifier is the number of the connection, times eight, plus the packet's place in it
	open            map[uint64]*connection
}

type connection struct {
	flow      packets.Tuple // tuple of the packets from the client
	roundTrip unit.Time
	end       unit.Time // the client's FIN or RST
	reset     bool
}

// NewConnections returns a number of connections.
func NewConnections(number int64, seed uint64) *Connections {
	return &Connections{
		number: number, arrivals: hash.Stream(seed, "exchange/connections"),
		draws: hash.Stream(seed, "exchange/connection"), open: map[uint64]*connection{},
	}
}

// The properties of the connections. Nine of ten connections are answered. One of ten is to a far server, whose round
// trips are eight times as long. One of ten ends with a RST.
const (
	answered     = 0.9
	far          = 0.1
	farther      = 8
	reset        = 0.1
	interval     = 100 * unit.Microsecond // between SYNs, on average: a Poisson process
	requestBytes = 300
)

var (
	roundTrips = LogNormal{20 * unit.Millisecond, 0.7} // round trips to near servers
	durations  = LogNormal{unit.Second, 1.5}           // from the SYN to the client's FIN or RST, if there is time
)

// The packets of a connection, in order.
const (
	synAck = iota
	request
	acknowledgement
	clientEnd
	serverEnd
)

// Next writes the next packet to p.
func (c *Connections) Next(p *packets.Packet) bool {
	if c.made < c.number && (len(c.coming) == 0 || c.next <= c.coming[0].Time) {
		c.begin(p)
		return true
	}
	if len(c.coming) == 0 {
		return false
	}
	e := c.coming.pop()
	x := c.open[e.ID>>3]
	*p = packets.Packet{Time: e.Time, Tuple: x.flow, Size: 40, Flags: packets.ACK, Seq: 1, Ack: 1}
	then, after := uint64(e.ID&7)+1, unit.Time(0)
	switch e.ID & 7 {
	case synAck:
		p.Tuple, p.Flags, p.Seq = x.flow.Reverse(), packets.SYN|packets.ACK, 0
	case request:
		p.Payload, after = requestBytes, x.roundTrip
		p.Size += p.Payload
	case acknowledgement:
		p.Tuple, p.Ack, after = x.flow.Reverse(), 1+requestBytes, max(0, x.end-e.Time)
	case clientEnd:
		p.Seq, after = 1+requestBytes, x.roundTrip
		if p.Flags |= packets.FIN; x.reset {
			p.Flags, then = packets.RST|packets.ACK, serverEnd+1
		}
	case serverEnd:
		p.Tuple, p.Flags, p.Ack = x.flow.Reverse(), packets.FIN|packets.ACK, 2+requestBytes
	}
	if then > serverEnd {
		delete(c.open, e.ID>>3)
	} else {
		c.coming.push(Event{e.Time + after, e.ID&^7 | then, false})
	}
	return true
}

// begin writes the SYN of a new connection to p.
func (c *Connections) begin(p *packets.Packet) {
	number := uint64(c.made)
	c.made++
	x := &connection{roundTrip: roundTrips.Draw(c.draws)}
	server := uint32(0xc0000200) // 192.0.2.0
	if c.draws.Float64() < far {
		server, x.roundTrip = 0xc6336400, farther*x.roundTrip // 198.51.100.0
	}
	// Each client opens 2^14 connections, from port 2^14 on.
	x.flow = packets.MakeTuple(0x0a000001+uint32(number>>14), server|c.draws.Uint32N(256),
		uint16(1<<14+number&(1<<14-1)), 443, packets.TCP)
	x.end, x.reset = c.next+durations.Draw(c.draws), c.draws.Float64() < reset
	*p = packets.Packet{Time: c.next, Tuple: x.flow, Size: 40, Flags: packets.SYN}
	if c.draws.Float64() < answered {
		c.open[number] = x
		c.coming.push(Event{c.next + x.roundTrip, number<<3 + synAck, false})
	}
	c.next += whole(float64(float64(interval) * numeric.Exponential(c.arrivals.Uint64())))
}

// Err returns nil: generation does not fail.
func (c *Connections) Err() error { return nil }
