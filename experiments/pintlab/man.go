package pintlab

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"pintlab/experiments/results/store"
	"pintlab/internal/outfile"
)

func manCommand(p *program) *cobra.Command {
	var o struct {
		options `flags:"json"`
		to      string `flag:"to" writes:"yes" default:"man1" use:"{directory} for the pages"`
	}
	return with(&cobra.Command{
		Use:   "man",
		Short: "Write the man pages of all commands",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			built, err := time.Parse(time.RFC3339, store.ThisSource().Time)
			if err != nil {
				built = time.Unix(0, 0) // a fixed date, so that the same build always writes the same pages
			}
			header := doc.GenManHeader{Section: "1", Source: "pintlab", Date: &built}
			root := cmd.Root()
			root.DisableAutoGenTag = true // omit the section about the history of the page
			if err := os.MkdirAll(o.to, 0o777); err != nil {
				return err
			}
			var files []string
			for _, c := range documented(root) {
				file := filepath.Join(o.to, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
				page := header
				if err := outfile.Write(file, func(w io.Writer) error { return doc.GenMan(c, &page, w) }); err != nil {
					return err
				}
				files = append(files, file)
			}
			return p.show(&o.options, map[string][]string{"files": files}, func() {
				p.printf("%d man pages in %s\n", len(files), o.to)
			})
		},
	}, &o)
}

// documented returns a command and the commands below it. It omits commands that cobra adds.
func documented(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "completion" {
			list = append(list, documented(c)...)
		}
	}
	return list
}
