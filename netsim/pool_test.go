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
