package lists

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Each calls the function do for 0 to n-1, with at most `workers` calls at a time. After the first error, or when the
// context has ended, it starts no more calls.
func Each(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
