package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/results/store"
)

func versionCommand(p *program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := store.ThisProgram()
			if o.json {
				return p.printJSON(v)
			}
			p.printf("%s\n", versionLine(v))
			return nil
		},
	}
	o.attach(cmd, flagJSON)
	return cmd
}

// versionLine is the version in one line.
func versionLine(v store.Program) string {
	modified := ""
	if v.Modified {
		modified = ", modified"
	}
	return fmt.Sprintf("pintlab %s (revision %s%s) %s %s/%s", v.Version, v.Revision, modified, v.Go, runtime.GOOS, runtime.GOARCH)
}
