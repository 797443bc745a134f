package progress

// What only tests ask.

// Skip says that n tasks need no work, because their results are there already.
// They count as done and not for the estimate.
func (d *Display) Skip(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skipped += n
}
