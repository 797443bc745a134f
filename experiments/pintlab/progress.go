package pintlab

import (
	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
)

// display returns a progress display for a number of tasks on standard error.
func (p *program) display(o *options, tasks int) *progress.Display {
	return progress.New(p.stderr, progress.Options{Quiet: o.quiet, Tasks: tasks})
}

// watch shows the progress of one task while f runs.
func watch[T any](p *program, o *options, name string, f func(*progress.Task) (T, error)) (answer T, err error) {
	show := p.display(o, 1)
	defer show.Close()
	err = show.Do(name, func(t *progress.Task) error {
		answer, err = f(t)
		return err
	})
	return answer, err
}

// job returns a job with the number of workers and the output that the options select.
func (p *program) job(o *options) *study.Job {
	return &study.Job{Campaign: campaign.Options{Workers: o.workers, Quiet: o.quiet, Messages: p.stderr}}
}

// ask opens a scenario and shows the progress of its simulation while f runs.
func ask[T any](
	p *program, o *options, what string, f func(scenario.Scenario, study.Progress) (T, error),
) (answer T, err error) {
	sc, err := p.openScenario(what, o)
	if err != nil {
		return answer, err
	}
	return watch(p, o, sc.Name, func(t *progress.Task) (T, error) { return f(sc, simulated(t)) })
}

// simulated returns a function that passes the progress of a simulation to a task.
func simulated(t *progress.Task) func(sim.Progress) {
	return func(p sim.Progress) {
		t.Update(p.Share(), p.String())
	}
}
