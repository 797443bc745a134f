package netsim

import (
	"math"
	"runtime"
	"sync/atomic"
)

// pool is a worker pool for very short jobs: putting a goroutine to sleep and waking it costs as much as the job. So an
// idle worker spins for the next job before it exits. A job is a number of pieces. All pieces are done before the next
// job begins.
//
// A worker first runs its own pieces, whose data are in its cache, and then pieces that other workers have not begun.
type pool struct {
	do      func(worker, piece int)
	workers []worker     // the first is the caller of run
	left    atomic.Int32 // pieces that are not finished
	blocked atomic.Bool  // the caller of run sleeps until the last piece is done
	wake    chan struct{}
}

// worker holds the pieces of one worker, which takes its pieces from the front. When other workers have no pieces left,
// they take pieces of this worker from the end, where the pieces with the least work are.
type worker struct {
	open   atomic.Uint64 // pieces[open>>32:uint32(open)] are not taken
	active atomic.Bool
	pieces []int32
	_      [128 - 40]byte // padding to 128 bytes, the two lines that the processor fetches together
}

// spinLimit is how many times an idle worker polls before it exits, and how many times the caller of run polls before
// it blocks. These polls take some tenths of a millisecond.
const spinLimit = 2000

func newPool(workers int, do func(worker, piece int)) *pool {
	return &pool{do: do, workers: make([]worker, workers), wake: make(chan struct{}, 1)}
}

// give adds a piece to a worker for the next job.
func (p *pool) give(worker, piece int) {
	w := &p.workers[worker]
	w.pieces = append(w.pieces, int32(piece))
}

// run runs the job and returns when all pieces are finished.
func (p *pool) run() {
	n := 0
	for i := range p.workers {
		n += len(p.workers[i].pieces)
	}
	// A worker that still looks for pieces of the previous job will find pieces of this job.
	p.left.Store(int32(n))
	for i := range p.workers {
		w := &p.workers[i]
		w.open.Store(uint64(len(w.pieces)))
		if i > 0 && !w.active.Load() {
			w.active.Store(true)
			go p.work(i)
		}
	}
	p.help(0)
	for spins := 0; p.left.Load() > 0; spins++ {
		if spins < spinLimit {
			runtime.Gosched()
			continue
		}
		p.blocked.Store(true) // another program uses the processor of a worker
		if p.left.Load() > 0 {
			<-p.wake // the wake-up may be from an earlier job: then the loop continues
		}
		p.blocked.Store(false)
	}
	for i := range p.workers {
		p.workers[i].pieces = p.workers[i].pieces[:0]
	}
}

// help runs pieces until all are taken. It reports whether it ran any.
func (p *pool) help(worker int) (any bool) {
	for i := range p.workers {
		from := &p.workers[(worker+i)%len(p.workers)]
		for {
			piece, ok := from.take(i == 0)
			if !ok {
				break
			}
			any = true
			p.do(worker, piece)
			if p.left.Add(-1) == 0 && p.blocked.Load() {
				select {
				case p.wake <- struct{}{}:
				default:
				}
			}
		}
	}
	return any
}

// take takes the first remaining piece of a worker, or the last one.
func (w *worker) take(first bool) (piece int, ok bool) {
	for {
		x := w.open.Load()
		at, end := x>>32, x&math.MaxUint32
		if at == end {
			return 0, false
		}
		rest := x + 1<<32
		if !first {
			at, rest = end-1, x-1
		}
		if w.open.CompareAndSwap(x, rest) {
			return int(w.pieces[at]), true
		}
	}
}

// work runs pieces of one job after another, until it has polled spinLimit times without finding
// any.
func (p *pool) work(worker int) {
	for spins := 0; spins < spinLimit; spins++ {
		if p.left.Load() > 0 && p.help(worker) {
			spins = 0
		}
		runtime.Gosched()
	}
	p.workers[worker].active.Store(false)
}
