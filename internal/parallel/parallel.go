// Package parallel does numbered pieces of work side by side.
package parallel

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Each calls do for 0 to n-1, for as many at a time as there are workers. It begins none after the first error, or
// when the context has ended.
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
