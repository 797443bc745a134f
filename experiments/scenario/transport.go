package scenario

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Transport is the behaviour of hosts besides congestion control.
//
//	gobackn  cumulative ACKs, NACK on a gap, the sender goes back to it (RDMA-like)
//	irn      selective repeat of RDMA (IRN): NACKs name the packets that arrived, the sender repeats the rest
//	uet      Ultra Ethernet: selective ACKs of 16 KB, trimmed packets are NACKed; receivers may give credit
//	ndp      receivers request each packet after the first window; trimmed packets are NACKed
//	newreno  cumulative ACKs, fast retransmit and recovery (RFC 5681, 6582, 6298)
//	reno     the same without RFC 6582: recovery ends with the first new ACK
//	tahoe    fast retransmit, then slow start
//	sack     selective acknowledgements (RFC 2018) and the loss recovery of RFC 6675
//	rack     selective acknowledgements and RACK-TLP (RFC 8985): losses by time, tail loss probes
type Transport struct{ transport.Params }

// pulled accepts all controls whose receivers decide when senders may send (protocols.Set.ReceiverDriven).
func pulled(transport.Receivers) bool { return true }

// fullPacket returns the size of a full data packet including headers and telemetry.
func (s Scenario) fullPacket() unit.Bytes {
	tel := s.Overhead()
	return s.Transport.FullPayload(tel) + s.Transport.Header + tel
}

// Published reports whether a run follows the published simulator in every respect: its hosts, order of
// events and ideal completion time.
func (s *Scenario) Published() bool {
	return s.Transport.Published() && s.Run.Ties == "fifo" && s.Run.IdealFCT == "ns3"
}

// WireShare returns the number of bytes on the wire per byte of payload for full packets.
func (s Scenario) WireShare() float64 {
	over := s.Transport.Header + s.Overhead()
	payload := s.Transport.FullPayload(s.Overhead())
	if payload <= 0 {
		return 1 // checkTransport reports the segment size
	}
	return 1 + float64(over)/float64(payload)
}

func (s Scenario) checkTransport(c *schema.Checker) {
	t := s.Transport
	c.FailIf(t.AckClass > 0 && s.Published(), "transport.ack_class",
		"want 0: the hosts of the published simulator support no other value")
	c.FailForIf(t.MarkEcho != transport.EchoAny && !s.Network.ECN.Enabled, "network.ecn.enabled", "transport.mark_echo",
		"has no effect with network.ecn.enabled = false (accepted: any)")
	t.Check(c, "transport.")
	if tel := s.Overhead(); t.Sizing == transport.SegmentMTU && t.FullPayload(tel) < 1 {
		c.FailFor("telemetry.bytes", "transport.mtu", fmt.Sprintf(
			"leaves no room for payload after %v of headers and %v of telemetry", t.Header-t.LinkHeader, tel))
	}
}
