package answers

import (
	"bytes"
	"encoding/csv"
	"fmt"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian"
	"pintlab/int/mirror"
	"pintlab/int/rtt"
	"pintlab/int/sketchint"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/pint/deploy"
)

// find is the system of a run: its first monitor, or else the telemetry.
func find(j *Judge) (system, error) {
	sc := &j.sim.Scenario
	if len(sc.Monitors) == 0 {
		if sc.Telemetry.Kind == "none" || sc.Telemetry.Overhead() == 0 {
			return none{}, nil
		}
		return newEchoed(), nil
	}
	switch p := sc.Monitors[0].Params.(type) {
	case *mirror.Params:
		return newCollected(j, j.sim.Monitor(0).(*mirror.Monitor), p), nil
	case *sketchint.Params:
		return newSketched(j, j.sim.Monitor(0).(*sketchint.Monitor), p), nil
	case *lightguardian.Params:
		return newReconstructed(j, j.sim.Monitor(0).(*lightguardian.Monitor), p), nil
	case *deploy.Monitor:
		return newDigested(j, j.sim.Monitor(0).(*deploy.Watching))
	case *rtt.Params:
		return fridges{j.sim.Monitor(0).(*rtt.Monitor)}, nil
	}
	return nil, fmt.Errorf("monitors.0.kind = %s: nothing is known of what it can answer", sc.Monitors[0].Kind)
}

// Observer watches a run of a campaign: it has one worker, and one system.
func Observer(q Question) campaign.Observer {
	var j *Judge
	return campaign.Observer{
		Name: Kind,
		Tap: func(s *sim.Simulation) (netsim.Tap, error) {
			if s.Scenario.Run.Workers > 1 {
				return nil, fmt.Errorf("run.workers = %d: answers are judged with 1", s.Scenario.Run.Workers)
			}
			j = newJudge(s, q, find)
			return j, nil
		},
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

// Kind is what the tables are filed under, and the names of both.
const (
	Kind        = "judge"
	costTable   = "costs"
	answerTable = "answers"
)

// tables are what a run directory keeps: what columns makes of both structs.
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
