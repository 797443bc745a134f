package transport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Kinds of transport in which senders decide what to send.
const (
	GoBackN = "gobackn"
	NewReno = "newreno"
	Reno    = "reno"
	Tahoe   = "tahoe"
	SACK    = "sack"
	RACK    = "rack"
	IRN     = "irn"
)

// Pulled is the kind of a transport in which receivers decide when senders send. In a scenario,
// transport.kind is the name of the congestion control instead.
const Pulled = "pulled"

// Values of Params.Sizing.
const (
	SegmentPayload = "payload"
	SegmentMTU     = "mtu"
)

// Values of Params.MarkEcho.
const (
	EchoAny    = "any"
	EchoChange = "change"
	EchoLatch  = "latch"
)

// Params are the parameters of all flows. The tags are the keys of a scenario's section transport
// (package netsim/schema). Make them with Default.
type Params struct {
	// Loss recovery.
	Kind string `yaml:"kind" default:"gobackn" oneof:"gobackn|irn|$pulled|$tcp"`
	// Whether the payload is fixed and telemetry adds to it, or the IP packet is fixed and telemetry
	// reduces its payload.
	Sizing string `yaml:"segment" default:"payload; kind=$tcp: mtu" oneof:"payload|mtu"`
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
	// Which ACKs carry marks: ACKs that cover a marked packet (any); the same, but no ACK covers both marked and
	// unmarked packets (change; RFC 8257 §3.2); or all ACKs from a marked packet on, until the sender has responded
	// (latch; RFC 3168 §6.1.3).
	MarkEcho string `yaml:"mark_echo" default:"any" oneof:"any|change|latch"`
	// Reaction of the receiver to data that it already has: another ACK, or none (published simulator).
	Duplicates string `yaml:"duplicates" when:"kind=gobackn" default:"ack" oneof:"ack|ignore"`
	// When the window admits a packet: while less than the window is in flight (overshoot: less than a packet may
	// exceed the window), or only if the packet fits (fit).
	WindowEdge string `yaml:"window_edge" when:"kind=$sends" default:"overshoot; kind=$tcp: fit" oneof:"overshoot|fit"`
	// Whether packets leave at the controller's rate, not in bursts.
	Pacing bool `yaml:"pacing" default:"true; kind=$tcp|$pulled: false"`
	// Base RTT of a path, on which windows and network defaults are based: the RTT of a full packet with
	// headers and telemetry and its ACK, or of its payload alone (published simulator).
	RTTCounts string `yaml:"base_rtt" default:"wire" oneof:"wire|payload"`
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
	// including a full queue of the slowest link, up to rto_max; with uet 15 µs and six full queues.
	RTOInitial unit.Time `yaml:"rto_initial" when:"timer=true & kind=gobackn|$tcp|$pulled" default:"auto" range:">0s"`
	// Largest timeout after backoff; with uet, the time after which a sender without credit requests credit.
	RTOMax unit.Time `yaml:"rto_max" when:"timer=true & kind=gobackn|$tcp|$pulled" default:"100ms" range:">0s"`
	// Timeout while few packets are in flight; auto: 100 µs, and at least three times the largest base RTT
	// (IRN paper, §4.1: a base RTT of 24 µs).
	RTOLow unit.Time `yaml:"rto_low" when:"kind=irn" default:"auto" range:">0s"`
	// Timeout while more packets are in flight; auto: 320 µs, and at least ten times the largest base RTT.
	RTOHigh unit.Time `yaml:"rto_high" when:"kind=irn" default:"auto" range:">0s"`
	// Number of packets in flight below which rto_low applies.
	RTOLowPackets int `yaml:"rto_low_packets" when:"kind=irn" default:"3" range:">=0 <=1000"`
	// Whether a flow has at most the largest bandwidth-delay product of the network in flight (BDP-FC of
	// IRN).
	FlightCap bool `yaml:"bdp_fc" when:"kind=irn" default:"true"`
	// Order in which a receiver requests packets: all flows in turn, or the highest traffic class first.
	Pulls string `yaml:"pulls" when:"kind=$asked" default:"fair" oneof:"fair|class"`
	// Number of consecutive timeouts without progress after which the flow is reported as failed.
	MaxRetries int `yaml:"max_retries" when:"timer=true" default:"30" range:">=0 <=1000"`
	// Shortest time between two NACKs for the same gap.
	NackInterval unit.Time `yaml:"nack_interval" when:"kind=gobackn" default:"500us" range:">=0s"`
	// Number of duplicate ACKs that triggers a fast retransmit; with selective acknowledgements, packets that overtake
	// a lost packet also count; with irn, NACKs count.
	DupAcks int `yaml:"dup_acks" when:"kind=$tcp|irn" default:"3; kind=irn: 1" range:">=1 <=100"`
}

