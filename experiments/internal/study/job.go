package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
)

// Scale selects how large the runs of a measurement are.
type Scale string

// The scales.
const (
	Smoke  Scale = "smoke"  // seconds; shows that everything works, but decides nothing
	Laptop Scale = "laptop" // minutes on two cores
	Paper  Scale = "paper"  // as in the paper
)

// Scales lists the scales, the smallest first.
var Scales = []Scale{Smoke, Laptop, Paper}

// Job is a request for a measurement, and records how it was made.
type Job struct {
	Scale Scale
	// Seed is the first seed.
	Seed uint64
	// Seeds is the number of seeds; 0 selects the measurement's default at the scale.
	Seeds int
	// Set lists changes of every simulation, each "key=value".
	Set []string
	// Campaign contains the options for running simulations.
	Campaign campaign.Options
	// Barren accepts runs without a finished flow and adds a note. Otherwise, such a run is an ErrBarren.
	Barren bool

	record Record
	ran    []*campaign.Run // the runs of record.Runs
}

// Record contains the footnote, settings, notes and runs that a measurement reports in addition to its rows.
type Record struct {
	Settings []Setting
	Footnote string // line below every drawing; Record adds the number of flows that have not finished
	Notes    []string
	Runs     []RunRef
}

// Setting is a line of the configuration.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"` // source of the value; empty if this project has chosen it
}

// RunRef is a simulation behind the rows.
type RunRef struct {
	Label       string  `json:"label"`
	Hash        string  `json:"hash"`
	Fingerprint string  `json:"fingerprint"`
	Command     string  `json:"command"`
	Flows       int     `json:"flows"`
	Finished    int     `json:"finished"`
	Failed      int     `json:"failed"`
	PacketHops  uint64  `json:"packet_hops"`
	WallSeconds float64 `json:"wall_seconds"`
}

// ErrBarren is the error of a run without a finished flow. No rows can be made from such a run.
var ErrBarren = errors.New("no flow has finished")

// SeedList returns n successive seeds, or as many as the job requires.
func (j *Job) SeedList(n int) []uint64 {
	if j.Seeds > 0 {
		n = j.Seeds
	}
	return campaign.Seeds(j.Seed, n)
}

// Progress returns a display of the progress of a number of tasks that are not runs. The caller closes it.
func (j *Job) Progress(tasks int) *progress.Display {
	return progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: tasks})
}

// Compute runs tasks with the given names on several cores, or one task at a time if alone is set. It shows the
// progress of the tasks.
func (j *Job) Compute(
	ctx context.Context, alone bool, names []string, do func(ctx context.Context, i int, show *progress.Task) error,
) error {
	show, workers := j.Progress(len(names)), j.Campaign.Workers
	defer show.Close()
	if alone {
		workers = 1
	}
	return lists.Each(ctx, workers, len(names), func(ctx context.Context, i int) error {
		return show.Do(names[i], func(t *progress.Task) error { return do(ctx, i, t) })
	})
}

// NoSet returns an error if the user has set a scenario key. Studies that simulate no network call NoSet.
func (j *Job) NoSet() error {
	if len(j.Set) > 0 {
		return fmt.Errorf("--set %s has no effect: the figure simulates nothing", j.Set[0])
	}
	return nil
}

// Fixed returns an error if --set changes a setting that a figure varies itself. keys lists these settings. A key that
// ends in a dot stands for all keys that begin with it.
func (j *Job) Fixed(keys ...string) error {
	for _, a := range j.Set {
		key, _, _ := strings.Cut(a, "=")
		for _, k := range keys {
			if key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k) {
				return fmt.Errorf("--set %s: this experiment sets %s itself", a, key)
			}
		}
	}
	return nil
}

// Scenario returns a scenario with the settings of Set. It passes an error on, so that its arguments can be the results
// of scenario.Parse.
func (j *Job) Scenario(sc scenario.Scenario, err error) (scenario.Scenario, error) {
	if err != nil {
		return sc, err
	}
	return sc.With(j.Set...)
}

