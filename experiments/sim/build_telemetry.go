package sim

import (
	"errors"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim/ns3"
	inband "pintlab/int"
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/pint"
	"pintlab/pint/approx"
)

// taps makes the telemetry systems of a scenario: the line to add for another one.
func (s *Simulation) taps() ([]netsim.Tap, error) {
	switch s.Scenario.Telemetry.Kind {
	case scenario.NoTelemetry, scenario.TelemetryBytes:
		return nil, nil
	case scenario.INT:
		q, err := s.quantizer()
		if err != nil {
			return nil, err
		}
		s.stamper = inband.NewStamper(q, 0)
		return []netsim.Tap{s.stamper}, nil
	case scenario.PINT:
		if s.plan != nil {
			t, err := s.switches()
			return []netsim.Tap{t}, err
		}
		t, err := s.utilization()
		return []netsim.Tap{t}, err
	}
	return nil, fmt.Errorf("telemetry.kind = %q is not built", s.Scenario.Telemetry.Kind)
}

// stackDepth is how many entries a packet's telemetry stack has room for: those of the
// longest path, or all of the INT header's if links may break and paths get longer.
func (s *Simulation) stackDepth() int {
	t := &s.Scenario.Telemetry
	switch {
	case t.Kind == scenario.INT && s.Scenario.Breaks():
		return max(t.Hops, s.Routes.MaxHops())
	case t.Kind == scenario.INT || s.sink != nil:
		return s.Routes.MaxHops()
	}
	return 0
}

// overflows is how often a switch found an INT header full.
func (s *Simulation) overflows() int64 {
	if s.stamper == nil {
		return 0
	}
	return s.stamper.Overflows()
}

// overflowNotes says that feedback was incomplete.
func (s *Simulation) overflowNotes() []string {
	n := s.overflows()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("INT is incomplete: %d times a data packet passed a switch on a path longer than telemetry.hops = %d, which added nothing; raise telemetry.hops to see all of a detour", n, s.Scenario.Telemetry.Hops)}
}

// quantizer is the precision of the INT fields, checked against the network.
func (s *Simulation) quantizer() (*inband.Quantizer, error) {
	t := &s.Scenario.Telemetry
	spec := inband.Exact()
	if t.Precision == "wire" {
		spec = inband.Published()
		spec.Time = inband.FieldSpec{Bits: t.TimeBits, Unit: int64(t.TimeUnit)}
		spec.Tx = inband.FieldSpec{Bits: t.ByteBits, Unit: int64(t.ByteUnit)}
		spec.Queue = inband.FieldSpec{Bits: t.QueueBits, Unit: int64(t.QueueUnit)}
	}
	spec.MaxHops = t.Hops
	q, err := inband.NewQuantizer(spec)
	if err != nil {
		return nil, err
	}
	var rates []unit.Rate
	for _, l := range s.Graph.Links {
		rates = append(rates, l.Rate)
	}
	return q, q.Check(rates, s.Routes.MaxHops(), min(s.Scenario.Network.Buffer, unit.Bytes(s.Scenario.Network.PortLimit)))
}

// code is the code of U that digests carry.
func (s *Simulation) code() (*approx.Multiplicative, error) {
	t := &s.Scenario.Telemetry
	c := approx.Utilization()
	c.Base, c.Codes = t.Base, 1<<t.Bits
	if t.Rounding == "value" {
		c.Rounding = approx.UnbiasedValue
	}
	return approx.New(c)
}

// pintSeed is the seed of everything that PINT draws.
func (s *Simulation) pintSeed() uint64 {
	return hash.Combine(hash.Combine(hash.String("pint"), s.Scenario.Seed), s.Scenario.Telemetry.Seed)
}

// utilization is the switch side of HPCC over PINT. Ports of one rate share their
// arithmetic.
func (s *Simulation) utilization() (*pint.Utilization, error) {
	t := &s.Scenario.Telemetry
	code, err := s.code()
	if err != nil {
		return nil, err
	}
	horizon := s.Scenario.CC.T
	switch s.Scenario.CC.RTT {
	case "max":
		horizon = s.rules.baseRTT
	case "path":
		return nil, errors.New("cc.rtt = path: a switch does not know the RTT of each path, on which telemetry.kind = pint depends (accepted: given, max)")
	}
	if t.Arithmetic == "ns3-log" || t.SampleAt == "sender" {
		s.rules.rand = ns3.NewRand()
	}
	var logs []int32
	if t.Arithmetic == "ns3-log" {
		logs = ns3.NewLogs()
	}
	var tables *fixedpoint.Shared
	if t.Arithmetic == "fixed" {
		if tables, err = s.switchTables(); err != nil {
			return nil, err
		}
	}
	byRate := map[unit.Rate]pint.Arithmetic{}
	for _, l := range s.Graph.Links {
		if byRate[l.Rate] != nil {
			continue
		}
		if t.Arithmetic == "ns3-log" {
			byRate[l.Rate] = ns3.NewArithmetic(s.rules.rand, logs, l.Rate, horizon, t.Base)
			continue
		}
		if tables != nil {
			// The horizon of a switch is a whole number of ticks.
			ticks := (horizon + fixedpoint.Tick/2) / fixedpoint.Tick
			if byRate[l.Rate], err = tables.NewPort(l.Rate, ticks*fixedpoint.Tick); err != nil {
				return nil, err
			}
			continue
		}
		a, err := approx.NewExact(l.Rate, horizon, code)
		if err != nil {
			return nil, err
		}
		byRate[l.Rate] = a
	}
	o := pint.UtilizationOptions{
		Seed:     s.pintSeed(),
		Mask:     1<<t.Bits - 1,
		DataOnly: t.EWMAOver == "data",
		Previous: t.EWMASize == "previous",
	}
	if t.P < 1 && t.SampleAt == "switch" {
		o.Carries = s.share()
	}
	arith := func(p netsim.PortID) pint.Arithmetic { return byRate[s.Net.PortRate(p)] }
	return pint.NewUtilization(s.Net.Ports(), arith, o), nil
}

// switchTables are the tables of a switch that computes U with integers.
func (s *Simulation) switchTables() (*fixedpoint.Shared, error) {
	t := &s.Scenario.Telemetry
	form, err := fixedpoint.ParseForm(t.TableForm)
	if err != nil {
		return nil, err
	}
	c := fixedpoint.ConfigOf(form, t.TableBits)
	c.Base, c.Codes = t.Base, 1<<t.Bits
	return fixedpoint.NewShared(c)
}

// hopCost is the time that telemetry takes at one interface of a switch.
func hopCost(g *topo.Graph, telemetry unit.Bytes) (func(unit.Rate, *netsim.Packet) unit.Time, error) {
	cost := map[unit.Rate]unit.Time{}
	for _, l := range g.Links {
		if _, ok := cost[l.Rate]; ok {
			continue
		}
		d, err := inband.DatapathAt(l.Rate)
		if err != nil {
			return nil, err
		}
		cost[l.Rate] = d.HopDelay(telemetry) / 2
	}
	return func(r unit.Rate, p *netsim.Packet) unit.Time {
		if p.Kind != netsim.Data {
			return 0
		}
		return cost[r]
	}, nil
}
