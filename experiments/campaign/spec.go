package campaign

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
)

// Spec is one run of a campaign.
type Spec struct {
	// Label is what people see while it runs, such as "PINT, web search 50 %, seed 1".
	Label string
	// Base is a preset or a scenario file.
	Base string
	// Set is what is changed in it, each "key=value".
	Set []string
}

// With is a copy of the spec with more changes.
func (s Spec) With(set ...string) Spec {
	s.Set = append(slices.Clone(s.Set), set...)
	return s
}

// Scenario is the scenario of the run. Flow records are all that it keeps.
func (s Spec) Scenario() (scenario.Scenario, error) {
	sc, err := scenario.Open(s.Base)
	if err != nil {
		return sc, fmt.Errorf("%s: %w", s.Label, err)
	}
	sc.Run.Outputs = []string{scenario.OutputParquet}
	if err := sc.Set(s.Set...); err != nil {
		return sc, fmt.Errorf("%s: %w", s.Label, err)
	}
	return sc, nil
}

// Words are the words of the command that makes this run alone.
func (s Spec) Words() []string {
	words := []string{"pintlab", "run", s.Base}
	for _, set := range s.Set {
		words = append(words, "--set", set)
	}
	return words
}

// Run is a run of a campaign: what was asked for and, when it has finished, where
// it is.
type Run struct {
	Spec
	Scenario scenario.Scenario
	Hash     string // of the scenario
	Result
}

// prepare opens all scenarios. Specs of the same hash share a Run, that of the
// first. The second result has each Run once.
func prepare(specs []Spec) (all, distinct []*Run, err error) {
	var errs []error
	byHash := map[string]*Run{}
	for _, s := range specs {
		sc, err := s.Scenario()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		hash, err := sc.Hash()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Label, err))
			continue
		}
		r := byHash[hash]
		if r == nil {
			r = &Run{Spec: s, Scenario: sc, Hash: hash}
			byHash[hash] = r
			distinct = append(distinct, r)
		}
		all = append(all, r)
	}
	const shown = 5
	if n := len(errs) - shown; n > 0 {
		errs = append(errs[:shown], fmt.Errorf("and %d more runs with errors", n))
	}
	return all, distinct, errors.Join(errs...)
}

// work is a guess at how long a run takes relative to others on the same network:
// the payload that it offers, or 1 us of it where that is not known.
func (r *Run) work() float64 {
	sum := 0.0
	for _, w := range r.Scenario.Workload {
		sum += w.Load * w.Duration.Seconds()
	}
	return max(sum, 1e-6)
}
