package netsim

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// pool is a worker pool for jobs that are so short that putting a goroutine to sleep and
// waking it costs as much as the job: an idle worker spins for the next job before it
// exits. A job is a number of pieces; all are done before the next job begins.
//
// A worker first does the pieces that it did in the job before, whose data are in its
// cache, and then those that no other worker has taken.
type pool struct {
	do      func(worker, piece int)
	order   []atomic.Int32 // of the pieces in the present job
	length  atomic.Int32   // of it
	last    []atomic.Int32 // by piece: the worker that did it in the job before
	open    []atomic.Bool  // by piece: no worker has taken it
	left    atomic.Int32   // pieces that are not done
	active  []atomic.Bool  // by worker; the first is the caller of run
	blocked atomic.Bool    // the caller of run sleeps until the last piece is done
	wake    chan struct{}
	closed  atomic.Bool // no more jobs
	all     sync.WaitGroup
}

// spinLimit is how many times an idle worker polls before it exits, and how many times the
// caller of run polls before it blocks. It is some tenths of a millisecond.
const spinLimit = 2000

func newPool(workers, pieces int, do func(worker, piece int)) *pool {
	return &pool{
		do:    do,
		order: make([]atomic.Int32, pieces), last: make([]atomic.Int32, pieces), open: make([]atomic.Bool, pieces),
		active: make([]atomic.Bool, workers), wake: make(chan struct{}, 1),
	}
}

// run does a job with this number of workers, the caller among them, and returns when all
// pieces of the order are done.
func (p *pool) run(workers int, order []int) {
	// A worker may still look for pieces of the job before; it finds those of this one.
	for i, piece := range order {
		p.order[i].Store(int32(piece))
	}
	p.length.Store(int32(len(order)))
	p.left.Store(int32(len(order)))
	for _, piece := range order {
		p.open[piece].Store(true)
	}
	for w := 1; w < workers; w++ {
		if !p.active[w].Swap(true) {
			p.all.Go(func() { p.work(w) })
		}
	}
	p.help(0)
	for spins := 0; p.left.Load() > 0; spins++ {
		if spins < spinLimit {
			runtime.Gosched()
			continue
		}
		p.blocked.Store(true) // another program has the processor of a worker
		if p.left.Load() > 0 {
			<-p.wake // it may be left from a job before: then the loop goes on
		}
		p.blocked.Store(false)
	}
}

// help does pieces until all are taken, and says whether it did any: first the worker's
// own in their order, then those of others from the end.
func (p *pool) help(worker int) (any bool) {
	n := int(p.length.Load())
	for i := range n {
		if piece := int(p.order[i].Load()); int(p.last[piece].Load()) == worker {
			any = p.take(piece, worker) || any
		}
	}
	for i := n - 1; i >= 0; i-- {
		any = p.take(int(p.order[i].Load()), worker) || any
	}
	return any
}

// take does a piece unless another worker has taken it.
func (p *pool) take(piece, worker int) bool {
	if !p.open[piece].Load() || !p.open[piece].CompareAndSwap(true, false) {
		return false
	}
	p.do(worker, piece)
	p.last[piece].Store(int32(worker))
	if p.left.Add(-1) == 0 && p.blocked.Load() {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// work helps with one job after another, until it has polled spinLimit times in vain.
func (p *pool) work(worker int) {
	defer p.active[worker].Store(false)
	for spins := 0; spins < spinLimit && !p.closed.Load(); spins++ {
		if p.left.Load() > 0 && p.help(worker) {
			spins = 0
		}
		runtime.Gosched()
	}
}

// close ends all workers, until run is called again.
func (p *pool) close() {
	p.closed.Store(true)
	p.all.Wait()
	p.closed.Store(false)
}
