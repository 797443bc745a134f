package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/transport/recovery"
)

// recovery returns the loss recovery of the hosts.
func (s *Simulation) recovery(set *transport.Setting) transport.Recovery {
	if r, ok := s.Scenario.CC.Control().(transport.Receiving); ok {
		return r.Recovery(set)
	}
	return recovery.Kind(s.Scenario.Transport.Kind)
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
	c.Recovery = s.recovery(set)
	if c.ByHost, err = s.factories(set); err != nil {
		return err
	}
	c.Strict = sc.Network.Scheduling.Kind == netsim.Strict
	c.Inspected = sc.Run.Sampling.OfFlows()
	_, c.BDP = s.farthest()
	balancing := sc.Network.Balancing.Balancer()
	c.Balancer, c.Spread = balancing.Balancer(s.Graph, sc.Seed), balancing.Splits() == route.Packets
	c.Trace = s.trace
	if sc.Network.Serialisation == "floor-ns" {
		c.Pace = ns3.TxTime
	}
	if t.Rounds == "lazy" {
		c.Discipline, c.PaceAtLine, c.LastAck = ns3.Rounds{}, true, true
	}
	if sc.Run.IdealFCT == "ns3" {
		c.IdealFCT = func(size unit.Bytes, outbound, inbound []netsim.PortID) unit.Time {
			rtt := transport.PayloadRTT(s.Net, c.Segment, outbound, inbound)
			return ns3.Standalone(size, c.Segment, c.Header, rtt, transport.PathRate(s.Net, outbound))
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

// sizes returns the part of the hosts' configuration that determines the sizes of packets.
func (s *Simulation) sizes() transport.Config {
	sc := &s.Scenario
	tel, most := s.overhead()
	c := sc.Transport.Config(nil, tel, most)
	needs := sc.CC.Control().Needs()
	c.Echo = len(needs.Feedback) > 0 && needs.Notice == 0
	c.AckField = telemetry.AckField(sc.Telemetry.System())
	if c.Probes = needs.Probes; c.Probes {
		c.Probe, _ = s.carried()
		c.Notice = needs.Notice
	} else {
		c.AckField += needs.Notice
	}
	return c
}

// shows returns an error if a flow lasts longer than the clock of a run can represent, even alone on the slowest link.
// payload and packet are the sizes of a full packet.
func (s *Simulation) shows(payload, packet unit.Bytes) error {
	slowest := slices.MinFunc(s.Graph.Links, func(a, b topo.Link) int { return cmp.Compare(a.Rate, b.Rate) }).Rate
	hi, lo := bits.Mul64(uint64(s.longest/payload+1), uint64(slowest.TxTime(packet)))
	if hi == 0 && lo < uint64(unit.Never/4) {
		return nil
	}
	return fmt.Errorf("workload: a flow of %v (size), in packets of %v with a payload of %v (transport.payload or "+
		"mtu), would take longer than %v on the slowest link, of %v (topology.host_rate, fabric_rate, "+
		"bottleneck_rate); want smaller flows or faster links", s.longest, packet, payload, unit.Never/4, slowest)
}

// published returns the configuration of the published simulator's hosts for a transport.
func (s *Simulation) published(c *transport.Config) ns3.HostConfig {
	pace := c.Pace
	if pace == nil {
		pace = unit.Rate.TxTime
	}
	return ns3.HostConfig{
		Segment: c.Segment, Header: c.Header + c.Telemetry, Ack: c.AckSize(), NackInterval: c.NackInterval,
		Pace: pace, AtLine: !c.Pacing, Repace: !s.Scenario.CC.Control().Needs().NextPacket,
		Ideal: func(size unit.Bytes, baseRTT unit.Time, rate unit.Rate) unit.Time {
			return ns3.Standalone(size, c.Segment, c.Header, baseRTT, rate)
		},
		Reroutes: s.Scenario.Breaks(), Trace: c.Trace,
	}
}

// setting returns the properties of the run that a congestion control may use.
func (s *Simulation) setting() *transport.Setting {
	tel, most := s.overhead()
	payload := max(1, s.Scenario.Transport.FullPayload(most))
	links := slices.SortedFunc(s.links(), func(a, b topo.Link) int { return cmp.Compare(a.Rate, b.Rate) })
	slowest, fastest := s.hostRates()
	c := &transport.Setting{
		HostRate: slowest, FastestHost: fastest, Slowest: links[0].Rate, Fastest: links[len(links)-1].Rate,
		Payload: payload, Packet: payload + s.Scenario.Transport.Header + tel,
		PortRate: s.Net.PortRate, Farthest: s.farthest, MaxHops: s.Routes.MaxHops(), Queue: s.rules.queue,
		Published: s.Scenario.Published(),
		ByClass:   s.Scenario.Transport.Pulls == "class", Drops: s.Scenario.Network.Trimming.Action == "drop",
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
