package pint

import (
	"context"
	"fmt"
	"iter"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/pint/trace"
)

// Floor adds pipeline to all latencies. This is the delay in a switch with empty queues, which the simulator's switches
// do not have. Floor then raises latencies below low to low, as the code of latencies does.
func Floor(traces iter.Seq[LatencyTrace], pipeline, low unit.Time) iter.Seq[LatencyTrace] {
	return func(yield func(LatencyTrace) bool) {
		for tr := range traces {
			packets := tr.Packets
			tr.Packets = func(yield func(uint64, []unit.Time) bool) {
				var floored []unit.Time
				for id, lat := range packets {
					floored = floored[:0]
					for _, v := range lat {
						floored = append(floored, max(v+pipeline, low))
					}
					if !yield(id, floored) {
						return
					}
				}
			}
			if !yield(tr) {
				return
			}
		}
	}
}

// Plan is a plan to be followed. If Spec is nil, it is the plan that the packets carry.
type Plan struct {
	Name string
	Spec *query.Spec
	// Topology selects the decoder that knows the network, instead of the decoder that allows every switch at every
	// hop. The digests are the same.
	Topology bool
	// Pipeline is the time through an empty switch. It is added to the latencies if Spec is set.
	Pipeline unit.Time
}

// FollowConfig configures a study.
type FollowConfig struct {
	Plans     []Plan
	Latency   int // packets of a flow after which its latencies are compared with the truth; 0 never
	Quantiles []float64
}

// memory is the memory of each host for each query. It suffices to keep all flows.
const memory = 256 * unit.MiB

// Follow runs a scenario and records what each plan of queries learns about its flows. It returns the flows that kept
// their path, and in rerouted the number of all other flows.
func Follow(
	ctx context.Context, sc scenario.Scenario, c FollowConfig, p study.Progress,
) (r *sim.Result, flows []*Flow, rerouted int, err error) {
	if err := study.OnePath(&sc); err != nil {
		return nil, nil, 0, err
	}
	var f *follower
	r, err = watch(ctx, sc, p, func(s *sim.Simulation) (netsim.Sink, error) {
		m, err := trace.NewMap(s.Graph, nil)
		if err != nil {
			return nil, err
		}
		var plans []followed
		for _, a := range c.Plans {
			plan, err := a.of(s, m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.Name, err)
			}
			plans = append(plans, plan)
		}
		_, seed := digests(s)
		f, err = newFollower(s.Net, s.SwitchIDs(), plans, c, seed)
		return f, err
	})
	if err != nil {
		return nil, nil, 0, err
	}
	flows, rerouted, err = f.result()
	return r, flows, rerouted, err
}

// digests returns the encoding module of a run's plan of queries, or nil without a plan, and the seed of all random
// choices of PINT.
func digests(s *sim.Simulation) (e *query.Encoder, seed uint64) {
	if r, ok := s.Telemetry().(interface {
		Digests() (*query.Encoder, uint64)
	}); ok {
		return r.Digests()
	}
	return nil, global.RunSeed(s.Scenario.Seed, 0)
}

// of makes the encoder and the decoders of a plan in a network.
func (a *Plan) of(s *sim.Simulation, m *trace.Map) (followed, error) {
	encoder, seed := digests(s)
	p := followed{name: a.Name, encoder: encoder, memory: query.Memory{Total: memory}}
	if a.Spec != nil {
		plan, err := query.Compile(*a.Spec)
		if err != nil {
			return p, err
		}
		if p.encoder, err = query.NewEncoder(plan, query.Options{Seed: seed}); err != nil {
			return p, err
		}
		p.shadow, p.pipeline = true, a.Pipeline
	}
	if p.encoder == nil {
		return p, fmt.Errorf("the scenario has no plan of queries (telemetry.kind = %s)", s.Scenario.Telemetry.Kind)
	}
	path := p.encoder.Plan().Named(query.SwitchID, query.Path)
	if path == "" {
		return p, nil
	}
	code, values := p.encoder.Coding(path), s.SwitchValues()
	p.decoder = func(hops int) (coding.Decoder, error) { return coding.NewDecoder(code, hops, values) }
	if a.Topology {
		tracer, err := trace.NewTracer(m, code, trace.Options{})
		if err != nil {
			return p, err
		}
		p.decoder = func(hops int) (coding.Decoder, error) { return tracer.Decoder(hops) }
	}
	return p, nil
}
