package main

import (
	"fmt"

	"pintlab/experiments/sim"
	"pintlab/internal/progress"
)

// display shows the progress of so many tasks on standard error.
func (p *program) display(o *options, tasks int) *progress.Display {
	return progress.New(p.stderr, progress.Options{Quiet: o.quiet, Tasks: tasks})
}

// simulated passes the progress of a simulation on to a task.
func simulated(t *progress.Task) func(sim.Progress) {
	return func(p sim.Progress) {
		t.Update(p.Share(), fmt.Sprintf("%d of %d flows, %.2f ms simulated, %.1f M packet-hops",
			p.Ended, p.Flows, 1e3*p.Now.Seconds(), float64(p.Counters.PacketHops)/1e6))
	}
}
