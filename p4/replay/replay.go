package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/p4/interp"

	"pintlab/p4/stf"
	"pintlab/p4/validate"
)

// Files names the files of a run; "" means no file.
type Files struct {
	In       string   `flag:"in" use:"capture {file} to read"`
	Out      string   `flag:"out" writes:"yes" use:"capture {file} to write"`
	Commands string   `flag:"commands" use:"{file} of control-plane commands, obeyed first"`
	After    string   `flag:"commands-after" use:"{file} of control-plane commands, obeyed after the packets"`
	STF      string   `flag:"stf" writes:"yes" use:"{file} to write the run to as a packet test of p4c"`
	Dump     string   `flag:"dump" writes:"yes"`
	Write    string   `flag:"write-commands" writes:"yes"`
	Trace    []string `flag:"trace" use:"print these {fields} and registers, such as hdr.ipv4.ttl,I.r[0], per packet"`
	Port     int      `flag:"port" range:">=0 <=510" use:"port {N} on which the packets arrive (default 0)"`
	Defines  []string `flag:"define,D" each:"yes" use:"define a macro, {NAME} or NAME=value; may be repeated"`
	Dirs     []string `flag:"include,I" each:"yes"`
}

// Console contains the streams and settings of a run. Out receives a dump to "-", traces, and the replies to the
// commands that run after the packets. Log receives warnings. Unless Quiet is set, Log also receives the replies to the
// commands that run before the packets.
type Console struct {
	Out, Log io.Writer
	Quiet    bool
	Seed     uint64
}

// Options returns how the program is compiled.
func (f *Files) Options() interp.Options {
	return interp.Options{Defines: f.Defines, IncludeDirs: f.Dirs}
}

// writes returns the files that the options name for results. The caller has to compare them with the files that the
// options name for input.
func (f *Files) writes() []outfile.Named {
	list := []outfile.Named{{By: "--out", File: f.Out}, {By: "--stf", File: f.STF},
		{By: "--write-commands", File: f.Write}}
	if f.Dump != "-" {
		list = append(list, outfile.Named{By: "--dump", File: f.Dump})
	}
	return list
}

// sources returns the source files of a program.
func sources(prog *interp.Program) []outfile.Named {
	var list []outfile.Named
	for i, file := range prog.Files {
		by := "the program"
		if i > 0 {
			by = "an #include of the program"
		}
		list = append(list, outfile.Named{By: by, File: file})
	}
	return list
}

