// Package recovery implements the kinds of loss recovery in which senders decide what to send
// again.
//
// # Go-back-N
//
// GoBackN is the transport of RDMA over Ethernet as in the HPCC simulator. The receiver discards
// out-of-order data and reports a gap with a NACK; the sender goes back to the first missing byte.
// A retransmission timer, which that simulator lacks, detects a lost tail.
//
// # TCP
//
// NewReno is TCP: RFC 5681 (fast retransmit, fast recovery, limited transmit by RFC 3042), RFC 6582
// (partial acknowledgements) and RFC 6298 (retransmission timer). Timestamps (RFC 7323) make every
// acknowledgement of new data a round-trip sample. Reno and Tahoe are its ancestors, for
// comparison.
//
// SACK is TCP with selective acknowledgements: RFC 2018 (up to three blocks report data received
// beyond a gap, and their bytes count on the wire), RFC 2883 (a block reports duplicate data), and
// the loss recovery of RFC 6675. RACK has the same ACKs and detects losses by time: RACK-TLP, RFC
// 8985, with tail loss probes and an adaptive reordering window.
//
// # IRN
//
// IRN is selective repeat for RDMA: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM
// 2018, §3. The receiver keeps out-of-order data and answers it with a NACK that names the packet
// and the first missing byte. The sender retransmits packets that later packets have overtaken. It
// limits the data in flight to the bandwidth-delay product (BDP-FC), and has a low timeout while
// few packets are in flight. IRN needs no lossless network.
//
// # Choices that the RFCs leave open
//
//   - RFC 6675: an ACK that ends a recovery and reports more losses begins the next recovery at
//     once. After a timeout the sender keeps its scoreboard (receivers do not renege) and fills the
//     gaps in slow start. A new recovery begins when the data in flight at the timeout is
//     acknowledged. "More than DupThresh-1 segments" (IsLost) is counted in segments.
//   - RFC 8985: min_RTT is over the whole flow. TLP.max_ack_delay is Params.AckDelay. The lost
//     segment that begins a recovery is sent even if the window is full; proportional rate
//     reduction (RFC 6937) is not used. Receivers send DSACKs, so the rule for receivers without
//     DSACKs (§7.4.2) is left out.
//   - IRN: only the timer detects losses of retransmissions, and this timer does not back off.
//     Params.DupAcks, 1 in the IRN paper, is the number of NACKs that begin a recovery, for
//     networks that reorder.
//   - Every partial acknowledgement restarts the retransmission timer (the slow-but-steady variant
//     of RFC 6582 §4).
//   - Limited transmit sends only new data. This data does not count as in flight when the window
//     is halved (RFC 5681 §3.2 step 2).
//   - Reno does not store what was in flight when it detected a loss: an acknowledgement of new
//     data ends its recovery, and three more duplicates indicate another loss.
package recovery

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Kind is a way of recovering from loss. It implements transport.Recovery.
type Kind string

// The ways of recovering from loss.
const (
	GoBackN Kind = transport.GoBackN
	NewReno Kind = transport.NewReno
	Reno    Kind = transport.Reno
	Tahoe   Kind = transport.Tahoe
	SACK    Kind = transport.SACK // selective acknowledgements with the loss recovery of RFC 6675
	RACK    Kind = transport.RACK // selective acknowledgements with RACK-TLP, RFC 8985
	IRN     Kind = transport.IRN  // selective repeat of RDMA, SIGCOMM 2018
)

func (k Kind) Options() (wire unit.Bytes, room int) {
	switch k {
	case SACK, RACK:
		return blockBytes(mostBlocks), optionRoom
	case IRN:
		return nameBytes, optionRoom
	}
	return 0, 0
}

// Kind returns k as the word of a scenario.
func (k Kind) Kind() string { return string(k) }

func (k Kind) Strategy(c *transport.Config, _ *netsim.Network) transport.Strategy {
	p := plain{c, c.WindowEdge == "overshoot"}
	x := selective{plain: p}
	switch k {
	case GoBackN:
		return &goBackN{p}
	case SACK:
		x.rescues = true
		return &sack{x}
	case RACK:
		return &rackTLP{x}
	case IRN:
		r := &irn{selective: x}
		if c.FlightCap {
			r.limit = int64(c.BDP)
		}
		return r
	}
	return &newReno{p, k}
}

// plain implements the methods that most strategies share.
type plain struct {
	*transport.Config
	overshoots bool // a packet may exceed the window by less than its size
}

func (plain) Open(*transport.Sender, *transport.Receiver) {}

func (plain) Sent(*transport.Stack, *transport.Sender, netsim.PacketID, *netsim.Packet) {}

// Expire implements transport.Strategy. There is no alarm.
func (plain) Expire(*transport.Stack, *transport.Sender) {}

// Audit implements transport.Strategy. There is no state to check.
func (plain) Audit(*transport.Sender) {}

// Wait implements transport.SenderDriven by RFC 6298.
func (plain) Wait(s *transport.Sender) unit.Time { return s.RTT.RTO }

// Tell implements transport.SenderDriven. There are no options.
func (plain) Tell(*transport.Stack, *transport.Receiver, netsim.PacketID, transport.Span, bool) unit.Bytes {
	return 0
}

// allows reports whether the window allows n more bytes in addition to flight. A flow with nothing
// in flight may always send a packet.
func (c plain) allows(s *transport.Sender, flight, n int64) transport.EntryState {
	if c.overshoots && flight >= s.Window || !c.overshoots && flight > 0 && flight+n > s.Window {
		return transport.Blocked
	}
	return transport.Ready
}

// next returns the payload of the next new segment.
func (c plain) next(s *transport.Sender) int64 {
	return min(int64(c.Segment), int64(s.Flow.Size)-s.Nxt)
}
