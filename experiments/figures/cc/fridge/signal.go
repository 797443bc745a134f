package fridge

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/store"
)

// queues returns the 99th percentile of the queues towards hosts, over ports and looks.
func queues(t *comparison.Trial) (float64, error) {
	if err := t.Run.Manifest.Check(t.Run.Dir, store.PortSeries.Parquet()); err != nil {
		return 0, err
	}
	var list []float64
	err := store.PortSeries.ReadDir(t.Run.Dir, func(p *store.PortSample) error {
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

// readSignal sums the table of the fridges up over the switches, by quantity. A signal of the host has
// no such table, and NaN for all quantities.
func readSignal(t *comparison.Trial) (map[string]float64, error) {
	none := map[string]float64{told: math.NaN(), bias: math.NaN(), apart: math.NaN(), silent: math.NaN()}
	name := "telemetry-rtt-switches.csv"
	if t.Run.Scenario.Telemetry.Kind != "rtt" {
		return none, nil
	}
	if err := t.Run.Manifest.Check(t.Run.Dir, name); err != nil {
		return nil, err
	}
	path := filepath.Join(t.Run.Dir, name)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var acks, heard, estimated, measured, unheard, distance float64
	for _, line := range lines[1:] {
		cell := func(column string) float64 {
			i := slices.Index(lines[0], column)
			if i < 0 {
				err = fmt.Errorf("%s: no column %s", path, column)
				return 0
			}
			if line[i] == "" {
				return 0 // a mean of nothing, which has no weight below
			}
			x, e := strconv.ParseFloat(line[i], 64)
			if e != nil {
				err = fmt.Errorf("%s: %w", path, e)
			}
			return x
		}
		a, h := cell("acks"), cell("told")
		acks, heard = acks+a, heard+h
		estimated += h * cell("estimate_mean_s")
		measured += h * cell("true_mean_s")
		unheard += (a - h) * cell("untold_true_mean_s")
		distance += h * cell("error_mean")
	}
	if err != nil {
		return nil, err
	}
	return map[string]float64{
		told: heard / acks, bias: estimated / measured, apart: distance / heard,
		silent: unheard / (acks - heard) / (measured / heard), // NaN if all have an estimate
	}, nil
}
