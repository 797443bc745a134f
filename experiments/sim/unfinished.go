package sim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// cutOff describes the unfinished flows of a run that a setting ended.
type cutOff struct {
	by      string    // the setting that ended the run, and its value
	open    int64     // unfinished flows, including those that have not started
	reasons string    // reasons why they have not finished, as text
	stuck   int       // unfinished flows whose source or destination stays down
	down    string    // the faults of these hosts
	soonest unit.Time // earliest possible end of a flow that started, alone in the network; unit.Never if none started
}

// endedBy names the setting that determines s.endTime.
func (s *Simulation) endedBy() string {
	run := &s.Scenario.Run
	at := s.Scenario.Cut()
	switch {
	case !run.Drain && s.Workload.Stats.LastStart <= at:
		return "run.drain = false"
	case at < run.Until:
		return fmt.Sprintf("run.keep_load = %v", run.KeepLoad)
	}
	return fmt.Sprintf("run.until = %v", run.Until)
}

// unfinished returns the unfinished flows at the end of the run, or nil if there are none or the run ended
// because no events were left.
func (s *Simulation) unfinished(flows *store.Flows, notStarted int64) *cutOff {
	if s.endTime() == unit.Never || s.Scenario.Published() && s.Engine.Peek() == unit.Never {
		return nil
	}
	c := &cutOff{by: s.endedBy(), open: notStarted, soonest: unit.Never}
	flowsOf := map[string]int{} // number of flows by reason
	down := map[string]bool{}   // names of faults of hosts that stay down
	var list []string           // the same names, in order
	silent := 0                 // flows that have sent nothing
	var path []netsim.PortID    // scratch space
	for f := range flows.All() {
		if f.Ideal != unit.Never {
			c.soonest = min(c.soonest, f.Start+f.Ideal)
		}
		if f.Outcome != store.Unfinished && f.Outcome != store.Projected {
			continue
		}
		c.open++
		if f.Packets == 0 {
			silent++
		}
		var why string
		var fault int
		why, fault, path = s.whyUnfinished(f, path)
		flowsOf[why]++
		if fault >= 0 {
			c.stuck++
			if name := fmt.Sprintf("faults.%d", fault); !down[name] {
				down[name], list = true, append(list, name)
			}
		}
	}
	if c.open == 0 {
		return nil
	}
	reasons := slices.SortedFunc(maps.Keys(flowsOf), func(a, b string) int {
		return cmp.Or(flowsOf[b]-flowsOf[a], strings.Compare(a, b))
	})
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", flowsOf[why], why)
	}
	if notStarted > 0 {
		reasons = append(reasons, fmt.Sprintf("%d not started", notStarted))
	}
	c.reasons = strings.Join(reasons, ", ")
	if silent > 0 {
		c.reasons += fmt.Sprintf("; %d of the unfinished flows had started but sent nothing", silent)
	}
	c.down = strings.Join(list, ", ")
	return c
}

// whyUnfinished returns why a flow has not finished at the end of the run, as far as known. fault is the
// fault of a host that stays down, or -1. path is scratch space.
func (s *Simulation) whyUnfinished(
	r *store.FlowRecord, path []netsim.PortID,
) (why string, fault int, _ []netsim.PortID) {
	f := flowOf(r)
	down := -1
	for i, active := range s.faults.active {
		if halt := s.faults.effects[i].halt; active && (halt == f.Src || halt == f.Dst) {
			if s.Scenario.Faults[i].Until == unit.Never {
				return fmt.Sprintf("from or to a host that is down for good (faults.%d)", i), i, path
			}
			down = i
		}
	}
	if down >= 0 {
		return fmt.Sprintf("from or to a host that was down then (faults.%d)", down), -1, path
	}
	if slices.Contains(s.faults.active, true) {
		key := transport.FlowKey(s.Scenario.Seed, f.Number)
		for _, way := range []transport.Flow{f, reverse(f)} {
			path = way.Path(path[:0], s.routesNow)
			if len(path) == 0 {
				return "without a path, because links are down", -1, path
			}
			for i, active := range s.faults.active {
				// If packets of a flow take several paths, no single path shows the reason.
				if active && s.single() && s.OnPath(i, path, key) {
					return fmt.Sprintf("with faults.%d (%s) on the path", i, s.Scenario.Faults[i].Kind), -1, path
				}
			}
		}
	}
	return "under way", -1, path
}

// note returns the cut-off as a note of the run. It is a warning if more time would not have helped, or if
// no flow has finished and the run takes no samples.
func (c *cutOff) note(flows int64, sampled bool) string {
	warn := ""
	if c.stuck > 0 || c.open == flows && !sampled {
		warn = Warning
	}
	return fmt.Sprintf(warn+"%s ended the run with %d of %s unfinished: %s", c.by, c.open, number.Count(flows, "flow"),
		c.reasons)
}

// noneFinished returns the error of a run that ended before any flow finished.
func (c *cutOff) noneFinished(flows int64, failed int) error {
	text := fmt.Sprintf("%s ended the run before %s had finished: %s", c.by,
		number.Plural(flows, "its only flow", fmt.Sprintf("any of %d flows", flows)), c.reasons)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if c.soonest != unit.Never {
		text += fmt.Sprintf("; alone in the network, the first of them could have finished at %s",
			number.Format(c.soonest.Seconds(), number.Seconds, 4))
	}
	return errors.New(text)
}
