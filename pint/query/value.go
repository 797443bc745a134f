package query

import (
	"fmt"
	"strings"
)

// Value is a quantity that a switch observes about a packet: a row of Table 1, or a quantity
// derived from several rows. The zero Value is invalid.
type Value uint8

// The values of Table 1, then the derived ones.
const (
	SwitchID        Value = iota + 1 // ID associated with the switch
	IngressPort                      // packet input port
	IngressTime                      // time when the packet is received
	EgressPort                       // packet output port
	HopLatency                       // time spent within the device
	TxUtilization                    // current utilisation of the output port, 0 to 1
	QueueOccupancy                   // the observed queue build-up, bytes
	QueueCongestion                  // share of the queue being used, 0 to 1
	Load                             // HPCC's U of the egress link (PINT §4.3, example 3)
)

// Values lists Table 1 in its order, then the derived values.
var Values = []Value{
	SwitchID, IngressPort, IngressTime, EgressPort, HopLatency, TxUtilization, QueueOccupancy, QueueCongestion, Load,
}

// Primitive is a set of measurement primitives of Table 2, one bit each.
type Primitive uint8

// The primitives of Table 2, and the ports, which are only in Table 1.
const (
	PrimitiveSwitchID Primitive = 1 << iota
	PrimitiveTimestamp
	PrimitivePortUtilization
	PrimitiveQueueOccupancy
	PrimitivePort
)

var primitiveNames = []string{"switchID", "timestamp", "port utilization", "queue occupancy", "port"}

// String lists the primitives in the words of Table 2.
func (p Primitive) String() string {
	var names []string
	for i, n := range primitiveNames {
		if p>>i&1 == 1 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// valueFacts holds the properties of a value for checks.
type valueFacts struct {
	name       string
	about      string
	primitives Primitive
	fixed      bool    // the same for all packets of a flow at a switch
	extremum   bool    // max and min over the hops are meaningful
	sum        bool    // the sum over the hops is meaningful
	product    bool    // the product over the hops is meaningful
	dynamic    bool    // its stream has quantiles
	exact      int     // bits for an exact value, 0 if it needs a code
	limit      float64 // largest meaningful value, 0 if there is none
}

var valueTable = [...]valueFacts{
	SwitchID: {
		name: "switch_id", about: "ID associated with the switch",
		primitives: PrimitiveSwitchID, fixed: true, exact: 32,
	},
	IngressPort: {
		name: "ingress_port", about: "packet input port",
		primitives: PrimitivePort, fixed: true, exact: 16,
	},
	IngressTime: {
		name: "ingress_timestamp", about: "time when the packet is received",
		primitives: PrimitiveTimestamp, extremum: true, exact: 48,
	},
	EgressPort: {
		name: "egress_port", about: "packet output port",
		primitives: PrimitivePort, fixed: true, exact: 16,
	},
	HopLatency: {
		name: "hop_latency", about: "time spent within the device",
		primitives: PrimitiveTimestamp, extremum: true, sum: true, dynamic: true,
	},
	TxUtilization: {
		name: "tx_utilization", about: "current utilisation of the output port, 0 to 1",
		primitives: PrimitivePortUtilization, extremum: true, sum: true, product: true, dynamic: true, limit: 1,
	},
	QueueOccupancy: {
		name: "queue_occupancy", about: "the observed queue build-up in bytes",
		primitives: PrimitiveQueueOccupancy, extremum: true, sum: true, dynamic: true,
	},
	QueueCongestion: {
		name: "queue_congestion", about: "share of the queue being used, 0 to 1",
		primitives: PrimitiveQueueOccupancy, extremum: true, sum: true, product: true, dynamic: true, limit: 1,
	},
	Load: {
		name: "load", about: "HPCC's U of the egress link",
		primitives: PrimitiveTimestamp | PrimitivePortUtilization | PrimitiveQueueOccupancy,
		extremum:   true, sum: true, dynamic: true,
	},
}

func (v Value) facts() valueFacts {
	if int(v) < len(valueTable) {
		return valueTable[v]
	}
	return valueFacts{}
}

// String returns the name of v in a query file.
func (v Value) String() string {
	if n := v.facts().name; n != "" {
		return n
	}
	return fmt.Sprintf("Value(%d)", uint8(v))
}

// About returns a short description of v.
func (v Value) About() string { return v.facts().about }

// Fixed reports whether v is the same for all packets of a flow at a switch, as a static
// aggregation needs.
func (v Value) Fixed() bool { return v.facts().fixed }

// ParseValue reads the name of a value.
func ParseValue(s string) (Value, error) { return named("value", Values, s) }
