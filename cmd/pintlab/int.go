package main

import (
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/intread"
	"pintlab/internal/outfile"
)

func intCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "int",
		Short:   "Read INT and telemetry reports of captures",
		GroupID: groupInspect,
	}
	cmd.AddCommand(intDecode(p))
	return cmd
}

type decodeOptions struct {
	options `flags:"json"`
	q       intread.Question `flags:"all"`
	parquet string           `flag:"parquet" writes:"yes" use:"write all records to {file}"`
}

func intDecode(p *program) *cobra.Command {
	var o decodeOptions
	return with(&cobra.Command{
		Use:   "decode CAPTURE",
		Short: "Print the INT and the telemetry reports of a capture",
		Args:  exactly("a capture"),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.intDecode(args[0], &o) },
	}, &o)
}

func (p *program) intDecode(name string, o *decodeOptions) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // opened for reading only
	var a *intread.Answer
	read := func(w io.Writer) (err error) {
		a, err = intread.Read(in, name, o.q, w)
		return err
	}
	if o.parquet == "" {
		err = read(nil)
	} else {
		err = outfile.Write(o.parquet, read)
	}
	if err != nil {
		return err
	}
	return p.show(&o.options, a, func() {
		p.printf("%s: %d packets", a.File, a.Packets)
		if a.Unsent > 0 {
			p.printf("; left out: %d that their port did not send", a.Unsent)
		}
		p.printf("\n")
		for _, t := range []any{a.Finds, a.Reporters, a.Nodes, a.Paths, a.Signals} {
			if reflect.ValueOf(t).Len() > 0 {
				p.printf("\n")
				p.printRows(t)
			}
		}
		if len(a.Records) > 0 {
			p.printf("\n")
			t, err := a.Table()
			if err == nil {
				err = t.WriteText(p.stdout)
			}
			p.stdout.keep(err)
		}
		if a.Malformed > 0 {
			p.printf("\n%d packets cannot be read:\n%s\n", a.Malformed, strings.Join(a.Mistakes, "\n"))
		}
	})
}
