package answers

import (
	"fmt"
	"path/filepath"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/internal/input"
)

// Read returns the costs and answers that a Judge wrote into the directory of a run.
func Read(r *campaign.Run) (c Costs, a Answers, err error) {
	if c, err = read[Costs](r, costTable); err != nil {
		return c, a, err
	}
	a, err = read[Answers](r, answerTable)
	return c, a, err
}

// read reads a table of one row.
func read[T any](r *campaign.Run, name string) (row T, err error) {
	path := filepath.Join(r.Dir, fmt.Sprintf("monitor-%d-%s-%s.csv", len(r.Scenario.Monitors), Kind, name))
	f, err := input.Open(path, input.Settings)
	if err != nil {
		return row, err
	}
	defer f.Close()
	rows, err := columns.Read[T](f, path)
	if err != nil {
		return row, err
	}
	if len(rows) != 1 {
		return row, fmt.Errorf("%s: %d rows, want 1", path, len(rows))
	}
	return rows[0], nil
}
