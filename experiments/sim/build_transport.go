package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/transport/recovery"
)

// recoveries maps the kinds of transport to loss recoveries, except those of receiver-driven controls.
var recoveries = map[string]recovery.Kind{
	scenario.GoBackN:   recovery.GoBackN,
	scenario.NewReno:   recovery.NewReno,
	scenario.PlainReno: recovery.Reno,
	scenario.Tahoe:     recovery.Tahoe,
	scenario.SACK:      recovery.SACK,
	scenario.RACK:      recovery.RACK,
	scenario.IRN:       recovery.IRN,
}

func (s *Simulation) recovery(set *transport.Setting) transport.Recovery {
	if r, ok := s.Scenario.CC.Control().(transport.Receiving); ok {
		return r.Recovery(set)
	}
	return recoveries[s.Scenario.Transport.Kind]
}

// echoes maps the values of transport.mark_echo.
var echoes = map[string]transport.MarkEcho{
	"any": transport.EchoAny, "change": transport.EchoChange, "latch": transport.EchoLatch,
}

func (s *Simulation) buildTransport() error {
	sc, set := &s.Scenario, s.setting()
	factory, err := sc.CC.Control().New(set)
	if err != nil {
		if strings.HasPrefix(err.Error(), "cc.") {
			return err
		}
		return fmt.Errorf("cc.kind = %s: %w", sc.CC.Kind, err)
	}
	t := &sc.Transport
	_, most := s.overhead()
	if err := s.shows(t.FullPayload(most), t.FullPayload(most)+t.Header+most); err != nil {
		return err
	}
	c := s.sizes()
	if c.ByHost, err = s.factories(set); err != nil {
		return err
	}
	c.Recovery = s.recovery(set)
	c.AckEvery = t.AckEvery
	c.Marks = echoes[t.MarkEcho]
	c.AckClass = uint8(t.AckClass)
	c.Strict = sc.Network.Scheduling.Kind == "strict"
	c.Inspected = sc.Run.Sampling.OfFlows()
	c.NackInterval = t.NackInterval
	c.IgnoreDuplicates = t.Duplicates == "ignore"
	c.DupThreshold = t.DupAcks
	c.Overshoot = t.WindowEdge == "overshoot"
	c.Unpaced = !t.Pacing
	c.IdealSegment = t.FullPayload(0)
	balancing := sc.Network.Balancing.Balancer()
	c.Balancer, c.Spread = balancing.Balancer(s.Graph, sc.Seed), balancing.Splits() == route.Packets
	c.Trace = s.trace
	if t.AckDelay != unit.Never {
		c.DelayedAck = t.AckDelay
	}
	switch {
	case t.Kind == scenario.IRN:
		c.RTOMin, c.RTOInitial, c.RTOMax, c.MaxTimeouts = t.RTOLow, t.RTOHigh, t.RTOHigh, t.MaxRetries
		c.FewPackets = t.RTOLowPackets
		if t.FlightCap {
			_, c.FlightCap = s.farthest()
		}
	case t.Timer: // RTOMin is 0 for a receiver-driven control
		c.RTOMin, c.RTOInitial, c.RTOMax, c.MaxTimeouts = t.RTOMin, t.RTOInitial, t.RTOMax, t.MaxRetries
	}
	if sc.Network.Serialisation == "floor-ns" {
		c.Pace = ns3.TxTime
	}
	if t.Rounds == "lazy" {
		c.Discipline, c.PaceAtLine, c.LastAck = ns3.Rounds{}, true, true
	}
	if sc.Run.IdealFCT == "ns3" {
		c.IdealFCT = func(size unit.Bytes, forth, back []netsim.PortID) unit.Time {
			payload := transport.Config{Segment: c.Segment, PayloadRTT: true}
			rtt := transport.BaseRTT(s.Net, &payload, forth, back)
			return ns3.Standalone(size, c.Segment, c.Header, rtt, transport.PathRate(s.Net, forth))
		}
	}
	if s.part != nil {
		c.Tell = s.part.tell
	}
	if s.jobs != nil {
		c.Follower = s.jobs
	}
	if sc.Published() {
		s.Stack, err = ns3.NewHosts(s.Engine, s.Routes, s.published(&c), sc.Seed, factory, s.feed, s.done)
		return err
	}
	stack, err := transport.New(s.Engine, s.Routes, c, sc.Seed, factory, s.feed, s.done)
	if err == nil && sc.Run.Ties == "fifo" {
		ns3.DelayStarts(s.Engine, stack)
	}
	s.Stack = stack
	if err == nil {
		s.jobs.begin(stack)
	}
	return err
}

