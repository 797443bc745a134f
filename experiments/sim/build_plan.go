package sim

import (
	"errors"
	"fmt"
	"os"

	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
	"pintlab/transport"
)

// plan is a plan of queries in a simulation.
type plan struct {
	encoder   *module.Encoder
	collector *deploy.Collector // nil if the run has a sink of its own
}

// BuildPlan compiles the plan of a scenario; nil if it has none.
func BuildPlan(t *scenario.Telemetry) (*query.Plan, error) {
	var spec query.Spec
	switch t.Plan {
	case scenario.PlanCombined:
		spec = query.Combined()
	case scenario.PlanCombinedByHand:
		spec = query.CombinedByHand()
	case scenario.PlanFile:
		text, err := os.ReadFile(t.PlanPath)
		if err != nil {
			return nil, fmt.Errorf("telemetry.plan_path: %w", err)
		}
		s, err := query.Parse(t.PlanPath, text)
		if err != nil {
			return nil, err
		}
		spec = *s
	default:
		return nil, nil
	}
	p, err := query.Compile(spec)
	if err != nil {
		return nil, fmt.Errorf("telemetry.plan = %s: %w", t.Plan, err)
	}
	if 8*t.WireBytes < unit.Bytes(p.Bits) {
		return nil, fmt.Errorf("telemetry.wire_bytes = %v: too few for the %d bits of the plan", t.WireBytes, p.Bits)
	}
	return p, nil
}

func (s *Simulation) buildPlan() error {
	p, err := BuildPlan(&s.Scenario.Telemetry)
	if p == nil || err != nil {
		return err
	}
	e, err := module.NewEncoder(p, module.Options{Seed: s.pintSeed()})
	if err != nil {
		return err
	}
	s.plan = &plan{encoder: e}
	return nil
}

// Encoder is the encoding module of the run's plan; nil without a plan of queries.
func (s *Simulation) Encoder() *module.Encoder {
	if s.plan == nil {
		return nil
	}
	return s.plan.encoder
}

// PINTSeed is the seed of everything that PINT draws.
func (s *Simulation) PINTSeed() uint64 { return s.pintSeed() }

// SwitchIDs are the IDs that switches write, by node: 0, 1, … in the order of the
// graph's switches. Hosts have 0, too.
func (s *Simulation) SwitchIDs() []uint64 {
	ids := make([]uint64, len(s.Graph.Nodes))
	for i, id := range s.Graph.Switches() {
		ids[id] = uint64(i)
	}
	return ids
}

// SwitchValues are the IDs of all switches.
func (s *Simulation) SwitchValues() []uint64 {
	values := make([]uint64, len(s.Graph.Switches()))
	for i := range values {
		values[i] = uint64(i)
	}
	return values
}

// switches is the encoding module at all switches.
func (s *Simulation) switches() (*deploy.Switches, error) {
	p := s.plan.encoder.Plan()
	if err := deploy.Check(p, s.Routes.MaxHops()); err != nil {
		return nil, fmt.Errorf("telemetry.plan = %s: %w", s.Scenario.Telemetry.Plan, err)
	}
	c := deploy.Config{IDs: s.SwitchIDs()}
	if !deploy.Uses(p, query.Load) {
		return deploy.NewSwitches(s.Net, s.plan.encoder, c)
	}
	horizon, err := s.horizon()
	if err != nil {
		return nil, err
	}
	code, err := approx.New(approx.Utilization())
	if err != nil {
		return nil, err
	}
	byRate := map[unit.Rate]pint.Arithmetic{}
	for _, l := range s.Graph.Links {
		if byRate[l.Rate] == nil {
			if byRate[l.Rate], err = approx.NewExact(l.Rate, horizon, code); err != nil {
				return nil, err
			}
		}
	}
	c.Load = func(p netsim.PortID) pint.Arithmetic { return byRate[s.Net.PortRate(p)] }
	return deploy.NewSwitches(s.Net, s.plan.encoder, c)
}

