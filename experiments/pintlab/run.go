package pintlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
)

// runOptions are the flags of run and estimate.
type runOptions struct {
	options     `flags:"out seed set workers memory-limit json quiet"`
	config      string      `flag:"config" use:"run a config.txt of the published HPCC-PINT simulator, {file}"`
	printConfig bool        `flag:"print-config" use:"print the effective scenario and do not run it"`
	cpuProfile  string      `flag:"cpuprofile" writes:"yes" use:"write a processor profile (pprof) to {file}"`
	memProfile  string      `flag:"memprofile" writes:"yes" use:"write a memory profile (pprof) to {file}"`
	view        bool        `flag:"view"`
	bounds      bool        `flag:"bounds" use:"measure the largest possible speedup of 2 to 64 workers"`
	report      reportFlags `flags:"all"`
	check       bool        `flag:"check"`
	explain     bool        `flag:"explain" use:"print the links that the slowest flows wait for, and draw the load of all links"`
	explained   *estimate.Explanation
	tasks       taskFlags `flags:"all"`
	reuse       bool      `flag:"reuse" use:"take over links that another build of pintlab has simulated"`
	losses      bool      `flag:"accept-losses" use:"exit with 0 even if flows fail, or no flow finishes"`
}

func runCommand(p *program) *cobra.Command {
	var o runOptions
	return with(&cobra.Command{
		Use:     "run SCENARIO|PRESET",
		Short:   "Run one simulation",
		GroupID: groupRun,
		Args:    func(cmd *cobra.Command, args []string) error { return o.checkArgs(cmd, args) },
		RunE:    func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), &o, args) },
	}, &o, "config", "print-config", "cpuprofile", "memprofile", "view", "bounds", "report-to", "report-rate",
		flagLosses)
}

func estimateCommand(p *program) *cobra.Command {
	o := runOptions{options: options{implied: []string{"estimate.enabled=true"}}}
	return with(&cobra.Command{
		Use:     "estimate SCENARIO|PRESET",
		Short:   "Estimate completion times, link by link",
		GroupID: groupRun,
		Args:    func(cmd *cobra.Command, args []string) error { return o.checkArgs(cmd, args) },
		RunE:    func(cmd *cobra.Command, args []string) error { return p.estimate(cmd, &o, args) },
	}, &o, append([]string{"print-config", "check", "explain", flagReuse}, taskNames...)...)
}

func (o *runOptions) checkArgs(cmd *cobra.Command, args []string) error {
	switch {
	case o.config != "" && len(args) > 0:
		return fmt.Errorf("%s and --config %s: want only one of them", args[0], o.config)
	case o.config == "" && len(args) != 1:
		or := ", or --config"
		if cmd.Flags().Lookup("config") == nil {
			or = ""
		}
		return fmt.Errorf("%s: want one scenario file or preset%s, got %s", called(cmd), or,
			number.Count(len(args), "argument"))
	case o.printConfig:
		return without(cmd, "with --print-config", flagOut, flagQuiet, "cpuprofile", "memprofile", "bounds",
			flagLosses, flagMemory, flagView, flagReuse, "report-to", "report-rate", "check", "explain")
	case o.report.To == "":
		return without(cmd, "without --report-to", "report-rate")
	}
	return nil
}

// scenario returns the scenario of the command line. With --view, it also enables the recording that a view needs,
// unless the scenario already records something.
func (o *runOptions) scenario(p *program, args []string) (scenario.Scenario, error) {
	sc, err := o.open(p, args)
	if err == nil && len(o.implied) > 0 && !sc.Estimate.Enabled {
		return sc, errors.New("estimate.enabled: false: want true, because pintlab estimate simulates no packets; " +
			"pintlab run does")
	}
	if err == nil && o.view && !sc.Run.Sampling.Enabled {
		return sc.With(show.PageKeys()...)
	}
	return sc, err
}

