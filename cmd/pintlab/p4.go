package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures/p4"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
	p4source "pintlab/p4/interp/source"
	p4net "pintlab/p4/network"
	"pintlab/p4/src"
	"pintlab/p4/stf"
	"pintlab/p4/targets"
	"pintlab/p4/validate"
)

func p4Command(p *program) *cobra.Command {
	return group("p4", "List, show, run and validate the P4 programs",
		`The P4 programs of PINT, INT, TowerSketch, SuMax and fridges, for v1model, and their arithmetic:
what a switch computes with integers and tables, held against Go twins bit for bit and
against exact arithmetic.`,
		p4List(p), p4Show(p), p4Entries(p), p4Run(p), p4Test(p), p4Stages(p), p4Lint(p), p4Validate(p))
}

// p4Info is an entry of the JSON output of p4 list.
type p4Info struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Title   string   `json:"title"`
	Stages  int      `json:"stages"` // number of stages on the default target of p4 stages
	Fits    bool     `json:"fits"`   // whether it fits that target
	Paper   int      `json:"paper"`  // number of stages in the PINT paper; 0 if not given
	Defines []string `json:"defines"`
}

func p4List(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:   "list",
		Short: "List the built-in P4 programs",
		Long: `List the built-in P4 programs, with the match-action stages that they take on the default
target of p4 stages and whether they fit it.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			t, programs, err := validate.ForTarget(targets.Default, nil, interp.Options{})
			if err != nil {
				return err
			}
			var list []p4Info
			for _, q := range programs {
				l := analysis.Place(q.Loaded, t)
				list = append(list, p4Info{q.Name, q.File, q.Title, l.Stages, l.Fits(), q.Stages, append([]string{}, q.Defines...)})
			}
			return p.show(&o, list, func() {
				for _, e := range list {
					p.printf("%-24s %2d stages, %-13s %s\n", e.Name, e.Stages, verdict(e.Fits), e.Title)
				}
			})
		},
	}, &o, flagJSON)
}

// verdict returns words for whether a program fits a target.
func verdict(fits bool) string {
	if fits {
		return "fits"
	}
	return "does not fit"
}

func p4Show(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "show PROGRAM|FILE",
		Short: "Print the source of a built-in P4 program, or of a file that it includes",
		Long: `Print the source of a built-in P4 program, or of a file that it includes, such as
include/load.p4.`,
		Example: `  pintlab p4 show hpcc_util
  pintlab p4 show include/arithmetic.p4`,
		Args: exactly("a program or an included file"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if !strings.HasPrefix(name, "include/") {
				q, err := validate.Find(name)
				if err != nil {
					return err
				}
				name = q.File
			}
			text, err := src.FS.ReadFile(name)
			if err != nil {
				return fmt.Errorf("no built-in file %q: p4 show PROGRAM prints the names of included files", name)
			}
			p.printf("%s", text)
			return nil
		},
	}
}

func p4Entries(p *program) *cobra.Command {
	var f p4RunFlags
	return with(&cobra.Command{
		Use:   "entries PROGRAM|FILE.p4",
		Short: "Print the table entries of a P4 program as commands of simple_switch_CLI",
		Long: `Print the entries of a P4 program's tables as commands of simple_switch_CLI, one a line.
pintlab has them in the program, as constant entries. p4c would take minutes for so many, and
leaves the tables empty: a switch that runs what p4c made needs these commands first. A
program of yours asks for the macro LOADED, as the built-in ones do: with it the program has
no constant entries.`,
		Example: `  p4c-bm2-ss p4/src/hpcc_util.p4 -o hpcc_util.json
  pintlab p4 entries hpcc_util | simple_switch_CLI`,
		Args: exactly("a program"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := validate.EntryCommands(args[0], f.options())
			for _, line := range list {
				p.printf("%s\n", line)
			}
			return err
		},
	}, &f, "define", "include")
}

// p4RunFlags are the flags of p4 run and related commands.
type p4RunFlags struct {
	in       string   `flag:"in" use:"capture {file} to read"`
	out      string   `flag:"out" use:"capture {file} to write"`
	commands string   `flag:"commands" use:"{file} of control-plane commands, obeyed first"`
	after    string   `flag:"commands-after" use:"{file} of control-plane commands, obeyed after the packets"`
	stf      string   `flag:"stf" use:"{file} to write the run to as a packet test of p4c"`
	dump     string   `flag:"dump" use:"{file} to write registers, counters and digests to after the packets; - is the terminal"`
	write    string   `flag:"write-commands" use:"{file} to write the commands of the test to, as simple_switch_CLI reads them"`
	port     int      `flag:"port" range:">=0 <=510" use:"port {N} on which the packets arrive (default 0)"`
	defines  []string `flag:"define,D" each:"yes" use:"define a macro, {NAME} or NAME=value; may be repeated"`
	dirs     []string `flag:"include,I" each:"yes" use:"look for included files in this {directory} too; may be repeated"`
	layout   string   `flag:"target" use:"{switch} to lay the program out for, by name or file"`
}

// forTarget loads the named programs or files, or all built-in programs, compiled for a target.
func (f *p4RunFlags) forTarget(target string, names []string) (*targets.Target, []validate.Loadable, error) {
	return validate.ForTarget(target, names, f.options())
}

func (f *p4RunFlags) options() interp.Options {
	return interp.Options{Defines: f.defines, IncludeDirs: f.dirs}
}

func p4Run(p *program) *cobra.Command {
	var f p4RunFlags
	var o options
	o.seed = 1
	return with(with(&cobra.Command{
		Use:   "run PROGRAM|FILE.p4|NETWORK.yaml",
		Short: "Run the packets of a capture file through a P4 program, or a network of them",
		Long: `Run the packets of a capture file (pcap or pcapng) through a built-in P4 program or one
of your own, and write what comes out, all ports in one file. Commands for tables,
registers and the rest are those of simple_switch_CLI, one a line; those of
--commands-after are obeyed after the packets, so that registers can be read. The command
help lists them. --quiet leaves out the replies to --commands. --out can be missing if
--stf, --dump or --commands-after say what came of the packets.

--stf writes the commands, the packets and what comes out as a test for p4 test and p4c's
own runner. Such a test has no times.

With a file that ends in .yaml the packets go through switches that are joined by links
with queues. It names programs, links, capture files and files of commands; package
p4/network has an example. --out has the packets that leave by ports without a file.

--out is pcap. It has times in nanoseconds if the input has, is pcapng, or goes through a
network; else in microseconds.

--dump writes registers and counters that are not zero, and digests, to a file; - is the
terminal.`,
		Example: `  pintlab p4 run pint_path --in in.pcap --out out.pcap
  pintlab p4 run my.p4 --in in.pcap --out out.pcap --commands setup.txt
  pintlab p4 run towersketch --in in.pcap --out out.pcap --dump counters.txt
  pintlab p4 run chain.yaml --dump -`,
		Args: exactly("a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isNetwork(args[0]) {
				for _, no := range []string{"in", "port", "commands", "commands-after", "define", "include", "stf"} {
					if cmd.Flags().Changed(no) {
						return fmt.Errorf("%s: --%s has no effect: %s says it for each switch", cmd.CommandPath(), no, args[0])
					}
				}
				return p.p4Network(cmd.Context(), args[0], &f, &o)
			}
			if f.in == "" {
				return fmt.Errorf("%s: --in is missing", cmd.CommandPath())
			}
			if f.out == "" && f.dump == "" && f.after == "" && f.stf == "" {
				return fmt.Errorf("%s: --out is missing: without it, --stf, --dump or --commands-after nothing comes of the packets", cmd.CommandPath())
			}
			return p.p4Run(cmd.Context(), args[0], &f, &o)
		},
	}, &f, "in", "out", "commands", "commands-after", "stf", "dump", "port", "define", "include"), &o, flagSeed, flagJSON, flagQuiet)
}

// named is a file and the option or input that names it.
type named struct{ by, file string }

// overwrites returns an error if p4 run would write a file that it reads, or write a file twice.
func (f *p4RunFlags) overwrites(reads, writes []named) error {
	own := []named{{"--out", f.out}, {"--stf", f.stf}, {"--write-commands", f.write}}
	if f.dump != "-" {
		own = append(own, named{"--dump", f.dump})
	}
	for i, w := range own {
		for _, r := range reads {
			if outfile.Same(r.file, w.file) {
				return fmt.Errorf("%s %s is the file that %s reads", w.by, w.file, r.by)
			}
		}
		for _, other := range append(writes, own[:i]...) {
			if outfile.Same(other.file, w.file) {
				return fmt.Errorf("%s %s is the file that %s writes", w.by, w.file, other.by)
			}
		}
	}
	return nil
}

func sources(prog *interp.Program) []named {
	var list []named
	for i, file := range prog.Files {
		by := "the program"
		if i > 0 {
			by = "an #include of the program"
		}
		list = append(list, named{by, file})
	}
	return list
}

func (p *program) p4Run(ctx context.Context, name string, f *p4RunFlags, o *options) (err error) {
	prog, err := validate.Load(name, f.options())
	if err != nil {
		return err
	}
	reads := append(sources(prog), named{"--in", f.in}, named{"--commands", f.commands}, named{"--commands-after", f.after})
	if err := f.overwrites(reads, nil); err != nil {
		return err
	}
	for _, w := range prog.Warnings {
		fmt.Fprintln(p.stderr, "pintlab:", w)
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: o.seed})
	if err != nil {
		return err
	}
	setup := io.Writer(p.stderr)
	if o.quiet {
		setup = nil
	}
	obey := pipe.Command
	var rec *stf.Recorder
	if f.stf != "" {
		file, failure := outfile.Create(f.stf)
		if failure != nil {
			return failure
		}
		rec = stf.NewRecorder(pipe, file)
		obey = rec.Command
		defer func() {
			if err == nil {
				err = rec.Close()
			}
			if err == nil {
				err = file.Commit()
			}
			err = errors.Join(err, file.Abort())
		}()
	}
	if err := runCommands(f.commands, setup, obey); err != nil {
		return err
	}
	in, err := os.Open(f.in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	packets, err := interp.OpenPcap([]interp.PcapInput{{Name: f.in, Port: f.port, R: in}})
	if err != nil {
		return err
	}
	var stats interp.PcapStats
	err = f.capture(packets.NewFile, func(w interp.PcapWriter) (err error) {
		if rec != nil {
			w = rec.To(w)
		}
		stats, err = pipe.RunPcap(ctx, packets, w)
		return err
	})
	if err != nil {
		return err
	}
	var replies io.Writer = p.stdout
	if o.json {
		replies = p.stderr
	}
	if err := runCommands(f.after, replies, pipe.Command); err != nil {
		return err
	}
	if err := p.dump(f.dump, pipe.Dump); err != nil {
		return err
	}
	return p.ran(f.in, &stats, o)
}

// capture opens the file of --out, or discards the output without one, and calls run with a writer. Errors
// of run take precedence over errors of the file.
func (f *p4RunFlags) capture(file func(io.Writer) (interp.PcapWriter, error), run func(interp.PcapWriter) error) error {
	var broken error
	write := func(to io.Writer) error {
		w, err := file(to)
		if err != nil {
			return failed(err)
		}
		broken = run(w)
		return broken
	}
	if f.out == "" {
		return write(io.Discard)
	}
	return cmp.Or(broken, outfile.Write(f.out, write))
}

// runCommands executes a file of commands; "" is none.
func runCommands(name string, replies io.Writer, obey func(string) (string, error)) error {
	if name == "" {
		return nil
	}
	file, err := input.Open(name, input.Document)
	if err != nil {
		return err
	}
	return errors.Join(interp.EachCommand(name, file, replies, obey), file.Close())
}

// dump writes the state of switches to a file, to standard output for "-", and nowhere for "".
func (p *program) dump(name string, write func(io.Writer) error) error {
	switch name {
	case "":
		return nil
	case "-":
		return write(p.stdout)
	}
	return outfile.Write(name, write)
}

// ran prints the statistics of the packets of a file.
func (p *program) ran(name string, stats *interp.PcapStats, o *options) (err error) {
	for _, e := range stats.Errors {
		fmt.Fprintln(p.stderr, "pintlab:", e)
	}
	err = p.show(o, stats, func() {
		p.printf("%s in, %d out", p4source.Count(stats.In, "packet"), stats.Out)
		if stats.Cut > 0 {
			p.printf(", %d cut short in the file", stats.Cut)
		}
		p.printf("\n")
		if n := stats.ZeroDivisions; n > 0 {
			p.printf("%s by zero: P4_16 leaves the result open; here quotients are all ones, and remainders the dividend\n", p4source.Count(n, "division"))
		}
	})
	if err == nil && stats.Failed > 0 {
		err = failed(fmt.Errorf("%s: %s could not be processed", name, p4source.Count(stats.Failed, "packet")))
	}
	return err
}

func isNetwork(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// leaving writes packets that leave a network to a file, or counts them without one.
type leaving struct {
	to   interp.PcapWriter
	lost int
}

func (l *leaving) WritePacket(_ string, port int, at time.Time, data []byte) error {
	if l.to == nil {
		l.lost++
		return nil
	}
	return l.to.WritePacket(port, at, data)
}

func (p *program) p4Network(ctx context.Context, name string, f *p4RunFlags, o *options) error {
	d, err := p4net.Load(name)
	if err != nil {
		return err
	}
	if f.out == "" && f.dump == "" && len(d.Outputs) == 0 && !slices.ContainsFunc(d.Switches, func(s p4net.Switch) bool { return len(s.After) > 0 }) {
		return fmt.Errorf("%s: no outputs, and no commands after: without these, --out or --dump nothing comes of the packets", name)
	}
	reads, writes := []named{{"p4 run", name}}, []named{}
	for _, in := range d.Inputs {
		reads = append(reads, named{"an input of " + name, in.File})
	}
	for _, s := range d.Switches {
		for _, file := range append(slices.Clone(s.Commands), s.After...) {
			reads = append(reads, named{"switch " + s.Name, file})
		}
	}
	for _, out := range d.Outputs {
		writes = append(writes, named{"an output of " + name, out.File})
	}
	load := func(program string, defines []string) (*interp.Program, error) {
		prog, err := validate.Load(program, interp.Options{Defines: defines})
		if err == nil {
			reads = append(reads, sources(prog)...)
		}
		return prog, err
	}
	var replies io.Writer = p.stdout
	if o.json {
		replies = p.stderr
	}
	n, err := p4net.New(d, load, p4net.Options{Seed: o.seed, Log: replies, Quiet: o.quiet})
	if err != nil {
		return err
	}
	if err := f.overwrites(reads, writes); err != nil {
		return err
	}
	var stats p4net.Stats
	out := leaving{}
	err = f.capture(interp.NewNanosecondFile, func(w interp.PcapWriter) (err error) {
		if f.out != "" {
			out.to = w
		}
		stats, err = n.Run(ctx, &out)
		return err
	})
	if err != nil {
		return err
	}
	if err := p.dump(f.dump, n.Dump); err != nil {
		return err
	}
	if out.lost > 0 {
		fmt.Fprintf(p.stderr, "pintlab: %s: %s left by ports without an output, and are in no file without --out\n", name, p4source.Count(out.lost, "packet"))
	}
	return p.ran(name, &stats.PcapStats, o)
}

func p4Stages(p *program) *cobra.Command {
	var o options
	f := p4RunFlags{layout: targets.Default}
	return with(with(&cobra.Command{
		Use:   "stages [PROGRAM|FILE.p4]...",
		Short: "Lay a P4 program out in the match-action stages of a switch",
		Long: `Lay P4 programs out in the match-action stages of a switch: first by the dependencies of
their tables, registers and operations alone, then with as much room as a stage of the
target has (package p4/analysis has the model), and say why a program does not fit. For
programs that are named, a chain of dependencies and what each stage uses is printed too.
Beside it stands the number that the PINT paper counts, in another model of a switch.

A target is a built-in one (` + strings.Join(targets.Names(), ", ") + `) or a YAML file; p4/targets has those, with
the sources of their limits.`,
		Example: `  pintlab p4 stages
  pintlab p4 stages hpcc_util-stored
  pintlab p4 stages my.p4 --target my-switch.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			t, programs, err := f.forTarget(f.layout, args)
			if err != nil {
				return err
			}
			list := []validate.Layout{}
			for _, q := range programs {
				list = append(list, q.Layout(t))
			}
			return p.show(&o, list, func() {
				for _, e := range list {
					p.printLayout(&e, t, len(args) > 0)
				}
			})
		},
	}, &f, "define", "include", "target"), &o, flagJSON)
}

