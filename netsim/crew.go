package netsim

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is some workers that do the pieces of one job after another, in jobs that are so
// short that putting a goroutine to sleep and waking it costs as much: who has nothing to
// do looks out for the next job for a while before it goes home.
//
// A worker does the pieces that it did last time, whose data are in its cache, and then
// those that the others have not come to.
type crew struct {
	do    func(piece int)
	order []atomic.Int32 // of the pieces in the present job
	last  []atomic.Int32 // by piece: who did it in the job before
	open  []atomic.Bool  // by piece: nobody has taken it
	left  atomic.Int32   // pieces that are not done
	here  []atomic.Bool  // by worker; the first is who calls run
	waits atomic.Bool    // who called run sleeps until the last piece is done
	wake  chan struct{}
	over  atomic.Bool // no more jobs
	all   sync.WaitGroup
}

// patience is how often a worker looks before it goes home, and who waits for others before
// he sleeps. It is some tenths of a millisecond.
const patience = 2000

func newCrew(workers, pieces int, do func(piece int)) *crew {
	return &crew{
		do:    do,
		order: make([]atomic.Int32, pieces), last: make([]atomic.Int32, pieces), open: make([]atomic.Bool, pieces),
		here: make([]atomic.Bool, workers), wake: make(chan struct{}, 1),
	}
}

// run does a job with so many of the workers, the caller among them, and returns when all
// of its pieces are done. The pieces that take longest should come first in the order.
func (c *crew) run(workers int, order []int) {
	// Somebody may still be looking for pieces of the job before; they find these.
	for i, piece := range order {
		c.order[i].Store(int32(piece))
	}
	c.left.Store(int32(len(order)))
	for i := range c.open {
		c.open[i].Store(true)
	}
	for w := 1; w < workers; w++ {
		if !c.here[w].Swap(true) {
			c.all.Go(func() { c.work(w) })
		}
	}
	c.help(0)
	for looks := 0; c.left.Load() > 0; looks++ {
		if looks < patience {
			runtime.Gosched()
			continue
		}
		c.waits.Store(true) // somebody's processor has other work
		if c.left.Load() > 0 {
			<-c.wake // or of a job before, when it came too late: then again
		}
		c.waits.Store(false)
	}
}

// help does pieces until none is left to take, and says whether there was any: its own in
// their order, those of others from the end.
func (c *crew) help(worker int) (any bool) {
	for i := range c.order {
		if piece := int(c.order[i].Load()); int(c.last[piece].Load()) == worker {
			any = c.take(piece, worker) || any
		}
	}
	for i := len(c.order) - 1; i >= 0; i-- {
		any = c.take(int(c.order[i].Load()), worker) || any
	}
	return any
}

// take does a piece unless somebody else has taken it.
func (c *crew) take(piece, worker int) bool {
	if !c.open[piece].Load() || !c.open[piece].CompareAndSwap(true, false) {
		return false
	}
	c.do(piece)
	c.last[piece].Store(int32(worker))
	if c.left.Add(-1) == 0 && c.waits.Load() {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// work helps with one job after another.
func (c *crew) work(worker int) {
	defer c.here[worker].Store(false)
	for looks := 0; looks < patience && !c.over.Load(); looks++ {
		if c.left.Load() > 0 && c.help(worker) {
			looks = 0
		}
		runtime.Gosched()
	}
}

// close sends all home.
func (c *crew) close() {
	c.over.Store(true)
	c.all.Wait()
}
