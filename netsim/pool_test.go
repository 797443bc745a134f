package netsim

import (
	"sync/atomic"
	"testing"
)

// Every piece of every job is done once, whatever the order and the number of workers, and
// none after run has returned. Some jobs have one worker, so that the others exit meanwhile.
func TestPoolDoesEveryPieceOnce(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		const pieces = 7
		var did [pieces]atomic.Int32
		c := newPool(workers, pieces, func(_, piece int) { did[piece].Add(1) })
		order := []int{3, 1, 4, 0, 5, 2, 6}
		for job := range int32(3000) {
			with := workers
			if job%1000 > 900 {
				with = 1
			}
			c.run(with, order)
			for p := range did {
				if n := did[p].Load(); n != job+1 {
					t.Fatalf("%d workers: piece %d was done %d times in %d jobs", workers, p, n, job+1)
				}
			}
			order = append(order[1:], order[0])
		}
		c.close()
	}
}

// The busiest worker by hand: who is free first takes its pieces of the job before, and then those of others from the end.
func TestBusiestWorker(t *testing.T) {
	m := model{last: make([]int32, 4), own: make([][]int, 2), next: make([]int, 2), took: make([]int64, 2), done: make([]bool, 4)}
	for i, job := range []struct {
		workers int
		order   []int
		work    []int64
		want    int64
	}{
		{2, []int{0, 1, 2, 3}, []int64{5, 1, 1, 1}, 5}, // 0 | 3, 2, 1
		{2, []int{0, 1, 2, 3}, []int64{1, 5, 1, 1}, 5}, // 0, 3, 2 | 1
		{2, []int{1, 2, 3}, []int64{0, 1, 4, 4}, 5},    // 2 | 1, 3
		{1, []int{0, 1, 2}, []int64{2, 2, 2, 9}, 6},
		{2, []int{0, 1, 3}, []int64{2, 2, 9, 3}, 4}, // 0, 1 | 3
	} {
		if got := m.run(job.workers, job.order, job.work); got != job.want {
			t.Errorf("job %d: %d, want %d", i, got, job.want)
		}
	}
}
