package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Ideal returns the flow completion time of size bytes alone in an empty network: the flow's
// packets leave back to back at line rate, are stored and forwarded at every switch, and the
// ACK of the last returns. No packet carries telemetry, so that it is the same for every
// scheme. Where telemetry makes the payload of a packet smaller (segment: mtu), a flow with the
// same number of packets may be faster, because its first packets are shorter. forth and back
// are the stages of the two ways, each of one port if the flow keeps its path.
//
// The n full packets of a flow are alike, so that the last of them leaves link i at
// Σ(tx+delay) + (n−1)·max tx over the links up to i; the last packet, which is shorter,
// is followed link by link: it starts when it has arrived and the link is free. So is the
// last ACK, which may come close behind the one before it. Nothing else waits, because
// full packets are not smaller than ACKs.
//
// Packets that take several paths overtake each other, and no schedule is the only one. What is
// returned then is a bound: the links of a stage together need n·tx for the full packets, at the
// sum of their rates, and the first of these comes, and the last goes on, by the fastest port. A short last packet is taken not to overtake: if it does, the flow may
// end earlier, by less than the time of that packet.
func Ideal(n *netsim.Network, c *Config, size unit.Bytes, forth, back []stage) unit.Time {
	segment := c.Segment
	if c.IdealSegment > 0 {
		segment = c.IdealSegment
	}
	full := size / segment
	rest := size % segment
	var sum, slowest unit.Time // first full packet's end on this link; slowest link so far
	var last unit.Time         // arrival of the last packet at the current node
	var ahead unit.Time        // the same of the packet before it
	var wide unit.Time         // time from the first to the last full packet that a stage of several links needs
	for _, x := range forth {
		delay := n.PortDelay(x.fastest)
		free := unit.Time(0)
		if full > 0 {
			tx := n.TxTime(x.fastest, c.Header+segment)
			sum += tx
			if x.wide {
				wide = max(wide, x.total.TxTime(full*(c.Header+segment))-tx)
			} else {
				slowest = max(slowest, tx)
			}
			free = sum + unit.Time(full-1)*slowest
		}
		switch {
		case rest == 0:
			last = free + delay
			ahead = last - slowest
		case x.wide: // and so free for the packet
			last += n.TxTime(x.fastest, c.Header+rest) + delay
			ahead = free + delay
		default:
			last = max(last, free) + n.TxTime(x.fastest, c.Header+rest) + delay
			ahead = free + delay
		}
		sum += delay
	}
	ack := max(c.AckHeader, c.AckMin)
	packets := full + (rest+segment-1)/segment
	acknowledged := packets > 1 && (packets-1)%unit.Bytes(c.AckEvery) == 0 // the one before the last
	if full > 0 {
		if end := sum + max(wide, unit.Time(full-1)*slowest); end > last { // sum has the last delay
			last, acknowledged = end, false
		}
	}
	for _, x := range back {
		tx, delay := n.TxTime(x.fastest, ack), n.PortDelay(x.fastest)
		if acknowledged {
			ahead += tx
			if !x.wide {
				last = max(last, ahead)
			}
			ahead += delay
		}
		last += tx + delay
	}
	return last
}

// BaseRTT returns the round-trip time of the empty network: a full packet is stored and forwarded on the way there, with
// headers and telemetry, and its ACK on the way back. With PayloadRTT it is the base RTT of the published HPCC
// simulator, which counts only the payload of the packet and no time to send the ACK.
func BaseRTT(n *netsim.Network, c *Config, forth, back []netsim.PortID) unit.Time {
	var t unit.Time
	for _, p := range forth {
		t += n.PortDelay(p)
		if c.PayloadRTT {
			t += n.PortRate(p).TxTime(c.Segment)
		} else {
			t += n.TxTime(p, c.PacketSize(c.Segment))
		}
	}
	for _, p := range back {
		t += n.PortDelay(p)
		if !c.PayloadRTT {
			t += n.TxTime(p, c.AckSize())
		}
	}
	return t
}

// PathRate returns the rate of the slowest link on a path of at least one.
func PathRate(n *netsim.Network, path []netsim.PortID) unit.Rate {
	r := n.PortRate(path[0])
	for _, p := range path[1:] {
		r = min(r, n.PortRate(p))
	}
	return r
}
