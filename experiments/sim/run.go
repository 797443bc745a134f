package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Options are settings of a run in addition to its scenario. They do not change the results.
type Options struct {
	// Progress is called at intervals by the goroutine of the run.
	Progress func(Progress)
	// Trace is called for each ACK and alarm that a congestion control has processed (see
	// transport.Config). The run must have one worker.
	Trace func(now unit.Time, s *transport.Step)
	// Sink makes a sink for packets at their destinations once the network is built. It replaces the
	// collector of a plan of queries. The packets then carry the data of telemetry.Witness, which does not
	// count towards their size. If faults change paths, a packet has witnesses of its first 64 switches.
	Sink func(*Simulation) (netsim.Sink, error)
	// Receive makes a sink for data packets at their destinations.
	Receive func(*Simulation) netsim.Sink
	// Tap makes a tap once the network is built. It follows the taps of the run.
	Tap func(*Simulation) (netsim.Tap, error)
	// Ready is called before the first event, when all parts including monitors are built. Callers that
	// want to observe a monitor register here.
	Ready func(*Simulation) error

	// Report is called with each telemetry report (Telemetry Report 2.0) that reaches its collector, in
	// order of time for each collector. Several workers may call it concurrently.
	Report func(payload []byte)

	// Part replaces the network and the flows of the scenario. The other sections of the scenario apply. Part may be
	// nil.
	Part *Part

	// apart is set if the network is not run but divided into parts.
	apart bool

	// Spill is a directory below which an estimate may store the records of many flows instead of in
	// memory; "" for none.
	Spill string

	// Bounds measures the largest possible speedup by several workers.
	Bounds bool

	// stop is called while the parts are built and while one event starts many flows; an error ends the
	// run.
	stop func() error
	// GivenUp is called for each flow that its sender gives up, with the time. It may be nil.
	GivenUp func(flow int64, at unit.Time)
	// memory is the largest memory of the process in bytes; 0 for no limit. See WithMemoryLimit.
	memory int64
	// poll is the number of events between checks of the context and the clock; 0 for pollEvery.
	poll int64
	// elapsed returns the real time since the start of the run.
	elapsed func() time.Duration
}

// Errors of a run that ends early but has a result.
var (
	ErrStalled = errors.New("stalled") // no progress
	ErrStopped = errors.New("stopped") // at run.wall_limit or at the limit of memory
)

// Run builds and runs a scenario. If ctx ends first, Run returns the error of ctx. If the run makes no progress or
// exceeds a limit, Run returns the result so far and an error that wraps ErrStalled or ErrStopped and describes the
// state. A run that is stopped during its build has no result.
func Run(ctx context.Context, sc scenario.Scenario, o Options) (*Result, error) {
	began := time.Now()
	if o.elapsed == nil {
		o.elapsed = func() time.Duration { return time.Since(began) }
	}
	o.stop = func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if overtime(sc.Run.WallLimit, o.elapsed()) {
			return fmt.Errorf("%w before its first event: the run has taken more than run.wall_limit = %v",
				ErrStopped, sc.Run.WallLimit)
		}
		return nil
	}
	o.memory = memoryLimit(ctx)
	records := recorder{out: &store.Flows{}, keep: sc.Run.Ties == "fifo", givenUp: o.GivenUp}
	s, err := Build(sc, o, records.take)
	if err != nil {
		return nil, err
	}
	records.complete = s.setHops
	r := &Result{Scenario: sc, Flows: records.out, Workload: s.Workload, Choices: s.Choices}
	if s.part == nil {
		if r.Loads, err = s.wireLoads(); err != nil {
			return nil, err
		}
	}
	if o.Bounds {
		s.Engine.MeasureBounds(2, 4, 8, 16, 64)
	}
	early := s.loop(ctx, o, &records)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if early != nil && !errors.Is(early, ErrStalled) && !errors.Is(early, ErrStopped) {
		return nil, early
	}
	if err := s.feed.source.Err(); err != nil {
		return nil, err
	}
	active, err := s.finish(r, &records, early)
	if err != nil {
		return nil, err
	}
	if o.Bounds {
		b := s.Engine.Bounds()
		r.Bounds = &b
	}
	s.describe(r, active, early == nil)
	if err := r.summarise(s, began); err != nil {
		return nil, err
	}
	return r, early
}

// finish records the flows that are still active, and sets the end of the run and the counters up to then. early is the
// reason why the run ended early, or nil. It returns the number of active flows.
func (s *Simulation) finish(r *Result, records *recorder, early error) (active int, err error) {
	if r.Scenario.Run.CutOff == "projected" && early == nil {
		records.cutOff = s.endTime()
	}
	outcome := transport.Unfinished
	if errors.Is(early, ErrStalled) {
		outcome = transport.Stalled
	}
	s.Stack.Settle()
	// On several engines the start of a flow without a path is not an event. Unmeasured flows may go on until the end
	// of the time slice in which the last measured flow ended. The run includes this time, because counters and
	// monitors do. If run.until or a similar setting ends a run, the run lasts until then, even if its last event is
	// long before.
	r.Ended = max(s.lastEvent(), records.pathless, records.cut)
	if err := s.finishSampling(r); err != nil {
		return 0, err
	}
	if err := s.capture.finish(); err != nil {
		return 0, err
	}
	r.Capture = s.capture
	active = s.Stack.Active()
	s.Stack.Close(outcome)
	records.flush()
	r.unmeasured = records.unmeasured
	r.Counters = s.Engine.Counters()
	r.Summary.NotStarted = s.Workload.Stats.Flows - int64(r.Flows.Len())
	return active, nil
}
