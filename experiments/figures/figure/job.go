package figure

import (
	"context"
	"fmt"
	"strings"

	"pintlab/experiments/campaign"
)

// Job is what a figure is asked for, and what it tells about how it was made.
type Job struct {
	Scale Scale
	// Seed is the first seed.
	Seed uint64
	// Seeds is how many there are; 0 for what the figure has at the scale.
	Seeds int
	// Set is changed in every simulation, each "key=value".
	Set []string
	// Campaign says how simulations are run.
	Campaign campaign.Options

	settings []Setting
	footnote string
	notes    []string
	runs     []RunRef
	known    map[string]bool // hashes in runs
}

// SeedList is the seeds: n of them unless the job says how many.
func (j *Job) SeedList(n int) []uint64 {
	if j.Seeds > 0 {
		n = j.Seeds
	}
	return campaign.Seeds(j.Seed, n)
}

// Simulate runs the specs and returns a run for each, in their order.
func (j *Job) Simulate(ctx context.Context, specs []campaign.Spec) ([]*campaign.Run, error) {
	if err := j.fixed(specs); err != nil {
		return nil, err
	}
	changed := make([]campaign.Spec, len(specs))
	for i, s := range specs {
		changed[i] = s.With(j.Set...)
	}
	runs, err := campaign.Execute(ctx, changed, j.Campaign)
	if err != nil {
		return nil, err
	}
	if j.known == nil {
		j.known = map[string]bool{}
	}
	for _, r := range runs {
		if j.known[r.Hash] {
			continue
		}
		j.known[r.Hash] = true
		m := r.Manifest
		j.runs = append(j.runs, RunRef{
			Label: r.Label, Hash: r.Hash, Fingerprint: m.Summary.Fingerprint, Command: m.Command,
			Flows: m.Summary.Flows, Finished: m.Summary.Finished, PacketHops: m.Summary.PacketHops, WallSeconds: m.Summary.WallSeconds,
		})
	}
	return runs, nil
}

// fixed makes sure that Set changes nothing that the figure itself varies: that would
// make runs equal which are to be compared.
func (j *Job) fixed(specs []campaign.Spec) error {
	for _, set := range j.Set {
		key, _, _ := strings.Cut(set, "=")
		first := map[string]string{} // value by base; empty if a spec leaves the key alone
		for _, s := range specs {
			value := ""
			for _, a := range s.Set {
				if k, v, _ := strings.Cut(a, "="); k == key {
					value = v
				}
			}
			if before, ok := first[s.Base]; ok && before != value {
				return fmt.Errorf("--set %s: this experiment varies %s itself", set, key)
			}
			first[s.Base] = value
		}
	}
	return nil
}

// Setting tells a part of the configuration, and where its value comes from.
func (j *Job) Setting(key, source, format string, args ...any) {
	j.settings = append(j.settings, Setting{Key: key, Value: fmt.Sprintf(format, args...), Source: source})
}

// Footnote is the line below every drawing: load, seeds, run length.
func (j *Job) Footnote(format string, args ...any) { j.footnote = fmt.Sprintf(format, args...) }

// Note tells what a reader of the results should know.
func (j *Job) Note(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}
