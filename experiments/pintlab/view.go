package pintlab

import (
	"github.com/spf13/cobra"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/show"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

type viewOptions struct {
	options `flags:"json"`
	to      string `flag:"to" writes:"yes" use:"{file} of the page (default: view.html in the directory of the run)"`
}

// flagView is a flag of run.
const flagView = "view"

func viewCommand(p *program) *cobra.Command {
	var o viewOptions
	return with(&cobra.Command{
		Use:     "view DIR",
		Short:   "Show a run as one HTML page: the network over time",
		GroupID: groupResults,
		Args:    exactly("the directory of a run"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.view(&o, args[0]) },
	}, &o)
}

func (p *program) view(o *viewOptions, dir string) error {
	if err := figures.IsRun(dir); err != nil {
		return err
	}
	d, err := show.WritePage(p.language, dir, o.to)
	if err != nil {
		return err
	}
	return p.show(&o.options, d, func() {
		for _, m := range d.Missing {
			p.printf("%-8s %s\n", "missing", m)
		}
		p.printf("%-8s %s and %s in %s of %v, %.2f MB\n", "shows", number.Count(d.Ports, "port"),
			number.Count(d.Flows, "flow"), number.Count(d.Steps, "step"), unit.Time(d.StepPS), float64(d.Bytes)/1e6)
		p.printf("%-8s %s\n", "page", d.File)
	})
}