// Default returns go-back-N with the defaults of the tags, after changes such as "kind=sack" or
// "ack_every=2"; it panics if a change is wrong. Timeouts that a scenario leaves to the network
// have the values for a short base RTT.
func Default(changes ...string) Params {
	var p Params
	schema.Defaults(&p)
	l := schema.Language{Rules: func(document any, c *schema.Checker) { document.(*Params).agree(c, "") }}
	if err := l.Set(&p, changes...); err != nil {
		panic(err)
	}
	p.Choose(&Setting{Slowest: unit.Gbps, Farthest: func() (unit.Time, unit.Bytes) { return 0, 0 }}, &Choices{})
	return p
}

// Group implements schema.Grouped: the kinds that are TCP, all in which senders decide what to send, and those in which
// receivers decide (pulled). Only a scenario can determine in which of these the receivers request packets.
func (Params) Group(name string) []string {
	tcp := []string{NewReno, Reno, Tahoe, SACK, RACK}
	switch name {
	case "tcp":
		return tcp
	case "sends":
		return append([]string{GoBackN, IRN}, tcp...)
	case "pulled":
		return []string{Pulled}
	}
	return nil
}

// TCP reports whether the transport is a TCP.
func (p Params) TCP() bool { return slices.Contains(p.Group("tcp"), p.Kind) }

// Pulled reports whether receivers decide when senders send.
func (p Params) Pulled() bool { return !slices.Contains(p.Group("sends"), p.Kind) }

// FullPayload returns the payload of a full packet that carries the given telemetry bytes. The
// result is not positive if the telemetry leaves no room.
func (p Params) FullPayload(telemetry unit.Bytes) unit.Bytes {
	if p.Sizing == SegmentPayload {
		return p.Payload
	}
	return p.MTU - (p.Header - p.LinkHeader) - telemetry
}

// Acks returns the number of ACKs for a number of packets that arrive in order.
func (p Params) Acks(packets int64) int64 {
	return (packets + int64(p.AckEvery) - 1) / int64(p.AckEvery)
}

// Acknowledged returns the number of bytes that one ACK acknowledges if each packet contains n bytes.
func (p Params) Acknowledged(n unit.Bytes) unit.Bytes { return n * unit.Bytes(p.AckEvery) }

// Published reports whether hosts behave as in the published simulator, including losses. This requires go-back-N
// without timers, receivers that ignore duplicates, and the rounds of that simulator.
func (p Params) Published() bool {
	return p.Kind == GoBackN && p.Rounds == "lazy" && !p.Timer && p.Duplicates == "ignore" && p.AckEvery == 1 &&
		p.WindowEdge == "overshoot" && p.RTTCounts == "payload"
}

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

