package query

import (
	"fmt"
	"strings"
)

// Class is one of the three kinds of aggregation in §3.1.
type Class uint8

// The kinds of aggregation.
const (
	PerPacket Class = iota + 1 // over the hops of one packet
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
	Max     Aggregation = iota + 1 // per packet: the largest value over the hops
	Min                            // per packet: the smallest
	Sum                            // per packet: the sum
	Product                        // per packet: the product
	// per packet: the XOR of hashes of (value, hop), which distinguishes concurrent paths
	Checksum
	Path      // static: the value of every hop
	Quantiles // dynamic: quantiles of each hop's stream
	Frequent  // dynamic: the values that make up a given share of each hop's stream
)

// Aggregations lists all aggregations by class.
var Aggregations = []Aggregation{Max, Min, Sum, Product, Checksum, Path, Quantiles, Frequent}

var aggregationNames = [...]string{Max: "max", Min: "min", Sum: "sum", Product: "product", Checksum: "checksum",
	Path: "static", Quantiles: "quantiles", Frequent: "frequent"}

// String returns the name of a in a query file.
func (a Aggregation) String() string {
	if a >= Max && int(a) < len(aggregationNames) {
		return aggregationNames[a]
	}
	return fmt.Sprintf("Aggregation(%d)", uint8(a))
}

var aggregationAbout = [...]string{
	Max: "the largest value over the hops of a packet", Min: "the smallest", Sum: "the sum over the hops",
	Product:  "the product over the hops",
	Checksum: "a hash of the path, which tells concurrent paths apart", Path: "the value of every hop",
	Quantiles: "quantiles of the values at each hop", Frequent: "the values that make up a share of those at each hop",
}

// About returns a short description of a.
func (a Aggregation) About() string {
	if a >= Max && int(a) < len(aggregationAbout) {
		return aggregationAbout[a]
	}
	return ""
}

// Class returns the class of a.
func (a Aggregation) Class() Class {
	switch a {
	case Max, Min, Sum, Product, Checksum:
		return PerPacket
	case Path:
		return Static
	case Quantiles, Frequent:
		return Dynamic
	}
	return 0
}

// ParseAggregation reads the name of an aggregation.
func ParseAggregation(s string) (Aggregation, error) {
	names := make([]string, len(Aggregations))
	for i, a := range Aggregations {
		if a.String() == s {
			return a, nil
		}
		names[i] = a.String()
	}
	return 0, fmt.Errorf("unknown aggregation %q (accepted: %s)", s, strings.Join(names, ", "))
}

// fits returns an error if a cannot aggregate v in a meaningful way.
func (a Aggregation) fits(v Value) error {
	f := v.facts()
	switch {
	case a.Class() == Static && !f.fixed:
		return fmt.Errorf("static aggregation of %s, which changes from packet to packet "+
			"(accepted: switch_id, ingress_port, egress_port)", v)
	case a == Quantiles && f.fixed:
		return fmt.Errorf("quantiles of %s, which are the value itself or those of a name "+
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
	var names []string
	for _, v := range Values {
		if f := v.facts(); a == Sum && f.sum || a == Product && f.product {
			names = append(names, v.String())
		}
	}
	return strings.Join(names, ", ")
}