// Prepare makes a pipeline of a program, on which the commands of --commands have run.
func (f *Files) Prepare(name string, c Console) (*interp.Pipeline, error) {
	prog, err := validate.Load(name, f.Options())
	if err != nil {
		return nil, err
	}
	for _, w := range prog.Warnings {
		fmt.Fprintln(c.Log, "pintlab:", w)
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	return pipe, flagged("commands", runCommands(f.Commands, nil, pipe.Command))
}

// Run sends the packets of a capture file through a program. The program is a built-in program or a file.
func (f *Files) Run(ctx context.Context, name string, c Console) (stats interp.PcapStats, err error) {
	prog, err := validate.Load(name, f.Options())
	if err != nil {
		return stats, err
	}
	if err := outfile.Distinct(sources(prog), f.writes()); err != nil {
		return stats, err
	}
	for _, w := range prog.Warnings {
		fmt.Fprintln(c.Log, "pintlab:", w)
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: c.Seed})
	if err != nil {
		return stats, err
	}
	if err := pipe.Trace(c.Out, f.Trace); err != nil {
		return stats, fmt.Errorf("--trace %w", err)
	}
	setup := c.Log
	if c.Quiet {
		setup = nil
	}
	obey := pipe.Command
	var rec *stf.Recorder
	if f.STF != "" {
		file, failure := outfile.Create(f.STF)
		if failure != nil {
			return stats, failure
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
	if err := flagged("commands", runCommands(f.Commands, setup, obey)); err != nil {
		return stats, err
	}
	in, err := os.Open(f.In)
	if err != nil {
		return stats, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	packets, err := interp.OpenPcap([]interp.PcapInput{{Name: f.In, Port: f.Port, R: in}})
	if err != nil {
		return stats, err
	}
	err = f.capture(packets.NewFile, func(w interp.PcapWriter) (err error) {
		if rec != nil {
			w = rec.To(w)
		}
		stats, err = pipe.RunPcap(ctx, packets, w)
		return err
	})
	if err != nil {
		return stats, err
	}
	if err := flagged("commands-after", runCommands(f.After, c.Out, pipe.Command)); err != nil {
		return stats, err
	}
	return stats, f.dump(c.Out, pipe.Dump)
}

// capture opens the file of --out and calls run with a writer to it. Without --out it discards the output. Errors of
// run take precedence over errors of the file.
func (f *Files) capture(file func(io.Writer) (interp.PcapWriter, error), run func(interp.PcapWriter) error) error {
	var broken error
	write := func(to io.Writer) error {
		w, err := file(to)
		if err != nil {
			return err
		}
		broken = run(w)
		return broken
	}
	if f.Out == "" {
		return write(io.Discard)
	}
	return cmp.Or(broken, outfile.Write(f.Out, write))
}

// runCommands executes a file of commands; "" means no file.
func runCommands(name string, replies io.Writer, obey func(string) (string, error)) error {
	if name == "" {
		return nil
	}
	file, err := input.Open(name, input.Document)
	if err != nil {
		return err
	}
	return errors.Join(interp.RunCommands(name, file, replies, obey), file.Close())
}

// flagged adds the flag that named a file to the error that the file cannot be opened.
func flagged(flag string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return err
}

// dump writes the state of switches to the file of --dump, or to the terminal for "-".
func (f *Files) dump(terminal io.Writer, write func(io.Writer) error) error {
	switch f.Dump {
	case "":
		return nil
	case "-":
		return write(terminal)
	}
	return outfile.Write(f.Dump, write)
}

// leaving writes packets that leave a network to a file. Without a file it counts them.
type leaving struct {
	to   interp.PcapWriter
	lost int
}

func (l *leaving) WritePacket(port int, at time.Time, data []byte, length int) error {
	if l.to == nil {
		l.lost++
		return nil
	}
	return l.to.WritePacket(port, at, data, length)
}

// RunNetwork sends the packets of capture files through the network that a file describes.
func (f *Files) RunNetwork(ctx context.Context, name string, c Console) (*interp.PcapStats, error) {
	d, err := loadDescription(name)
	if err != nil {
		return nil, err
	}
	if f.Out == "" && f.Dump == "" && len(d.Outputs) == 0 &&
		!slices.ContainsFunc(d.Switches, func(s member) bool { return len(s.After) > 0 }) {
		return nil, fmt.Errorf("%s: nothing would be written: add outputs, commands under the key after, --out or "+
			"--dump", name)
	}
	reads, writes := []outfile.Named{{By: "p4 run", File: name}}, []outfile.Named{}
	for _, in := range d.Inputs {
		reads = append(reads, outfile.Named{By: "an input of " + name, File: in.File})
	}
	for _, s := range d.Switches {
		for _, file := range append(slices.Clone(s.Commands), s.After...) {
			reads = append(reads, outfile.Named{By: "switch " + s.Name, File: file})
		}
	}
	for _, out := range d.Outputs {
		writes = append(writes, outfile.Named{By: "an output of " + name, File: out.File})
	}
	load := func(program string, defines []string) (*interp.Program, error) {
		prog, err := validate.Load(program, interp.Options{Defines: defines})
		if err == nil {
			reads = append(reads, sources(prog)...)
		}
		return prog, err
	}
	n, err := newNetwork(d, load, c)
	if err != nil {
		return nil, err
	}
	if err := outfile.Distinct(reads, append(writes, f.writes()...)); err != nil {
		return nil, err
	}
	var stats networkStats
	out := leaving{}
	err = f.capture(interp.NewNanosecondFile, func(w interp.PcapWriter) (err error) {
		if f.Out != "" {
			out.to = w
		}
		stats, err = n.run(ctx, &out)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := f.dump(c.Out, n.dump); err != nil {
		return nil, err
	}
	if out.lost > 0 {
		fmt.Fprintf(c.Log, "pintlab: %s: %s left by ports without an output, and without --out no file contains "+
			"these\n",
			name, number.Count(out.lost, "packet"))
	}
	return &stats.PcapStats, nil
}

// Test runs packet tests on a program, each on a new pipeline. The error joins the errors of tests that could not
// run. results contains the results of the other tests.
func (f *Files) Test(ctx context.Context, name string, tests []string, seed uint64) (results []stf.Result, err error) {
	prog, err := validate.Load(name, f.Options())
	if err != nil {
		return nil, err
	}
	if err := outfile.Distinct(sources(prog), f.writes()); err != nil {
		return nil, err
	}
	var bad []error
	for _, file := range tests {
		r, err := f.test(ctx, prog, file, seed)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		results = append(results, r)
	}
	return results, errors.Join(bad...)
}

// Repeat runs the test that Run has written, and warns if the test fails. It can fail because a test does not
// contain the times of packets.
func (f *Files) Repeat(ctx context.Context, name string, c Console) error {
	alone := Files{Defines: f.Defines, Dirs: f.Dirs}
	results, err := alone.Test(ctx, name, []string{f.STF}, c.Seed)
	if err != nil {
		return err
	}
	if r := results[0]; !r.Pass {
		fmt.Fprintf(c.Log, "pintlab: warning: %s fails in p4 test (%s): the output depends on the times of the "+
			"packets, and a test has no times\n", f.STF, number.Count(len(r.Failures), "difference"))
	}
	return nil
}

// test runs one test, and writes its commands if requested.
func (f *Files) test(ctx context.Context, prog *interp.Program, file string, seed uint64) (r stf.Result, err error) {
	test, err := stf.Read(file)
	if err != nil {
		return r, err
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: seed})
	if err != nil {
		return r, err
	}
	if err := flagged("commands", runCommands(f.Commands, nil, pipe.Command)); err != nil {
		return r, err
	}
	if f.Write != "" {
		list, err := test.Commands(pipe)
		if err != nil {
			return r, err
		}
		if err := outfile.Write(f.Write, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(append(list, ""), "\n"))
			return err
		}); err != nil {
			return r, err
		}
	}
	return test.Run(ctx, pipe)
}
