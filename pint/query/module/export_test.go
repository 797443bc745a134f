package module

// What only tests ask.

// Cap returns the most records that fit the space budget.
func (d *Digests) Cap() int { return len(d.ids) }
