package netsim

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// The pool runs every piece of every job once, in any order and with any number of workers. It runs no piece after run
// has returned. Between some jobs, the other workers exit.
func TestPoolDoesEveryPieceOnce(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		const pieces = 7
		var did [pieces]atomic.Int32
		c := newPool(workers, func(_, piece int) { did[piece].Add(1) })
		for job := range 3000 {
			for piece := range pieces {
				c.give((piece*job+job/2)%workers, piece)
			}
			c.run()
			for p := range did {
				if n := did[p].Load(); n != int32(job+1) {
					t.Fatalf("%d workers: piece %d was done %d times in %d jobs", workers, p, n, job+1)
				}
			}
			if job%1000 == 900 {
				for i := range c.workers[1:] {
					for c.workers[1+i].active.Load() {
						runtime.Gosched()
					}
				}
			}
		}
	}
}

// The busiest worker by hand. The first free worker takes its own pieces, and then the last pieces of the next worker
// that has any. The comment after each job lists the pieces that the first worker runs and, behind the bar, the pieces
// that the second worker runs.
func TestBusiestWorker(t *testing.T) {
	m := model{homes: []int32{0, 0, 1, 0}, own: make([][]int, 2), took: make([]int64, 2)}
	for i, job := range []struct {
		order []int
		work  []int64
		want  int64
	}{
		{[]int{0, 1, 2, 3}, []int64{5, 1, 1, 1}, 5}, // 0 | 2, 3, 1
		{[]int{0, 1, 2, 3}, []int64{1, 5, 1, 1}, 6}, // 0, 1 | 2, 3
		{[]int{1, 0, 2, 3}, []int64{1, 5, 1, 1}, 5}, // 1 | 2, 3, 0
		{[]int{3, 2, 1}, []int64{0, 1, 4, 4}, 5},    // 3, 1 | 2
		{[]int{0, 1}, []int64{2, 2, 9, 9}, 2},       // 0 | 1
	} {
		if got := m.run(job.order, job.work); got != job.want {
			t.Errorf("job %d: %d, want %d", i, got, job.want)
		}
	}
}
