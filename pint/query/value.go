package query

import "fmt"

// Value is a quantity that a switch observes about a packet: a row of Table 1, or a quantity
// derived from several rows. The zero Value is invalid.
type Value uint8

// The values of Table 1, then the derived values.
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

// valueFacts holds the properties of a value for checks.
type valueFacts struct {
	name     string
	about    string
	fixed    bool    // the same for all packets of a flow at a switch
	extremum bool    // max and min over the hops are meaningful
	sum      bool    // the sum over the hops is meaningful
	product  bool    // the product over the hops is meaningful
	limit    float64 // largest meaningful value, 0 without a limit
}

var valueTable = [...]valueFacts{
	SwitchID:    {name: "switch_id", about: "ID associated with the switch", fixed: true},
	IngressPort: {name: "ingress_port", about: "packet input port", fixed: true},
	IngressTime: {name: "ingress_timestamp", about: "time when the packet is received", extremum: true},
	EgressPort:  {name: "egress_port", about: "packet output port", fixed: true},
	HopLatency:  {name: "hop_latency", about: "time spent within the device", extremum: true, sum: true},
	TxUtilization: {
		name: "tx_utilization", about: "current utilisation of the output port, 0 to 1",
		extremum: true, sum: true, product: true, limit: 1,
	},
	QueueOccupancy: {
		name: "queue_occupancy", about: "the observed queue build-up in bytes",
		extremum: true, sum: true,
	},
	QueueCongestion: {
		name: "queue_congestion", about: "share of the queue being used, 0 to 1",
		extremum: true, sum: true, product: true, limit: 1,
	},
	Load: {name: "load", about: "HPCC's U of the egress link", extremum: true, sum: true},
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

// parseValue reads the name of a value.
func parseValue(s string) (Value, error) { return named("value", Values, s) }
