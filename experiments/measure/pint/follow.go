package pint

import (
	"context"
	"fmt"
	"iter"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/experiments/study"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
	"pintlab/pint/trace"
)

// Latencies runs a scenario and returns the latencies of the first packets of each flow,
// limit at most.
func Latencies(ctx context.Context, sc scenario.Scenario, limit int, p study.Progress) (*sim.Result, *Traces, error) {
	if err := study.OnePath(&sc); err != nil {
		return nil, nil, err
	}
	var traces *Traces
	r, err := sim.Run(ctx, sc, sim.Options{Progress: p, Sink: func(s *sim.Simulation) (netsim.Sink, error) {
		var err error
		traces, err = newTraces(s.Net, limit)
		return traces, err
	}})
	if err := sound(r, err); err != nil {
		return nil, nil, err
	}
	return r, traces, traces.Err()
}

// sound is the error of a run that a study cannot rely on.
func sound(r *sim.Result, err error) error {
	if err != nil {
		return err
	}
	return r.Complaint(false)
}

// Floor adds pipeline, the delay in a switch with empty queues, which the simulator's switches do not
// have. It raises latencies below low to low, as the code of latencies does.
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

// Plan is a plan to be followed. Spec nil is the plan that the packets carry.
type Plan struct {
	Name string
	Spec *query.Spec
	// Topology selects the decoder that knows the network, in place of the one that allows every switch
	// at every hop. The digests are the same.
	Topology bool
}

// FollowConfig configures a study.
type FollowConfig struct {
	Plans     []Plan
	Latency   int // packets of a flow after which its latencies are compared with the truth; 0 never
	Quantiles []float64
}

// memory is the memory of each host for each query. It suffices to keep all flows.
const memory = 256 * unit.MiB

// Follow runs a scenario and follows plans in it. It returns the flows that kept their path, and the
// number of the others.
func Follow(
	ctx context.Context, sc scenario.Scenario, c FollowConfig, p study.Progress,
) (r *sim.Result, flows []*Flow, rerouted int, err error) {
	if err := study.OnePath(&sc); err != nil {
		return nil, nil, 0, err
	}
	var study *follower
	r, err = sim.Run(ctx, sc, sim.Options{Progress: p, Sink: func(s *sim.Simulation) (netsim.Sink, error) {
		_, seed := digests(s)
		sc := followerConfig{IDs: s.SwitchIDs(), Latency: c.Latency, Quantiles: c.Quantiles, Seed: seed}
		var m *trace.Map
		for _, a := range c.Plans {
			if a.Topology && m == nil {
				var err error
				if m, err = trace.NewMap(s.Graph, nil); err != nil {
					return nil, err
				}
			}
			arm, err := a.arm(s, m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.Name, err)
			}
			sc.Plans = append(sc.Plans, arm)
		}
		var err error
		study, err = newFollower(s.Net, sc)
		return study, err
	}})
	if err := sound(r, err); err != nil {
		return nil, nil, 0, err
	}
	flows, err = study.Result()
	return r, flows, study.Rerouted(), err
}

// digests returns the encoding module of a run's plan of queries, nil without one, and the seed of all that PINT draws.
func digests(s *sim.Simulation) (e *module.Encoder, seed uint64) {
	if r, ok := s.Telemetry().(interface {
		Digests() (*module.Encoder, uint64)
	}); ok {
		return r.Digests()
	}
	return nil, global.RunSeed(s.Scenario.Seed, 0)
}

// arm makes the encoder and the decoders.
func (a *Plan) arm(s *sim.Simulation, m *trace.Map) (Followed, error) {
	encoder, seed := digests(s)
	arm := Followed{Name: a.Name, Encoder: encoder, Memory: module.Memory{Total: memory}}
	if a.Spec != nil {
		plan, err := query.Compile(*a.Spec)
		if err != nil {
			return arm, err
		}
		if arm.Encoder, err = module.NewEncoder(plan, module.Options{Seed: seed}); err != nil {
			return arm, err
		}
		arm.Shadow = true
	}
	if arm.Encoder == nil {
		return arm, fmt.Errorf("the scenario has no plan of queries (telemetry.kind = %s)", s.Scenario.Telemetry.Kind)
	}
	path := -1
	for i, q := range arm.Encoder.Plan().Queries {
		if q.Value == query.SwitchID && q.Aggregation == query.Path {
			path = i
		}
	}
	if path < 0 {
		return arm, nil
	}
	code, values := arm.Encoder.Coding(path), s.SwitchValues()
	arm.Decoder = func(hops int) (coding.Decoder, error) { return coding.NewDecoder(code, hops, values) }
	if a.Topology {
		tracer, err := trace.NewTracer(m, code, trace.Options{})
		if err != nil {
			return arm, err
		}
		arm.Decoder = func(hops int) (coding.Decoder, error) { return tracer.Decoder(hops) }
	}
	return arm, nil
}
