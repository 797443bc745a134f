package pintlab

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/compare"
	"pintlab/experiments/scenario"
	"pintlab/p4/replay"
	"pintlab/pint/query"
)

// jsonSchemas lists the kinds of files that have a JSON Schema.
var jsonSchemas = []struct {
	name string
	text func() []byte
}{
	{"scenario", scenario.JSONSchema},
	{"campaign", compare.JSONSchema},
	{"queries", query.JSONSchema},
	{"network", replay.JSONSchema},
}

func schemaCommand(p *program) *cobra.Command {
	var names []string
	for _, s := range jsonSchemas {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:       "schema [" + strings.Join(names, "|") + "]",
		Short:     "Print the JSON Schema of scenarios and other files",
		GroupID:   groupInspect,
		Args:      atMostOne("one kind of file"),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			kind := append(args, "scenario")[0]
			for _, s := range jsonSchemas {
				if s.name == kind {
					_, err := p.stdout.raw().Write(s.text())
					return err
				}
			}
			return fmt.Errorf("%q is no kind of file with a schema (accepted: %s)", kind, strings.Join(names, ", "))
		},
	}
}
