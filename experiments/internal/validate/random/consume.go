package random

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// stored is a run and its directory.
type stored struct {
	dir     string
	scratch string // directory for what consumers write
	r       *sim.Result
	run     *campaign.Run
	wiring  *sim.Wiring
	flows   []store.FlowRecord // in order of their IDs
	ports   []store.PortSample // nil unless sampled
	samples []store.FlowSample // nil unless sampled
	errs    []error
}

// consume checks the output of other commands for the directory dir of the run r. The capture of the run is only in
// the directory, not in r.
func consume(dir string, r *sim.Result) error {
	run, err := campaign.Open(r.Scenario.Language, dir)
	if err != nil {
		return err
	}
	scratch, remove, err := outfile.Scratch("pintlab-consumers-")
	if err != nil {
		return err
	}
	defer remove() //nolint:errcheck // it is temporary
	s := &stored{dir: dir, scratch: scratch, r: r, run: run}
	if s.wiring, err = sim.WiringOf(run.Scenario); err != nil {
		return err
	}
	for f := range r.Flows.All() {
		s.flows = append(s.flows, *f)
	}
	slices.SortFunc(s.flows, func(a, b store.FlowRecord) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range []struct {
		name  string
		check func(*stored) error
	}{
		{"records", (*stored).records}, {"fct.txt", (*stored).lines}, {"series", (*stored).series},
		{"jobs", (*stored).jobs}, {"capture", (*stored).capture},
		{"int decode", (*stored).decode}, {"series of a view", (*stored).summary}, {"trace", (*stored).trace},
		{"view", (*stored).page},
		{"report", (*stored).report}, {"plot", (*stored).plot}, {"notebook", (*stored).notebook},
	} {
		before := len(s.errs)
		if err := c.check(s); err != nil {
			s.wrong("%w", err)
		}
		for i, err := range s.errs[before:] {
			s.errs[before+i] = fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return errors.Join(s.errs...)
}

func (s *stored) wrong(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}

// equal records an error unless two values are the same.
func equal[T comparable](s *stored, what string, got, want T) {
	if got != want && (got == got || want == want) {
		s.wrong("%s is %v, the records have %v", what, got, want)
	}
}

// path returns the path of a file of the run.
func (s *stored) path(name string) string { return filepath.Join(s.dir, name) }

// read returns a file of the run.
func (s *stored) read(name string) ([]byte, error) {
	return input.ReadBinary(s.path(name), input.Flows)
}

// has reports whether the run has a file.
func (s *stored) has(name string) bool {
	return slices.ContainsFunc(s.run.Manifest.Files, func(f store.File) bool { return f.Name == name })
}
