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
// are the ports of the two paths.
//
// The n full packets of a flow are alike, so that the last of them leaves link i at
// Σ(tx+delay) + (n−1)·max tx over the links up to i; the last packet, which is shorter,
// is followed link by link: it starts when it has arrived and the link is free. So is the
// last ACK, which may come close behind the one before it. Nothing else waits, because
// full packets are not smaller than ACKs.
func Ideal(n *netsim.Network, c *Config, size unit.Bytes, forth, back []netsim.PortID) unit.Time {
	segment := c.Segment
	if c.IdealSegment > 0 {
		segment = c.IdealSegment
	}
	full := size / segment
	rest := size % segment
	var sum, slowest unit.Time // first full packet's end on this link; slowest link so far
	var last unit.Time         // arrival of the last packet at the current node
	var ahead unit.Time        // the same of the packet before it
	for _, p := range forth {
		delay := n.PortDelay(p)
		free := unit.Time(0)
		if full > 0 {
			tx := n.TxTime(p, c.Header+segment)
			sum += tx
			slowest = max(slowest, tx)
			free = sum + unit.Time(full-1)*slowest
		}
		if rest > 0 {
			last = max(last, free) + n.TxTime(p, c.Header+rest) + delay
			ahead = free + delay
		} else {
			last = free + delay
			ahead = last - slowest
		}
		sum += delay
	}
	ack := max(c.AckHeader, c.AckMin)
	packets := full + (rest+segment-1)/segment
	acknowledged := packets > 1 && (packets-1)%unit.Bytes(c.AckEvery) == 0 // the one before the last
	for _, p := range back {
		tx, delay := n.TxTime(p, ack), n.PortDelay(p)
		if acknowledged {
			ahead += tx
			last = max(last, ahead)
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
