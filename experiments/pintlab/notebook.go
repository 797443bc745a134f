package pintlab

import (
	"github.com/spf13/cobra"

	"pintlab/experiments/internal/show"
	"pintlab/internal/input"
)

func notebookCommand(p *program) *cobra.Command {
	var o struct {
		options `flags:"json"`
		to      string `flag:"to" writes:"yes" use:"{file} of the notebook (default: notebook.ipynb in DIR)"`
	}
	return with(&cobra.Command{
		Use:     "notebook DIR",
		Short:   "Write a Jupyter notebook that loads stored results with pandas",
		GroupID: groupResults,
		Args:    exactly("the directory of a run, a sweep or a comparison"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := input.IsDir(args[0], "results"); err != nil {
				return err
			}
			file, err := show.WriteNotebook(args[0], o.to)
			if err != nil {
				return err
			}
			return p.show(&o.options, map[string]string{"file": file}, func() { p.printf("%s\n", file) })
		},
	}, &o)
}
