package show

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/netsim/unit"
)

// PageFile is the default name of the page in a run directory.
const PageFile = "view.html"

// Limits of a page.
const (
	mostBytes  = 5_000_000
	mostSteps  = 800
	mostFlows  = 4000 // if there are more flows, only those that were active longest are kept
	fewestStep = 30
)

// PageKeys returns assignments to scenario keys. With them, a run records everything that the page can show.
func PageKeys() []string {
	return []string{
		"run.sampling.enabled=true", "run.sampling.nodes=[all]", "run.sampling.period=1us",
		"run.sampling.max_looks=800",
		"run.sampling.max_rows=1000000000", "run.sampling.formats=[parquet]",
	}
}

// WrittenPage describes the contents of a page.
type WrittenPage struct {
	File    string   `json:"file"`    // the page
	Bytes   int      `json:"bytes"`   // size of the page
	Steps   int      `json:"steps"`   // number of steps of time
	StepPS  int64    `json:"step_ps"` // length of a step
	Ports   int      `json:"ports"`   // number of ports
	Flows   int      `json:"flows"`   // number of flows
	Missing []string `json:"missing"` // what was not recorded, and how to record it
}

// WritePage writes the page of a run directory to a file, or to PageFile in that directory if file is "".
func WritePage(l *scenario.Language, dir, file string) (*WrittenPage, error) {
	r, err := open(l, dir)
	if err != nil {
		return nil, err
	}
	if file == "" {
		file = filepath.Join(dir, PageFile)
	}
	for steps, flows := mostSteps, mostFlows; ; steps, flows = steps/2, flows/2 {
		p, err := r.page(steps, flows)
		if err != nil {
			return nil, err
		}
		text, err := p.HTML()
		if err != nil {
			return nil, err
		}
		if len(text) > mostBytes && steps/2 >= fewestStep {
			continue
		}
		if len(text) > mostBytes {
			return nil, fmt.Errorf("%s: a page with %d steps of time and %d flows has %d bytes, more than %d: "+
				"the network is too large", dir, p.Steps, len(p.Flows), len(text), mostBytes)
		}
		d := &WrittenPage{File: file, Bytes: len(text), Steps: p.Steps, StepPS: int64(r.step(steps)),
			Flows: len(p.Flows), Missing: r.missing,
			Ports: lists.Count(p.Seen, func(seen bool) bool { return seen })}
		return d, outfile.Write(file, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
}

// reader is a run directory and the data that has been read from it.
type reader struct {
	dir       string
	run       *campaign.Run
	sampling  *scenario.Sampling
	flows     *store.Flows
	wiring    *sim.Wiring
	from, end unit.Time // sampled time
	missing   []string
}

// open reads everything that does not depend on the page's steps.
func open(l *scenario.Language, dir string) (*reader, error) {
	run, err := campaign.Open(l, dir)
	if err != nil {
		return nil, err
	}
	r := &reader{dir: dir, run: run, sampling: &run.Scenario.Run.Sampling, missing: []string{}}
	s := r.sampling
	switch {
	case run.Scenario.Estimate.Enabled:
		return nil, fmt.Errorf("%s has no data over time, because it is an estimate (estimate.enabled "+
			"= true): simulate its packets with pintlab run --view", dir)
	case !s.Enabled:
		return nil, fmt.Errorf("%s has no data over time, because the run recorded neither ports nor "+
			"flows: record them with\n%s", dir,
			campaign.Repeated(run.Manifest.Command, samplingKeys, "--view"))
	}
	if err := run.Unchanged(); err != nil {
		return nil, err
	}
	if r.wiring, err = sim.WiringOf(run.Scenario); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.flows, err = run.Flows(); err != nil {
		return nil, err
	}
	r.from = s.From
	r.end = max(r.from, min(unit.Time(run.Manifest.Summary.SimulatedPS), s.To))
	r.lack()
	return r, nil
}

// lack lists what was not recorded.
func (r *reader) lack() {
	s := r.sampling
	note := func(format string, args ...any) { r.missing = append(r.missing, fmt.Sprintf(format, args...)) }
	all := []string{scenario.All}
	switch {
	case !s.OfPorts():
		note("Ports were not recorded: run with run.sampling.series = both")
	case !slices.Equal(s.Ports, all):
		note("Only the ports %s were recorded: run with run.sampling.ports = [all] and run.sampling.nodes = [all]",
			strings.Join(s.Ports, ", "))
	case !slices.Equal(s.Nodes, all):
		note("Only ports of %s were recorded: run with run.sampling.nodes = [all]", strings.Join(s.Nodes, ", "))
	}
	switch {
	case !s.OfFlows():
		note("Rates and windows of flows were not recorded: run with run.sampling.series = both")
	case !slices.Equal(s.Flows, all) || !slices.Equal(s.Src, all) || !slices.Equal(s.Dst, all):
		note("Rates and windows were recorded for some flows only: run with run.sampling.flows, src and dst = [all]")
	}
	if len(r.missing) > 0 {
		r.missing = append(r.missing, "The run came from "+r.run.Manifest.Command)
	}
}

// step returns the length of a step, which is a multiple of the time between looks. There are at most `most` steps.
func (r *reader) step(most int) unit.Time {
	period := r.sampling.Spacing(r.end)
	looks := (r.end - r.from + period - 1) / period
	return period * max(1, (looks+unit.Time(most)-1)/unit.Time(most))
}

// page returns the page with at most the given numbers of steps and flows.
func (r *reader) page(mostSteps, mostFlows int) (*Page, error) {
	m := r.run.Manifest
	sc := &r.run.Scenario
	step := r.step(mostSteps)
	g := grid{r.from, r.end, step, max(1, int((r.end-r.from+step-1)/step))}
	p := &Page{
		Title: sc.Name, Again: m.Command, Single: r.wiring.Single,
		From: r.from.Seconds(), End: r.end.Seconds(), Step: step.Seconds(), Steps: g.steps,
		AllFlows: r.flows.Len(),
	}
	r.draw(p)
	hosts := len(r.wiring.Graph.Hosts())
	p.Subtitle = fmt.Sprintf("%s, %s; %s with telemetry %s; %s in %s, seed %d",
		number.Count(hosts, "host"), number.Count(len(p.Nodes)-hosts, "switch"), sc.CC.Kind, sc.Telemetry.Kind,
		number.Count(p.AllFlows, "flow"), inWords(m.Summary.SimulatedPS), m.Summary.Seed)
	r.faults(p)
	p.Seen = make([]bool, 2*len(p.Links))
	if r.sampling.OfPorts() {
		if err := r.ports(p, g); err != nil {
			return nil, err
		}
	}
	if err := r.addFlows(p, g, mostFlows); err != nil {
		return nil, err
	}
	period := r.sampling.Spacing(r.end)
	p.Notes = append(p.Notes, r.missing...)
	if r.end == r.from {
		p.Notes = append(p.Notes, fmt.Sprintf("Nothing was recorded over time: the run ended at %v, "+
			"and the first sample is at %v.", unit.Time(m.Summary.SimulatedPS), r.from))
	}
	p.Notes = append(p.Notes, fmt.Sprintf("The run was sampled every %v. A step of the slider is %v: it shows the "+
		"mean utilisation, the longest sampled queue, and the totals of pauses, drops and marks.", period, step))
	p.Notes = append(p.Notes, "Values over time have 8 bits; largest values and counts are exact.")
	if len(p.Flows) < p.AllFlows {
		p.Notes = append(p.Notes,
			fmt.Sprintf("The page has the %d flows that were active longest, of %d.", len(p.Flows), p.AllFlows))
	}
	if !p.Single {
		p.Notes = append(p.Notes, fmt.Sprintf("Packets of a flow take several paths (network.balancing = %s): "+
			"for a flow, all its shortest paths are drawn.", sc.Network.Balancing.Kind))
	}
	return p, nil
}

// inWords formats a time in ms with three digits.
func inWords(ps int64) string {
	return fmt.Sprintf("%.3g ms", 1e3*unit.Time(ps).Seconds())
}
