package latency

// Functions that only tests use.

// Hops returns the length of the path.
func (f *FrequentFlow) Hops() int { return len(f.hops) }

// Hops returns the length of the path.
func (f *Flow) Hops() int { return len(f.hops) }
