package study

import (
	"fmt"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Trial is a run of a cell with one seed. It contains the flows to be measured.
type Trial struct {
	Cell  Cell
	Run   *campaign.Run
	Flows *store.Flows
	// Window is the period in which measured flows start: the whole run or a part of it.
	Window stats.Window
	// Points contains the slowdowns of these flows, by ID; NaN for a flow without a completion time.
	Points []stats.Point
	// Sections are parts of this trial, if it is the only run of a cell. The intervals of the cell are computed over
	// them.
	Sections []*Trial

	// Level is the confidence level of the intervals; 0 for the usual one.
	Level float64

	once map[string]any // see Once
}

func newTrial(e Cell, r *campaign.Run) (*Trial, error) {
	flows, err := r.Counted()
	if err != nil {
		return nil, err
	}
	t := (&Trial{Cell: e, Run: r, Flows: flows}).in(stats.Everything())
	if e.Source == nil {
		return t, nil
	}
	return t.ofSource(e.Source)
}

// empty returns an error if the run has flows but warm-up and cool-down exclude all of them.
func (t *Trial) empty() error {
	run, of := &t.Run.Scenario.Run, t.Run.Manifest.Summary.Flows
	if t.Flows.Len() > 0 || of == 0 || run.Warmup+run.Cooldown == 0 { // an entry of the workload may start no flow
		return nil
	}
	return fmt.Errorf("%s: run.warmup = %v and run.cooldown = %v leave out %s, so there is nothing to compare",
		t.Run.Label, run.Warmup, run.Cooldown,
		number.Plural(of, "its only flow", fmt.Sprintf("all of its %d flows", of)))
}

// ofSource returns the trial restricted to the flows and the job of an entry of the workload.
func (t *Trial) ofSource(s *sim.Source) (*Trial, error) {
	return Once(t, fmt.Sprint("source ", s.Index), func(t *Trial) (*Trial, error) {
		part := *t
		part.Cell.Source = s
		if len(t.Run.Scenario.Workload) == 1 {
			return part.in(t.Window), nil
		}
		of, err := Once(t, "sources", func(t *Trial) ([]uint16, error) { return sim.FlowSources(t.Run.Scenario) })
		if err != nil {
			return nil, err
		}
		return part.only(func(f *store.FlowRecord) bool { return int(of[f.ID]) == s.Index }), nil
	})
}

// in returns the trial restricted to the flows that start in a window.
func (t *Trial) in(w stats.Window) *Trial {
	part := *t
	part.Window, part.Points, part.Sections, part.once = w, stats.AllPoints(t.Flows, w), nil, map[string]any{}
	return &part
}

// arrivals returns when flows begin to arrive, and for how long.
func (t *Trial) arrivals() (start, duration unit.Time) {
	return t.Run.Scenario.Workload[0].Traffic().Span()
}

// cut divides the arrivals into n sections of equal length.
func (t *Trial) cut(n int) {
	start, duration := t.arrivals()
	for i := range n {
		t.Sections = append(t.Sections,
			t.in(stats.Window{From: start + duration*unit.Time(i)/unit.Time(n),
				To: start + duration*unit.Time(i+1)/unit.Time(n)}))
	}
}

// late returns the trial restricted to the flows of the second half of the arrivals. By then, the network has warmed
// up.
func (t *Trial) late() *Trial {
	start, duration := t.arrivals()
	from := start + duration/2
	part := t.in(stats.Window{From: from, To: unit.Never})
	for _, s := range t.Sections {
		if s.Window.From >= from {
			part.Sections = append(part.Sections, s)
		}
	}
	return part
}

// only returns the trial restricted to the flows that keep selects.
func (t *Trial) only(keep func(*store.FlowRecord) bool) *Trial {
	part := *t
	part.Flows = &store.Flows{}
	for f := range t.Flows.All() {
		if keep(f) {
			part.Flows.Append(*f)
		}
	}
	return part.in(t.Window)
}

// Once returns the value that read returns for a trial. It calls read once for each trial and name, so
// that several measures can share a file of a run.
func Once[V any](t *Trial, name string, read func(*Trial) (V, error)) (V, error) {
	if v, ok := t.once[name]; ok {
		return v.(V), nil
	}
	v, err := read(t)
	if err == nil {
		t.once[name] = v
	}
	return v, err
}
