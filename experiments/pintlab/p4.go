package pintlab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/figures/figure"
	p4figures "pintlab/experiments/internal/figures/p4"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/p4"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
	"pintlab/p4/reference"
	"pintlab/p4/replay"
	"pintlab/p4/validate"
)

func p4Command(p *program) *cobra.Command {
	return group(groupStudies, "p4", "List, show, run and validate the P4 programs",
		p4List(p), p4Show(p), p4Entries(p), p4Run(p), p4Test(p), p4Stages(p), p4Lint(p), p4Validate(p))
}

// p4Info is an entry of the JSON output of p4 list.
type p4Info struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Title   string   `json:"title"`
	Stages  int      `json:"stages"` // number of stages on the default target of p4 stages
	Fits    bool     `json:"fits"`   // whether it fits that target
	Paper   int      `json:"paper"`  // number of stages according to the PINT paper; 0 if unknown
	Defines []string `json:"defines"`
}

func p4List(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:   "list",
		Short: "List the built-in P4 programs",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			t, programs, err := validate.ForTarget(analysis.DefaultTarget, nil, interp.Options{})
			if err != nil {
				return err
			}
			var list []p4Info
			for _, q := range programs {
				l := analysis.LayOut(q.Loaded, t)
				list = append(list,
					p4Info{q.Name, q.File, q.Title, l.Stages, l.Fits(), q.Stages, append([]string{}, q.Defines...)})
			}
			return p.show(&o, list, func() {
				for _, e := range list {
					p.printf("%-24s %2d stages, %-13s %s\n", e.Name, e.Stages, validate.Verdict(e.Fits), e.Title)
				}
			})
		},
	}, &o, flagJSON)
}

func p4Show(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "show PROGRAM|FILE",
		Short: "Print the source of a built-in P4 program, or of a file that it includes",
		Args:  exactly("a program or an included file"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if !strings.HasPrefix(name, "include/") {
				q, err := validate.Find(name)
				if err != nil {
					return err
				}
				name = q.File
			}
			text, err := fs.ReadFile(p4.Sources(), name)
			if err != nil {
				return fmt.Errorf("no built-in file %q: p4 show PROGRAM prints the names of included files", name)
			}
			p.printf("%s", text)
			return nil
		},
	}
}

func p4Entries(p *program) *cobra.Command {
	var f replay.Files
	return with(&cobra.Command{
		Use:   "entries PROGRAM|FILE.p4",
		Short: "Print the table entries of a P4 program as commands of simple_switch_CLI",
		Args:  exactly("a program"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := validate.EntryCommands(args[0], f.Options())
			for _, line := range list {
				p.printf("%s\n", line)
			}
			return err
		},
	}, &f, "define", "include")
}

// layoutFlags contains the flag of the commands that lay out a program.
type layoutFlags struct {
	target string `flag:"target" use:"{switch} whose stages the program must fit, by name or file"`
}

func p4Run(p *program) *cobra.Command {
	var f replay.Files
	var o options
	o.seed = 1
	return with(with(&cobra.Command{
		Use:   "run PROGRAM|FILE.p4|NETWORK.yaml",
		Short: "Run the packets of a capture file through a P4 program, or a network of them",
		Args:  exactly("a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isNetwork(args[0]) {
				err := without(cmd, "on a network: "+args[0]+" describes its inputs, commands and macros", "in", "port",
					"commands", "commands-after", "define", "include", "stf", "trace")
				if err != nil {
					return err
				}
				stats, err := f.RunNetwork(cmd.Context(), args[0], p.console(&o))
				if err != nil {
					return err
				}
				return p.ran(args[0], stats, &o)
			}
			if f.In == "" {
				return fmt.Errorf("%s: --in is missing", called(cmd))
			}
			if f.Out == "" && f.Dump == "" && f.After == "" && f.STF == "" && len(f.Trace) == 0 {
				return fmt.Errorf("%s: --out is missing: without it, --stf, --dump, --trace or --commands-after "+
					"nothing would be written", called(cmd))
			}
			stats, err := f.Run(cmd.Context(), args[0], p.console(&o))
			if err == nil && f.STF != "" {
				err = f.Repeat(cmd.Context(), args[0], p.console(&o))
			}
			if err != nil {
				return err
			}
			return p.ran(f.In, &stats, &o)
		},
	}, &f, "in", "out", "commands", "commands-after", "stf", "dump", "trace", "port", "define", "include"),
		&o, flagSeed, flagJSON, flagQuiet)
}

// console returns the streams of a run. With --json, standard output has nothing but the JSON document.
func (p *program) console(o *options) replay.Console {
	c := replay.Console{Out: p.stdout, Log: p.stderr, Quiet: o.quiet, Seed: o.seed}
	if o.json {
		c.Out = p.stderr
	}
	return c
}

// ran prints the statistics about the packets of a file.
func (p *program) ran(name string, stats *interp.PcapStats, o *options) (err error) {
	for _, e := range stats.Errors {
		fmt.Fprintln(p.stderr, "pintlab:", e)
	}
	err = p.show(o, stats, func() { stats.WriteText(p.stdout) })
	if stats.Failed > 0 {
		e := fmt.Errorf("%s: %s could not be processed", name, number.Count(stats.Failed, "packet"))
		err = errors.Join(err, failed(e))
	}
	return err
}