// Simulate runs the specs and returns a run for each spec, in order. free lists keys that Set may change although the
// experiment sets them. The labels and texts of the experiment must not quote the values of these keys.
func (j *Job) Simulate(ctx context.Context, specs []campaign.Spec, free ...string) ([]*campaign.Run, error) {
	changed, err := j.Changed(specs, free...)
	if err != nil {
		return nil, err
	}
	runs, err := campaign.Execute(ctx, changed, j.Campaign)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if slices.ContainsFunc(j.ran, func(x *campaign.Run) bool { return x.Hash == r.Hash }) {
			continue
		}
		j.ran = append(j.ran, r)
		s := &r.Manifest.Summary
		if barren(r) && !j.Barren {
			if s.Flows == 0 && s.NotStarted == 0 {
				return nil, fmt.Errorf("%s: %w: %w", r.Label, ErrBarren, sim.NoFlows(&r.Scenario))
			}
			return nil, fmt.Errorf("%s: %w: %d started, %d failed, %d not started",
				r.Label, ErrBarren, s.Flows, s.Failed, s.NotStarted)
		}
		j.record.Runs = append(j.record.Runs, RunRef{
			Label: r.Label, Hash: r.Hash, Fingerprint: s.Fingerprint, Command: r.Manifest.Command,
			Flows: s.Flows, Finished: s.Finished, Failed: s.Failed, PacketHops: s.PacketHops,
			WallSeconds: s.WallSeconds,
		})
	}
	return runs, nil
}

// Over returns a part of a footnote. It describes numbers that are means over n seeds, where the job may replace n, as
// in SeedList.
func (j *Job) Over(n int) string {
	if n = len(j.SeedList(n)); n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("mean of %d seeds, bars: 95 %% intervals", n)
}

// Part announces that the next call of Simulate is part `number`, counted from 0, of several parts. text describes the
// results so far in several lines, and line describes them in a single line. Both are "" if there are no results yet.
func (j *Job) Part(number, of int, text, line string) {
	p := j.Campaign.Part
	if p == nil {
		show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet})
		p = &campaign.Part{Show: show, Task: show.Begin("runs")}
		j.Campaign.Part = p
	}
	p.Number, p.Of = number, of
	if line != "" {
		p.Show.Below(text, line)
	}
}

// EndParts ends the sequence of parts that Part began.
func (j *Job) EndParts() {
	if p := j.Campaign.Part; p != nil {
		p.Task.End()
		p.Show.Close()
		j.Campaign.Part = nil
	}
}

// barren reports whether no flow of a run has finished and the run has no series. A run with series is not barren,
// because some figures read only the series.
func barren(r *campaign.Run) bool {
	return r.Manifest.Summary.Finished == 0 && !r.Scenario.Run.Sampling.Enabled
}

// Record returns the footnote, settings and runs that the measurement has reported. It also contains the notes on all
// runs.
func (j *Job) Record() Record {
	j.remark()
	return j.record
}

// remark adds notes about the runs, such as failed flows.
func (j *Job) remark() {
	var open, lost, apart, texts, estimated []string
	var out Unfinished
	warned := map[string][]string{} // runs by warning
	for _, r := range j.ran {
		if r.Scenario.Estimate.Enabled {
			estimated = append(estimated, fmt.Sprintf("%q", r.Label))
		}
	}
	j.few(estimated,
		"completion times are estimated (estimate.enabled), and the intervals do not include the error of the "+
			"method: %s")
	for _, r := range j.ran {
		m := r.Manifest
		if n := m.Summary.NotStarted; n > 0 {
			j.note("%s: leaves out %s that had not started", r.Label, number.Count(int(n), "flow"))
		}
		if barren(r) {
			j.note("%s: no flow has finished (%s in the run)", r.Label, number.Count(m.Summary.Flows, "flow"))
		} else if n := m.Summary.Unfinished - m.Summary.Projected; n > 0 && !r.Scenario.Run.Sampling.Enabled {
			open = append(open, fmt.Sprintf("%d of %s in %q", n, number.Count(m.Summary.Flows, "flow"), r.Label))
		}
		if !r.Scenario.Run.Sampling.Enabled {
			out.Add(m.Summary)
		}
		if run := r.Scenario.Run; run.Warmup > 0 || run.Cooldown > 0 {
			apart = append(apart, fmt.Sprintf("%q", r.Label))
		}
		for _, n := range m.Notes {
			if !strings.HasPrefix(n, sim.Warning) && !strings.HasPrefix(n, sim.Overload) {
				continue
			}
			if warned[n] == nil {
				texts = append(texts, n)
			}
			warned[n] = append(warned[n], fmt.Sprintf("%q", r.Label))
		}
		if n := m.Summary.Failed; n > 0 {
			lost = append(lost, fmt.Sprintf("%d of %s in %q", n, number.Count(m.Summary.Flows, "flow"), r.Label))
		}
	}
	overloads, others := lists.Split(texts, func(text string) bool { return strings.HasPrefix(text, sim.Overload) })
	texts = append(overloads, others...)
	const most = 5
	for _, text := range texts[:min(most, len(texts))] {
		j.few(warned[text], strings.ReplaceAll(text, "%", "%%")+" (in %s)")
	}
	if n := len(texts) - most; n > 0 {
		j.note("the notes in the manifests of the runs contain %s", number.Count(n, "more warning"))
	}
	j.record.Footnote = out.Below(j.record.Footnote)
	j.few(open, "numbers leave out flows that were under way at the end: %s")
	j.few(lost, "numbers leave out flows that have failed: %s")
	j.few(apart, "times, slowdowns and goodputs leave out the flows that start in run.warmup and run.cooldown: %s")
	j.alike()
}

