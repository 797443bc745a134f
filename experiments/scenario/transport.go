package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Kinds of transport. Those of receiver-driven controls have the names of the controls.
const (
	GoBackN   = "gobackn"
	NewReno   = "newreno"
	PlainReno = "reno"
	Tahoe     = "tahoe"
	SACK      = "sack"
	RACK      = "rack"
	IRN       = "irn"
)

// Ways to size packets.
const (
	SegmentPayload = "payload"
	SegmentMTU     = "mtu"
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
type Transport struct {
	// Loss recovery.
	Kind string `yaml:"kind" default:"gobackn" oneof:"gobackn|irn|$pulled|$tcp"`
	// Whether the payload is fixed and telemetry adds to it, or the IP packet is fixed and telemetry
	// reduces its payload.
	Segment string `yaml:"segment" default:"payload; kind=$tcp: mtu" oneof:"payload|mtu"`
	// Payload of a full packet.
	Payload unit.Bytes `yaml:"payload" when:"segment=payload" default:"1000B" range:">=1B <=65535B"`
	// Size of an IP packet: network and transport headers, telemetry, payload.
	MTU unit.Bytes `yaml:"mtu" when:"segment=mtu" default:"1500B" range:">=64B <=65535B"`
	// Part of header that does not count towards the MTU.
	LinkHeader unit.Bytes `yaml:"link_header" when:"segment=mtu" default:"14B" range:">=0B <=128B"`
	// All headers of a data packet, without telemetry.
	Header unit.Bytes `yaml:"header" default:"48B; kind=$tcp: 54B; kind=$pulled: 64B" range:">=0B <=512B"`
	// All headers of an ACK, without echoed telemetry.
	AckHeader unit.Bytes `yaml:"ack_header" default:"46B; kind=$tcp: 54B; kind=$pulled: 64B" range:">=0B <=512B"`
	// Smallest ACK; shorter ones are padded.
	AckMin unit.Bytes `yaml:"ack_min" default:"60B" range:">=1B <=1500B"`
	// Traffic class of ACKs, and of trimmed packets; 0 is the class of the data.
	AckClass int `yaml:"ack_class" default:"0; kind=$pulled: 7" range:">=0 <=7"`
	// Traffic classes by size, such as [10KB=7, 1MB=5]: flows up to 10KB have class 7, others up to 1MB
	// class 5, and all others the priority of their source.
	SizeClasses []string `yaml:"size_classes" omit:"empty"`
	// Number of data packets per ACK.
	AckEvery int `yaml:"ack_every" default:"1" range:">=1 <=1000"`
	// Longest time that a receiver waits to acknowledge ack_every packets at once.
	AckDelay unit.Time `yaml:"ack_delay" default:"never" range:">0s" also:"never"`
	// Which ACKs carry marks: those for a marked packet; the same, but no ACK covers both marked and
	// unmarked packets (RFC 8257 §3.2); or all from a marked packet until the sender has responded (RFC
	// 3168 §6.1.3).
	MarkEcho string `yaml:"mark_echo" default:"any" oneof:"any|change|latch"`
	// Reaction of the receiver to data that it already has: another ACK, or none (published simulator).
	Duplicates string `yaml:"duplicates" when:"kind=gobackn" default:"ack" oneof:"ack|ignore"`
	// When the window admits a packet: while less than the window is in flight (so less than a packet may
	// exceed it), or only if the packet fits.
	WindowEdge string `yaml:"window_edge" when:"kind=gobackn|irn|$tcp" default:"overshoot; kind=$tcp: fit" oneof:"overshoot|fit"`
	// Whether packets leave at the controller's rate, not in bursts.
	Pacing bool `yaml:"pacing" default:"true; kind=$tcp|$pulled: false"`
	// Base RTT of a path, on which windows and network defaults are based: the RTT of a full packet with
	// headers and telemetry and its ACK, or of its payload alone (published simulator).
	BaseRTT string `yaml:"base_rtt" default:"wire" oneof:"wire|payload"`
	// Round robin of a host over its flows. lazy, as in the published simulator: a finished flow stays
	// until a scan reaches it, and a window-limited flow whose send time has passed suppresses the alarm of
	// an idle NIC.
	Rounds string `yaml:"rounds" default:"exact" oneof:"exact|lazy"`
	// Whether ACKs leave a host whose data is paused (ACK_HIGH_PRIO of the published simulator).
	FreeAcks bool `yaml:"free_acks" when:"rounds=lazy" default:"false"`
	// Whether senders have a retransmission timer.
	Timer bool `yaml:"timer" default:"true"`
	// Smallest timeout; auto: 1 ms, and at least twice the largest base RTT of the network, up to rto_max.
	RTOMin unit.Time `yaml:"rto_min" when:"timer=true & kind=gobackn|$tcp" default:"auto" range:">0s"`
	// Timeout before the first round-trip sample. With ndp it is always the timeout before backoff, and
	// with uet there is no backoff. auto: 1 ms, and at least three times the largest base RTT, with ndp
	// including a full queue of the slowest link, up to rto_max; with uet 15 us and six full queues.
	RTOInitial unit.Time `yaml:"rto_initial" when:"timer=true & kind=gobackn|$tcp|$pulled" default:"auto" range:">0s"`
	// Largest timeout after backoff; with uet the time after which a sender without credit asks for it.
	RTOMax unit.Time `yaml:"rto_max" when:"timer=true & kind=gobackn|$tcp|$pulled" default:"100ms" range:">0s"`
	// Timeout while few packets are in flight; auto: 100 us, and at least three times the largest base RTT
	// (IRN paper, §4.1: a base RTT of 24 us).
	RTOLow unit.Time `yaml:"rto_low" when:"kind=irn" default:"auto" range:">0s"`
	// Timeout while more packets are in flight; auto: 320 us, and at least ten times the largest base RTT.
	RTOHigh unit.Time `yaml:"rto_high" when:"kind=irn" default:"auto" range:">0s"`
	// Number of packets in flight below which rto_low applies.
	RTOLowPackets int `yaml:"rto_low_packets" when:"kind=irn" default:"3" range:">=0 <=1000"`
	// Whether a flow has at most the largest bandwidth-delay product of the network in flight (BDP-FC of
	// IRN).
	FlightCap bool `yaml:"bdp_fc" when:"kind=irn" default:"true"`
	// Order in which a receiver requests packets: all flows in turn, or the highest traffic class first.
	Pulls string `yaml:"pulls" when:"kind=$asked" default:"fair" oneof:"fair|class"`
	// Number of timeouts in a row without progress after which the flow is reported as failed.
	MaxRetries int `yaml:"max_retries" when:"timer=true" default:"30" range:">=0 <=1000"`
	// Shortest time between two NACKs for the same gap.
	NackInterval unit.Time `yaml:"nack_interval" when:"kind=gobackn" default:"500us" range:">=0s"`
	// Number of duplicate ACKs that triggers a fast retransmit; with selective acknowledgements packets
	// that overtake a lost one count, too; with irn NACKs count.
	DupAcks int `yaml:"dup_acks" when:"kind=$tcp|irn" default:"3; kind=irn: 1" range:">=1 <=100"`
}

func (t *Transport) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	const ms = unit.Millisecond
	given := func(x unit.Time) unit.Time { // the value, or no bound if it is auto
		if schema.IsAuto(x) {
			return unit.Never
		}
		return x
	}
	transport.Choose(c, "rto_low", &t.RTOLow, max(100*unit.Microsecond, 3*rtt), "100 us, at least 3 times the largest base RTT", transport.AtMost(given(t.RTOHigh), "transport.rto_high"))
	transport.Choose(c, "rto_high", &t.RTOHigh, max(320*unit.Microsecond, 10*rtt), "320 us, at least 10 times the largest base RTT", transport.AtLeast(t.RTOLow, "transport.rto_low"))
	first := unit.Never
	if !t.Pulled() {
		first = given(t.RTOInitial)
	}
	transport.Choose(c, "rto_min", &t.RTOMin, min(max(ms, 2*rtt), t.RTOMax), "1 ms, at least 2 times the largest base RTT, at most rto_max", transport.AtMost(first, "transport.rto_initial"))
	// A receiver-driven control does not adapt its timeout, and the wait in a full queue may exceed the
	// base RTT.
	full := min(3*(rtt+s.Slowest.TxTime(s.Queue)), t.RTOMax)
	transport.Choose(c, "rto_initial", &t.RTOInitial, min(max(ms, 3*rtt), t.RTOMax), "1 ms, at least 3 times the largest base RTT, at most rto_max",
		transport.AtLeast(t.RTOMin, "transport.rto_min"), transport.AtLeast(full, "3 times the largest base RTT and network.trimming.queue at the slowest link"))
}

