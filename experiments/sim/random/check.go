package random

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/outfile"
)

// Case is a randomly drawn scenario.
type Case struct {
	Scenario scenario.Scenario
	Kinds    Kinds

	sampling []string // assignments
	tree     bool     // the network has no cycle in which PFC could deadlock
	lossless bool     // there are no faults, and no packet can be lost
}

// Files of a scenario.
const (
	scenarioFile = "scenario.yaml"
	topologyFile = "topology.txt"
)

// Draw draws a scenario. A network of arbitrary shape is written to a file in dir, which the scenario
// names.
func Draw(choose Chooser, dir string) (*Case, error) {
	d := &draw{choose: choose, dir: dir}
	if err := d.scenario(); err != nil {
		return nil, err
	}
	sc, err := d.parse()
	if err != nil {
		return nil, err
	}
	if sc, err = possible(sc); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &d.text)
	}
	d.kinds[Faults] = faultKinds(&sc)
	return &Case{
		Scenario: sc, Kinds: d.kinds, tree: !d.file, lossless: !d.faults,
		sampling: []string{
			"run.sampling.enabled=true", "run.sampling.nodes=[all]", "run.sampling.to=300us",
			"run.sampling.period=" + d.one("sampling period", "10us", "1us", "77us"),
			"run.sampling.rows=" + d.one("sampled rows", "all", "changed"),
		},
	}, nil
}

// possible changes the settings for which a network refuses the scenario, because they were drawn
// independently of the network.
func possible(sc scenario.Scenario) (scenario.Scenario, error) {
	for {
		_, err := sim.Build(sc, sim.Options{}, nil)
		var change string
		var i int // index of the refused entry
		switch {
		case err == nil:
			return sc, nil
		case strings.Contains(err.Error(), "network.buffer = "):
			change = "network.buffer=100MB"
		case strings.Contains(err.Error(), "cannot describe this network"): // rates without a code
			change = "telemetry.precision=exact"
		case strings.Contains(err.Error(), "of the analyzer's link, want at most"):
			if _, scan := fmt.Sscanf(err.Error(), "monitors.%d", &i); scan != nil {
				return sc, err
			}
			change = fmt.Sprintf("monitors.%d.period=20ms", i)
		case strings.Contains(err.Error(), "cc.rtt = path: a switch"): // switches do not know it
			change = "cc.rtt=max"
		case strings.HasPrefix(err.Error(), "monitors."): // a monitor that this network cannot have
			if _, scan := fmt.Sscanf(err.Error(), "monitors.%d", &i); scan != nil {
				return sc, err
			}
			if sc.Monitors = slices.Delete(slices.Clone(sc.Monitors), i, i+1); len(sc.Monitors) == 0 {
				sc.Run.MonitorCost = scenario.Default().Run.MonitorCost
			}
			continue
		case strings.HasPrefix(err.Error(), "faults."): // a fault that this network cannot have
			if _, scan := fmt.Sscanf(err.Error(), "faults.%d", &i); scan != nil {
				return sc, err
			}
			sc.Faults = slices.Delete(slices.Clone(sc.Faults), i, i+1)
			continue
		default:
			return sc, err
		}
		if sc, err = sc.With(change); err != nil {
			return sc, err
		}
	}
}

// Save writes the scenario into dir, which already contains the file of its network, if any.
func (c *Case) Save(dir string) error {
	sc := c.Scenario
	if sc.Topology.Kind == "file" {
		var err error
		if sc, err = sc.With("topology.path=" + topologyFile); err != nil {
			return err
		}
	}
	return outfile.Write(filepath.Join(dir, scenarioFile), func(w io.Writer) error {
		_, err := w.Write(sc.YAML())
		return err
	})
}

