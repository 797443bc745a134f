package query

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// Parse reads a query file. It reports all errors, joined, each with file, line, key and what is
// accepted. Unknown and repeated keys are errors. The result has default values and is valid;
// Compile checks whether a plan exists.
//
//	bits: 16                  # global bit budget
//	hops: 5                   # switches on the longest path
//	hash_bits: 16             # 16 or 32; optional
//	queries:
//	  - name: path
//	    value: switch_id
//	    aggregation: static
//	    bits: 8
//	    hashes: 1             # optional
//	    space: 512B
//	    flow: 5-tuple         # optional
//	    frequency: 1          # optional
//	  - name: slowest
//	    value: hop_latency
//	    aggregation: max
//	    bits: 8
//	    range: 1ns..60us      # optional; or step: 250ns
//	    rounding: nearest     # optional
//	    with: switch_id       # optional, for max and min
//	    with_bits: 4
//	plan:                     # optional
//	  - queries: [path, slowest]
//	    probability: 15/16
//	  - queries: [path]
//	    probability: 1/16
func Parse(file string, text []byte) (*Spec, error) {
	body, err := schema.ParseYAML(text, file, input.Settings)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, fmt.Errorf("%s: empty, want bits, hops and queries", file)
	}
	s := new(Spec)
	r := &reader{file: file, lines: map[string]int{}}
	r.mapping(body, "", r.specKeys(s))
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	s.Defaults()
	if err := s.Validate(); err != nil {
		return nil, r.locate(err)
	}
	return s, nil
}

// key is an accepted key of a mapping.
type key struct {
	name string
	read func(n ast.Node) error
}

func (r *reader) specKeys(s *Spec) []key {
	return []key{
		{"bits", whole(&s.Bits)},
		{"hops", whole(&s.Hops)},
		{"hash_bits", whole(&s.HashBits)},
		{"queries", func(n ast.Node) error {
			return sequence(n, func(i int, item ast.Node) {
				s.Queries = append(s.Queries, Query{})
				r.mapping(item, fmt.Sprintf("queries[%d]", i), queryKeys(&s.Queries[i]))
			})
		}},
		{"plan", func(n ast.Node) error {
			s.ByHand = []Choice{}
			return sequence(n, func(i int, item ast.Node) {
				s.ByHand = append(s.ByHand, Choice{})
				r.mapping(item, fmt.Sprintf("plan[%d]", i), r.choiceKeys(&s.ByHand[i], i))
			})
		}},
	}
}

func queryKeys(q *Query) []key {
	var low, high, step string
	// The unit of a range depends on the value, which may follow later in the file.
	number := func(dst *float64, text string) (err error) {
		*dst, err = quantity(q.Value, text)
		return err
	}
	return []key{
		{"name", text(func(s string) error { q.Name = s; return nil })},
		{"value", text(func(s string) (err error) { q.Value, err = ParseValue(s); return err })},
		{"aggregation", text(func(s string) (err error) { q.Aggregation, err = ParseAggregation(s); return err })},
		{"bits", whole(&q.Bits)},
		{"with", text(func(s string) (err error) { q.With, err = ParseValue(s); return err })},
		{"with_bits", whole(&q.WithBits)},
		{"space", text(func(s string) (err error) { q.Space, err = unit.ParseBytes(s); return err })},
		{"flow", flow(&q.Flow)},
		{"frequency", text(func(s string) (err error) {
			q.Frequency, err = ParseFraction(s)
			if err == nil && q.Frequency.IsZero() {
				err = errors.New("0 would never run the query; leave it out to ask for none in particular")
			}
			return err
		})},
		{"hashes", whole(&q.Hashes)},
		{"rounding", text(func(s string) (err error) { q.Rounding, err = approx.ParseRounding(s); return err })},
		{"range", func(n ast.Node) error {
			s, err := scalar(n)
			if err != nil {
				return err
			}
			l, h, ok := strings.Cut(s, "..")
			if !ok {
				return fmt.Errorf("%q, want lowest..highest such as 1ns..60us", s)
			}
			low, high = l, h
			return nil
		}},
		{"step", text(func(s string) error { step = s; return nil })},
		{"", func(ast.Node) error { // after all keys
			if low != "" || high != "" {
				if err := number(&q.Low, low); err != nil {
					return fmt.Errorf("range: %w", err)
				}
				if err := number(&q.High, high); err != nil {
					return fmt.Errorf("range: %w", err)
				}
			}
			if step != "" {
				if err := number(&q.Step, step); err != nil {
					return fmt.Errorf("step: %w", err)
				}
			}
			return nil
		}},
	}
}

func (r *reader) choiceKeys(c *Choice, i int) []key {
	return []key{
		{"queries", func(n ast.Node) error {
			return sequence(n, func(_ int, item ast.Node) {
				s, err := scalar(item)
				if err != nil {
					r.fail(item, fmt.Sprintf("plan[%d].queries", i), err)
				}
				c.Queries = append(c.Queries, s)
			})
		}},
		{"probability", text(func(s string) (err error) { c.Probability, err = ParseFraction(s); return err })},
	}
}

// quantity reads a number in the unit of a value: picoseconds, bytes or a share.
func quantity(v Value, s string) (float64, error) {
	switch v {
	case IngressTime, HopLatency:
		t, err := unit.ParseTime(s)
		return float64(t), err
	case QueueOccupancy:
		b, err := unit.ParseBytes(s)
		return float64(b), err
	}
	number, percent := strings.CutSuffix(s, "%")
	if strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("number %q: want a number such as 0.05 or 5%%", s)
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("number %q: want a number such as 0.05 or 5%%", s)
	}
	if percent {
		x /= 100
	}
	return x, nil
}

// whole reads a whole number.
func whole(dst *int) func(ast.Node) error {
	return text(func(s string) error {
		v, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("%q, want a whole number", s)
		}
		*dst = v
		return nil
	})
}

// flow reads a flow definition: a name, or a list of header fields.
func flow(dst *FlowDef) func(ast.Node) error {
	return func(n ast.Node) error {
		if seq, ok := n.(*ast.SequenceNode); ok {
			fields, err := lists.Try(seq.Values, scalar)
			if err != nil {
				return err
			}
			d, err := flowOf(fields)
			*dst = d
			return err
		}
		s, err := scalar(n)
		if err != nil {
			return err
		}
		*dst, err = ParseFlow(s)
		return err
	}
}

// text returns a function that reads a scalar and passes its text to take.
func text(take func(string) error) func(ast.Node) error {
	return func(n ast.Node) error {
		s, err := scalar(n)
		if err != nil {
			return err
		}
		return take(s)
	}
}