// printLayout prints a line for a program and, if full is set, its chains and the resources of its stages.
func (p *program) printLayout(e *validate.Layout, t *targets.Target, full bool) {
	paper := ""
	if e.Paper > 0 {
		paper = fmt.Sprintf("   the PINT paper counts %d", e.Paper)
	}
	var alone []string
	for _, c := range e.Pipelines {
		if c.Stages > 0 {
			alone = append(alone, fmt.Sprintf("%s %d", c.Name, c.Stages))
		}
	}
	where := fmt.Sprintf("%3d stages of %s", e.Placed, e.Target)
	if t.Software != "" {
		where = e.Target + " has no stages"
	}
	p.printf("%-25s %s, %s (by dependencies: %s)%s\n", e.Program, where, verdict(e.Fits), strings.Join(alone, ", "), paper)
	if full {
		for _, c := range e.Pipelines {
			for _, x := range c.Chain {
				p.printf("    %s %s\n", c.Name, x)
			}
		}
		for i, u := range e.Use {
			var list []string
			for r := analysis.Resource(0); r.String() != ""; r++ {
				switch n, ok := u[r.String()]; {
				case ok && n[1] == 0:
					list = append(list, fmt.Sprintf("%s %d", r, n[0]))
				case ok:
					list = append(list, fmt.Sprintf("%s %d/%d", r, n[0], n[1]))
				}
			}
			p.printf("    stage %2d: %s\n", i+1, strings.Join(list, ", "))
		}
	}
	for _, x := range e.Problems {
		p.printf("    %s\n", x)
	}
}

