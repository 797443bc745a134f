package query

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pintlab/internal/lists"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// Parse reads a query file. It reports all errors, each with file, line, key and what is accepted.
// The result has default values and is valid, and each space is large enough for the default summary of a recorder;
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
//	    flow: 5-tuple         # optional; or fields: [src_ip, dst_ip]
//	    frequency: 1          # optional
//	  - name: slowest
//	    value: hop_latency
//	    aggregation: max
//	    bits: 8
//	    range: 1ns..60us      # optional; or step: 250ns
//	    rounding: nearest     # optional
//	    with: switch_id       # optional, for max and min
//	    with_bits: 4
//	plan:                     # optional; without entries, Compile computes it
//	  - queries: [path, slowest]
//	    probability: 15/16
//	  - queries: [path]
//	    probability: 1/16
func Parse(file string, text []byte) (*Spec, error) {
	var s *Spec
	l := schema.Language{
		Empty: "empty, want bits, hops and queries",
		Rules: func(d any, c *schema.Checker) { s = d.(*document).spec(c) },
	}
	d := new(document)
	l.Default(d)
	if err := l.Parse(d, text, schema.Source{Name: file}); err != nil {
		return nil, err
	}
	return s, nil
}

// JSONSchema returns the JSON Schema of query files.
func JSONSchema() []byte {
	return schema.JSONSchema(new(document), schema.Described{Title: "Queries of pintlab"})
}

// document is a query file. Spec.Validate has the rules on its keys, which also hold for a Spec that Go code makes.
type document struct {
	words
	Bits     int           `yaml:"bits" required:"yes" range:">=1 <=$bits"`
	Hops     int           `yaml:"hops" required:"yes" range:">=1 <=$hops"`
	HashBits int           `yaml:"hash_bits" default:"16" range:">=16 <=32"`
	Queries  []listedQuery `yaml:"queries"`
	Plan     []line        `yaml:"plan"`
}

// listedQuery is a query of a file. The forms of flow, frequency, range and step are not for tags, and the
// unit of a range depends on the value.
type listedQuery struct {
	words
	Name        string          `yaml:"name" required:"yes"`
	Value       string          `yaml:"value" required:"yes" oneof:"$values"`
	Aggregation string          `yaml:"aggregation" required:"yes" oneof:"$aggregations"`
	Bits        int             `yaml:"bits" required:"yes" range:">=1 <=$bits"`
	With        string          `yaml:"with" default:"none" oneof:"none|$values"`
	WithBits    int             `yaml:"with_bits" default:"0" range:">=0 <=$bits"`
	Space       unit.Bytes      `yaml:"space" default:"0B" range:">=0B"`
	Flow        []string        `yaml:"flow" single:"yes"`
	Frequency   string          `yaml:"frequency" default:""`
	Hashes      int             `yaml:"hashes" default:"0" range:">=0 <=$bits"`
	Rounding    approx.Rounding `yaml:"rounding" default:"nearest"`
	Range       string          `yaml:"range" default:""`
	Step        string          `yaml:"step" default:""`
}

// words are the groups of words that the tags name.
type words struct{}

func (words) Group(name string) []string {
	return map[string][]string{
		"values":       lists.Map(Values, Value.String),
		"aggregations": lists.Map(Aggregations, Aggregation.String),
		"bits":         {strconv.Itoa(maxBits)},
		"hops":         {strconv.Itoa(maxHops)},
	}[name]
}

// line is a query set of a plan by the operator.
type line struct {
	Queries     []string `yaml:"queries"`
	Probability string   `yaml:"probability" required:"yes"`
}

// spec returns the valid Spec that d describes, or reports to c what it breaks.
func (d *document) spec(c *schema.Checker) *Spec {
	var broken complaints
	take := func(key string, err error) {
		if err != nil {
			broken.fail(key, "%v", err)
		}
	}
	s := &Spec{Bits: d.Bits, Hops: d.Hops, HashBits: d.HashBits}
	for i := range d.Queries {
		at := fmt.Sprintf("queries.%d.", i)
		s.Queries = append(s.Queries, d.Queries[i].query(func(key string, err error) { take(at+key, err) }))
	}
	for i, l := range d.Plan {
		p, err := parseFraction(l.Probability)
		take(fmt.Sprintf("plan.%d.probability", i), err)
		s.ByHand = append(s.ByHand, Choice{Queries: l.Queries, Probability: p})
	}
	if len(broken.problems) == 0 {
		s.Defaults()
		broken.problems = s.problems()
	}
	if len(broken.problems) == 0 {
		for i := range s.Queries {
			take(fmt.Sprintf("queries.%d.space", i), s.Queries[i].fits(s.Hops, Memory{}))
		}
	}
	c.Add(broken.problems)
	return s
}

// query returns the query of e. It passes the errors of each key to the function take.
func (e *listedQuery) query(take func(key string, err error)) Query {
	q := Query{Name: e.Name, Bits: e.Bits, WithBits: e.WithBits, Space: e.Space, Hashes: e.Hashes, Rounding: e.Rounding}
	q.Value, _ = parseValue(e.Value) // the tags have checked these words
	q.Aggregation, _ = parseAggregation(e.Aggregation)
	q.With, _ = parseValue(e.With)
	number := func(key, text string) float64 {
		x, err := quantity(q.Value, text)
		take(key, err)
		return x
	}
	var err error
	switch {
	case len(e.Flow) == 1:
		q.Flow, err = parseFlow(e.Flow[0])
	case e.Flow != nil:
		q.Flow, err = flowOf(e.Flow)
	}
	take("flow", err)
	if e.Frequency != "" {
		q.Frequency, err = parseFraction(e.Frequency)
		if err == nil && q.Frequency.IsZero() {
			err = errors.New("with 0, the query would never run; leave this key out to let the plan choose " +
				"the frequency")
		}
		take("frequency", err)
	}
	if low, high, ok := strings.Cut(e.Range, ".."); ok {
		q.Low, q.High = number("range", low), number("range", high)
	} else if e.Range != "" {
		take("range", fmt.Errorf("%q, want lowest..highest such as 1ns..60us", e.Range))
	}
	if e.Step != "" {
		q.Step = number("step", e.Step)
	}
	return q
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
	bad := fmt.Errorf("number %q: want a number such as 0.05 or 5%%", s)
	number, percent := strings.CutSuffix(s, "%")
	if strings.Trim(number, "0123456789.") != "" {
		return 0, bad
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, bad
	}
	if percent {
		x /= 100
	}
	return x, nil
}
