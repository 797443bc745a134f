package deploy

import (
	"errors"
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/query"
)

// attached is a plan of queries that is attached to the switches of a network.
type attached struct {
	seed      uint64
	site      *telemetry.Site
	encoder   *query.Encoder
	switches  *Switches
	collector *Collector // nil if the run uses another sink
}

func (a *attached) plan() *query.Plan { return a.encoder.Plan() }

// Collector returns the recorded digests of the hosts, or of the host that collects.
func (a *attached) Collector() *Collector { return a.collector }

// system is PINT as the telemetry of a run (telemetry.Parts.System). The encoder is nil if the digest contains a single
// quantity.
type system struct {
	attached
	skipFirst bool       // the first digest of a flow only starts its clock
	wire      unit.Bytes // size of the digest field
}

func (p *Params) attachPlan(s *telemetry.Site, plan *query.Plan) (*telemetry.Parts, error) {
	seed := global.RunSeed(s.Seed, p.Seed)
	if s.Splits && plan.Lane() < 0 && plan.Records() {
		return nil, fmt.Errorf("telemetry.%s: packets of a flow take several paths "+
			"(network.balancing.kind), and the records of the plan would mix these paths: want "+
			"telemetry.path_checksum = 8 or 16, or a plan file with a query of the checksum of switch_id on every "+
			"packet", planKey(p.Plan, p.PlanPath))
	}
	a, err := attach(s, plan, seed)
	if err != nil {
		return nil, fmt.Errorf("telemetry.%s: %w", planKey(p.Plan, p.PlanPath), err)
	}
	r := &system{a, p.FirstFeedback == "skip", p.WireBytes}
	feedback := telemetry.Feedback{
		Digest: r.digest, Share: r.share(),
		ShareOf: "share of the packets that carry the load query of telemetry.plan",
	}
	parts := &telemetry.Parts{Tap: r.switches, Feedback: feedback, Notes: r.notes, System: r}
	if s.Watched {
		return parts, nil
	}
	if r.collector, err = NewCollector(s.Net, r.encoder, query.Memory{Total: p.Memory}, seed); err != nil {
		return nil, fmt.Errorf("telemetry.memory = %v: %w", p.Memory, err)
	}
	// The sums omit the query that the congestion control reads, because the effect of this query is visible. They also
	// omit times of single packets, because times cannot be summed.
	summed := func(q *query.Query) bool { return !isUtilisation(q) && kept(q) }
	r.collector.singles = newSingles(plan, len(s.Graph.Nodes), summed)
	parts.Sink = r.collector
	return parts, nil
}

// kept reports whether the results of q for single packets can be summed. Times and checksums cannot be summed.
func kept(q *query.Query) bool {
	return q.Value != query.IngressTime && q.Aggregation != query.Checksum
}

// isUtilisation reports whether HPCC reads the query q.
func isUtilisation(q *query.Query) bool {
	return q.Value == query.Load && q.Aggregation == query.Max && q.With == 0
}

// attach makes the encoding module of a plan and attaches it to all switches.
func attach(s *telemetry.Site, plan *query.Plan, seed uint64) (a attached, err error) {
	if plan.Hops < s.MaxHops {
		return a, fmt.Errorf("hops = %d, but the network has paths of %d switches", plan.Hops, s.MaxHops)
	}
	a = attached{site: s, seed: seed}
	if a.encoder, err = query.NewEncoder(plan, query.Options{Seed: seed}); err != nil {
		return a, err
	}
	c := Config{IDs: s.SwitchIDs(), Queue: s.Queue}
	if plan.Uses(query.Load) || plan.Uses(query.TxUtilization) {
		horizon, err := s.Horizon()
		if err != nil {
			return a, fmt.Errorf("the plan has a query of load or utilisation: %w", err)
		}
		code, err := approx.New(approx.Utilization())
		if err != nil {
			return a, err
		}
		c.Load, err = byRate(s, func(rate unit.Rate) (pint.Arithmetic, error) {
			return approx.NewExact(rate, horizon, code)
		})
		if err != nil {
			return a, err
		}
	}
	a.switches, err = NewSwitches(s.Net, a.encoder, c)
	return a, err
}

