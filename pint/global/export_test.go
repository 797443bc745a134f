package global

// Functions that only tests use.

// Probability returns the exact probability of the threshold.
func (t Threshold) Probability() float64 { return float64(t) / (1 << 32) }
