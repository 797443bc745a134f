package query

import "pintlab/netsim/unit"

// UseCase is one row of Table 2 with a query for it.
type UseCase struct {
	Application string
	Description string
	Class       Class
	Primitives  Primitive // what must be measured according to the table
	Query       Query
}

// Catalogue returns the eleven use cases of Table 2 in its order, each with a query. Where the
// table leaves function and bits open, the choice is ours:
//
//   - An extremum "with" the switch ID also carries the switch that had it.
//   - A dynamic aggregation is per switch, so it always involves the switch ID: it is for hop i of
//     a flow's path, which a path query identifies.
//   - The load (HPCC's U) combines timestamp, port utilisation and queue occupancy in one number.
func Catalogue() []UseCase {
	const (
		id    = PrimitiveSwitchID
		clock = PrimitiveTimestamp
		port  = PrimitivePortUtilization
		queue = PrimitiveQueueOccupancy
	)
	return []UseCase{
		{
			"Congestion Control", "Congestion control with in-network support", PerPacket, clock | port | queue,
			HPCCQuery(),
		},
		{
			"Congestion Analysis", "Diagnosis of short-lived congestion events", PerPacket, queue,
			Query{Name: "congestion", Value: QueueOccupancy, Aggregation: Max, Bits: 8},
		},
		{
			"Network Tomography", "Determine network state, i.e., queues status", PerPacket, id | queue,
			Query{Name: "tomography", Value: QueueOccupancy, Aggregation: Max, Bits: 16, With: SwitchID, WithBits: 10},
		},
		{
			"Power Management", "Determine under-utilized network elements", PerPacket, id | port,
			Query{Name: "power", Value: TxUtilization, Aggregation: Min, Bits: 16, With: SwitchID, WithBits: 10},
		},
		{
			"Real-Time Anomaly Detection", "Detect sudden changes in network status", PerPacket, clock | port | queue,
			Query{Name: "anomaly", Value: Load, Aggregation: Sum, Bits: 8},
		},
		{
			"Path Tracing", "Detect the path taken by a flow or a subset", Static, id,
			PathQuery(16, 2, 1*unit.KB),
		},
		{
			"Routing Misconfiguration", "Identify unwanted path taken by a given flow", Static, id,
			Query{Name: "misrouted", Value: SwitchID, Aggregation: Path, Bits: 8, Hashes: 1, Space: 512,
				Flow: ByFiveTuple},
		},
		{
			"Path Conformance", "Checks for policy violations", Static, id,
			Query{Name: "conformance", Value: SwitchID, Aggregation: Path, Bits: 4, Hashes: 1, Space: 512,
				Flow: ByHostPair},
		},
		{
			"Utilization-aware Routing", "Load balance traffic based on network status", Dynamic, id | port,
			Query{Name: "steering", Value: TxUtilization, Aggregation: Quantiles, Bits: 8, Space: 1 * unit.KB,
				Flow: ByFiveTuple},
		},
		{
			"Load Imbalance", "Determine links processing more traffic", Dynamic, id | port,
			Query{Name: "imbalance", Value: TxUtilization, Aggregation: Frequent, Bits: 4, Space: 4 * unit.KB,
				Flow: ByDestination},
		},
		{
			"Network Troubleshooting", "Determine flows experiencing high latency", Dynamic, id | clock,
			LatencyQuery(8, 1*unit.KB),
		},
	}
}
