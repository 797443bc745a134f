package pintlab

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/compare"
	"pintlab/p4/replay"
	"pintlab/pint/query"
)

// jsonSchema is a kind of files that has a JSON Schema.
type jsonSchema struct {
	name string
	text func() []byte
}

// jsonSchemas returns the kinds of files that have a JSON Schema.
func (p *program) jsonSchemas() []jsonSchema {
	return []jsonSchema{
		{"scenario", p.language.JSONSchema},
		{"campaign", compare.JSONSchema},
		{"queries", query.JSONSchema},
		{"network", replay.JSONSchema},
	}
}

func schemaCommand(p *program) *cobra.Command {
	all := p.jsonSchemas()
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:       "schema [" + strings.Join(names, "|") + "]",
		Short:     "Print the JSON Schema of scenarios and other files",
		GroupID:   groupInputs,
		Args:      atMostOne("one kind of file"),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			kind := append(args, "scenario")[0]
			for _, s := range all {
				if s.name == kind {
					_, err := p.stdout.raw().Write(s.text())
					return err
				}
			}
			return fmt.Errorf("%q: want a kind of file that has a schema (accepted: %s)", kind,
				strings.Join(names, ", "))
		},
	}
}
