package pintlab

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/netsim/schema"
)

// taskFlags are the flags of commands whose work consists of numbered tasks.
type taskFlags struct {
	missing bool          `flag:"missing"`
	emit    string        `flag:"emit" oneof:"slurm|kubernetes"`
	jobs    campaign.Jobs `flags:"all"`
	program string        `flag:"program"`
	task    int           `flag:"task" range:">=0 <=1000000000" use:"make only task {N}"`
	from    string        `flag:"task-from"`
	list    string        `flag:"tasks"`
	chunk   int           `flag:"chunk" default:"1" range:">=1 <=1000000000"`
}

// The names of the flags that describe jobs, of the flags that select tasks, and of all task flags.
var (
	jobNames = []string{"program", "time", "mem", "partition", "cpus-per-task", "array-limit", "share", "image",
		"claim"}
	partNames = []string{"tasks", "chunk"}
	taskNames = append(append([]string{"missing", "emit", "task", "task-from"}, jobNames...), partNames...)
)

// work describes the tasks of a command.
type work struct {
	name    string
	words   []string                                     // words of the command, without pintlab
	paths   []string                                     // files that the command reads or writes
	files   func() ([]schema.Present, error)             // keys that name input files; nil if there are none
	start   float64                                      // seconds before the first task of a process
	of      int                                          // number of tasks
	need    func(numbers []int) ([]campaign.Task, error) // returns the needs of tasks; nil if unknown
	missing func() ([]int, error)
	some    func(numbers []int) error
	all     func() error
}

// needs returns tasks with their needs. A need is 0 if it is unknown.
func (w *work) needs(numbers []int) ([]campaign.Task, error) {
	if w.need != nil {
		return w.need(numbers)
	}
	list := make([]campaign.Task, len(numbers))
	for i, n := range numbers {
		list[i].Number = n
	}
	return list, nil
}

// tasks carries out the work that the flags request: all tasks, some tasks, or output for a cluster.
func (p *program) tasks(cmd *cobra.Command, t *taskFlags, o *options, w work) error {
	one := o.given("task") || o.given("task-from")
	if !one {
		if err := without(cmd, "without --task or --task-from", partNames...); err != nil {
			return err
		}
	}
	if t.emit == "" {
		if err := without(cmd, "without --emit", jobNames...); err != nil {
			return err
		}
	}
	switch {
	case t.missing:
		if err := without(cmd, "with --missing", "emit", "task", "task-from", flagLosses, flagWorkers,
			flagQuiet); err != nil {
			return err
		}
		list, err := w.lacking()
		if err != nil {
			return err
		}
		return p.show(o, map[string]any{"of": w.of, "missing": list}, func() {
			if len(list) > 0 {
				p.printf("%s\n", campaign.Ranges(list))
			}
		})
	case t.emit != "":
		if err := without(cmd, "with --emit", "task", "task-from", flagLosses, flagWorkers, flagJSON,
			flagQuiet); err != nil {
			return err
		}
		return p.emit(t, &w)
	case one:
		if err := without(cmd, "with --task", flagLosses, flagJSON); err != nil {
			return err
		}
		list, err := t.chosen(o, w.of)
		if err != nil {
			return err
		}
		tasks, err := w.needs(list)
		if err != nil {
			return err
		}
		if !o.quiet {
			fmt.Fprintln(p.stderr, says(tasks, o.workers, w.start))
		}
		return w.some(list)
	}
	return w.all()
}

// lacking returns the missing tasks with their needs. The list is never nil.
func (w *work) lacking() ([]campaign.Task, error) {
	list, err := w.missing()
	if err != nil {
		return nil, err
	}
	return w.needs(list)
}

// chosen returns the tasks that this process carries out.
func (t *taskFlags) chosen(o *options, of int) (list []int, err error) {
	flag, task := "--task", t.task
	if o.given("task-from") {
		if o.given("task") {
			return nil, errors.New("--task has no effect with --task-from")
		}
		flag = "--task-from " + t.from
		text, ok := os.LookupEnv(t.from)
		if task, err = strconv.Atoi(text); err != nil || task < 0 {
			if !ok {
				return nil, fmt.Errorf("%s: no such environment variable", flag)
			}
			return nil, fmt.Errorf("%s: the variable is %q: want a whole number, at least 0", flag, text)
		}
	}
	if t.list != "" {
		if list, err = campaign.Numbers(t.list, of); err != nil {
			return nil, fmt.Errorf("--tasks: %w", err)
		}
	} else {
		for i := range of {
			list = append(list, i)
		}
	}
	if tasks := (len(list)-1)/t.chunk + 1; task >= tasks {
		return nil, fmt.Errorf("%s: %d: want 0 to %d", flag, task, tasks-1)
	}
	return list[task*t.chunk : min((task+1)*t.chunk, len(list))], nil
}

// says describes the needs of tasks. It assumes that each worker runs one task at a time.
func says(tasks []campaign.Task, workers int, start float64) string {
	var memory int64
	seconds := 0.0
	for _, t := range tasks {
		memory, seconds = max(memory, t.Memory), seconds+t.Seconds
	}
	text := fmt.Sprintf("task %s", campaign.Ranges(tasks))
	if seconds == 0 {
		return text + ": its memory and time are unknown before it runs"
	}
	at := max(1, min(workers, len(tasks)))
	return fmt.Sprintf("%s: needs about %d MB of memory, and up to %.0f s of %s", text, memory*int64(at)>>20,
		math.Ceil(start+seconds/float64(at)), figure.Count(at, "core"))
}

// emit prints jobs for the missing tasks.
func (p *program) emit(t *taskFlags, w *work) error {
	j := t.jobs
	kubernetes := t.emit == "kubernetes"
	for _, f := range []struct{ name, value string }{{"image", j.Image}, {"claim", j.Claim}} {
		if f.value != "" && !kubernetes {
			return fmt.Errorf("--%s has no effect with --emit %s", f.name, t.emit)
		}
	}
	if j.Partition != "" && kubernetes {
		return errors.New("--partition has no effect with --emit kubernetes")
	}
	var err error
	if j.Dir, err = os.Getwd(); err != nil {
		return err
	}
	for _, path := range w.paths {
		j.Paths = append(j.Paths, campaign.Path{Name: path})
	}
	if kubernetes && w.files != nil {
		files, err := w.files()
		if err != nil {
			return err
		}
		for _, f := range files {
			j.Paths = append(j.Paths, campaign.Path{Of: f.Key + ": ", Name: f.Value})
		}
	}
	j.Start = w.start
	if err := j.Validate(kubernetes); err != nil {
		return err
	}
	if t.program == "" && kubernetes {
		t.program = "/pintlab"
	} else if t.program == "" {
		if t.program, err = os.Executable(); err != nil {
			return fmt.Errorf("cannot find the path of this program: set the path with --program: %w", err)
		}
	}
	tasks, err := w.lacking()
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		fmt.Fprintln(p.stderr,
			"nothing is missing, so there are no jobs: run the same command without --emit to collect the results")
		return nil
	}
	j.Name, j.Words = strings.ReplaceAll(w.name, "/", "-"), append([]string{t.program}, w.words...)
	p.stdout.raw()
	if !kubernetes {
		p.printf("%s", j.Slurm(tasks))
		return nil
	}
	text, err := j.Kubernetes(tasks)
	if err != nil {
		return err
	}
	p.printf("%s", text)
	return nil
}
