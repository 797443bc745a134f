package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// Report is a plan as plain data, for printing and for JSON. Fractions are exact and written as
// "15/16".
type Report struct {
	Bits     int           `json:"bits"`      // width of the digest
	HashBits int           `json:"hash_bits"` // bits that choose the set
	Steady   bool          `json:"steady"`    // every query has the same position in all its sets
	Sets     []SetReport   `json:"sets"`
	Queries  []QueryReport `json:"queries"`
}

// SetReport is one query set of a plan.
type SetReport struct {
	Share  Fraction      `json:"share"` // share of the packets
	Parts  uint64        `json:"parts"` // parts of 2^`hash_bits`
	Fields []FieldReport `json:"fields"`
}

// FieldReport is the position of a query's digest in the packets of a set.
type FieldReport struct {
	Query string `json:"query"`
	Low   int    `json:"low_bit"` // 0 is the least significant
	High  int    `json:"high_bit"`
}

// QueryReport is the requested and the achieved frequency of a query.
type QueryReport struct {
	Name      string   `json:"name"`
	Bits      int      `json:"bits"`
	Hashes    int      `json:"hashes"`    // independent digests in the bits of a static query; 0 for other queries
	Requested Fraction `json:"requested"` // 0 if none was requested
	Achieved  Fraction `json:"achieved"`
	Slack     float64  `json:"slack"` // achieved − requested
}

// Report describes the plan.
func (p *Plan) Report() Report {
	r := Report{Bits: p.Bits, HashBits: p.HashBits, Steady: p.Steady}
	for j := range p.Sets {
		s := SetReport{Share: p.Share(j), Parts: p.Sets[j].Parts, Fields: []FieldReport{}}
		for _, f := range p.Sets[j].Fields {
			s.Fields = append(s.Fields, FieldReport{p.Queries[f.Query].Name, f.Offset, f.Offset + f.Bits - 1})
		}
		r.Sets = append(r.Sets, s)
	}
	for i := range p.Queries {
		q := &p.Queries[i]
		got := p.Frequency(i)
		slack := got.Float64() - q.Frequency.Float64()
		r.Queries = append(r.Queries, QueryReport{q.Name, q.Bits, q.Hashes, q.Frequency, got, slack})
	}
	return r
}

// String prints the plan: the sets with their shares and bit fields, then the requested and
// achieved frequency of each query.
func (p *Plan) String() string {
	r := p.Report()
	var b strings.Builder
	sets := "query sets"
	if len(r.Sets) == 1 {
		sets = "query set"
	}
	fmt.Fprintf(&b, "%s on every packet, %d %s, chosen by %s of q(packet)\n\n", number.Count(r.Bits, "bit"),
		len(r.Sets), sets, number.Count(r.HashBits, "bit"))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "share\tparts\tdigest bits")
	for _, s := range r.Sets {
		fields := lists.Map(s.Fields, func(f FieldReport) string {
			return fmt.Sprintf("%s %d-%d", f.Query, f.Low, f.High)
		})
		if fields == nil {
			fields = []string{"none"}
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", shown(s.Share), s.Parts, strings.Join(fields, ", "))
	}
	fmt.Fprintln(w, "\nquery\tbits\trequested\tachieved\tslack")
	for _, q := range r.Queries {
		requested, bits := "any", strconv.Itoa(q.Bits)
		if !q.Requested.IsZero() {
			requested = shown(q.Requested)
		}
		if q.Hashes > 1 {
			bits = fmt.Sprintf("%d×%d", q.Hashes, q.Bits/q.Hashes)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%+.4g\n", q.Name, bits, requested, shown(q.Achieved), q.Slack)
	}
	w.Flush()
	if slices.ContainsFunc(r.Queries, func(q QueryReport) bool { return q.Slack < 0 }) {
		fmt.Fprintf(&b, "\nA negative slack is rounding: shares are whole parts of 2^-%d (hash_bits, up to 32).\n",
			r.HashBits)
	}
	return b.String()
}

// shown returns a fraction for people: exact if the numerator has one digit or the denominator is at most 1000, else as
// a decimal number with five digits.
func shown(f Fraction) string {
	if f.num > 9 && f.den > 1000 {
		return fmt.Sprintf("%.5g", f.Float64())
	}
	return f.String()
}
