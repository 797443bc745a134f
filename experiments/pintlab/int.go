package pintlab

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/inband"
	"pintlab/internal/outfile"
)

func intCommand(p *program) *cobra.Command {
	return group(groupStudies, "int", "Read INT and telemetry reports of captures", intDecode(p))
}

type decodeOptions struct {
	options `flags:"json"`
	q       inband.Question `flags:"all"`
	parquet string          `flag:"parquet" writes:"yes" use:"write all records to {file}"`
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
	var a *inband.Answer
	read := func(w io.Writer) (err error) {
		a, err = inband.Read(in, name, o.q, w)
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
	return p.showAnswer(&o.options, a)
}
