package trace

import (
	"cmp"
	"fmt"
	"math"

	"pintlab/internal/number"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// defaultEffort is the default of Options.Effort.
const defaultEffort = 1 << 18

// Options limits the search of the collector.
type Options struct {
	// Effort limits the number of partial paths that a search may list. It affects how soon a path
	// is found, but never whether the answer is right. 0 means defaultEffort, a few milliseconds
	// for the rare worst search.
	Effort int

	eager bool // search after every packet, for tests of exactness
}

// maxEffort keeps list positions within 32 bits.
const maxEffort = 1 << 26

// Tracer makes the decoders of one network and one code. It is immutable and safe for
// concurrent use.
type Tracer struct {
	m    *Map
	code *coding.Code
	opt  Options
}

// NewTracer makes a tracer. It returns an error if the code does not fit the map: modes
// coding.Linear and coding.Full need switch IDs of at most ValueBits bits.
func NewTracer(m *Map, code *coding.Code, o Options) (*Tracer, error) {
	if err := code.CheckValues(m.values); err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	if o.Effort < 0 || o.Effort > maxEffort {
		return nil, fmt.Errorf("tracing: effort = %d, want 0 (default) to %d", o.Effort, maxEffort)
	}
	o.Effort = cmp.Or(o.Effort, defaultEffort)
	return &Tracer{m: m, code: code, opt: o}, nil
}

// Decoder returns a decoder for a flow whose packets pass this number of switches, which the
// collector knows from the TTL. It returns an error if the network has no walk of this length.
func (t *Tracer) Decoder(hops int) (*Decoder, error) {
	if hops < 1 || hops > global.MaxHops {
		return nil, fmt.Errorf("path of %d switches: want 1 to %d", hops, global.MaxHops)
	}
	tp := t.m.template(hops)
	if math.IsInf(tp.bits, -1) {
		return nil, fmt.Errorf("path of %s: the network of %s has none", number.Count(hops, "switch"),
			number.Count(t.m.Len(), "switch"))
	}
	d := &Decoder{t: t, hops: hops, start: tp}
	d.Reset()
	return d, nil
}