// Outcome is the outcome of a scenario.
type Outcome struct {
	Engines     int64 `col:"engines"` // largest number of engines that ran it; 1 if it cannot be divided
	Flows       int64 `col:"flows"`   // of the scenario, as in the next five
	Finished    int64 `col:"finished"`
	Failed      int64 `col:"failed"`
	Unreachable int64 `col:"unreachable"`
	Stalled     int64 `col:"stalled"`
	Unfinished  int64 `col:"unfinished"`
	PacketHops  int64 `col:"packet_hops"` // of one run, as in the next four
	Drops       int64 `col:"drops"`
	LinkLosses  int64 `col:"link_losses"`
	Marks       int64 `col:"marks"`
	Pauses      int64 `col:"pauses"`
}

// Check runs the scenario, runs it again with time series, and on two, three and seven engines if possible.
// The error names the broken law.
func (c *Case) Check(ctx context.Context) (Outcome, error) {
	var o Outcome
	r, stall, err := run(ctx, c.Scenario)
	if err != nil {
		return o, err
	}
	o = outcomeOf(r)
	if err := c.judge(r, stall); err != nil {
		return o, err
	}
	records, err := files(r)
	if err != nil {
		return o, err
	}
	watched, again, err := c.watch(ctx)
	if err != nil {
		return o, err
	}
	if err := same(again, records, "the second time, with time series,"); err != nil {
		return o, err
	}
	if c.Scenario.Run.Ties == "fifo" {
		return o, nil // the order of scheduling needs a single engine
	}
	for _, workers := range [...]int{2, 3, 7} {
		watched.Run.Workers = workers
		many, _, err := run(ctx, watched)
		if err != nil && (strings.Contains(err.Error(), "has no delay") || strings.Contains(err.Error(), "want 1 with run.monitor_cost")) {
			break // no delay separates the parts
		}
		on := fmt.Sprintf("on %d engines", workers)
		if err != nil {
			return o, fmt.Errorf("%s: %w", on, err)
		}
		if err := same(many, records, on); err != nil {
			return o, err
		}
		if !bytes.Equal(many.Series.Ports, again.Series.Ports) || !bytes.Equal(many.Series.Flows, again.Series.Flows) {
			return o, fmt.Errorf("%s another time series", on)
		}
		o.Engines = int64(workers)
	}
	return o, nil
}

// run is sim.Run that returns a stall separately from other errors.
func run(ctx context.Context, sc scenario.Scenario) (r *sim.Result, stall, err error) {
	r, err = sim.Run(ctx, sc, sim.Options{})
	if errors.Is(err, sim.ErrStalled) {
		return r, err, nil
	}
	return r, nil, err
}

// watch runs the scenario with time series.
func (c *Case) watch(ctx context.Context) (scenario.Scenario, *sim.Result, error) {
	w, err := c.Scenario.With(c.sampling...)
	if err != nil {
		return w, nil, err
	}
	r, _, err := run(ctx, w)
	if err != nil && strings.Contains(err.Error(), "none was under way at any of the") {
		w, err = c.Scenario.With(append(slices.Clone(c.sampling), "run.sampling.series=ports")...)
		if err == nil {
			r, _, err = run(ctx, w)
		}
	}
	return w, r, err
}

// same returns an error if a run's files differ from those of the first run.
func same(r *sim.Result, records, how string) error {
	got, err := files(r)
	if err != nil || got == records {
		return err
	}
	return fmt.Errorf("%s another result:\n%s\nand at first\n%s", how, got, records)
}

// files returns the records, counters and monitor tables of a run as text.
func files(r *sim.Result) (string, error) {
	var b bytes.Buffer
	if err := errors.Join(store.WriteFlowsCSV(&b, r.Flows), store.WriteFCT(&b, r.Flows)); err != nil {
		return "", err
	}
	c := r.Counters
	fmt.Fprintln(&b, c.PacketHops, c.Injected, c.Delivered, c.Dropped, c.Lost, c.Pauses, c.Trimmed, c.TrimmedBytes, c.Returned, c.Tolls, r.Summary.Marks, r.Ended)
	for _, m := range r.Monitors {
		for _, t := range m.Tables {
			fmt.Fprintln(&b, m.Kind, t.Name, t.Head)
			for _, row := range t.Rows {
				fmt.Fprintln(&b, row)
			}
		}
	}
	return b.String(), nil
}