// horizon is T of the utilisation that switches compute.
func (s *Simulation) horizon() (unit.Time, error) {
	cc := &s.Scenario.CC
	switch {
	case cc.Kind != scenario.HPCC:
		return 0, fmt.Errorf("the plan has a query of load, which is defined by HPCC's T: cc.kind = %s (accepted: %s)", cc.Kind, scenario.HPCC)
	case cc.RTT == "max":
		return s.rules.baseRTT, nil
	case cc.RTT == "path":
		return 0, errors.New("cc.rtt = path: a switch does not know the RTT of each path, on which telemetry.kind = pint depends (accepted: given, max)")
	}
	return cc.T, nil
}

// observers adds the tap of the options, the witnesses and the sinks.
func (s *Simulation) observers(taps []netsim.Tap) ([]netsim.Tap, []netsim.Sink, error) {
	if s.tap != nil {
		t, err := s.tap(s)
		if err != nil {
			return nil, nil, err
		}
		taps = append(taps, t)
	}
	switch {
	case s.sink != nil:
		if s.Scenario.Telemetry.Kind == scenario.INT {
			return nil, nil, errors.New("telemetry.kind = int: its stack has no room for witnesses beside it; want pint, bytes or none")
		}
		k, err := s.sink(s)
		return append(taps, deploy.Witness{}), []netsim.Sink{k}, err
	case s.plan != nil:
		c, err := deploy.NewCollector(s.Net, s.plan.encoder, module.Memory{Total: s.Scenario.Telemetry.Memory}, s.pintSeed())
		s.plan.collector = c
		return taps, []netsim.Sink{c}, err
	}
	return taps, nil, nil
}

// plannedDigest makes HPCC read its query of the plan.
func (s *Simulation) plannedDigest(c hpcc.Config) (transport.Factory, error) {
	e := s.plan.encoder
	p := e.Plan()
	q := -1
	for i := range p.Queries {
		if p.Queries[i].Value == query.Load && p.Queries[i].Aggregation == query.Max && p.Queries[i].With == 0 {
			q = i
		}
	}
	if q < 0 {
		return nil, fmt.Errorf("cc.kind = hpcc: the plan %s has no query of load with the aggregation max, on which it lives", s.Scenario.Telemetry.Plan)
	}
	carries := make([]bool, len(p.Sets))
	field := query.Field{Bits: -1}
	for j := range p.Sets {
		f, ok := p.Sets[j].Field(q)
		carries[j] = ok
		if ok && field.Bits >= 0 && f.Offset != field.Offset {
			return nil, fmt.Errorf("cc.kind = hpcc: %s is at bit %d of some packets and at bit %d of others", p.Queries[q].Label(), field.Offset, f.Offset)
		}
		if ok {
			field = f
		}
	}
	d := hpcc.Digest{
		Code: p.Codes[q], Shift: uint(field.Offset), Mask: 1<<field.Bits - 1,
		Carries: func(a *transport.Ack) bool { return carries[e.Set(a.Key())] },
	}
	return hpcc.New(c, func() hpcc.Gauge { return s.digest(d) })
}

// planNotes tell what the hosts have recorded.
func (s *Simulation) planNotes() []string {
	if s.plan == nil || s.plan.collector == nil {
		return nil
	}
	c, e := s.plan.collector, s.plan.encoder
	p := e.Plan()
	var notes []string
	for i := range p.Queries {
		q := &p.Queries[i]
		if q.Aggregation.Class() == query.PerPacket {
			continue
		}
		u := c.Usage(i)
		note := fmt.Sprintf("%s: %d digests of %d flows in %v at all hosts, %d flows forgotten", q.Label(), u.Packets, u.Flows, u.Bytes, u.Evicted)
		if q.Aggregation == query.Path && q.Value == query.SwitchID {
			values := s.SwitchValues()
			known, flows, err := c.Traced(i, func(hops int) (coding.Decoder, error) {
				return coding.NewDecoder(e.Coding(i), hops, values)
			})
			if err != nil {
				note += fmt.Sprintf("; paths not traced: %v", err)
			} else {
				note += fmt.Sprintf("; the path of %d of %d is known", known, flows)
			}
		}
		notes = append(notes, note)
	}
	if r := c.Refused(); r > 0 {
		notes = append(notes, fmt.Sprintf("%d packets with a digest that no switch can have written", r))
	}
	return notes
}
