package study

import (
	"fmt"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Size prints a number of bytes with a suitable unit: "32 MB", "96 KiB", "1500 B".
func Size(b unit.Bytes) string { return number.Size(float64(b), 4) }

// Unfinished counts flows without a completion time in several runs, for the line below drawings.
type Unfinished struct{ flows, open, failed int }

// Add counts the flows of a run.
func (u *Unfinished) Add(s store.Summary) {
	u.flows, u.open, u.failed = u.flows+s.Flows, u.open+s.Unfinished-s.Projected, u.failed+s.Failed
}

// Below returns the line below drawings, followed by the numbers of flows that had not finished and that failed.
func (u *Unfinished) Below(line string) string {
	add := func(n int, what string) {
		if n > 0 {
			line = strings.TrimPrefix(
				fmt.Sprintf("%s; %d of %s %s", line, n, number.Count(u.flows, "flow"), what), "; ")
		}
	}
	add(u.open, "had not finished")
	add(u.failed, "failed")
	return line
}

// Keys prints a section of a scenario on one line: its kind, and the keys of the kind with their values.
func Keys(c schema.Choice) string {
	return strings.ReplaceAll(strings.TrimSpace("kind: "+c.Kind+"\n"+string(schema.YAML(c.Params))), "\n", ", ")
}
