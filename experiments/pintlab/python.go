package pintlab

import (
	_ "embed"

	"github.com/spf13/cobra"
)

//go:embed pintlab.py
var pythonModule []byte

func pythonCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "python",
		Short:   "Print a Python module that runs pintlab and loads results with pandas",
		GroupID: groupInspect,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.raw().Write(pythonModule)
			return err
		},
	}
}