// Group implements schema.Grouped with the kinds that are TCP, those of receiver-driven controls, and among
// these those whose receivers request packets.
func (Transport) Group(name string) []string {
	if name == "tcp" {
		return []string{NewReno, PlainReno, Tahoe, SACK, RACK}
	}
	return protocols.ReceiverDriven(func(r transport.Receivers) bool { return name == "pulled" || r.Ask })
}

// TCP reports whether the transport is a TCP.
func (t Transport) TCP() bool { return slices.Contains(t.Group("tcp"), t.Kind) }

// Pulled reports whether receivers decide when senders send. The kind is then the name of the congestion
// control.
func (t Transport) Pulled() bool { return slices.Contains(t.Group("pulled"), t.Kind) }

// SizeClass is the traffic class of flows up to a size.
type SizeClass struct {
	Size  unit.Bytes
	Class uint8
}

// ParseSizeClasses parses classes by size, smallest first.
func ParseSizeClasses(words []string) ([]SizeClass, error) {
	var list []SizeClass
	for _, word := range words {
		size, class, _ := strings.Cut(word, "=")
		b, err1 := unit.ParseBytes(size)
		k, err2 := strconv.Atoi(class)
		if err1 != nil || err2 != nil || b < 1 || k < 1 || k > 7 || len(list) > 0 && b <= list[len(list)-1].Size {
			return nil, fmt.Errorf("%q: want SIZE=CLASS, sizes in rising order, classes from 1 to 7", word)
		}
		list = append(list, SizeClass{b, uint8(k)})
	}
	return list, nil
}

