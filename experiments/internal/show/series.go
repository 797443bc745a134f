package show

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Series summarises the series of a run. The names of its JSON keys do not change.
type Series struct {
	Name     string    `json:"name"`        // name of the scenario
	Dir      string    `json:"dir"`         // run directory
	Looks    int       `json:"looks"`       // with fewer than two looks, the lists below are empty
	From     int64     `json:"from_ps"`     // time of the first look
	To       int64     `json:"to_ps"`       // time of the last look
	Interval int64     `json:"interval_ps"` // length of the intervals of goodput
	Layers   []Layer   `json:"layers"`
	Ports    []Port    `json:"ports"`     // the six ports with the longest queues
	Flows    []Flow    `json:"flows"`     // the 64 flows that were active longest
	AllFlows *AllFlows `json:"all_flows"` // null without sampled flows, or fewer than two looks
	Notes    []string  `json:"notes"`

	from, to, interval, spacing unit.Time

	faults   []scenario.Fault
	empty    string // reason why there is nothing to show over time
	footnote string
	label    string // name of the run, if there are several
	run      *campaign.Run
	node     names
	curves   []curve
}

// curve is a line of a drawing.
type curve struct {
	measure string // one of the measures below
	name    string // layer, port or flow
	x, y    []float64
}

// Measures, with the meaning and unit of a curve's values. x is the time in s unless stated otherwise.
const (
	queueCDF     = "queue cdf"         // x is bytes, the value is the share of the time at or below x, by layer
	queue        = "queue"             // B, by port
	utilisation  = "utilisation"       // share of the link, by port
	pausedShare  = "paused"            // share of the time of an interval, by layer
	pausedBy     = "paused by"         // share of the whole time, by port; x is the rank of the port
	marks        = "marks"             // number of packets so far, by layer
	drops        = "drops"             // number of packets so far, by layer
	goodput      = "goodput"           // bit/s in the interval that ends at x, by flow
	meanGoodput  = "mean goodput"      // bit/s in the interval that ends at x, mean over all flows under way
	pacing       = "rate"              // bit/s, by flow
	load         = "load"              // U, by flow
	fairness     = "jain"              // index of the interval that ends at x
	underWay     = "flows"             // mean number of flows under way in the interval that ends at x
	allFlowsName = "all sampled flows" // name of the curves that summarise all flows
)

func (c *curve) point(x, y float64) {
	if y == y {
		c.x, c.y = append(c.x, columns.Round(x)), append(c.y, columns.Round(y))
	}
}

// source calls a function for each row of a series, in order.
type source[T any] func(use func(*T) error) error

// rowsOf returns the rows of a series of a run.
func rowsOf[T any](run *campaign.Run, s *store.SeriesFile[T]) source[T] {
	return func(use func(*T) error) error { return s.ReadDir(run.Dir, run.Manifest, use) }
}

// open opens a run directory and checks that it has the series that the options select.
func (o *SeriesOptions) open(dir string) (*campaign.Run, error) {
	run, err := campaign.Open(o.Language, dir)
	if err != nil {
		return nil, err
	}
	s := &run.Scenario.Run.Sampling
	if !s.Enabled {
		return nil, notSampled(dir, run)
	}
	return run, o.without(s)
}

// OpenSeries reads the series of a run directory.
func OpenSeries(dir string, o SeriesOptions) (*Series, error) {
	run, err := o.open(dir)
	if err != nil {
		return nil, err
	}
	s := &run.Scenario.Run.Sampling
	v := &Series{run: run, faults: run.Scenario.Faults, Name: run.Scenario.Name, Dir: dir,
		Notes:  slices.Clone(run.Manifest.Notes),
		Layers: []Layer{}, Ports: []Port{}, Flows: []Flow{}, node: namesOf(run)}
	ended := unit.Time(run.Manifest.Summary.SimulatedPS)
	v.spacing = s.Spacing(ended)
	v.footnote = fmt.Sprintf("%s, seed %d, a sample every %s", v.Name, run.Manifest.Summary.Seed, seconds(v.spacing))
	if s.OfPorts() {
		if err := v.addPorts(rowsOf(run, &store.PortSeries), s, ended, &o); err != nil {
			return nil, err
		}
	}
	if s.OfFlows() {
		records, err := run.Flows()
		if err != nil {
			return nil, err
		}
		if err := v.addFlows(rowsOf(run, &store.FlowSeries), records, s, ended, &o); err != nil {
			return nil, err
		}
	}
	switch {
	case v.Looks == 0:
		v.empty = fmt.Sprintf("no time series: the run had ended at %v, before the first sample, at %v", ended, v.from)
	case v.Looks == 1:
		v.empty = fmt.Sprintf("no time series: there was one sample, at %v", v.from)
	case len(v.Layers) == 0 && v.AllFlows == nil:
		v.empty = fmt.Sprintf("no time series: no flow was under way at %s", number.Plural(v.Looks, "the only sample",
			fmt.Sprintf("any of the %d samples", v.Looks)))
	default:
		return v, nil
	}
	v.note("%s", v.empty)
	return v, nil
}

// samplingKeys are the keys of a run that a command with sampling replaces.
var samplingKeys = []string{"run.sampling", "run.sampling.enabled"}

func notSampled(dir string, run *campaign.Run) error {
	if run.Scenario.Estimate.Enabled {
		return fmt.Errorf("%s has no time series, because it is an estimate (estimate.enabled = true): "+
			"simulate its packets with pintlab run, and run.sampling.enabled = true", dir)
	}
	return fmt.Errorf("%s has no time series, because the run was not sampled: record them with\n%s", dir,
		campaign.Repeated(run.Manifest.Command, samplingKeys, "--set", "run.sampling.enabled=true"))
}

// begin sets the time window of the view. The series of ports and the series of flows must have the same window.
func (v *Series) begin(s *scenario.Sampling, ended, lastRow unit.Time, o *SeriesOptions) (window, error) {
	w, err := windowOf(s, ended, lastRow, o.Interval)
	if err != nil {
		return w, fmt.Errorf("%s: %w", v.Dir, err)
	}
	v.from, v.to, v.interval = w.from, w.end, w.interval()
	v.Looks, v.From, v.To, v.Interval = w.n, int64(v.from), int64(v.to), int64(v.interval)
	return w, nil
}

func (v *Series) note(format string, args ...any) {
	v.Notes = append(v.Notes, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// spreadOf returns the distribution of equally weighted values.
func spreadOf(values []float64) *Spread {
	w := weights{}
	for _, x := range values {
		w.add(x, 1)
	}
	return w.spread()
}