func isNetwork(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func p4Stages(p *program) *cobra.Command {
	var o options
	var f replay.Files
	var d struct {
		to   string         `flag:"to" use:"{directory} for a heat map of stages and resources"`
		look figure.Options `flags:"all"`
	}
	l := layoutFlags{analysis.DefaultTarget}
	return with(with(with(with(&cobra.Command{
		Use:   "stages [PROGRAM|FILE.p4]...",
		Short: "Assign a P4 program to the match-action stages of a switch",
		Long:  strings.Join(analysis.TargetNames(), ", "),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, programs, err := validate.ForTarget(l.target, args, f.Options())
			if err != nil {
				return err
			}
			list := []validate.Layout{}
			for _, q := range programs {
				list = append(list, q.Layout(t))
			}
			if d.to == "" {
				err = without(cmd, "without --to", lookNames...)
			} else if err = without(cmd, "with --to", flagJSON); err == nil {
				return p.drawStages(d.to, list, &d.look)
			}
			if err != nil {
				return err
			}
			return p.show(&o, list, func() {
				for _, e := range list {
					e.WriteText(p.stdout, t, len(args) > 0)
				}
			})
		},
	}, &f, "define", "include"), &l), &o, flagJSON), &d)
}

// drawStages draws layouts into a directory.
func (p *program) drawStages(to string, list []validate.Layout, o *figure.Options) error {
	drawings, err := p4figures.DrawStages(list, o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return fmt.Errorf("--to %s: %w", to, err)
	}
	files, err := o.Save(to, drawings)
	for _, f := range files {
		p.printf("%s\n", f)
	}
	return failed(err)
}

func p4Lint(p *program) *cobra.Command {
	var f replay.Files
	l := layoutFlags{analysis.DefaultTarget}
	return with(with(&cobra.Command{
		Use:   "lint [PROGRAM|FILE.p4]...",
		Short: "Find what a switch cannot compute in a P4 program, and what p4c warns about",
		RunE: func(_ *cobra.Command, args []string) error {
			t, programs, err := validate.ForTarget(l.target, args, f.Options())
			if err != nil {
				return err
			}
			n := 0
			for _, q := range programs {
				for _, x := range analysis.Lint(q.Loaded, t) {
					p.printf("%s: %s\n", q.Name, x)
					n++
				}
			}
			if n > 0 {
				return failed(fmt.Errorf("found %s", number.Count(n, "problem")))
			}
			p.printf("no problems found in %s\n", number.Count(len(programs), "program"))
			return nil
		},
	}, &f, "define", "include"), &l)
}

func p4Validate(p *program) *cobra.Command {
	var o struct {
		options  `flags:"out seed json quiet"`
		packets  int                `flag:"packets" default:"1000000" range:">=1 <=1000000000"`
		question reference.Question `flags:"all"`
		files    replay.Files       `flags:"commands define include"`
	}
	o.seed = 1
	return with(&cobra.Command{
		Use:   "validate [PROGRAM|FILE.p4]",
		Short: "Compare P4 programs with equivalent Go code, and their arithmetic with exact results",
		Args:  atMostOne("one program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q := &o.question; q.Reference != "" && q.Reference != "twin" {
				if err := without(cmd, "with --reference", "out", flagQuiet); err != nil {
					return err
				}
				if len(args) == 0 {
					return fmt.Errorf("%s: --reference needs a program", called(cmd))
				}
				pipe, err := o.files.Prepare(args[0], p.console(&o.options))
				if err != nil {
					return err
				}
				a, err := q.Judge(cmd.Context(), pipe, o.packets, o.seed)
				if err != nil {
					return err
				}
				err = p.show(&o.options, a, func() { a.WriteText(p.stdout) })
				if err == nil && cmd.Flags().Changed("bound") && a.Max > q.Bound {
					err = failed(fmt.Errorf("%s: an error of %.3g is above the bound %.3g", args[0], a.Max, q.Bound))
				}
				return err
			}
			if err := without(cmd, "without --reference EXPRESSION or FILE.py", "result", "input", "packet",
				"absolute", "bound", "commands", "define", "include"); err != nil {
				return err
			}
			programs := validate.Programs()
			if len(args) == 1 {
				q, err := validate.Find(args[0])
				if _, missing := os.Stat(args[0]); err != nil && missing == nil {
					return fmt.Errorf("%s: pintlab has no Go code that is equivalent to your program: check its "+
						"arithmetic with --reference EXPRESSION, or its packets with pintlab p4 test", args[0])
				}
				if err != nil {
					return err
				}
				programs = []validate.Program{q}
			}
			return p.p4Validate(cmd.Context(), &o.options,
				validate.Options{Programs: programs, Packets: o.packets, Samples: 200_000, Seed: o.seed})
		},
	}, &o)
}

// p4ValidateJSON is the JSON output of p4 validate.
type p4ValidateJSON struct {
	Dir string `json:"dir"`
	*validate.Report
}

func (p *program) p4Validate(ctx context.Context, o *options, v validate.Options) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	r, problems := watch(p, o, "p4 validate", func(t *progress.Task) (r *validate.Report, err error) {
		if v.Recording, err = p4figures.Ports(ctx, v.Seed); err != nil {
			return nil, failed(err)
		}
		v.Progress = t.Update
		return validate.Run(ctx, v)
	})
	if r == nil {
		return problems
	}
	dir := filepath.Join(o.out, "p4", "validate")
	if err := r.Save(dir); err != nil {
		return failed(err)
	}
	if o.json {
		return errors.Join(p.printJSON(p4ValidateJSON{dir, r}), failed(problems))
	}
	r.WriteText(p.stdout, v.Programs)
	p.printf("\n%-9s %s\n", "results", dir)
	return failed(problems)
}
