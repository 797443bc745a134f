package sim

import (
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim/ns3"
	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/global"
	"pintlab/transport"
	"pintlab/transport/fixed"
	"pintlab/transport/reno"
)

// recoveries are the ways of loss recovery by name.
var recoveries = map[string]transport.Recovery{
	scenario.GoBackN:   transport.GoBackN,
	scenario.NewReno:   transport.NewReno,
	scenario.PlainReno: transport.Reno,
	scenario.Tahoe:     transport.Tahoe,
}

func (s *Simulation) buildTransport() error {
	factory, err := s.controller()
	if err != nil {
		return err
	}
	sc := &s.Scenario
	t, tel := &sc.Transport, sc.Telemetry.Overhead()
	c := transport.Config{
		Recovery:  recoveries[t.Kind],
		Segment:   t.FullPayload(tel),
		Header:    t.Header,
		Telemetry: tel,
		AckHeader: t.AckHeader,
		Echo:      sc.CC.Kind == scenario.HPCC,
		AckMin:    t.AckMin,
		AckEvery:  t.AckEvery,

		NackInterval:     t.NackInterval,
		IgnoreDuplicates: t.Duplicates == "ignore",
		DupThreshold:     t.DupAcks,
		Overshoot:        t.WindowEdge == "overshoot",
		Unpaced:          !t.Pacing,
		IdealSegment:     t.FullPayload(0),
		Trace:            s.trace,
	}
	if t.AckDelay != unit.Never {
		c.DelayedAck = t.AckDelay
	}
	if t.Timer {
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
			rtt := transport.BaseRTT(s.Net, c.Segment, forth, back)
			return ns3.Standalone(size, c.Segment, c.Header, rtt, pathRate(s.Net, forth))
		}
	}
	switch e := s.Engine.(type) {
	case *netsim.Engine:
		var stack *transport.Stack
		stack, err = transport.New(e, s.Routes, c, sc.Seed, factory, s.feed, s.done)
		if err == nil && sc.Run.Ties == "fifo" {
			ns3.DelayStarts(e, stack)
		}
		s.Stack = stack
	case *netsim.Parallel:
		s.Stack, err = transport.NewParallel(e, s.Routes, c, sc.Seed, factory, s.feed, s.done)
	}
	return err
}

// controller makes the congestion control of a scenario: the line to add for
// another one.
func (s *Simulation) controller() (transport.Factory, error) {
	cc := &s.Scenario.CC
	switch cc.Kind {
	case scenario.Reno:
		return reno.New(reno.Config{InitialWindow: cc.InitialWindow})
	case scenario.FixedCC:
		return fixed.New(fixed.Config{Window: unit.Bytes(cc.Window), Rate: cc.Rate})
	case scenario.HPCC:
		return s.hpcc()
	}
	return nil, fmt.Errorf("cc.kind = %q is not built", cc.Kind)
}

func (s *Simulation) hpcc() (transport.Factory, error) {
	cc, tel := &s.Scenario.CC, &s.Scenario.Telemetry
	c := hpcc.Config{Eta: cc.Eta, MaxStage: cc.MaxStage}
	switch cc.RTT {
	case "given":
		c.T = cc.T
	case "max":
		c.T, c.BDP = s.rules.baseRTT, s.rules.bdp
	case "path":
		c.PathRTT = true
	}
	if cc.Form == scenario.RateForm {
		c.Form, c.RAI, c.MinRate = hpcc.Rate, cc.RateAI, cc.MinRate
		if cc.RTT == "given" {
			c.BDP = hostRate(s.Graph).In(cc.T)
		}
	} else {
		c.WAI, c.BDP = cc.WAI, 0
	}
	if tel.Kind == scenario.INT {
		q, err := s.quantizer()
		if err != nil {
			return nil, err
		}
		var fields hpcc.Fields
		if tel.Precision == "wire" {
			fields = q
		}
		return hpcc.New(c, func() hpcc.Gauge { return hpcc.NewINT(s.Net.PortRate, fields) })
	}
	if s.plan != nil {
		return s.plannedDigest(c)
	}
	code, err := s.code()
	if err != nil {
		return nil, err
	}
	var carries func(*transport.Ack) bool
	switch {
	case tel.SampleAt == "sender":
		// The published simulator draws for every ACK, also with p = 1.
		carries = func(*transport.Ack) bool { return s.rules.rand.Below(tel.P) }
	case tel.P < 1:
		share := s.share()
		carries = func(a *transport.Ack) bool { return share(a.Key()) }
	}
	d := hpcc.Digest{Code: code, Carries: carries, Mask: 1<<tel.Bits - 1}
	return hpcc.New(c, func() hpcc.Gauge { return s.digest(d) })
}

// digest is a gauge of its own like d.
func (s *Simulation) digest(d hpcc.Digest) hpcc.Gauge {
	if s.Scenario.Telemetry.FirstFeedback == "skip" {
		return &ns3.SkipFirst{Gauge: &d}
	}
	return &d
}

// share says which packets carry the digest: q(p) below p.
func (s *Simulation) share() func(key uint64) bool {
	family := global.Fast(s.pintSeed())
	limit := uint64(s.Scenario.Telemetry.P * (1 << 32))
	return func(key uint64) bool {
		return uint64(family.Hash(global.QuerySet, 0, key, 0)) < limit
	}
}
