package query

import (
	"fmt"
	"strings"

	"pintlab/internal/lists"
)

// Class is one of the three kinds of aggregation in §3.1.
type Class uint8

// The kinds of aggregation.
const (
	PerPacket Class = iota + 1 // aggregates over the hops of one packet
	Static                     // all values on the path of a flow, each fixed per (flow, switch)
	Dynamic                    // a statistic of the stream of values of each (flow, switch)
)

var classNames = [...]string{PerPacket: "per-packet", Static: "static per-flow", Dynamic: "dynamic per-flow"}

// String returns the name of the class in §3.1.
func (c Class) String() string {
	if c >= PerPacket && int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Aggregation is an aggregation with its function. The zero Aggregation is invalid.
type Aggregation uint8

// The aggregations.
const (
	Max       Aggregation = iota + 1 // per packet: the largest value over the hops
	Min                              // per packet: the smallest
	Sum                              // per packet: the sum
	Product                          // per packet: the product
	Checksum                         // per packet: the XOR of hashes of (value, hop)
	Path                             // static: the value of every hop
	Quantiles                        // dynamic: quantiles of each hop's stream
	Frequent                         // dynamic: the values that make up a given share of each hop's stream
)

// Aggregations lists all aggregations by class.
var Aggregations = []Aggregation{Max, Min, Sum, Product, Checksum, Path, Quantiles, Frequent}

var aggregationTable = [...]struct {
	class Class
	name  string // in a query file
	about string
}{
	Max:       {PerPacket, "max", "the largest value over the hops of a packet"},
	Min:       {PerPacket, "min", "the smallest"},
	Sum:       {PerPacket, "sum", "the sum over the hops"},
	Product:   {PerPacket, "product", "the product over the hops"},
	Checksum:  {PerPacket, "checksum", "a hash of the path, which distinguishes concurrent paths"},
	Path:      {Static, "static", "the value of every hop"},
	Quantiles: {Dynamic, "quantiles", "quantiles of the values at each hop"},
	Frequent:  {Dynamic, "frequent", "the values that make up a share of those at each hop"},
}

// String returns the name of a in a query file.
func (a Aggregation) String() string {
	if a >= Max && int(a) < len(aggregationTable) {
		return aggregationTable[a].name
	}
	return fmt.Sprintf("Aggregation(%d)", uint8(a))
}

// About returns a short description of a.
func (a Aggregation) About() string {
	if int(a) < len(aggregationTable) {
		return aggregationTable[a].about
	}
	return ""
}

// Class returns the class of a, or 0 if it is invalid.
func (a Aggregation) Class() Class {
	if int(a) < len(aggregationTable) {
		return aggregationTable[a].class
	}
	return 0
}

// parseAggregation reads the name of an aggregation.
func parseAggregation(s string) (Aggregation, error) { return named("aggregation", Aggregations, s) }

// named returns the item with a name. The error calls the items by what.
func named[T fmt.Stringer](what string, list []T, name string) (item T, err error) {
	for _, x := range list {
		if x.String() == name {
			return x, nil
		}
	}
	accepted := strings.Join(lists.Map(list, T.String), ", ")
	return item, fmt.Errorf("unknown %s %q (accepted: %s)", what, name, accepted)
}

// fits returns an error if a cannot aggregate v in a meaningful way.
func (a Aggregation) fits(v Value) error {
	f := v.facts()
	switch {
	case a.Class() == Static && !f.fixed:
		return fmt.Errorf("static aggregation of %s, which changes from packet to packet "+
			"(accepted: switch_id, ingress_port, egress_port)", v)
	case a == Quantiles && f.fixed:
		return fmt.Errorf("quantiles of %s, which is constant on a path or a name "+
			"(accepted: static or frequent)", v)
	case (a == Quantiles || a == Frequent) && v == IngressTime:
		return fmt.Errorf("%s of %s, which only grows (accepted: max or min; hop_latency for time spent)", a, v)
	case a == Checksum && !f.fixed:
		return fmt.Errorf("checksum of %s, which changes from packet to packet "+
			"(accepted: switch_id, ingress_port, egress_port)", v)
	case (a == Max || a == Min) && !f.extremum:
		return fmt.Errorf("%s of %s, which is a name and not a quantity (accepted: static or frequent)", a, v)
	case a == Sum && !f.sum, a == Product && !f.product:
		return fmt.Errorf("%s of %s means nothing (accepted: %s)", a, v, a.accepted())
	}
	return nil
}

// accepted lists the values that a sum or product can aggregate.
func (a Aggregation) accepted() string {
	fitting := lists.Keep(Values, func(v Value) bool {
		f := v.facts()
		return a == Sum && f.sum || a == Product && f.product
	})
	return strings.Join(lists.Map(fitting, Value.String), ", ")
}
