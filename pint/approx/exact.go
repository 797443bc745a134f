package approx

import "pintlab/netsim/unit"

// Exact is the arithmetic of a switch port in float64, without the limits of a programmable switch.
// It holds only constants and tables, so ports of the same link rate may share it.
type Exact struct {
	Link
	Code *Multiplicative
}

// NewExact returns the arithmetic of a port with this link rate, horizon T and code.
func NewExact(rate unit.Rate, horizon unit.Time, code *Multiplicative) (*Exact, error) {
	link, err := NewLink(rate, horizon)
	if err != nil {
		return nil, err
	}
	return &Exact{Link: link, Code: code}, nil
}

// Encode returns the code of u.
func (e *Exact) Encode(u float64, word uint64) uint32 { return e.Code.Encode(u, word) }
