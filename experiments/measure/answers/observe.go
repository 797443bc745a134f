package answers

import (
	"bytes"
	"encoding/csv"
	"fmt"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Observer watches a run of a campaign: it has one worker, and one system.
func Observer(q Question) campaign.Observer {
	var j *Judge
	return campaign.Observer{
		Name: Kind,
		Tap: func(s *sim.Simulation) (netsim.Tap, error) {
			if s.Scenario.Run.Workers > 1 {
				return nil, fmt.Errorf("run.workers = %d: answers are judged with 1", s.Scenario.Run.Workers)
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
			return tables(j.costs(r.Ended), a)
		},
	}
}

// Kind and the names of the two tables.
const (
	Kind        = "judge"
	costTable   = "costs"
	answerTable = "answers"
)

// tables returns the tables of both structs for a run directory, as package columns encodes them.
func tables(c Costs, a Answers) ([]telemetry.Table, error) {
	costs, err := table(costTable, c)
	if err != nil {
		return nil, err
	}
	told, err := table(answerTable, a)
	return []telemetry.Table{costs, told}, err
}

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
