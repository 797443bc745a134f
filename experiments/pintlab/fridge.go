package pintlab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/fridges"
	"pintlab/int/fridge"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
	"pintlab/workloads/packets"
)

func fridgeCommand(p *program) *cobra.Command {
	return group(groupStudies, "fridge", "Measure distributions of delays with fridges, and choose their parameters",
		fridgeMeasure(p), fridgeTune(p))
}

// openTrace opens a trace. It returns an error if a given flag has no effect on this kind of trace.
func openTrace(cmd *cobra.Command, x *fridges.TraceOptions, what string, seed uint64) (*fridges.Trace, error) {
	where, names := "on a capture", []string{"longest", "count", "delays"}
	ofPackets := []string{"kind", "inside", "only", "interfaces", "window", "once"}
	switch what {
	case "isp":
		where, names = "on the generated trace isp", append(ofPackets, "longest")
	case "synthetic":
		where, names = "on the generated trace synthetic", ofPackets
		if x.Delays != "" {
			names = append(names, "longest")
		}
	case "connections":
		where, names = "on the generated trace connections", []string{"longest", "delays", "interfaces"}
	}
	if err := without(cmd, where, names...); err != nil {
		return nil, err
	}
	return x.Open(what, seed)
}

type measureOptions struct {
	options   `flags:"out seed workers json quiet"`
	trace     fridges.TraceOptions `flags:"all"`
	entries   []int                `flag:"entries" default:"65536" range:">=2 <=1073741824"`
	p         []float64            `flag:"p" default:"1" range:">0 <=1"`
	what      fridges.Survey       `flags:"all"`
	weights   string               `flag:"weights" default:"rate" oneof:"rate|variance"`
	samples   bool                 `flag:"samples"`
	stages    int                  `flag:"stages" range:">=1 <=65536"`
	threshold unit.Time            `flag:"threshold" default:"512ms" range:">=0s"`
}

func fridgeMeasure(p *program) *cobra.Command {
	o := measureOptions{options: options{seed: 1, workers: runtime.NumCPU()}}
	return with(&cobra.Command{
		Use:   "measure TRACE",
		Short: "Estimate a distribution of delays with fridges, with and without correction",
		Args:  exactly("a trace"),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.fridgeMeasure(cmd, args[0], &o) },
	}, &o)
}

// parts returns the fridges that the flags describe.
func (o *measureOptions) parts() ([]fridge.Part, error) {
	if len(o.entries) != len(o.p) {
		return nil, fmt.Errorf("--entries has %s and --p has %d: want one number of each for each fridge",
			number.Count(len(o.entries), "number"), len(o.p))
	}
	var list []fridge.Part
	for k, m := range o.entries {
		list = append(list, fridge.Part{Entries: m, Probability: o.p[k]})
	}
	if o.given("weights") && len(list) == 1 {
		return nil, errors.New("--weights has no effect on a single fridge")
	}
	return list, nil
}

// survey returns the survey for the flags.
func (o *measureOptions) survey() (s fridges.Survey, err error) {
	s = o.what
	if s.Parts, err = o.parts(); err != nil {
		return s, err
	}
	if err := (fridge.Config{Parts: s.Parts, Pairing: s.Pairing}).Validate(); err != nil {
		return s, err
	}
	s.Eq7, s.Seed, s.Workers = o.weights == "variance", o.seed, o.workers
	if _, err := fridge.NewTally(1, s.Width); err != nil {
		return s, fmt.Errorf("--width: %w", err)
	}
	for _, n := range []string{"switch", "samples"} {
		if o.given(n) && len(s.Parts) > 1 {
			return s, fmt.Errorf("--%s has an effect only on a single fridge", n)
		}
	}
	if o.stages == 0 {
		if o.given("threshold") {
			return s, errors.New("--threshold has no effect without --stages")
		}
		return s, nil
	}
	for _, p := range s.Parts {
		s.Naive.Entries += p.Entries
	}
	s.Naive.Stages, s.Naive.Threshold = o.stages, uint64(o.threshold)
	return s, s.Naive.Validate()
}

