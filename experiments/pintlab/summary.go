package pintlab

import (
	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/schema"
)

// runDocument is the JSON output of run.
type runDocument struct {
	store.Summary
	Brought  []string             `json:"brought,omitempty"` // settings that the control added, `key=value`
	Choices  []schema.Settled     `json:"choices,omitempty"`
	Loads    *store.Loads         `json:"loads,omitempty"`
	Notes    []string             `json:"notes"`              // as in `manifest.json`
	Account  []string             `json:"account,omitempty"`  // as in `manifest.json`
	Jobs     []sim.JobSummary     `json:"jobs,omitempty"`     // of runs with flows that wait for others
	View     *show.WrittenPage    `json:"view,omitempty"`     // with `--view`
	Bounds   *netsim.Bounds       `json:"bounds,omitempty"`   // with `--bounds`
	Assessed *estimate.Assessment `json:"estimate,omitempty"` // of `pintlab estimate` with `--check` or `--explain`
}
