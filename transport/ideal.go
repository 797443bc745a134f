package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// ideal returns the flow completion time of a flow of size bytes that is alone in an empty network. The packets leave
// back to back at line rate and are stored and forwarded at every switch; then the last ACK returns. Packets carry no
// telemetry, so that the result does not depend on the telemetry. A flow with telemetry can be faster than that: if
// telemetry makes the payload of a packet smaller (segment: mtu) but not the number of packets, its first packets are
// shorter. outbound and inbound are the stages of the paths, with one port each if the flow keeps its path.
//
// The n full packets of a flow are equal, so the last of them leaves link i at Σ(tx+delay) +
// (n−1)·max tx over the links up to i. The shorter last packet is computed link by link: its
// transmission starts when the packet has arrived and the link is free. The last ACK is computed in
// the same way, because it may come close behind the previous ACK. No other packet waits, because
// full packets are not smaller than ACKs.
//
// If packets take several paths they overtake each other, and there is no unique schedule. The
// result is then a lower bound. A stage of several links sends the full packets at the sum of the
// rates of its links. The first full packet reaches the stage, and the last one continues after it,
// in the shortest time over any port. From the first stage of several links on, the bound assumes
// that the short packet waits for no other packet. But a stage with a single link sends all packets
// one after another. The last packet on this link may be any of them, and from there it needs at
// least the time of the short packet.
func ideal(n *netsim.Network, c *Config, size unit.Bytes, outbound, inbound []stage) unit.Time {
	segment := c.Segment
	if c.IdealSegment > 0 {
		segment = c.IdealSegment
	}
	full := size / segment
	rest := size % segment
	var sum, slowest unit.Time // end of the first full packet on this link; slowest link so far
	var last unit.Time         // arrival of the last packet at the current node
	var ahead unit.Time        // arrival of the packet before the last
	// longest time that a stage of several links needs from the first to the last full packet
	var wide unit.Time
	var all unit.Time // arrival of all packets of a flow whose packets overtake each other
	overtaking := false
	for _, x := range outbound {
		free, first := unit.Time(0), sum
		overtaking = overtaking || x.wide
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
			last = free + x.delay
			ahead = last - slowest
		case overtaking:
			tx := n.TxTime(x.fastest, c.Header+rest)
			if all += tx + x.delay; full > 0 && !x.wide {
				all = max(all, min(first, last)+unit.Time(full)*n.TxTime(x.fastest, c.Header+segment)+tx+x.delay)
			}
			last += tx + x.delay
		default:
			last = max(last, free) + n.TxTime(x.fastest, c.Header+rest) + x.delay
			ahead = free + x.delay
			all = last
		}
		sum += x.delay
	}
	ack := max(c.AckHeader, c.AckMin)
	packets := int64(full + (rest+segment-1)/segment)
	acknowledged := packets > 1 && !overtaking && c.Acks(packets) > c.Acks(packets-1) // the packet before the last is
	if r, ok := c.Recovery.(Sparing); ok && r.Spares(packets, c.Header+segment) {
		acknowledged = false
	}
	last = max(last, all)
	if full > 0 {
		if end := sum + max(wide, unit.Time(full-1)*slowest); end > last { // sum includes the last delay
			last, acknowledged = end, false
		}
	}
	for _, x := range inbound {
		tx := n.TxTime(x.fastest, ack)
		if acknowledged = acknowledged && !x.wide; acknowledged {
			ahead += tx
			last = max(last, ahead)
			ahead += x.delay
		}
		last += tx + x.delay
	}
	return last
}

// BaseRTT returns the round-trip time of the empty network: a full packet with headers and
// telemetry is stored and forwarded to the destination, and so is its ACK on the way back. With
// base_rtt: payload, the base RTT is PayloadRTT instead.
func BaseRTT(n *netsim.Network, c *Config, outbound, inbound []netsim.PortID) unit.Time {
	if c.RTTCounts == "payload" {
		return PayloadRTT(n, c.Segment, outbound, inbound)
	}
	var t unit.Time
	for _, p := range outbound {
		t += n.PortDelay(p) + n.TxTime(p, c.PacketSize(c.Segment))
	}
	for _, p := range inbound {
		t += n.PortDelay(p) + n.TxTime(p, c.AckSize())
	}
	return t
}

// PayloadRTT returns the base RTT of the published HPCC simulator, which counts only the payload of
// the packet and no time to send the ACK.
func PayloadRTT(n *netsim.Network, payload unit.Bytes, outbound, inbound []netsim.PortID) unit.Time {
	var t unit.Time
	for _, p := range outbound {
		t += n.PortDelay(p) + n.PortRate(p).TxTime(payload)
	}
	for _, p := range inbound {
		t += n.PortDelay(p)
	}
	return t
}

// PathRate returns the rate of the slowest link on a path, which must not be empty.
func PathRate(n *netsim.Network, path []netsim.PortID) unit.Rate {
	r := n.PortRate(path[0])
	for _, p := range path[1:] {
		r = min(r, n.PortRate(p))
	}
	return r
}
