package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
)

// Spec is one run of a campaign.
type Spec struct {
	// Label describes the run in progress displays, such as "PINT, web search 50 %, seed 1".
	Label string
	// Base is a preset or a scenario file.
	Base string
	// Set lists changes to Base, each "key=value".
	Set []string
	// Language is the language in which the scenario is written; nil selects the standard one.
	Language *scenario.Language
}

// With returns a copy of the spec with more changes. A change replaces an earlier change of the same key, because
// pintlab refuses a command (see Words) that sets a key twice.
func (s Spec) With(set ...string) Spec {
	list := slices.Clone(s.Set)
	for _, a := range set {
		key, _, _ := strings.Cut(a, "=")
		list = slices.DeleteFunc(list, func(b string) bool { k, _, _ := strings.Cut(b, "="); return k == key })
		list = append(list, a)
	}
	s.Set = list
	return s
}

// Scenario returns the scenario of the run. By default, only flow records are stored.
func (s Spec) Scenario() (scenario.Scenario, error) {
	sc, err := s.Language.Open(s.Base, append([]string{"run.outputs=[" + scenario.OutputParquet + "]"}, s.Set...)...)
	if err != nil {
		return sc, fmt.Errorf("%s: %w", s.Label, err)
	}
	if !slices.Contains(sc.Run.Outputs, scenario.OutputParquet) &&
		!slices.Contains(sc.Run.Outputs, scenario.OutputCSV) {
		return sc, fmt.Errorf("%s: run.outputs: the list must contain %s or %s, because the results are read from one "+
			"of these files", s.Label, scenario.OutputParquet, scenario.OutputCSV)
	}
	return sc, nil
}

// Hashes returns the hashes of the specs. Specs with equal hashes share a run.
func Hashes(specs []Spec) ([]string, error) {
	list := make([]string, len(specs))
	var errs errorList
	for i, s := range specs {
		sc, err := s.Scenario()
		if err == nil {
			list[i], err = sc.Hash()
		}
		errs.add(err)
	}
	return list, errs.join()
}

// errorList collects errors of runs and keeps the first few with different causes.
type errorList struct {
	errs       []error
	same, more int // further runs with the cause of an error in errs, and further runs with other errors
}

// add appends err, unless it is nil. err wraps its cause and adds the label of the run.
func (l *errorList) add(err error) {
	const shown = 5
	cause := func(e error) string { return fmt.Sprint(cmp.Or(errors.Unwrap(e), e)) }
	switch {
	case err == nil:
	case slices.ContainsFunc(l.errs, func(e error) bool { return cause(e) == cause(err) }):
		l.same++
	case len(l.errs) < shown:
		l.errs = append(l.errs, err)
	default:
		l.more++
	}
}

func (l *errorList) join() error {
	list := l.errs
	if l.same > 0 {
		list = append(list, fmt.Errorf("the same error in further runs: %d", l.same))
	}
	if l.more > 0 {
		list = append(list, fmt.Errorf("and %s with errors", number.Count(l.more, "more run")))
	}
	return errors.Join(list...)
}

// words returns the command that makes this run alone.
func (s Spec) words() []string {
	words := []string{"pintlab", "run", s.Base}
	for _, set := range s.Set {
		words = append(words, "--set", set)
	}
	return words
}

// Run is a run of a campaign: its spec and, once it has finished, its result.
type Run struct {
	Spec
	Scenario scenario.Scenario
	Hash     string // hash of the scenario
	Result

	work float64 // work relative to the other runs (weigh)
}

// Lines passes each line of a CSV file of the run to `use`. It returns an error if the file has changed since the run.
func (r *Run) Lines(name string, use func(*columns.Line)) error {
	if err := r.Manifest.Check(r.Dir, name); err != nil {
		return err
	}
	if err := columns.Lines(filepath.Join(r.Dir, name), use); err != nil {
		return fmt.Errorf("%w: another version of pintlab made this run; run it again", err)
	}
	return nil
}

// prepare opens all scenarios. Specs with the same hash share the Run of the first one, and `distinct` contains each
// Run once.
func prepare(specs []Spec) (all, distinct []*Run, err error) {
	var errs errorList
	byHash := map[string]*Run{}
	for _, s := range specs {
		sc, err := s.Scenario()
		if err != nil {
			errs.add(err)
			continue
		}
		hash, err := sc.Hash()
		if err != nil {
			errs.add(fmt.Errorf("%s: %w", s.Label, err))
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
	return all, distinct, errs.join()
}

// weigh sets the work of each run to the payload in bytes that its hosts offer, plus 1. This estimates how long the
// run takes relative to the others. A run without offered load, or whose network cannot be built, has work 1.
func weigh(runs []*Run) {
	rates := map[string]float64{} // for each network, the sum of the rates of all host links in bytes per second
	for _, r := range runs {
		network := r.Scenario.Topology.Kind + "\n" + string(schema.YAML(r.Scenario.Topology.Params))
		if _, known := rates[network]; !known {
			rates[network] = rateOfHosts(r.Scenario.Topology.Generator())
		}
		r.work = 1
		for _, w := range r.Scenario.Workload {
			_, duration := w.Traffic().Span()
			r.work += w.Traffic().Offered() * duration.Seconds() * rates[network]
		}
	}
}

func rateOfHosts(network topo.Generator) (bytes float64) {
	g, err := network.Build()
	if err != nil {
		return 0
	}
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host {
			bytes += float64(l.Rate) / 8
		}
	}
	return bytes
}
