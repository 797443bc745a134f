package pintlab

import (
	"github.com/spf13/cobra"

	"pintlab/experiments/internal/show"
)

func pythonCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "python",
		Short:   "Print a Python module that runs pintlab and loads results with pandas",
		GroupID: groupResults,
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.raw().Write(show.Python)
			return err
		},
	}
}
