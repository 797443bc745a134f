package query

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// Limits of a Spec.
const (
	maxBits    = 64  // global bit budget: a digest is one machine word
	maxHops    = 255 // a hop number comes from the TTL
	maxQueries = 32
	maxName    = 40
)

// Query is the tuple of §3.3. Value, aggregation and bit budget are required. Space budget, flow
// definition and frequency are optional. The other fields set how the value is encoded.
type Query struct {
	Name        string
	Value       Value
	Aggregation Aggregation
	Bits        int // bit budget: width of the query's digest

	// With is a fixed value written next to the extremum, in WithBits of the Bits: the switch (or
	// port) that had the largest or smallest value. It is for Max and Min only.
	With     Value
	WithBits int

	// Space is the largest memory of the recording module for one flow. It is required for per-flow
	// aggregations. Per-packet aggregations must not set it, because they are not recorded.
	Space unit.Bytes
	// Flow is the flow definition of a per-flow aggregation. The default is ByFiveTuple.
	Flow FlowDef
	// Frequency is the smallest share of the packets that must carry the query. With 0 the query
	// gets what the other queries leave.
	Frequency Fraction

	// Hashes is the number of independent digests into which a static query splits its bits (§4.2's
	// repetitions, "2×(b=8)"); the default is 1.
	Hashes int

	// The encoding of a number: Low and High are the range of a multiplicative code, and Step is
	// the spacing of an additive code, in the unit of the value: picoseconds, bytes, or shares from
	// 0 to 1. If all are zero, the default of the value applies.
	Low, High float64
	Step      float64
	Rounding  approx.Rounding
}

// Label returns the name of the query in messages.
func (q *Query) Label() string { return fmt.Sprintf("query %q", q.Name) }

// Spec is a set of queries that share one global bit budget.
type Spec struct {
	Bits     int // width of the digest that every packet carries
	Hops     int // switches on the longest path
	HashBits int // the plan divides the packets into 2^HashBits parts, 16 or 32
	Queries  []Query
	// ByHand is a plan by the operator; if it is nil, Compile finds a plan.
	ByHand []Choice
}

// Choice is one line of a plan by the operator.
type Choice struct {
	Queries     []string
	Probability Fraction
}

// complaints collects the rules that a Spec breaks.
type complaints struct{ problems schema.Problems }

// fail reports a rule about a key, as a query file names it, such as "queries.0.bits".
func (c *complaints) fail(key, format string, args ...any) {
	c.problems = append(c.problems, schema.Problem{Key: key, Rule: fmt.Sprintf(format, args...)})
}

// Defaults sets the optional values of a query file: 16 hash bits, flows by 5-tuple, one hash per
// static query.
func (s *Spec) Defaults() {
	s.HashBits = cmp.Or(s.HashBits, 16)
	for i := range s.Queries {
		q := &s.Queries[i]
		if c := q.Aggregation.Class(); (c == Static || c == Dynamic) && q.Flow == 0 {
			q.Flow = ByFiveTuple
		}
		if q.Aggregation == Path && q.Hashes == 0 {
			q.Hashes = 1
		}
	}
}

// Validate reports every rule that s breaks, by the keys of a query file. Compile also checks
// whether a plan exists, and whether float64 can distinguish the codes of a range.
func (s *Spec) Validate() error { return s.problems().Err() }

func (s *Spec) problems() schema.Problems {
	var c complaints
	if s.Bits < 1 || s.Bits > maxBits {
		c.fail("bits", "%d, want 1 to %d", s.Bits, maxBits)
	}
	if s.Hops < 1 || s.Hops > maxHops {
		c.fail("hops", "%d, want 1 to %d", s.Hops, maxHops)
	}
	if s.HashBits != 16 && s.HashBits != 32 {
		c.fail("hash_bits", "%d, want 16 or 32", s.HashBits)
	}
	if len(s.Queries) == 0 || len(s.Queries) > maxQueries {
		c.fail("queries", "%d of them, want 1 to %d", len(s.Queries), maxQueries)
	}
	for i := range s.Queries {
		s.checkQuery(&c, i)
	}
	if s.ByHand != nil {
		s.checkByHand(&c)
	}
	return c.problems
}

func (s *Spec) checkQuery(c *complaints, i int) {
	q := &s.Queries[i]
	at := fmt.Sprintf("queries.%d", i)
	bad := func(key, format string, args ...any) { c.fail(at+"."+key, format, args...) }
	if err := checkName(q.Name); err != nil {
		bad("name", "%v", err)
	}
	for j := range i {
		p := &s.Queries[j]
		if p.Name == q.Name {
			bad("name", "is also the name of queries.%d", j)
		} else if p.Value == q.Value && p.Aggregation == q.Aggregation &&
			p.With == q.With && p.Flow == q.Flow && q.Value != 0 {
			c.fail(at, "overlaps with %s: both ask for %s of %s; keep one and raise its bits or frequency",
				p.Label(), q.Aggregation, q.Value)
		}
	}
	class := q.Aggregation.Class()
	known := true
	if q.Value.facts().name == "" {
		bad("value", "missing (accepted: one of %d names, such as switch_id)", len(Values))
		known = false
	}
	if class == 0 {
		bad("aggregation", "missing (accepted: one of %d names, such as max)", len(Aggregations))
		known = false
	}
	if q.Bits < 1 || q.Bits > maxBits {
		bad("bits", "%d, want 1 to %d", q.Bits, maxBits)
	} else if s.Bits >= 1 && q.Bits > s.Bits {
		bad("bits", "%d, but the global bit budget is %d", q.Bits, s.Bits)
	}
	if !known {
		return
	}
	if err := q.Aggregation.fits(q.Value); err != nil {
		bad("aggregation", "%v", err)
	}
	s.checkFlow(bad, q, class)
	checkWidth(bad, q, class)
	checkCode(bad, q)
}