func p4Lint(p *program) *cobra.Command {
	f := p4RunFlags{layout: targets.Default}
	return with(&cobra.Command{
		Use:   "lint [PROGRAM|FILE.p4]...",
		Short: "Find what a switch cannot compute, or p4c warns of, in a P4 program",
		Long: `Find what a switch cannot compute in P4 programs: multiplication, division, modulo and
shifts by a variable at run time, and registers that a packet accesses otherwise than by
one read and one write of the same cell. Find also what p4c 1.2.4 refuses or warns of: names
that hide others, tables, instances and parameters of actions without use, a size beside
constant entries, and loops and compound assignments; and why a program does not fit the
stages of a target, as p4 stages says. The exit code is 1 if there is any.`,
		RunE: func(_ *cobra.Command, args []string) error {
			t, programs, err := f.forTarget(f.layout, args)
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
				return failed(fmt.Errorf("%s that a switch or p4c refuses", p4source.Count(n, "thing")))
			}
			p.printf("%s, nothing that a switch or p4c refuses\n", p4source.Count(len(programs), "program"))
			return nil
		},
	}, &f, "define", "include", "target")
}

func p4Validate(p *program) *cobra.Command {
	var o struct {
		options `flags:"out seed json quiet"`
		packets int `flag:"packets" default:"1000000" range:">=1 <=1000000000" use:"packets {N} through each program and its twin"`
	}
	o.seed = 1
	return with(&cobra.Command{
		Use:   "validate [PROGRAM]",
		Short: "Hold the P4 programs against their Go twins, and their arithmetic against float64",
		Long: `Run random packets through the P4 programs (or one of them) and through their Go twins,
which must agree bit for bit, and some of them through p4c-bm2-ss and simple_switch where
both are on the PATH, one switch alone and five in a row; then measure the errors of logarithm, power, product,
quotient, code, U (also on what left the ports of a small simulation) and correction
factors, for tables of 2^4 to 2^12 entries. Rows and drawings go to --out. Of a program that is named
only the errors of its own arithmetic are printed.`,
		Args: atMostOne("one program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			programs := validate.Programs()
			if len(args) == 1 {
				q, err := validate.Find(args[0])
				if err != nil {
					return err
				}
				programs = []validate.Program{q}
			}
			return p.p4Validate(cmd.Context(), &o.options, validate.Options{Programs: programs, Packets: o.packets, Samples: 200_000, Seed: o.seed})
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
	if !o.quiet {
		v.Progress = func(s string) { fmt.Fprintln(p.stderr, s) }
	}
	rec, err := p4.Ports(ctx, v.Seed)
	if err != nil {
		return failed(err)
	}
	v.Recording = rec
	r, problems := validate.Run(ctx, v)
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
	for _, e := range r.Equal {
		p.printf("%-24s equals its twin on %d packets", e.Program, e.Packets)
		if e.Exhaustive > 0 {
			p.printf(" and all %d values of a small domain", e.Exhaustive)
		}
		if e.Dropped > 0 {
			p.printf("; both dropped %d", e.Dropped)
		}
		p.printf("\n")
	}
	for _, e := range r.BMv2.Equal {
		p.printf("%-24s equals simple_switch on %d packets, which send %d\n", e.Program, e.In, e.Out)
	}
	if c := r.BMv2.Chain; c != nil {
		p.printf("%-24s through %d switches of simple_switch: %d packets twice, %d paths and %d latency quantiles decoded, U of %d packets within %.1f %% on average\n",
			c.Program, c.Switches, c.Packets, c.Paths, c.Quantiles, c.Loads, 100*c.LoadError)
	}
	if r.BMv2.Skipped != "" {
		p.printf("%-24s skipped, alone and as five switches in a row: %s\n", "simple_switch", r.BMv2.Skipped)
	}
	computed := func(op string) bool {
		return len(v.Programs) > 1 || v.Programs[0].Computes(op)
	}
	head := "\n%-28s %3s %11s %11s %11s %11s %9s\n"
	for _, e := range r.Errors {
		if e.Bits%2 != 0 || !computed(e.Operation) {
			continue
		}
		if head != "" {
			p.printf(head, "error of", "q", "mean", "p99", "largest", "bound", "tables")
			head = ""
		}
		bound := "-"
		if e.Bound > 0 {
			bound = fmt.Sprintf("%.3g", e.Bound)
		}
		p.printf("%-28s %3d %11.3g %11.3g %11.3g %11s %7d B\n", e.Operation, e.Bits, e.Mean, e.P99, e.Max, bound, e.Memory)
	}
	if computed(validate.OpFactors) {
		p.printf("\n%-28s %11s %9s\n", validate.OpFactors, "error", "prefixes")
		for _, f := range r.Factors {
			p.printf("%-28s %9.2f %% %9d\n", fmt.Sprintf("M = %d, p = %g", f.Entries, f.Probability), 100*f.Error, f.Prefixes)
		}
	}
	p.printf("\n%-9s %s\n", "results", dir)
	return failed(problems)
}