func (o *runOptions) open(p *program, args []string) (scenario.Scenario, error) {
	if o.config == "" {
		return p.openScenario(args[0], &o.options)
	}
	changes, err := o.assignments()
	if err != nil {
		return scenario.Scenario{}, err
	}
	sc, ignored, err := ns3config.Load(o.config, changes...)
	if err != nil {
		return sc, o.asTyped(err)
	}
	for _, k := range ignored {
		fmt.Fprintf(p.stderr, "%s:%d: %s = %s is ignored: %s\n", o.config, k.Line, k.Key, k.Value, k.Reason)
	}
	return sc, keepFiles(o.cmd, &sc)
}

// openScenario returns a scenario file or preset with the changes of the flags.
func (p *program) openScenario(what string, o *options) (sc scenario.Scenario, err error) {
	changes, err := o.assignments()
	if err != nil {
		return sc, err
	}
	if sc, o.brought, err = p.language.OpenNoting(what, changes...); err != nil {
		return sc, cmp.Or(isRun(what), isConfig(what), o.asTyped(err))
	}
	return sc, keepFiles(o.cmd, &sc)
}

// isRun returns an error with the command that repeats a run if path is the directory of the run or its manifest.
func isRun(path string) error {
	dir := path
	if filepath.Base(path) == store.ManifestFile {
		dir = filepath.Dir(path)
	}
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil
	}
	return fmt.Errorf("%s: want a scenario, but this is the result of a run; repeat the run with %q", path, m.Command)
}

// isConfig returns an error with the command that runs the file at path if the file is a config.txt.
func isConfig(path string) error {
	if !ns3config.Is(path) {
		return nil
	}
	return fmt.Errorf("%s: want a scenario, but this is a config.txt of the published HPCC-PINT simulator; run it "+
		"with %q, which writes it as a scenario with --print-config", path,
		campaign.CommandLine("pintlab", "run", "--config", path))
}

// command returns the command line that repeats the run.
func (o *runOptions) command(args []string) string {
	return campaign.CommandLine(slices.Concat([]string{"pintlab", o.cmd.Name()}, o.typed("config"), args,
		o.typed(flagSeed, flagSet, flagView, "check", "explain", flagOut))...)
}

func (p *program) run(ctx context.Context, o *runOptions, args []string) error {
	sc, err := o.scenario(p, args)
	if err != nil {
		return err
	}
	if o.printConfig {
		return p.printConfig(ctx, o, sc)
	}
	if err := checkOut(o.out); err != nil {
		return err
	}
	stopProfiles, err := profiles(o.cpuProfile, o.memProfile)
	if err != nil {
		return err
	}
	r, stall := p.simulate(ctx, o, sc, args)
	if err := stopProfiles(); err != nil {
		return errors.Join(stall, failed(err))
	}
	if r == nil {
		return stall
	}
	end := stall
	if end == nil {
		end = failed(r.Complaint(o.losses))
	}
	var page *show.WrittenPage
	if o.view {
		if page, err = show.WritePage(p.language, r.Summary.Dir, ""); err != nil {
			return errors.Join(end, failed(err))
		}
	}
	more, err := p.assess(ctx, o, r)
	if err != nil {
		return errors.Join(end, err)
	}
	if o.json {
		return errors.Join(end,
			p.printJSON(runDocument{r.Summary, o.brought, r.Choices, r.Loads, append([]string{}, r.Notes...),
				r.Outcomes, r.JobSummaries(), page, r.Bounds, more}))
	}
	name := func(s string) string { return p.paint(s, heading) }
	p.print(show.Summary(r, o.brought, o.command(args), name))
	p.print(more.Text(name))
	if page != nil {
		p.printf("%-12s %s\n", "view", page.File)
	}
	return end
}

// printConfig prints a scenario with all its keys.
func (p *program) printConfig(ctx context.Context, o *runOptions, sc scenario.Scenario) error {
	if o.json {
		return p.printJSON(sc)
	}
	choices, err := sim.Choices(ctx, sc)
	if err != nil {
		return err
	}
	p.stdout.raw()
	p.printf("%s", sc.YAML())
	for _, b := range o.brought {
		p.printf("# %s: %s needs it\n", strings.Replace(b, "=", ": ", 1), sc.CC.Kind)
	}
	for _, c := range choices {
		p.printf("# %s: %s\n", c.Key, c.Text())
	}
	return nil
}