// FullPayload returns the payload of a full packet that carries the given telemetry bytes. It is not
// positive if they leave no room.
func (t Transport) FullPayload(telemetry unit.Bytes) unit.Bytes {
	if t.Segment == SegmentPayload {
		return t.Payload
	}
	return t.MTU - (t.Header - t.LinkHeader) - telemetry
}

// fullPacket returns the size of a full data packet including headers and telemetry.
func (s Scenario) fullPacket() unit.Bytes {
	tel := s.Telemetry.Overhead()
	return s.Transport.FullPayload(tel) + s.Transport.Header + tel
}

// Published reports whether hosts behave as in the published simulator in every respect, including losses
// and changes of routes: go-back-N without timers that ignores duplicates, and that simulator's rounds,
// order of events and ideal completion time.
func (s *Scenario) Published() bool {
	t := &s.Transport
	return t.Kind == GoBackN && t.Rounds == "lazy" && !t.Timer && t.Duplicates == "ignore" && t.AckEvery == 1 &&
		t.WindowEdge == "overshoot" && t.BaseRTT == "payload" && s.Run.Ties == "fifo" && s.Run.IdealFCT == "ns3"
}

// WireShare returns the number of bytes on the wire per byte of payload for full packets.
func (s Scenario) WireShare() float64 {
	over := s.Transport.Header + s.Telemetry.Overhead()
	payload := s.Transport.FullPayload(s.Telemetry.Overhead())
	if payload <= 0 {
		return 1 // checkTransport reports the segment size
	}
	return 1 + float64(over)/float64(payload)
}

func (s Scenario) checkTransport(c *schema.Checker) {
	t := s.Transport
	if _, err := ParseSizeClasses(t.SizeClasses); err != nil {
		c.Fail("transport.size_classes", err.Error())
	}
	c.FailIf(t.AckClass > 0 && s.Published(), "transport.ack_class", "want 0: the hosts of the published simulator know no other")
	c.FailForIf(t.AckEvery == 1 && t.AckDelay != unit.Never, "transport.ack_every", "transport.ack_delay", "has no effect with transport.ack_every = 1 (accepted: never)")
	c.FailForIf(t.AckEvery > 1 && t.AckDelay == unit.Never, "transport.ack_every", "transport.ack_delay", fmt.Sprintf("want a time with transport.ack_every = %d: a window smaller than that would wait for ever", t.AckEvery))
	switch {
	case t.MarkEcho != "any" && !s.Network.ECN.Enabled:
		c.FailFor("network.ecn.enabled", "transport.mark_echo", "has no effect with network.ecn.enabled = false (accepted: any)")
	case t.MarkEcho == "change" && t.AckEvery == 1:
		c.FailFor("transport.ack_every", "transport.mark_echo", "has no effect with transport.ack_every = 1 (accepted: any, latch)")
	case t.MarkEcho == "latch" && !t.TCP():
		c.FailFor("transport.kind", "transport.mark_echo", "want any or change with transport.kind = "+t.Kind)
	}
	c.FailForIf(t.Kind != GoBackN && !t.Timer, "transport.kind", "transport.timer", fmt.Sprintf("want true with transport.kind = %s", t.Kind))
	c.FailForIf(t.Pulled() && t.AckEvery != 1, "transport.kind", "transport.ack_every", "want 1 with transport.kind = "+t.Kind)
	c.FailForIf(t.Pulled() && t.Rounds != "exact", "transport.kind", "transport.rounds", "want exact with transport.kind = "+t.Kind)
	c.FailIf(t.Kind == IRN && t.RTOLow > t.RTOHigh && !schema.IsAuto(t.RTOHigh), "transport.rto_low", fmt.Sprintf("want at most rto_high = %v", t.RTOHigh))
	c.FailForIf(t.Timer && t.RTOMin > t.RTOInitial && !schema.IsAuto(t.RTOInitial), "transport.rto_initial", "transport.rto_min", fmt.Sprintf("want at most rto_initial = %v", t.RTOInitial))
	c.FailForIf(t.Timer && t.RTOMin > t.RTOMax && schema.IsAuto(t.RTOInitial), "transport.rto_max", "transport.rto_min", fmt.Sprintf("want at most rto_max = %v", t.RTOMax))
	c.FailForIf(t.Timer && t.RTOInitial > t.RTOMax, "transport.rto_initial", "transport.rto_max", fmt.Sprintf("want at least rto_initial = %v", t.RTOInitial))
	if t.Segment == SegmentMTU {
		c.FailIf(t.Header < t.LinkHeader, "transport.header", fmt.Sprintf("want at least link_header = %v", t.LinkHeader))
		if tel := s.Telemetry.Overhead(); t.FullPayload(tel) < 1 {
			c.FailFor("telemetry.bytes", "transport.mtu", fmt.Sprintf("leaves no room for payload after %v of headers and %v of telemetry", t.Header-t.LinkHeader, tel))
		}
	}
}
