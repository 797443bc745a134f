// Package observe runs a scenario and reads packets where they arrive: the true latency of every hop, and the estimates that
// query plans make.
package observe

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"pintlab/experiments/measure/latencies"
	"pintlab/experiments/measure/truth"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
	"pintlab/pint/trace"
	"pintlab/workloads"
)

// Progress takes reports of how far a run is; it may be nil.
type Progress func(sim.Progress)

// Fixed makes sure that the changes of a job leave alone what a figure varies itself:
// the keys, and those that begin with a key that ends in a dot.
func Fixed(set []string, keys ...string) error {
	for _, a := range set {
		key, _, _ := strings.Cut(a, "=")
		for _, k := range keys {
			if key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k) {
				return fmt.Errorf("--set %s: this experiment sets %s itself", a, key)
			}
		}
	}
	return nil
}

// Report passes the progress of a run on to a task.
func Report(t *progress.Task) Progress {
	return func(p sim.Progress) {
		t.Update(p.Share(), fmt.Sprintf("%.2f ms simulated", 1e3*p.Now.Seconds()))
	}
}

// Latencies runs a scenario and returns the latencies of the first packets of each flow,
// limit at most.
func Latencies(ctx context.Context, sc scenario.Scenario, limit int, p Progress) (*sim.Result, *truth.Traces, error) {
	if err := OnePath(&sc); err != nil {
		return nil, nil, err
	}
	var traces *truth.Traces
	r, err := sim.Run(ctx, sc, sim.Options{Progress: p, Sink: func(s *sim.Simulation) (netsim.Sink, error) {
		var err error
		traces, err = truth.NewTraces(s.Net, limit)
		return traces, err
	}})
	if err := sound(r, err); err != nil {
		return nil, nil, err
	}
	return r, traces, traces.Err()
}

// OnePath returns an error if the balancer of a scenario sends packets of a flow over several paths.
func OnePath(sc *scenario.Scenario) error {
	if b := sc.Network.Balancing; b.Balancer().Splits() != route.Flows {
		return fmt.Errorf("network.balancing.kind = %s: packets of a flow take several paths, and a flow must have one here: want ecmp or wcmp", b.Kind)
	}
	return nil
}

// Suits reports whether a study that looks at packets where they arrive can run a scenario: it
// sees every flow, so that keys which keep flows out of the statistics of a run would have no
// effect on it.
func Suits(sc *scenario.Scenario) error {
	r := &sc.Run
	for _, k := range []struct {
		given bool
		key   string
	}{
		{r.Warmup > 0, "run.warmup"}, {r.Cooldown > 0, "run.cooldown"}, {r.KeepLoad > 0, "run.keep_load"},
		{r.CutOff != scenario.Default().Run.CutOff, "run.cut_off"},
	} {
		if k.given {
			return fmt.Errorf("%s: has no effect here: every packet of every flow counts", k.key)
		}
	}
	for i, src := range sc.Workload {
		if p, ok := src.Params.(*workloads.PoissonTraffic); ok && p.UnderWay == workloads.Steady {
			return fmt.Errorf("workload.%d.under_way: %s: the flows under way would count here: every packet of every flow does", i, p.UnderWay)
		}
	}
	return nil
}

// sound is the error of a run that a study cannot rely on.
func sound(r *sim.Result, err error) error {
	if err != nil {
		return err
	}
	return r.Complaint(false)
}

// Floor adds pipeline, the delay in a switch with empty queues, which the simulator's switches do not have. It raises latencies
// below low to low, as the code of latencies does.
func Floor(traces iter.Seq[latencies.Trace], pipeline, low unit.Time) iter.Seq[latencies.Trace] {
	return func(yield func(latencies.Trace) bool) {
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

// Arm is a plan to be followed. Spec nil is the plan that the packets carry.
type Arm struct {
	Name string
	Spec *query.Spec
	// Topology selects the decoder that knows the network, in place of the one that allows every switch at every hop. The
	// digests are the same.
	Topology bool
}

// Config configures a study.
type Config struct {
	Arms      []Arm
	Latency   int // packets of a flow after which its latencies are compared with the truth; 0 never
	Quantiles []float64
}

// memory is the memory of each host for each query. It suffices to keep all flows.
const memory = 256 * unit.MiB

// Study runs a scenario and follows plans in it. It returns the flows that kept their path, and the number of the others.
func Study(ctx context.Context, sc scenario.Scenario, c Config, p Progress) (r *sim.Result, flows []*truth.Flow, rerouted int, err error) {
	if err := OnePath(&sc); err != nil {
		return nil, nil, 0, err
	}
	var study *truth.Study
	r, err = sim.Run(ctx, sc, sim.Options{Progress: p, Sink: func(s *sim.Simulation) (netsim.Sink, error) {
		_, seed := Digests(s)
		sc := truth.StudyConfig{IDs: s.SwitchIDs(), Latency: c.Latency, Quantiles: c.Quantiles, Seed: seed}
		var m *trace.Map
		for _, a := range c.Arms {
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
			sc.Arms = append(sc.Arms, arm)
		}
		var err error
		study, err = truth.NewStudy(s.Net, sc)
		return study, err
	}})
	if err := sound(r, err); err != nil {
		return nil, nil, 0, err
	}
	flows, err = study.Result()
	return r, flows, study.Rerouted(), err
}

// Digests returns the encoding module of a run's plan of queries, nil without one, and the seed of all that PINT draws.
func Digests(s *sim.Simulation) (e *module.Encoder, seed uint64) {
	if r, ok := s.Telemetry().(interface {
		Digests() (*module.Encoder, uint64)
	}); ok {
		return r.Digests()
	}
	return nil, global.RunSeed(s.Scenario.Seed, 0)
}

// arm makes the encoder and the decoders.
func (a *Arm) arm(s *sim.Simulation, m *trace.Map) (truth.Arm, error) {
	encoder, seed := Digests(s)
	arm := truth.Arm{Name: a.Name, Encoder: encoder, Memory: module.Memory{Total: memory}}
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
