package telemetry

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// observer returns an observer of the runs of a campaign. Each run has one worker and one system.
func observer(q question) campaign.Observer {
	var j *judge
	return campaign.Observer{
		Name: judgeKind,
		Tap: func(s *sim.Simulation) (netsim.Tap, error) {
			if s.Scenario.Run.Workers > 1 {
				return nil, fmt.Errorf("run.workers = %d: want 1, because answers are judged in runs with one "+
					"worker only", s.Scenario.Run.Workers)
			}
			j = newJudge(s, q)
			return j, nil
		},
		Ready:   func(*sim.Simulation) error { return j.begin() },
		Receive: func(*sim.Simulation) netsim.Sink { return j },
		Tables: func(r *sim.Result) ([]telemetry.Table, error) {
			a, err := j.answers()
			if err != nil {
				return nil, err
			}
			costs, err := table(costTable, j.costs(r.Ended))
			if err != nil {
				return nil, err
			}
			told, err := table(answerTable, a)
			return []telemetry.Table{costs, told}, err
		},
	}
}

// judgeKind is the name of the judge among the monitors of a run. The other names are those of its two tables.
const (
	judgeKind   = "judge"
	costTable   = "costs"
	answerTable = "answers"
)

// table converts a row to a table for a run directory, with the encoding of package columns.
func table[T any](name string, row T) (telemetry.Table, error) {
	t := telemetry.Table{Name: name}
	encoded, err := columns.Encode([]T{row})
	if err != nil {
		return t, err
	}
	var text bytes.Buffer
	if err := encoded.WriteCSV(&text); err != nil {
		return t, err
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return t, err
	}
	t.Head, t.Rows = records[0], records[1:]
	return t, nil
}

// readJudged returns the costs and answers that a judge wrote into the directory of a run.
func readJudged(r *campaign.Run) (c linkCosts, a answers, err error) {
	if c, err = read[linkCosts](r, costTable); err != nil {
		return c, a, err
	}
	a, err = read[answers](r, answerTable)
	return c, a, err
}

// read reads a table of the judge, which has one row.
func read[T any](r *campaign.Run, name string) (row T, err error) {
	path := filepath.Join(r.Dir, fmt.Sprintf("monitor-%d-%s-%s.csv", len(r.Scenario.Monitors), judgeKind, name))
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
