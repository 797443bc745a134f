package figures

import (
	_ "embed" // for needs.csv
	"strings"
	"sync"

	"pintlab/experiments/internal/figures/figure"
	cols "pintlab/experiments/results/columns"
)

// need contains the resources that a figure used at a scale. The figure was made alone, in a new directory, with one
// worker.
type need struct {
	Figure  string       `col:"figure"`
	Scale   figure.Scale `col:"scale"`
	Seconds float64      `col:"cpu_seconds"`
	Memory  int64        `col:"peak_memory_bytes"`
}

//go:embed needs.csv
var needsText string

// needs returns the lines of needs.csv.
var needs = sync.OnceValues(func() ([]need, error) { return cols.Read[need](strings.NewReader(needsText), needsFile) })

const needsFile = "needs.csv"

// Need returns the resources that a figure used at a scale with one worker and the default seeds: the memory in
// bytes, and the time of a processor core in seconds. Both are 0 if they were not measured.
func Need(f *figure.Figure, scale figure.Scale) (memory int64, seconds float64, err error) {
	list, err := needs()
	if err != nil {
		return 0, 0, err
	}
	if n := figure.Find(list, func(n *need) bool { return n.Figure == f.Name && n.Scale == scale }); n != nil {
		return n.Memory, n.Seconds, nil
	}
	return 0, 0, nil
}
