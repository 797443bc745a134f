package inband

import (
	"fmt"
	"slices"

	"pintlab/netsim/unit"
)

// Functions that only tests use.

// Unpack reads a word of Pack and returns the quantised hop. It returns an error for a rate code without a rate and for
// bits above the last field.
func (q *Quantizer) Unpack(w uint64) (Hop, error) {
	if err := q.packs(); err != nil {
		return Hop{}, err
	}
	code := w & (1<<q.spec.RateBits - 1)
	if code >= uint64(len(q.spec.Rates)) {
		return Hop{}, fmt.Errorf("rate code %d, want 0 to %d", code, len(q.spec.Rates)-1)
	}
	h := Hop{Rate: q.spec.Rates[code]}
	w >>= q.spec.RateBits
	h.Time = unit.Time((w & q.time.mask) * q.time.unit)
	w >>= q.spec.Time.Bits
	h.Tx = unit.Bytes((w & q.tx.mask) * q.tx.unit)
	w >>= q.spec.Tx.Bits
	h.Queue = unit.Bytes((w & q.queue.mask) * q.queue.unit)
	if w > q.queue.mask {
		return Hop{}, fmt.Errorf("bits above the %d of a hop are set", q.HopBits())
	}
	return h, nil
}

// Pack writes a hop in one word, from the least significant bit: rate code, time, bytes sent, queue, in the same order
// as the published simulator's bit fields on a little-endian machine. It is an error if a hop has more than 64 bits, if
// rates have no code, or if the rate of h has no code.
func (q *Quantizer) Pack(h Hop) (uint64, error) {
	if err := q.packs(); err != nil {
		return 0, err
	}
	code := slices.Index(q.spec.Rates, h.Rate)
	if code < 0 {
		return 0, fmt.Errorf("the format has no code for a link of %v (it has codes for "+
			"%s)", h.Rate, joinRates(q.spec.Rates))
	}
	if h.Time < 0 || h.Tx < 0 || h.Queue < 0 {
		return 0, fmt.Errorf("a hop with a negative field: %+v", h)
	}
	w := q.queue.code(int64(h.Queue))
	w = w<<q.spec.Tx.Bits | q.tx.code(int64(h.Tx))
	w = w<<q.spec.Time.Bits | q.time.code(int64(h.Time))
	return w<<q.spec.RateBits | uint64(code), nil
}

// Spec returns the specification from which q was made.
func (q *Quantizer) Spec() Spec {
	s := q.spec
	s.Rates = slices.Clone(s.Rates)
	return s
}

func (q *Quantizer) packs() error {
	if q.spec.RateBits == 0 || q.HopBits() > 64 {
		return fmt.Errorf("a hop of %d bits with %d rate codes does not fit one word of 64 bits",
			q.HopBits(), len(q.spec.Rates))
	}
	return nil
}

// HopBits returns the width of one packed hop.
func (q *Quantizer) HopBits() int {
	return q.spec.RateBits + q.spec.Time.Bits + q.spec.Tx.Bits + q.spec.Queue.Bits
}
