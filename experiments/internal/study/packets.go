package study

import (
	"context"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
	"pintlab/netsim/route"
	"pintlab/workloads"
)

// Progress receives reports on the progress of a run; it may be nil.
type Progress func(sim.Progress)

// Report passes the progress of a run on to a task.
func Report(t *progress.Task) Progress {
	return func(p sim.Progress) {
		t.Update(p.Share(), fmt.Sprintf("%.2f ms simulated", 1e3*p.Now.Seconds()))
	}
}

// Watched returns a cell in which work replaces the simulations. The work receives the scenarios of the cell, including
// changes by the user. Studies that observe packets use Watched.
func Watched[T any](
	c Cell, set []string, do func(context.Context, scenario.Scenario, Progress) (T, error),
) Cell {
	spec := c.Spec
	c.Work = func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
		changed := spec(seed).With(set...)
		sc, err := changed.Scenario()
		if err != nil {
			return nil, err
		}
		made, err := do(ctx, sc, Report(show))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", changed.Label, err)
		}
		return made, nil
	}
	return c
}

// OnePath returns an error if the balancer of a scenario sends packets of a flow over several paths.
func OnePath(sc *scenario.Scenario) error {
	if b := sc.Network.Balancing; b.Balancer().Splits() != route.Flows {
		return fmt.Errorf("network.balancing.kind = %s: packets of a flow take several paths, but here a flow must "+
			"have one path: want ecmp or wcmp", b.Kind)
	}
	return nil
}

// Suits returns an error if a study that observes arriving packets cannot run a scenario. The study sees every flow, so
// keys that exclude flows from the statistics of a run would have no effect.
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
			return fmt.Errorf("%s: has no effect here, because every packet of every flow counts", k.key)
		}
	}
	for i, src := range sc.Workload {
		if p, ok := src.Params.(*workloads.PoissonTraffic); ok && p.UnderWay == workloads.Steady {
			return fmt.Errorf("workload.%d.under_way: %s: here the flows that are under way at the start would "+
				"count, because every packet of every flow counts", i, p.UnderWay)
		}
	}
	return nil
}
