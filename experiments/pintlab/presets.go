package pintlab

import (
	"fmt"

	"github.com/spf13/cobra"

	"pintlab/experiments/scenario"
)

// presetInfo is an entry of the JSON output of presets.
type presetInfo struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

func presetsCommand(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:       "presets [NAME]",
		Short:     "List the built-in scenarios, or print one",
		GroupID:   groupInputs,
		Args:      atMostOne("one name"),
		ValidArgs: scenario.Presets(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := without(cmd, "with a name; try run --print-config", flagJSON); err != nil {
					return err
				}
				text, err := scenario.PresetYAML(args[0])
				if err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
				_, err = p.stdout.raw().Write(text)
				return err
			}
			var list []presetInfo
			for _, name := range scenario.Presets() {
				title, err := scenario.PresetTitle(name)
				if err != nil {
					return err
				}
				list = append(list, presetInfo{name, title})
			}
			return p.show(&o, list, func() {
				for _, e := range list {
					p.printf("%-23s %s\n", e.Name, e.Title)
				}
			})
		},
	}, &o, flagJSON)
}
