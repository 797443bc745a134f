package cc

import (
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
)

// queues returns the 99th percentile of the queues towards hosts, over all ports and samples.
func queues(t *study.Trial) (float64, error) {
	var list []float64
	err := store.PortSeries.ReadDir(t.Run.Dir, t.Run.Manifest, func(p *store.PortSample) error {
		if p.Peer < 320 {
			list = append(list, float64(p.Queue))
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		return math.NaN(), err
	}
	slices.Sort(list)
	return list[(len(list)*99-1)/100], nil
}

// readSignal reads the table of the fridges and returns sums over the switches, by quantity. If the host measures the
// round-trip times of a run, there is no such table, and the quantities are NaN.
func readSignal(t *study.Trial) (map[string]float64, error) {
	none := map[string]float64{told: math.NaN(), bias: math.NaN(), apart: math.NaN(), silent: math.NaN()}
	name := "telemetry-rtt-switches.csv"
	if t.Run.Scenario.Telemetry.Kind != "rtt" {
		return none, nil
	}
	var acks, heard, estimated, measured, unheard, distance float64
	err := t.Run.Lines(name, func(l *columns.Line) {
		mean := func(column string) float64 {
			if l.Text(column) == "" {
				return 0 // the mean of no values, which has weight 0 in the sum
			}
			return l.Number(column)
		}
		a, h := l.Number("acks"), l.Number("with_estimate")
		acks, heard = acks+a, heard+h
		estimated += h * mean("estimate_mean_s")
		measured += h * mean("true_mean_s")
		unheard += (a - h) * mean("without_estimate_true_mean_s")
		distance += h * mean("error_mean")
	})
	if err != nil {
		return nil, err
	}
	return map[string]float64{
		told: heard / acks, bias: estimated / measured, apart: distance / heard,
		silent: unheard / (acks - heard) / (measured / heard), // NaN if all ACKs have an estimate
	}, nil
}
