package pintlab

import (
	"context"

	"pintlab/experiments/sim"
)

// reportFlags are the flags for the export of telemetry reports.
type reportFlags struct {
	To   string `flag:"report-to"`
	Rate int    `flag:"report-rate" default:"10000" range:">=1 <=10000000"`
}

// collector connects to the collector that the flags name. It returns nil if they name none.
func (f *reportFlags) collector(ctx context.Context) (*sim.Collector, error) {
	if f.To == "" {
		return nil, nil
	}
	return sim.Dial(ctx, f.To, f.Rate)
}
