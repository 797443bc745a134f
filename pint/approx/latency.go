package approx

import (
	"fmt"

	"pintlab/netsim/unit"
)

// The default range of hop latencies for NewLatency. 60 µs is the time to send about 750 kB at 100
// Gb/s. ε is 0.44 with 4 bits and 0.022 with 8 bits.
const (
	LatencyLow  = unit.Nanosecond
	LatencyHigh = 60 * unit.Microsecond
)

// Latency is the multiplicative code of a time span.
type Latency struct{ m *Multiplicative }

// NewLatency returns the finest code of this width (1 to 16 bits) whose codes cover low to high.
// Shorter spans get code 0, and longer spans get the last code.
func NewLatency(low, high unit.Time, bits int, rounding Rounding) (*Latency, error) {
	c, err := Cover(float64(low), float64(high), bits)
	if err != nil {
		return nil, fmt.Errorf("latency code from %v to %v: %w", low, high, err)
	}
	c.Rounding = rounding
	m, err := New(c)
	if err != nil {
		return nil, fmt.Errorf("latency code from %v to %v: %w", low, high, err)
	}
	return &Latency{m}, nil
}

// Encode returns the code of t; word decides under random rounding.
func (l *Latency) Encode(t unit.Time, word uint64) uint32 { return l.m.Encode(float64(t), word) }

// Decode returns the span of a code, to the closest picosecond. It panics if the code does not
// exist.
func (l *Latency) Decode(code uint32) unit.Time { return unit.Time(l.m.Decode(code) + 0.5) }
