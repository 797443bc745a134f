package pintlab

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/figures/figure"
)

type reportOptions struct {
	options `flags:"json"`
	to      string `flag:"to" writes:"yes" use:"{file} to write (default: report.html in the first directory)"`
}

func reportCommand(p *program) *cobra.Command {
	var o reportOptions
	return with(&cobra.Command{
		Use:     "report DIR...",
		Short:   "Write the report of stored results: one self-contained HTML page",
		GroupID: groupResults,
		Args:    atLeastOne("a directory of results"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.report(&o, args) },
	}, &o)
}

func (p *program) report(o *reportOptions, args []string) error {
	to := cmp.Or(o.to, filepath.Join(args[0], figure.ReportFile))
	page, err := figures.Page(p.language, args, filepath.Dir(to))
	if err != nil {
		return err
	}
	if err := page.Save(to); err != nil {
		return err
	}
	return p.show(&o.options, map[string]string{"file": to}, func() { p.printf("%s\n", to) })
}
