package progress

// Functions that only tests call.

// Skip counts n tasks as done because their results exist already. The estimate ignores them.
func (d *Display) Skip(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skipped += n
}
