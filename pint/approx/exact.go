package approx

import "pintlab/netsim/unit"

// Exact is a switch port that computes in float64: the exact counterpart of the
// arithmetic that a programmable switch has. It keeps constants and tables, no
// state; ports of the same link rate may share it.
type Exact struct {
	Link
	Code *Multiplicative
}

// NewExact returns the arithmetic of a port with the given link rate, horizon T and code.
func NewExact(rate unit.Rate, horizon unit.Time, code *Multiplicative) (*Exact, error) {
	link, err := NewLink(rate, horizon)
	if err != nil {
		return nil, err
	}
	return &Exact{Link: link, Code: code}, nil
}

// Encode returns the code of u.
func (e *Exact) Encode(u float64, word uint64) uint32 { return e.Code.Encode(u, word) }