// Choose implements FromNetwork for the timeouts.
func (p *Params) Choose(s *Setting, c *Choices) {
	rtt, _ := s.Farthest()
	const ms = unit.Millisecond
	given := func(x unit.Time) unit.Time { // the value, or no bound if it is auto
		if schema.IsAuto(x) {
			return unit.Never
		}
		return x
	}
	Choose(c, "rto_low", &p.RTOLow, max(100*unit.Microsecond, 3*rtt),
		"max(100 µs, 3 × largest base RTT)", AtMost(given(p.RTOHigh), "transport.rto_high"))
	Choose(c, "rto_high", &p.RTOHigh, max(320*unit.Microsecond, 10*rtt),
		"max(320 µs, 10 × largest base RTT)", AtLeast(p.RTOLow, "transport.rto_low"))
	first := unit.Never
	if !p.Pulled() {
		first = given(p.RTOInitial)
	}
	Choose(c, "rto_min", &p.RTOMin, min(max(ms, 2*rtt), p.RTOMax),
		"max(1 ms, 2 × largest base RTT), at most rto_max", AtMost(first, "transport.rto_initial"))
	// A receiver-driven control does not adapt its timeout, and the wait in a full queue may exceed the
	// base RTT.
	full := min(3*(rtt+s.Slowest.TxTime(s.Queue)), p.RTOMax)
	Choose(c, "rto_initial", &p.RTOInitial, min(max(ms, 3*rtt), p.RTOMax),
		"max(1 ms, 3 × largest base RTT), at most rto_max",
		AtLeast(p.RTOMin, "transport.rto_min"),
		AtLeast(full, "3 times the sum of the largest base RTT and the time of network.trimming.queue at the "+
			"slowest link"))
}

// Check reports settings that contradict each other or have no effect. at is the prefix of the keys.
func (p *Params) Check(c *schema.Checker, at string) {
	if _, err := ParseSizeClasses(p.SizeClasses); err != nil {
		c.Fail(at+"size_classes", err.Error())
	}
	every, delay, echo := at+"ack_every", at+"ack_delay", at+"mark_echo"
	switch {
	case p.AckEvery == 1 && p.AckDelay != unit.Never:
		c.FailFor(every, delay, "has no effect with "+every+" = 1 (accepted: never)")
	case p.AckEvery > 1 && p.AckDelay == unit.Never:
		c.FailFor(every, delay, fmt.Sprintf(
			"want a time with %s = %d: a window with fewer packets would otherwise wait forever", every, p.AckEvery))
	}
	if p.MarkEcho == EchoChange && p.AckEvery == 1 {
		c.FailFor(every, echo, "has no effect with "+every+" = 1 (accepted: any, latch)")
	}
	p.agree(c, at)
	if p.Sizing == SegmentMTU {
		c.FailIf(p.Header < p.LinkHeader, at+"header", fmt.Sprintf("want at least link_header = %v", p.LinkHeader))
	}
}

// agree reports settings with which the hosts would not work.
func (p *Params) agree(c *schema.Checker, at string) {
	kind, timer, initial := at+"kind", at+"timer", at+"rto_initial"
	with := "with " + kind + " = " + p.Kind
	c.FailForIf(p.MarkEcho == EchoLatch && !p.TCP(), kind, at+"mark_echo", "want any or change "+with)
	c.FailForIf(p.Kind != GoBackN && !p.Timer, kind, timer, "want true "+with)
	c.FailForIf(p.Pulled() && p.AckEvery != 1, kind, at+"ack_every", "want 1 "+with)
	c.FailForIf(p.Pulled() && p.Rounds != "exact", kind, at+"rounds", "want exact "+with)
	c.FailIf(p.Kind == IRN && p.RTOLow > p.RTOHigh && !schema.IsAuto(p.RTOHigh), at+"rto_low",
		fmt.Sprintf("want at most rto_high = %v", p.RTOHigh))
	rfc := p.Timer && p.Kind != IRN
	c.FailForIf(rfc && p.RTOMin > p.RTOInitial && !schema.IsAuto(p.RTOInitial), initial, at+"rto_min",
		fmt.Sprintf("want at most rto_initial = %v", p.RTOInitial))
	c.FailForIf(rfc && p.RTOMin > p.RTOMax && schema.IsAuto(p.RTOInitial), at+"rto_max", at+"rto_min",
		fmt.Sprintf("want at most rto_max = %v", p.RTOMax))
	c.FailForIf(rfc && p.RTOInitial > p.RTOMax, initial, at+"rto_max",
		fmt.Sprintf("want at least rto_initial = %v", p.RTOInitial))
}
