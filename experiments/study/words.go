package study

import (
	"fmt"
	"strings"

	"pintlab/internal/schema"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Size prints a number of bytes as people write it: "32 MB", "1500 B".
func Size(b unit.Bytes) string { return plots.FormatValue(float64(b), plots.InBytes, 4) }

// Count prints a number of things: "1 seed", "5 seeds".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Keys prints the keys of a section of a scenario with their values, on one line.
func Keys(section any) string {
	return strings.ReplaceAll(strings.TrimSpace(string(schema.YAML(section))), "\n", ", ")
}
