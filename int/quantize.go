package inband

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Hop is the report of one switch about its egress port, as HPCC needs it.
type Hop struct {
	Time  unit.Time  // when the packet left
	Tx    unit.Bytes // all bytes that the port has sent
	Queue unit.Bytes // bytes waiting at the port
	Rate  unit.Rate  // rate of the link
}

// FieldSpec is the encoding of one field: Bits wide, in steps of Unit (picoseconds
// or bytes). Values are rounded down to a step and wrap around after 2^Bits steps, or after Steps
// if that is not 0, as the nanoseconds of a second do.
type FieldSpec struct {
	Bits  int   `json:"bits"` // 1 to 63
	Unit  int64 `json:"unit"` // >= 1
	Steps int64 `json:"steps,omitempty"`
}

// Spec is the encoding of a hop.
type Spec struct {
	Time     FieldSpec   `json:"time"`
	Tx       FieldSpec   `json:"tx"`
	Queue    FieldSpec   `json:"queue"`
	RateBits int         `json:"rate_bits"` // width of the rate code, 0 to 16; 0: packets carry the rate itself
	Rates    []unit.Rate `json:"rates"`     // the link rates with codes 0, 1, …; none if RateBits is 0
	MaxHops  int         `json:"max_hops"`  // number of hops that fit, >= 1; AnyHops for no limit
}

// AnyHops stands for no limit on the number of hops.
const AnyHops = 1<<31 - 1

// exactField holds every value that an int64 can: it never rounds and never wraps.
var exactField = FieldSpec{Bits: 63, Unit: 1}

// Exact returns the encoding without loss, for any rate and any number of hops.
func Exact() Spec {
	return Spec{Time: exactField, Tx: exactField, Queue: exactField, MaxHops: AnyHops}
}

// Published returns the format of the HPCC authors' public simulator: 64 bits a hop,
// time in ns, bytes sent in steps of 512 B and queue in steps of 320 B (its units
// of 128 B and 80 B, times the multiplier 4 of its runs), five link rates, five
// hops. Time wraps after 16.8 ms, bytes sent after 537 MB, the queue after 41.9 MB.
func Published() Spec {
	return Spec{
		Time:     FieldSpec{Bits: 24, Unit: int64(unit.Nanosecond)},
		Tx:       FieldSpec{Bits: 20, Unit: 4 * 128},
		Queue:    FieldSpec{Bits: 17, Unit: 4 * 80},
		RateBits: 3,
		Rates:    []unit.Rate{25 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps, 200 * unit.Gbps, 400 * unit.Gbps},
		MaxHops:  5,
	}
}

// validate reports every rule that s breaks, not only the first.
func (s Spec) validate() error {
	var errs rules.Broken
	for _, f := range []struct {
		name string
		spec FieldSpec
	}{{"time", s.Time}, {"tx", s.Tx}, {"queue", s.Queue}} {
		n, step := f.spec.Bits, f.spec.Unit
		valid := n >= 1 && n <= 63
		errs.If(!valid, "%s.bits = %d, want 1 to 63", f.name, n)
		errs.If(valid && step < 1, "%s.unit = %d, want at least 1", f.name, step)
		errs.If(valid && step > 1<<(63-n), "%s: %d bits in steps of %d need more than 63 bits", f.name, n, step)
		errs.If(valid && (f.spec.Steps < 0 || f.spec.Steps > 1<<n-1), "%s.steps = %d, want a number that fits into "+
			"%d bits",
			f.name, f.spec.Steps, n)
	}
	n, rates := s.RateBits, len(s.Rates)
	errs.If(n < 0 || n > 16, "rate_bits = %d, want 0 to 16", n)
	errs.If(n == 0 && rates > 0, "rates lists %d rates, want none because rate_bits = 0", rates)
	if n > 0 && n <= 16 {
		errs.If(rates == 0 || rates > 1<<n, "rates lists %d rates, want 1 to %d with rate_bits = %d", rates, 1<<n, n)
	}
	for i, r := range s.Rates {
		errs.If(r <= 0, "rates[%d] = %v, want more than 0bps", i, r)
		errs.If(r > 0 && slices.Index(s.Rates, r) < i, "rates[%d] = %v occurs twice", i, r)
	}
	errs.If(s.MaxHops < 1, "max_hops = %d, want at least 1", s.MaxHops)
	return errs.Err("bad field widths")
}

// Quantizer rounds the values of a hop to the values that the receiver reads, in the same units. It also computes
// differences of values across a wrap. It is read-only after NewQuantizer.
type Quantizer struct {
	spec            Spec
	exact           bool
	time, tx, queue field
}

// field is a FieldSpec ready to use.
type field struct {
	unit, mask, span uint64 // step, 2^bits-1, unit·2^bits or unit·steps
	steps            uint64 // 0: 2^bits
}

func newField(s FieldSpec) field {
	f := field{unit: uint64(s.Unit), mask: 1<<s.Bits - 1, span: uint64(s.Unit) << s.Bits, steps: uint64(s.Steps)}
	if s.Steps > 0 {
		f.span = f.unit * f.steps
	}
	return f
}

