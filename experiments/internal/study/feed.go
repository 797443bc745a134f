package study

import (
	"context"

	"pintlab/internal/lists"
)

// chunk is the number of elements that a taker receives at once. While a taker processes a chunk, the taker's tables
// stay in the cache of a core.
const chunk = 1 << 14

// Feed passes all elements that next returns to all takers. Several takers run at a time. Meanwhile, Feed reads the
// next chunk, so it keeps two chunks of the stream in memory. seen, if not nil, is called with the number of elements
// so far.
func Feed[T any](
	ctx context.Context, workers int, next func(*T) bool, takers []func([]T), seen func(elements int64),
) error {
	fill := func(list []T) []T {
		for len(list) < chunk {
			list = list[:len(list)+1]
			if !next(&list[len(list)-1]) {
				return list[:len(list)-1]
			}
		}
		return list
	}
	now, ahead := fill(make([]T, 0, chunk)), make([]T, 0, chunk)
	for n := int64(0); len(now) > 0; now, ahead = ahead, now {
		taken := make(chan error)
		go func() {
			taken <- lists.Each(ctx, workers, len(takers), func(_ context.Context, i int) error {
				takers[i](now)
				return nil
			})
		}()
		if ahead = ahead[:0]; len(now) == chunk {
			ahead = fill(ahead)
		}
		if err := <-taken; err != nil {
			return err
		}
		if n += int64(len(now)); seen != nil {
			seen(n)
		}
	}
	return nil
}
