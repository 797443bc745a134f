package workloads

import (
	"math"
)

// Generate returns the whole workload as a list.
func (w Workload) Generate(hosts []Host) ([]Flow, error) {
	s, plans, err := w.open(hosts)
	if err != nil {
		return nil, err
	}
	p := Total(plans)
	// Allocate for the expected number of flows plus five standard errors, up to a limit.
	room := min(p.Flows+float64(5*math.Sqrt(p.Flows)), 1<<24)
	return collect(s, make([]Flow, 0, int(room)))
}
