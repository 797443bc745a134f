package pint

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/internal/progress"
)

// Trials configures independent runs of each point of a study. A run depends only on Seed and on the number of the run.
type Trials struct {
	Seed  uint64
	Runs  int `flag:"runs" range:">=1 <=1000000000" use:"paths {N} for each method and length"`
	Limit int // a run gives up after this many packets; 0 is a million
}

func (t Trials) limit() int { return cmp.Or(t.Limit, 1_000_000) }

// batch is the number of runs that are made one after the other. It is at least 25, and at least a hundredth of all
// runs.
func (t Trials) batch() int { return max(25, (t.Runs+99)/100) }

// study returns a study of points. The numbers of the batches are its seeds.
func (t Trials) study(points []study.Cell) *study.Study {
	s := &study.Study{Cells: points, Each: "batch"}
	for n := range (t.Runs + t.batch() - 1) / t.batch() {
		s.Seeds = append(s.Seeds, uint64(n))
	}
	return s
}

// batched returns a cell that runs batches. Each batch has a result of type T. The function begin returns a function
// that makes a run and adds the run to the result of the batch.
func batched[T any](t Trials, label string, begin func(*T) (run func(int) error, err error)) study.Cell {
	return study.Cell{Scheme: label, Label: label, X: math.NaN(),
		Work: func(ctx context.Context, batch uint64, show *progress.Task) (any, error) {
			made := new(T)
			run, err := begin(made)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", label, err)
			}
			first, end := int(batch)*t.batch(), min((int(batch)+1)*t.batch(), t.Runs)
			for r := first; r < end; r++ {
				show.Update(float64(r-first)/float64(end-first), "")
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if err := run(r); err != nil {
					return nil, fmt.Errorf("%s: run %d: %w", label, r, err)
				}
			}
			return made, nil
		}}
}

// packetID returns the identifier of packet n (from 1) of a run. It is unique in the study.
func packetID(run, n int) uint64 { return uint64(run)<<32 | uint64(n) }