// sizes returns the sizes of the transport's packets, and which of them a base RTT includes.
func (s *Simulation) sizes() transport.Config {
	sc := &s.Scenario
	t := &sc.Transport
	tel, most := s.overhead()
	return transport.Config{
		Segment:    t.FullPayload(most),
		Header:     t.Header,
		Telemetry:  tel,
		AckHeader:  t.AckHeader,
		Echo:       len(sc.CC.Control().Needs().Feedback) > 0,
		AckField:   telemetry.AckField(sc.Telemetry.System()),
		AckMin:     t.AckMin,
		PayloadRTT: t.BaseRTT == "payload",
	}
}

// shows returns an error if a flow lasts longer, even alone on the slowest link, than the clock of a run
// can represent. payload and packet are the sizes of a full packet.
func (s *Simulation) shows(payload, packet unit.Bytes) error {
	slowest := slices.MinFunc(s.Graph.Links, func(a, b topo.Link) int { return cmp.Compare(a.Rate, b.Rate) }).Rate
	hi, lo := bits.Mul64(uint64(s.longest/payload+1), uint64(slowest.TxTime(packet)))
	if hi == 0 && lo < uint64(unit.Never/4) {
		return nil
	}
	return fmt.Errorf("workload: a flow has %v (size), which packets of %v with transport.payload or mtu = %v take longer than %v to carry over the slowest link, of %v (topology.host_rate, fabric_rate, bottleneck_rate); want smaller flows or faster links", s.longest, packet, payload, unit.Never/4, slowest)
}

// published returns the configuration of the published simulator's hosts for a transport.
func (s *Simulation) published(c *transport.Config) ns3.HostConfig {
	pace := c.Pace
	if pace == nil {
		pace = unit.Rate.TxTime
	}
	return ns3.HostConfig{
		Segment: c.Segment, Header: c.Header + c.Telemetry, Ack: c.AckSize(), NackInterval: c.NackInterval,
		Pace: pace, AtLine: c.Unpaced, Repace: !s.Scenario.CC.Control().Needs().NextPacket,
		Ideal: func(size unit.Bytes, baseRTT unit.Time, rate unit.Rate) unit.Time {
			return ns3.Standalone(size, c.Segment, c.Header, baseRTT, rate)
		},
		Reroutes: s.Scenario.Breaks(), Trace: c.Trace,
	}
}

// setting returns the run as a congestion control sees it.
func (s *Simulation) setting() *transport.Setting {
	tel, most := s.overhead()
	payload := max(1, s.Scenario.Transport.FullPayload(most))
	links := slices.SortedFunc(s.links(), func(a, b topo.Link) int { return cmp.Compare(a.Rate, b.Rate) })
	slowest, fastest := s.hostRates()
	c := &transport.Setting{
		HostRate: slowest, FastestHost: fastest, Slowest: links[0].Rate, Fastest: links[len(links)-1].Rate,
		Payload: payload, Packet: payload + s.Scenario.Transport.Header + tel,
		PortRate: s.Net.PortRate, Farthest: s.farthest, MaxHops: s.Routes.MaxHops(), Queue: s.rules.queue, Published: s.Scenario.Published(),
		ByClass: s.Scenario.Transport.Pulls == "class", Drops: s.Scenario.Network.Trimming.Action == "drop",
	}
	if s.part != nil {
		s.part.pretend(c)
	}
	c.Warn = func(text string) { s.cautions = append(s.cautions, Warning+text) }
	if s.parts != nil {
		c.Feedback = s.parts.Feedback
	}
	return c
}