// few adds a note that applies to the given runs. The note names the first few of them.
func (j *Job) few(runs []string, format string) {
	const most = 3
	if len(runs) == 0 {
		return
	}
	more := ""
	if n := len(runs) - most; n > 0 {
		runs, more = runs[:most], " and "+number.Count(n, "more run")
	}
	j.note(format, strings.Join(runs, ", ")+more)
}

// alike adds notes about runs that have equal flow records although their settings differ. In such runs the settings
// had no effect, which a table of equal numbers would not show.
func (j *Job) alike() {
	labels := map[string][]string{} // by fingerprint, of different scenarios
	var order []string
	for _, r := range j.ran {
		s := r.Manifest.Summary
		if s.Flows == 0 {
			continue
		}
		if labels[s.Fingerprint] == nil {
			order = append(order, s.Fingerprint)
		}
		labels[s.Fingerprint] = append(labels[s.Fingerprint], r.Label)
	}
	const most = 3
	told := 0
	for _, f := range order {
		same := labels[f]
		if len(same) < 2 {
			continue
		}
		if told++; told > most {
			continue
		}
		more := ""
		if n := len(same) - most; n > 0 {
			same, more = same[:most], fmt.Sprintf(" and %d more", n)
		}
		j.note("%s%s have the same flow records: the settings that differ between them had no effect on any flow",
			`"`+strings.Join(same, `", "`)+`"`, more)
	}
	if n := told - most; n > 0 {
		j.note("so have %s of runs", number.Count(n, "more group"))
	}
}

// Changed returns the specs with the changes of Set, as Simulate runs them. It returns an error if Set changes a key
// that the experiment sets itself, because a label or the command of the run would be wrong. It also returns an error
// if a change makes two compared runs equal.
func (j *Job) Changed(specs []campaign.Spec, free ...string) ([]campaign.Spec, error) {
	specs = slices.Clone(specs)
	for i := range specs {
		specs[i].Language = j.Campaign.Language
	}
	if len(j.Set) == 0 {
		return specs, nil
	}
	for _, set := range j.Set {
		key, _, _ := strings.Cut(set, "=")
		if key == "seed" {
			return nil, fmt.Errorf("--set %s: want --seed and --seeds, which set the seeds of an experiment", set)
		}
		for _, s := range specs {
			for _, own := range s.Set {
				k, v, _ := strings.Cut(own, "=")
				if scenario.Overlap(key, k) && !slices.Contains(free, key) {
					return nil, fmt.Errorf("--set %s: this experiment sets %s itself (to %s in %q)", set, k, v, s.Label)
				}
			}
		}
	}
	list := make([]campaign.Spec, len(specs))
	for i, s := range specs {
		list[i] = s.With(j.Set...)
		list[i].Label += "; " + strings.Join(j.Set, " ")
	}
	before, _ := campaign.Hashes(specs) // some specs may be valid only with the changes
	after, err := campaign.Hashes(list)
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	for i, h := range after {
		k, ok := first[h]
		if ok && before[k] != before[i] {
			return nil, fmt.Errorf("--set %s makes %q and %q the same run",
				strings.Join(j.Set, " "), specs[k].Label, specs[i].Label)
		}
		if !ok {
			first[h] = i
		}
	}
	return list, nil
}

// Setting records a part of the configuration, and where its value comes from.
func (j *Job) Setting(key, source, format string, args ...any) {
	j.record.Settings = append(j.record.Settings,
		Setting{Key: key, Value: fmt.Sprintf(format, args...), Source: source})
}

func (j *Job) note(format string, args ...any) {
	j.record.Notes = append(j.record.Notes, fmt.Sprintf(format, args...))
}

// Footnote sets the line below every drawing: load, seeds, run length.
func (j *Job) Footnote(format string, args ...any) { j.record.Footnote = fmt.Sprintf(format, args...) }
