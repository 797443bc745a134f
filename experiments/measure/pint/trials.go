package pint

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Trials configures independent runs. A run depends only on Seed and on its number, so results do not
// depend on Workers.
type Trials struct {
	Seed    uint64
	Runs    int            `flag:"runs" range:">=1 <=1000000000" use:"paths {N} for each method and length"`
	Workers int            // goroutines; 0 is one per processor
	Limit   int            // a run gives up after this many packets; 0 is a million
	Done    func(runs int) // called now and then with the number of finished runs; may be nil
}

// chunk is the number of runs that a worker takes at a time.
const chunk = 25

func (t Trials) full() Trials {
	t.Workers = cmp.Or(t.Workers, runtime.GOMAXPROCS(0))
	t.Limit = cmp.Or(t.Limit, 1_000_000)
	return t
}

// each makes the runs: newWorker is called once per goroutine and returns the function
// that makes one run.
func (t Trials) each(ctx context.Context, newWorker func() (func(run int) error, error)) error {
	t = t.full()
	group, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	next, finished := 0, 0
	for range min(t.Workers, (t.Runs+chunk-1)/chunk) {
		group.Go(func() error {
			run, err := newWorker()
			if err != nil {
				return err
			}
			for {
				mu.Lock()
				from := next
				to := min(from+chunk, t.Runs)
				next = to
				mu.Unlock()
				if from == to {
					return nil
				}
				for r := from; r < to; r++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					if err := run(r); err != nil {
						return err
					}
				}
				mu.Lock()
				finished += to - from
				if t.Done != nil {
					t.Done(finished)
				}
				mu.Unlock()
			}
		})
	}
	return group.Wait()
}

// measure makes the runs and collects how many packets each took; a run returns 0 if it
// gave up.
func (t Trials) measure(
	ctx context.Context, newWorker func() (func(run int) (int, error), error),
) (*Distribution, error) {
	var mu sync.Mutex
	total := &Distribution{}
	err := t.each(ctx, func() (func(int) error, error) {
		run, err := newWorker()
		if err != nil {
			return nil, err
		}
		return func(r int) error {
			n, err := run(r)
			if err != nil {
				return fmt.Errorf("run %d: %w", r, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if n == 0 {
				total.AddFailure()
			} else {
				total.Add(n)
			}
			return nil
		}, nil
	})
	return total, err
}

// packetID returns the identifier of packet n (from 1) of a run: unlike any other of the
// study.
func packetID(run, n int) uint64 { return uint64(run)<<32 | uint64(n) }
