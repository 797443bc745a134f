package sim

import (
	"context"
	"fmt"
	"time"

	"pintlab/netsim/unit"
	"pintlab/transport/ns3"
)

// overtime reports whether a run exceeds run.wall_limit.
func overtime(limit unit.Time, elapsed time.Duration) bool {
	return limit != unit.Never && elapsed > time.Duration(limit/unit.Nanosecond)
}

// slice is the simulated time between checks for progress.
const slice = 20 * unit.Microsecond

// pollEvery is the number of events between checks of the context and the clock. So many events take some hundredths of
// a second.
const pollEvery = 1 << 16

// endTime returns the time at which the run ends even if flows are active, or unit.Never if it waits for all
// flows.
func (s *Simulation) endTime() unit.Time {
	run := &s.Scenario.Run
	at := s.Scenario.Cut()
	if run.StartTimes == "floor-ns" && at != unit.Never {
		at = ns3.Start(at) - 1 // that simulator excludes events at its end
	}
	if !run.Drain {
		at = min(at, s.Workload.Stats.LastStart)
	}
	return at
}

// loop runs the engine until no events are left, or until the scenario's limit, the end of ctx, the limit
// of real time or memory, or a stall. Faults take effect between events.
func (s *Simulation) loop(ctx context.Context, o Options, records *recorder) error {
	run := &s.Scenario.Run
	until := s.endTime()
	watch := watchdog{stall: run.Stall}
	spin := spinning{off: run.Stall == unit.Never}
	s.look = func() error {
		if o.Progress != nil {
			o.Progress(Progress{
				Now: s.Engine.Now(), Until: until, Flows: s.Workload.Stats.Flows, Ended: records.ended,
				Acked: s.Stack.Acked(), Bytes: int64(s.Workload.Stats.Bytes), Counters: s.Engine.Counters(),
			})
		}
		if overtime(run.WallLimit, o.elapsed()) {
			return fmt.Errorf("%w at %.3f ms of simulated time: the run has taken more than run.wall_limit = %v; %s",
				ErrStopped, 1e3*s.Engine.Now().Seconds(), run.WallLimit, s.diagnose())
		}
		if err := full(o.memory); err != nil {
			return fmt.Errorf("%w at %.3f ms of simulated time: %w; %s",
				ErrStopped, 1e3*s.Engine.Now().Seconds(), err, s.diagnose())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return spin.check(s)
	}
	for at := unit.Time(0); ; {
		event := s.Engine.Peek()
		acts := min(s.faults.next(), s.monitors.next())
		next := min(event, acts)
		switch {
		case event == unit.Never && s.Stack.Active() == 0:
			return nil
		case s.surrounded && records.ended == s.Workload.Stats.Flows:
			return nil // all measured flows have ended
		case event == unit.Never && s.faults.next() == unit.Never && s.Scenario.Published():
			return nil // without timers, lost packets are never sent again
		case event == unit.Never && s.faults.next() == unit.Never:
			return s.stalled("no further event is scheduled")
		case next > until:
			records.cut = until
			return s.advance(until) // samples are due until then
		}
		at = min(until, max(at, next)+slice, acts-1)
		if err := s.advance(at); err != nil {
			return err
		}
		if err := s.capture.drop(); err != nil {
			return err
		}
		s.tick(at + 1)
		if err := s.applyFaults(at + 1); err != nil {
			return err
		}
		if err := s.look(); err != nil {
			return err
		}
		if err := watch.check(s); err != nil {
			return err
		}
	}
}

// runTo runs the engines up to a time. It calls look after a number of events, because a microsecond of a
// large network may take minutes.
func (s *Simulation) runTo(to unit.Time) error {
	for !s.Engine.RunSome(to, s.poll) {
		if err := s.look(); err != nil {
			return err
		}
	}
	return nil
}

// watchdog ends runs without progress.
type watchdog struct {
	stall unit.Time
	acked int64
	since unit.Time
}

func (w *watchdog) check(s *Simulation) error {
	now := s.Engine.Now()
	if acked := s.Stack.Acked(); acked != w.acked || s.Stack.Active() == 0 {
		w.acked, w.since = acked, now
	}
	if w.stall == unit.Never || now-w.since <= w.stall {
		return nil
	}
	return s.stalled(
		fmt.Sprintf("no byte has been acknowledged for %.3f ms of simulated time", 1e3*(now-w.since).Seconds()))
}

// spinning ends runs whose simulated time does not advance, which watchdog cannot detect.
type spinning struct {
	off   bool
	at    unit.Time
	acked int64
	since int64 // number of events when that time was reached
}

// spinLimit is the number of events that one instant may have, in addition to four for each port and each active flow.
// So many events take less than a second of real time.
const spinLimit = 1 << 21

func (w *spinning) check(s *Simulation) error {
	now, acked, events := s.Engine.Now(), s.Stack.Acked(), s.Engine.Counters().Events
	if now != w.at || acked != w.acked {
		w.at, w.acked, w.since = now, acked, events
	}
	if n := events - w.since; !w.off && n > spinLimit+4*int64(s.Net.Ports()+s.Stack.Active()) {
		return s.stalled(fmt.Sprintf("%d events have been handled at one instant, but no byte has been "+
			"acknowledged", n))
	}
	return nil
}

// stalled returns the error of a run without progress.
func (s *Simulation) stalled(why string) error {
	return fmt.Errorf("%w at %.3f ms: %s; %s", ErrStalled, 1e3*s.Engine.Now().Seconds(), why, s.diagnose())
}
