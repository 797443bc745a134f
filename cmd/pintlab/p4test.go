package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/internal/outfile"
	"pintlab/p4/interp"
	p4source "pintlab/p4/interp/source"
	"pintlab/p4/stf"
	"pintlab/p4/validate"
)

func p4Test(p *program) *cobra.Command {
	var f p4RunFlags
	var o options
	o.seed = 1
	return with(with(&cobra.Command{
		Use:   "test PROGRAM|FILE.p4 TEST.stf...",
		Short: "Run packet tests of p4c (STF) on a P4 program",
		Long: `Run packet tests in the format of p4c's test suite, files that end in .stf there, on a
built-in P4 program or one of your own: entries of tables, packets that arrive, packets
that must leave. Each test begins with the state that the program has at first, after the
commands of --commands. Package p4/stf has the format.

--write-commands writes what the test asks of the control plane as commands of
simple_switch_CLI. p4 run --stf makes a test of a capture file and such commands.

The exit code is 0 if all tests pass, 1 if one fails, 2 if a program, a test or a command
is not right.`,
		Example: `  pintlab p4 test my.p4 my.stf
  pintlab p4 test my.p4 my.stf --write-commands setup.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s: want a program and a test or more, got %d arguments", cmd.CommandPath(), len(args))
			}
			if f.write != "" && len(args) > 2 {
				return fmt.Errorf("%s: --write-commands: want one test, got %d", cmd.CommandPath(), len(args)-1)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.p4Test(cmd.Context(), args[0], args[1:], &f, &o)
		},
	}, &f, "commands", "write-commands", "define", "include"), &o, flagSeed, flagJSON)
}

func (p *program) p4Test(ctx context.Context, name string, files []string, f *p4RunFlags, o *options) error {
	prog, err := validate.Load(name, f.options())
	if err != nil {
		return err
	}
	reads := append(sources(prog), named{"--commands", f.commands})
	for _, file := range files {
		reads = append(reads, named{"p4 test", file})
	}
	if err := f.overwrites(reads, nil); err != nil {
		return err
	}
	var results []stf.Result
	var bad []error
	failures := 0
	for _, file := range files {
		r, err := runTest(ctx, prog, file, f, o)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		results = append(results, r)
		if !r.Pass {
			failures++
		}
	}
	err = p.show(o, results, func() {
		for _, r := range results {
			verdict := "ok  "
			if !r.Pass {
				verdict = "FAIL"
			}
			p.printf("%s  %s: %s in, %d out", verdict, r.Test, p4source.Count(r.In, "packet"), r.Out)
			if r.Unnamed > 0 {
				p.printf(", %d of them by ports that the test does not name", r.Unnamed)
			}
			p.printf("\n")
			for _, x := range r.Failures {
				p.printf("  %s\n", strings.ReplaceAll(x, "\n", "\n  "))
			}
		}
	})
	if err := errors.Join(append(bad, err)...); err != nil {
		return err
	}
	if failures > 0 {
		return failed(fmt.Errorf("%d of %s failed", failures, p4source.Count(len(files), "test")))
	}
	return nil
}

// runTest runs a test on a new pipeline, and writes its commands if requested.
func runTest(ctx context.Context, prog *interp.Program, file string, f *p4RunFlags, o *options) (r stf.Result, err error) {
	test, err := stf.Read(file)
	if err != nil {
		return r, err
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: o.seed})
	if err != nil {
		return r, err
	}
	if err := runCommands(f.commands, nil, pipe.Command); err != nil {
		return r, err
	}
	if f.write != "" {
		list, err := test.Commands(pipe)
		if err != nil {
			return r, err
		}
		if err := outfile.Write(f.write, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(append(list, ""), "\n"))
			return err
		}); err != nil {
			return r, err
		}
	}
	return test.Run(ctx, pipe)
}