// digest returns the position of HPCC's utilisation in the plan's digest.
func (r *system) digest(want telemetry.Quantity) (*telemetry.Digest, error) {
	if want != telemetry.Utilisation {
		return nil, fmt.Errorf("no query of a plan is %s", want)
	}
	p, q := r.plan(), r.utilisation()
	if q < 0 {
		return nil, errors.New("the plan needs a query of load with the aggregation max, but has none")
	}
	carries := make([]bool, len(p.Sets))
	field := query.Field{Bits: -1}
	for j := range p.Sets {
		f, ok := p.Sets[j].Field(q)
		carries[j] = ok
		if ok && field.Bits >= 0 && f.Offset != field.Offset {
			return nil, fmt.Errorf("%s is at bit %d of some packets and at bit %d of others",
				p.Queries[q].Label(), field.Offset, f.Offset)
		}
		if ok {
			field = f
		}
	}
	if largest := p.Codes[q].Decode(1<<field.Bits - 1); largest < overloaded {
		return nil, fmt.Errorf("%s: the largest code of %s stands for only %.3g, so no digest could report an "+
			"overloaded link: choose range or step so that this code stands for at least %v",
			p.Queries[q].Label(), number.Count(field.Bits, "bit"), largest, overloaded)
	}
	return &telemetry.Digest{
		Code: p.Codes[q], Shift: uint(field.Offset), Mask: 1<<field.Bits - 1,
		Carries:   func(key uint64) bool { return carries[r.encoder.Set(key)] },
		SkipFirst: r.skipFirst,
	}, nil
}

// Digests returns the encoding module of the plan, or nil if there is no plan, and the seed of
// PINT's random draws in the run.
func (r *system) Digests() (*query.Encoder, uint64) { return r.encoder, r.seed }

// share returns the share of the packets whose digest HPCC reads, or 0 if the plan has no query for
// it.
func (r *system) share() float64 {
	p, q := r.plan(), r.utilisation()
	if q < 0 {
		return 0
	}
	return float64(p.Parts(q)) / float64(uint64(1)<<p.HashBits)
}

// utilisation returns the index of the query that HPCC reads. If there are several such queries, it
// returns the last index; if there is none, it returns -1.
func (r *system) utilisation() int {
	queries := r.plan().Queries
	for i := len(queries) - 1; i >= 0; i-- {
		if isUtilisation(&queries[i]) {
			return i
		}
	}
	return -1
}

// frequentShare is the smallest share for which a note calls a value frequent.
const frequentShare = 0.3

// notes summarises what the hosts have recorded.
func (r *system) notes() []string {
	if r.collector == nil {
		return nil
	}
	p := r.plan()
	var notes []string
	for i := range p.Queries {
		q := &p.Queries[i]
		if q.Aggregation.Class() == query.PerPacket {
			switch {
			case q.Value == query.IngressTime:
				notes = append(notes, q.Label()+": a time for each packet; hosts do not store it")
			case i == p.Lane():
				notes = append(notes, fmt.Sprintf("%s: %s on every packet %s paths of a flow apart", q.Label(),
					number.Count(q.Bits, "bit"), number.Plural(q.Bits, "keeps", "keep")))
			case q.Aggregation == query.Checksum:
				notes = append(notes, q.Label()+": a checksum for each packet; hosts do not store it")
			case !isUtilisation(q):
				notes = append(notes, r.collector.singles.note(p, i))
			}
			continue
		}
		u := r.collector.Usage(q.Name)
		note := fmt.Sprintf("%s: %s of %s in %v at all hosts, %s forgotten", q.Label(),
			number.Count(u.Packets, "digest"), number.Count(u.Flows, "flow"), u.Bytes, number.Count(u.Evicted, "flow"))
		if q.Aggregation == query.Path && q.Value == query.SwitchID {
			known, flows, changes, err := r.collector.Traced(q.Name, r.decoders(q.Name).of)
			switch {
			case err != nil:
				note += fmt.Sprintf("; paths not traced: %v", err)
			case changes > 0 && p.Lane() >= 0:
				note += fmt.Sprintf("; the paths of %d of %s are known; %s, two paths have the same checksum", known,
					number.Count(flows, "flow"), number.Count(changes, "time"))
			case changes > 0:
				note += fmt.Sprintf("; the paths of %d of %s are known; digests show %s of path; other queries have a "+
					"single record for the time before and after a change (telemetry.path_checksum separates them)",
					known, number.Count(flows, "flow"), number.Count(changes, "change"))
			default:
				note += fmt.Sprintf("; the paths of %d of %s are known", known, number.Count(flows, "flow"))
			}
		}
		if q.Aggregation == query.Frequent {
			if frequent, hops, err := r.collector.frequent(q.Name, frequentShare); err != nil {
				note += fmt.Sprintf("; not read: %v", err)
			} else {
				note += fmt.Sprintf("; %d of %s of flows %s a value of %s or more", frequent, number.Count(hops, "hop"),
					number.Plural(frequent, "has", "have"), number.Share(frequentShare))
			}
		}
		notes = append(notes, note)
		if note := beyond(p, i, u); note != "" {
			notes = append(notes, note)
		}
	}
	return append(notes, r.collector.refusals()...)
}