func (p *program) fridgeMeasure(cmd *cobra.Command, what string, o *measureOptions) (err error) {
	if err := checkOut(o.out); err != nil {
		return err
	}
	s, err := o.survey()
	if err != nil {
		return err
	}
	t, err := openTrace(cmd, &o.trace, what, o.seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	s.Trace, s.Source, s.Window = what, t.Source, t.Window
	dir := filepath.Join(o.out, "fridge-measure")
	var samples *outfile.File
	if o.samples {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return failed(err)
		}
		f, err := outfile.Create(filepath.Join(dir, "samples.csv"))
		if err != nil {
			return failed(err)
		}
		defer func() { err = errors.Join(err, f.Abort()) }()
		s.Samples, samples = f, f
	}
	found, err := watch(p, &o.options, "measure", func(task *progress.Task) (*fridges.Findings, error) {
		s.Progress = t.Progress(task)
		return s.Run(cmd.Context())
	})
	if err != nil {
		return err
	}
	if found.Requests == 0 {
		return fmt.Errorf("%s: no requests", what)
	}
	if samples != nil {
		err = samples.Commit()
	}
	out, saveErr := found.Save(dir, t)
	if err := errors.Join(err, saveErr); err != nil {
		return failed(err)
	}
	return p.showAnswer(&o.options, out)
}

type tuneOptions struct {
	options   `flags:"seed workers json quiet"`
	trace     fridges.TraceOptions `flags:"all"`
	choice    fridge.Choice        `flags:"all"`
	quantiles []float64            `flag:"quantiles" default:"0.5,0.95,0.99" range:">0 <1"`
	rate      float64              `flag:"rate" range:">=1e-6 <=1e12" because:"the clock has picoseconds"`
	pairs     int                  `flag:"pairs" range:">=1 <=1000000000"`
}

func fridgeTune(p *program) *cobra.Command {
	o := tuneOptions{options: options{seed: 1, workers: runtime.NumCPU()}}
	return with(&cobra.Command{
		Use:   "tune [TRACE]",
		Short: "Find the best entry probabilities of one fridge and of several",
		Args:  atMostOne("one trace"),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.fridgeTune(cmd, args, &o) },
	}, &o)
}

// assumedPairs is the default number of pairs.
const assumedPairs = 100_000

// load returns the traffic for which fridges are chosen. If the capture is truncated, it adds the capture to part.
func (o *tuneOptions) load(
	p *program, cmd *cobra.Command, args []string, part *packets.Partial,
) (l fridge.Load, err error) {
	l.Quantiles = o.quantiles
	if len(args) == 0 {
		if o.trace.Delays == "" {
			return l, errors.New("fridge tune: want a trace, or --delays and --rate")
		}
		err := without(cmd, "without a trace",
			"kind", "inside", "only", "interfaces", "window", "once", "count", "longest", flagWorkers, flagQuiet)
		if err != nil {
			return l, err
		}
		if o.rate == 0 {
			return l, errors.New("--rate is missing: --delays needs the number of requests per second")
		}
		law, err := exchange.ParseLaw(o.trace.Delays)
		if err != nil {
			return l, fmt.Errorf("--delays: %w", err)
		}
		if l.Delays, err = fridges.Assumed(law, o.seed); err != nil {
			return l, err
		}
		l.Rate, l.Pairs = o.rate/float64(unit.Second), assumedPairs
		if o.pairs > 0 {
			l.Pairs = float64(o.pairs)
		}
		return l, nil
	}
	if err := without(cmd, "with a trace", "rate", "pairs"); err != nil {
		return l, err
	}
	t, err := openTrace(cmd, &o.trace, args[0], o.seed)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if t.Window == 0 {
		return l, errors.New("--window 0s: the choice of fridges needs the true delays, and without a window there " +
			"are none")
	}
	traffic, err := watch(p, &o.options, "true delays", func(task *progress.Task) (fridges.Traffic, error) {
		return fridges.Run(cmd.Context(), t.Source, nil, fridges.Options{
			Window: t.Window, Width: fridge.DefaultWidth, Workers: o.workers, Progress: t.Progress(task),
		})
	})
	if err != nil {
		return l, err
	}
	if traffic.Pairs == 0 {
		return l, fridges.NoPairs(args[0], traffic, t.Window)
	}
	*part = t.Partial()
	l.Rate, l.Delays, l.Pairs = traffic.Rate(), traffic.Delays, float64(traffic.Pairs)
	return l, nil
}

func (p *program) fridgeTune(cmd *cobra.Command, args []string, o *tuneOptions) error {
	if o.choice.Split && o.choice.Fridges == 1 {
		return errors.New("--free has no effect with --fridges 1: one fridge has all entries")
	}
	var part packets.Partial
	l, err := o.load(p, cmd, args, &part)
	if err != nil {
		return err
	}
	out, err := fridges.Choose(cmd.Context(), l, o.choice)
	if err != nil {
		return err
	}
	out.Partial = part
	return p.showAnswer(&o.options, out)
}