// simulate runs a scenario and saves the result, even if the run ended early.
func (p *program) simulate(
	ctx context.Context, o *runOptions, sc scenario.Scenario, args []string,
) (*sim.Result, error) {
	started := time.Now()
	show := p.display(&o.options, 1)
	defer show.Close()
	task := show.Begin(sc.Name)
	defer task.End()

	export, err := o.report.collector(ctx)
	if err != nil {
		return nil, err
	}
	var last sim.Progress
	report := simulated(task)
	so := sim.Options{Spill: o.out, Bounds: o.bounds, Report: export.Sender(), Progress: func(now sim.Progress) {
		if hours := float64(now.Foreseen) / estimate.Speed / 3600; last.Links == 0 && 3600*hours >= 60 && !o.quiet {
			fmt.Fprintf(show, "%s of links, with %.3g M packet-hops in total, %s about %.2g CPU hours\n",
				number.Count(now.Links, "simulation"), float64(now.Foreseen)/1e6,
				number.Plural(now.Links, "takes", "take"), hours)
		}
		last = now
		report(now)
	}}
	var r *sim.Result
	if len(o.implied) > 0 {
		r, err = o.gather(ctx, sc, show, so.Progress)
	} else {
		r, err = estimate.Simulate(ctx, sc, so)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil, interruptedRun(&sc, &last, o.command(args))
	case err != nil && r == nil:
		return nil, err
	case err != nil:
		renameIncomplete(r, err)
	}
	err = errors.Join(err, failed(export.Close()))
	changes, saveErr := o.assignments()
	if o.view {
		changes = append(changes, "view=true") // part of the directory's name
	}
	if saveErr == nil {
		_, saveErr = sim.Save(r, o.out, o.command(args), started, changes...)
	}
	if saveErr != nil {
		return nil, errors.Join(err, failed(saveErr))
	}
	return r, err
}

func interruptedRun(sc *scenario.Scenario, last *sim.Progress, command string) error {
	where := fmt.Sprintf("at %.3f ms of simulated time, with %d of %s ended", 1e3*last.Now.Seconds(), last.Ended,
		number.Count(last.Flows, "flow"))
	if sc.Estimate.Enabled {
		where = fmt.Sprintf("with %d of %s simulated", last.LinksDone, number.Count(last.Links, "link"))
	}
	return interrupted("%s; a run is stored only when it is complete, so nothing was written. Start again with: %s",
		where, command)
}

// renameIncomplete changes the name of an incomplete run, so that the run does not count as the whole run.
func renameIncomplete(r *sim.Result, why error) {
	ending := "-stalled"
	if errors.Is(why, sim.ErrStopped) {
		ending = "-stopped"
	}
	r.Scenario.Name = r.Scenario.Name[:min(len(r.Scenario.Name), 56)] + ending
	r.Summary.Name = r.Scenario.Name
	r.Notes = append(r.Notes, why.Error())
}

// profiles starts the requested profiles. It returns a function that ends them.
func profiles(cpu, mem string) (end func() error, err error) {
	var cpuFile, memFile *outfile.File
	defer func() {
		for _, f := range []*outfile.File{cpuFile, memFile} {
			if err != nil && f != nil {
				err = errors.Join(err, f.Abort())
			}
		}
	}()
	if mem != "" {
		if memFile, err = outfile.Create(mem); err != nil {
			return nil, fmt.Errorf("--memprofile: %w", err)
		}
	}
	if cpu != "" {
		if cpuFile, err = outfile.Create(cpu); err != nil {
			return nil, fmt.Errorf("--cpuprofile: %w", err)
		}
		if err := pprof.StartCPUProfile(cpuFile); err != nil {
			return nil, fmt.Errorf("--cpuprofile: %w", err)
		}
	}
	return func() error {
		var errs []error
		if cpuFile != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpuFile.Commit())
		}
		if memFile != nil {
			runtime.GC() // updates the statistics about the memory in use
			errs = append(errs, pprof.Lookup("allocs").WriteTo(memFile, 0), memFile.Commit())
		}
		return errors.Join(errs...)
	}, nil
}