// code returns the bits of the field for v.
func (f *field) code(v int64) uint64 {
	if f.steps > 0 {
		return uint64(v) / f.unit % f.steps
	}
	return uint64(v) / f.unit & f.mask
}

// since returns now-before, where both are multiples of the step below the span and now
// may have wrapped once.
func (f *field) since(now, before int64) int64 {
	d := uint64(now) - uint64(before)
	if now < before {
		d += f.span
	}
	return int64(d)
}

// NewQuantizer checks s.
func NewQuantizer(s Spec) (*Quantizer, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	s.Rates = slices.Clone(s.Rates)
	return &Quantizer{
		spec:  s,
		exact: s.Time == exactField && s.Tx == exactField && s.Queue == exactField,
		time:  newField(s.Time), tx: newField(s.Tx), queue: newField(s.Queue),
	}, nil
}

// Check reports whether the format can describe a network: the rates of its links, the switches on its longest path and
// the largest queue that a port can hold. If queue is negative, the queue is not checked. Call it before a run; nothing
// checks later.
func (q *Quantizer) Check(rates []unit.Rate, hops int, queue unit.Bytes) error {
	var errs rules.Broken
	if q.spec.RateBits > 0 {
		for i, r := range rates {
			errs.If(slices.Index(rates, r) == i && !slices.Contains(q.spec.Rates, r),
				"the format has no code for a link of %v (it has codes for %s)", r, joinRates(q.spec.Rates))
		}
	}
	errs.If(hops > q.spec.MaxHops, "a path has %d switches, but the stack has room for %d", hops, q.spec.MaxHops)
	errs.If(queue >= 0 && uint64(queue) >= q.queue.span, "a queue may hold %v, but its field wraps at %v",
		queue, unit.Bytes(q.queue.span))
	return errs.Err("the telemetry format cannot describe this network")
}

// follows reports whether a control can compute the load of a link from differences of the
// fields over the given time. The clock and the bytes sent must not wrap within that time, and
// no step may be larger than the change of its field in that time on the slowest link.
func (q *Quantizer) follows(within unit.Time, slowest, fastest unit.Rate) error {
	if q.exact {
		return nil
	}
	var errs rules.Broken
	coarse := func(coarse bool, name string, step fmt.Stringer) {
		errs.If(coarse, "%s: one step is %s, more than the change in T = %v on a link of %v",
			name, step, within, slowest)
	}
	wraps := func(wraps bool, name string, span fmt.Stringer) {
		errs.If(wraps, "%s wraps after %s, within T = %v on a link of %v", name, span, within, fastest)
	}
	step, span := unit.Time(q.time.unit), unit.Time(q.time.span)
	coarse(step > within, "the clock", step)
	wraps(span <= within, "the clock", span)
	sent, all := unit.Bytes(q.tx.unit), unit.Bytes(q.tx.span)
	coarse(sent > slowest.In(within), "the bytes sent", sent)
	wraps(all <= fastest.In(within), "the bytes sent", all)
	queue := unit.Bytes(q.queue.unit)
	coarse(queue > slowest.In(within), "the queue", queue)
	return errs.Err("the telemetry format cannot describe this network")
}

func joinRates(rates []unit.Rate) string {
	return strings.Join(lists.Map(rates, unit.Rate.String), ", ")
}

// Quantize returns h as the receiver reads it: every field rounded down to its step and
// wrapped. The fields of h must not be negative.
func (q *Quantizer) Quantize(h Hop) Hop {
	if q.exact {
		return h
	}
	h.Time = unit.Time(q.time.code(int64(h.Time)) * q.time.unit)
	h.Tx = unit.Bytes(q.tx.code(int64(h.Tx)) * q.tx.unit)
	h.Queue = unit.Bytes(q.queue.code(int64(h.Queue)) * q.queue.unit)
	return h
}

// TimeSince returns the time from one quantised instant to a later one. If the difference is the span of the field or
// more (16.8 ms in the published format), the result is too short by whole spans, and nothing on the packet shows this.
func (q *Quantizer) TimeSince(now, before unit.Time) unit.Time {
	return unit.Time(q.time.since(int64(now), int64(before)))
}

// TxSince returns the number of bytes between two quantised counters; the later one comes first. The limit is the same:
// the difference must be less than the span of the field.
func (q *Quantizer) TxSince(now, before unit.Bytes) unit.Bytes {
	return unit.Bytes(q.tx.since(int64(now), int64(before)))
}

// Spans returns the time and the numbers of bytes after which the fields wrap around.
func (q *Quantizer) Spans() (t unit.Time, tx, queue unit.Bytes) {
	cap63 := func(v uint64) int64 { return int64(min(v, 1<<63-1)) }
	return unit.Time(cap63(q.time.span)), unit.Bytes(cap63(q.tx.span)), unit.Bytes(cap63(q.queue.span))
}
