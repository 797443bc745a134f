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
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/netsim/schema"
)

// Case is a randomly drawn scenario.
type Case struct {
	Scenario scenario.Scenario
	Kinds    kindLists

	tree     bool // the network has no cycle in which PFC could deadlock
	lossless bool // there are no faults, and no packet can be lost
}

// Files of a scenario.
const (
	scenarioFile = "scenario.yaml"
	topologyFile = "topology.txt"
)

// drawCase draws a scenario. If the network has an arbitrary shape, drawCase writes it to a file in dir, and the
// scenario contains the name of this file.
func drawCase(l *scenario.Language, choose Chooser, dir string) (*Case, error) {
	d := &draw{language: l, choose: choose, dir: dir}
	if err := d.scenario(); err != nil {
		return nil, err
	}
	sc, err := d.parse()
	if err != nil {
		return nil, err
	}
	if sc, err = possible(d.settings(sc)); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &d.text)
	}
	d.kinds[ofFaults] = faultKinds(&sc)
	return &Case{Scenario: sc, Kinds: d.kinds, tree: !d.file, lossless: !d.faults}, nil
}

// refusals maps the error message for a refused setting to the setting to use instead.
var refusals = map[string]string{
	"telemetry.kind = ifa":       "telemetry.kind=int", // rates without a code
	"network.buffer = ":          "network.buffer=100MB",
	"telemetry.precision = wire": "telemetry.precision=exact", // rates without a code
	"cc.rtt = path: telemetry":   "cc.rtt=max",                // a switch does not know the RTT of each path
	"run.ties = fifo: want":      "run.ties=seeded",
	"run.drain = false: want":    "run.drain=true",
	"run.sampling":               "run.sampling.enabled=false",
	"run.capture":                "run.capture.enabled=false",
}

// possible replaces or removes settings that the network refuses. Such settings occur because they are drawn
// independently of the network.
func possible(sc scenario.Scenario) (scenario.Scenario, error) {
	for {
		_, err := sim.Build(sc, sim.Options{}, nil)
		var change string
		var i int // index of the refused entry
		switch {
		case err == nil:
			return sc, nil
		case strings.Contains(err.Error(), "of the analyzer's link, want at most"):
			if _, scan := fmt.Sscanf(err.Error(), "monitors.%d", &i); scan != nil {
				return sc, err
			}
			change = fmt.Sprintf("monitors.%d.period=20ms", i)
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
			if change = instead(refusals, err); change == "" {
				return sc, err
			}
		}
		if sc, err = sc.With(change); err != nil {
			return sc, err
		}
	}
}

// save writes the scenario into dir. Files that the scenario names are already there.
func (c *Case) save(dir string) error {
	sc := c.Scenario
	for _, f := range schema.Files(&sc) {
		var err error
		if sc, err = sc.With(f.Key + "=" + filepath.Base(f.Value)); err != nil {
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
	Flows       int64 `col:"flows"`   // number of flows in the scenario, as in the next five
	Finished    int64 `col:"finished"`
	Failed      int64 `col:"failed"`
	Unreachable int64 `col:"unreachable"`
	Stalled     int64 `col:"stalled"`
	Unfinished  int64 `col:"unfinished"`
	PacketHops  int64 `col:"packet_hops"` // number in one run, as in the next four
	Drops       int64 `col:"drops"`
	LinkLosses  int64 `col:"link_losses"`
	Marks       int64 `col:"marks"`
	Pauses      int64 `col:"pauses"`
}

// check runs the scenario without any recording. Then it runs the unchanged scenario on one engine and, if possible,
// on two, three and seven engines. It stores the first of these runs below dir. If consumers is set, check also
// checks the output of other commands for the stored run. The error names the broken law.
func (c *Case) check(ctx context.Context, dir string, consumers bool) (Outcome, error) {
	var o Outcome
	plain, err := unrecorded(c.Scenario)
	if err != nil {
		return o, err
	}
	r, stall, err := run(ctx, plain)
	if err != nil {
		return o, err
	}
	o = outcomeOf(r)
	if err := errors.Join(c.judge(r, stall), numbers(r)); err != nil {
		return o, err
	}
	records, err := files(r)
	if err != nil {
		return o, err
	}
	again, _, err := run(ctx, c.Scenario)
	if err != nil {
		return o, err
	}
	if err := errors.Join(same(again, records, "the second time, recorded,"), numbers(again)); err != nil {
		return o, err
	}
	stored, err := sim.Save(again, dir, "pintlab run "+scenarioFile, time.Now())
	if err != nil {
		return o, err
	}
	if consumers {
		if err := consume(stored, again); err != nil {
			return o, fmt.Errorf("%s: %w", stored, err)
		}
	}
	o.Engines, err = sameOnEngines(ctx, c.Scenario, records, again.Series, stored)
	return o, err
}

// sameOnEngines runs a scenario on two, three and seven engines if possible, and checks that each run leaves the same
// records, series and captured packets. It returns the largest number of engines.
func sameOnEngines(ctx context.Context, sc scenario.Scenario, records string, series sim.Series,
	stored string) (engines int64, err error) {
	engines = 1
	if sc.Run.Ties == "fifo" {
		return engines, nil // the order in which events are scheduled needs a single engine
	}
	var packets []byte
	if sc.Run.Capture.Enabled {
		if packets, err = input.ReadBinary(filepath.Join(stored, scenario.OutputCapture), input.Flows); err != nil {
			return engines, err
		}
	}
	for _, workers := range [...]int{2, 3, 7} {
		sc.Run.Workers = workers
		many, _, err := run(ctx, sc)
		if err != nil &&
			(strings.Contains(err.Error(), "has no delay") ||
				strings.Contains(err.Error(), "want 1 with run.monitor_cost")) {
			return engines, nil // no delay separates the parts
		}
		on := fmt.Sprintf("on %s", number.Count(workers, "engine"))
		if err != nil {
			return engines, fmt.Errorf("%s: %w", on, err)
		}
		if err := same(many, records, on); err != nil {
			return engines, err
		}
		if !bytes.Equal(many.Series.Ports, series.Ports) || !bytes.Equal(many.Series.Flows, series.Flows) {
			return engines, fmt.Errorf("%s another time series", on)
		}
		var captured bytes.Buffer
		if many.Capture != nil {
			if err := many.Capture.Write(&captured); err != nil {
				return engines, err
			}
		}
		if !bytes.Equal(captured.Bytes(), packets) {
			return engines, fmt.Errorf("%s another capture", on)
		}
		engines = int64(workers)
	}
	return engines, nil
}

// run calls sim.Run and returns a stall separately from other errors.
func run(ctx context.Context, sc scenario.Scenario) (r *sim.Result, stall, err error) {
	r, err = sim.Run(ctx, sc, sim.Options{})
	if errors.Is(err, sim.ErrStalled) {
		return r, err, nil
	}
	return r, nil, err
}

// instead returns the setting to use after an error, chosen by the error message, or "".
func instead(settings map[string]string, err error) string {
	for message, setting := range settings {
		if err != nil && strings.Contains(err.Error(), message) {
			return setting
		}
	}
	return ""
}

// same returns an error if the files of a run differ from records, the files of the first run.
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
	fmt.Fprintln(&b, c.PacketHops, c.Injected, c.Delivered, c.Dropped, c.Lost, c.Pauses, c.Trimmed, c.TrimmedBytes,
		c.Returned, c.Tolls, r.Summary.Marks, r.Ended)
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