func (s *Spec) checkFlow(bad func(string, string, ...any), q *Query, class Class) {
	if class == PerPacket {
		if q.Flow != 0 {
			bad("flow", "given for a per-packet aggregation, which has no flows")
		}
		if q.Space != 0 {
			bad("space", "given for a per-packet aggregation, which is not recorded")
		}
		return
	}
	if q.Flow == 0 || strings.HasPrefix(q.Flow.String(), "FlowDef") {
		bad("flow", "missing (accepted: 5-tuple, host-pair, source, destination, all, or fields)")
	} else if class == Static && !q.Flow.follows() {
		bad("flow", "%s for a static aggregation: packets between several pairs of hosts do not share a path "+
			"(accepted: flows that contain src_ip and dst_ip)", q.Flow)
	}
	if q.Space <= 0 {
		bad("space", "missing: a per-flow aggregation needs a space budget such as 1KB")
	}
}

// widest is the width of the widest code of a number, with a table of 2^16 entries.
const widest = 16

// widestHash is the width of the widest digest of a static query.
const widestHash = 32

func checkWidth(bad func(string, string, ...any), q *Query, class Class) {
	extremum := q.Aggregation == Max || q.Aggregation == Min
	switch {
	case q.With == 0 && q.WithBits != 0:
		bad("with_bits", "given without with")
	case q.With != 0 && !extremum:
		bad("with", "needs max or min, not %s", q.Aggregation)
	case q.With != 0 && !q.With.Fixed():
		bad("with", "%s is not a name (accepted: switch_id, ingress_port, egress_port)", q.With)
	case q.With != 0 && (q.WithBits < 1 || q.WithBits >= q.Bits || q.WithBits > widestHash):
		bad("with_bits", "%d, want at least 1, fewer than the %d bits of the query, and at most %d",
			q.WithBits, q.Bits, widestHash)
	}
	if class == Static {
		switch {
		case q.Hashes < 1 || q.Hashes > maxBits:
			bad("hashes", "%d, want 1 to %d", q.Hashes, maxBits)
		case q.Bits%q.Hashes != 0:
			bad("hashes", "%d hashes do not divide the %d bits of the query evenly", q.Hashes, q.Bits)
		case q.Bits/q.Hashes > widestHash:
			bad("bits", "%d per hash, want at most %d", q.Bits/q.Hashes, widestHash)
		}
		return
	}
	if q.Hashes != 0 {
		bad("hashes", "given for %s, want static", q.Aggregation)
	}
	w := q.Bits - q.WithBits
	if q.Value.Fixed() || q.Value == IngressTime {
		if w > widestHash {
			bad("bits", "%d for %s, want at most %d", w, q.Value, widestHash)
		}
	} else if w > widest {
		bad("bits", "%d for the code of %s, want at most %d", w, q.Value, widest)
	}
}

func checkCode(bad func(string, string, ...any), q *Query) {
	ranged := q.Low != 0 || q.High != 0
	whole := q.Step >= 1 && q.Step == math.Trunc(q.Step) && math.Ldexp(q.Step, q.Bits-q.WithBits) <= 1<<62
	number := !q.Value.Fixed()
	sane := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }
	switch {
	case !number && (ranged || q.Step != 0 || q.Rounding != 0):
		bad("range", "range, step and rounding are for quantities, and %s is a name", q.Value)
	case q.Value == IngressTime && (ranged || q.Rounding != 0):
		bad("range", "a timestamp has a step only, such as 64ns")
	case q.Value == IngressTime && q.Step == 0:
		bad("step", "missing: a timestamp needs a clock step such as 64ns")
	case q.Value == IngressTime && q.Bits-q.WithBits < 2:
		bad("bits", "1 for %s, want at least 2 to distinguish earlier from later", q.Value)
	case q.Value == IngressTime && !whole:
		bad("step", "want whole picoseconds, with fewer than 2^62 of them in 2^%d steps", q.Bits-q.WithBits)
	case q.Aggregation == Product && q.Step != 0:
		bad("step", "given for a product, whose code is multiplicative (accepted: range)")
	case q.Aggregation == Sum && q.Rounding != 0:
		bad("rounding", "given for a sum, which always rounds at random")
	case ranged && q.Step != 0:
		bad("step", "given together with range: a code is additive (step) or multiplicative (range)")
	case ranged && !(q.Low > 0 && q.High > q.Low && sane(q.High)):
		bad("range", "want 0 < lowest < highest")
	case q.Step != 0 && !(q.Step > 0 && sane(q.Step)):
		bad("step", "want more than 0")
	case ranged && q.Value.facts().limit != 0 && q.Low >= q.Value.facts().limit:
		bad("range", "starts at %v, and %s is at most %v", q.Low, q.Value, q.Value.facts().limit)
	}
}

func checkName(name string) error {
	if name == "" {
		return errors.New("missing")
	}
	if len(name) > maxName {
		return fmt.Errorf("%d bytes long, want at most %d", len(name), maxName)
	}
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')) {
			return fmt.Errorf("has %q, want a letter, then letters, digits, '-', '_' and '.'", r)
		}
	}
	return nil
}
