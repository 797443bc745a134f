package deploy

import (
	"fmt"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// Running is a plan of queries in a network (telemetry.Parts.System).
type Running struct {
	Encoder *module.Encoder

	params    *Params
	site      *telemetry.Site
	collector *Collector // nil if the run has a sink of its own
}

func (p *Params) attachPlan(s *telemetry.Site, plan *query.Plan) (*telemetry.Parts, error) {
	r := &Running{params: p, site: s}
	seed := p.RunSeed(s.Seed)
	var err error
	if r.Encoder, err = module.NewEncoder(plan, module.Options{Seed: seed}); err != nil {
		return nil, err
	}
	parts := &telemetry.Parts{
		Feedback: telemetry.Feedback{Digest: r.digest},
		Notes:    r.notes,
		System:   r,
	}
	if parts.Tap, err = r.switches(plan); err != nil {
		return nil, err
	}
	if s.Watched {
		return parts, nil
	}
	r.collector, err = NewCollector(s.Net, r.Encoder, module.Memory{Total: p.Memory}, seed)
	parts.Sink = r.collector
	return parts, err
}

// switches is the encoding module at all switches.
func (r *Running) switches(plan *query.Plan) (*Switches, error) {
	if err := Check(plan, r.site.MaxHops); err != nil {
		return nil, fmt.Errorf("telemetry.plan = %s: %w", r.params.Plan, err)
	}
	c := Config{IDs: r.site.SwitchIDs(), Queue: r.site.Queue}
	if !Uses(plan, query.Load) && !Uses(plan, query.TxUtilization) {
		return NewSwitches(r.site.Net, r.Encoder, c)
	}
	horizon, err := r.site.Horizon()
	if err != nil {
		return nil, fmt.Errorf("the plan has a query of load or utilisation: %w", err)
	}
	code, err := approx.New(approx.Utilization())
	if err != nil {
		return nil, err
	}
	c.Load, err = byRate(r.site, func(rate unit.Rate) (pint.Arithmetic, error) { return approx.NewExact(rate, horizon, code) })
	if err != nil {
		return nil, err
	}
	return NewSwitches(r.site.Net, r.Encoder, c)
}

// digest is where the plan has HPCC's utilisation.
func (r *Running) digest(want telemetry.Quantity) (*telemetry.Digest, error) {
	if want != telemetry.Utilisation {
		return nil, fmt.Errorf("no query of a plan is %s", want)
	}
	p := r.Encoder.Plan()
	q := -1
	for i := range p.Queries {
		if p.Queries[i].Value == query.Load && p.Queries[i].Aggregation == query.Max && p.Queries[i].With == 0 {
			q = i
		}
	}
	if q < 0 {
		return nil, fmt.Errorf("the plan %s has no query of load with the aggregation max, on which it lives", r.params.Plan)
	}
	carries := make([]bool, len(p.Sets))
	field := query.Field{Bits: -1}
	for j := range p.Sets {
		f, ok := p.Sets[j].Field(q)
		carries[j] = ok
		if ok && field.Bits >= 0 && f.Offset != field.Offset {
			return nil, fmt.Errorf("%s is at bit %d of some packets and at bit %d of others", p.Queries[q].Label(), field.Offset, f.Offset)
		}
		if ok {
			field = f
		}
	}
	return &telemetry.Digest{
		Code: p.Codes[q], Shift: uint(field.Offset), Mask: 1<<field.Bits - 1,
		Carries:   func(key uint64) bool { return carries[r.Encoder.Set(key)] },
		SkipFirst: r.params.FirstFeedback == "skip",
	}, nil
}

// frequentShare is from which share on a note calls a value frequent.
const frequentShare = 0.3

// notes tell what the hosts have recorded.
func (r *Running) notes() []string {
	if r.collector == nil {
		return nil
	}
	p := r.Encoder.Plan()
	var notes []string
	for i := range p.Queries {
		q := &p.Queries[i]
		if q.Aggregation.Class() == query.PerPacket {
			continue
		}
		u := r.collector.Usage(i)
		note := fmt.Sprintf("%s: %d digests of %d flows in %v at all hosts, %d flows forgotten", q.Label(), u.Packets, u.Flows, u.Bytes, u.Evicted)
		if q.Aggregation == query.Path && q.Value == query.SwitchID {
			values := make([]uint64, len(r.site.Graph.Switches()))
			for i := range values {
				values[i] = uint64(i)
			}
			known, flows, err := r.collector.Traced(i, func(hops int) (coding.Decoder, error) {
				return coding.NewDecoder(r.Encoder.Coding(i), hops, values)
			})
			if err != nil {
				note += fmt.Sprintf("; paths not traced: %v", err)
			} else {
				note += fmt.Sprintf("; the path of %d of %d is known", known, flows)
			}
		}
		if q.Aggregation == query.Frequent {
			if frequent, hops, err := r.collector.Frequent(i, frequentShare); err != nil {
				note += fmt.Sprintf("; not read: %v", err)
			} else {
				note += fmt.Sprintf("; %d of %d hops of flows have a value of %g %% or more", frequent, hops, 100*frequentShare)
			}
		}
		notes = append(notes, note)
	}
	if n := r.collector.Refused(); n > 0 {
		notes = append(notes, fmt.Sprintf("%d packets with a digest that no switch can have written", n))
	}
	return notes
}
