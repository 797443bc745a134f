package main

import (
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
		t.Update(p.Share(), p.String())
	}
}
