package approx

import (
	"fmt"

	"pintlab/netsim/unit"
)

// The range of hop latencies that NewLatency's users take by default: 60 µs is what
// some 750 kB wait for at 100 Gb/s. With 4 bits ε is 0.44, with 8 bits 0.022.
const (
	LatencyLow  = unit.Nanosecond
	LatencyHigh = 60 * unit.Microsecond
)

// Latency is the multiplicative code of a time span.
type Latency struct{ m *Multiplicative }

// NewLatency returns the finest code of the given width (1 to 16 bits) whose codes run
// from low to high. Shorter spans get code 0, longer ones the last.
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

// Decode returns the span that code stands for, to the closest picosecond. It panics if
// there is no such code.
func (l *Latency) Decode(code uint32) unit.Time { return unit.Time(l.m.Decode(code) + 0.5) }
