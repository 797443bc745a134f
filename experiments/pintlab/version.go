package pintlab

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/results/store"
)

func versionCommand(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.json { // computes the digest of the program
				return p.printJSON(store.ThisProgram().WithCheckout(cmd.Context()))
			}
			p.version(cmd.Context())
			return nil
		},
	}, &o, flagJSON)
}

func (p *program) version(ctx context.Context) {
	p.printf("%s\n", versionLine(store.ThisSource().WithCheckout(ctx)))
}

func versionLine(v store.Program) string {
	const unknown, short = "unknown", 12
	var b strings.Builder
	b.WriteString("pintlab")
	if v.Version != unknown {
		b.WriteString(" " + v.Version)
	}
	switch {
	case v.Revision != unknown:
		fmt.Fprintf(&b, ", commit %s of %s", v.Revision[:min(len(v.Revision), short)], v.Time)
		if v.Modified {
			b.WriteString(", modified since")
		}
	case v.Version == unknown:
		b.WriteString(", commit unknown (the build did not record it)")
	}
	fmt.Fprintf(&b, "; %s %s/%s", v.Go, runtime.GOOS, runtime.GOARCH)
	return b.String()
}
