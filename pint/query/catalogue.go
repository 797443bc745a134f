package query

import "pintlab/netsim/unit"

// UseCase is one row of Table 2 with a query for it.
type UseCase struct {
	Application string
	Description string
	Class       Class
	Query       Query
}

// Catalogue returns the eleven use cases of Table 2 in its order, each with a query. Where the
// table leaves function and bits open, we chose them:
//
//   - An extremum "with" the switch ID also carries the ID of the switch that had the extremum.
//   - A dynamic aggregation is per switch, so it always involves the switch ID. The aggregation is
//     for hop i of a flow's path, and a path query identifies the switch at hop i.
//   - The load (HPCC's U) combines timestamp, port utilisation and queue occupancy in one number.
func Catalogue() []UseCase {
	return []UseCase{
		{
			"Congestion Control", "Congestion control with in-network support", PerPacket,
			HPCCQuery(),
		},
		{
			"Congestion Analysis", "Diagnosis of short-lived congestion events", PerPacket,
			Query{Name: "congestion", Value: QueueOccupancy, Aggregation: Max, Bits: 8},
		},
		{
			"Network Tomography", "Determine network state, i.e., queues status", PerPacket,
			Query{Name: "tomography", Value: QueueOccupancy, Aggregation: Max, Bits: 16, With: SwitchID, WithBits: 10},
		},
		{
			"Power Management", "Determine under-utilized network elements", PerPacket,
			Query{Name: "power", Value: TxUtilization, Aggregation: Min, Bits: 16, With: SwitchID, WithBits: 10},
		},
		{
			"Real-Time Anomaly Detection", "Detect sudden changes in network status", PerPacket,
			Query{Name: "anomaly", Value: Load, Aggregation: Sum, Bits: 8},
		},
		{
			"Path Tracing", "Detect the path taken by a flow or a subset", Static,
			PathQuery(16, 2, 1*unit.KB),
		},
		{
			"Routing Misconfiguration", "Identify unwanted path taken by a given flow", Static,
			Query{Name: "misrouted", Value: SwitchID, Aggregation: Path, Bits: 8, Hashes: 1, Space: 512,
				Flow: ByFiveTuple},
		},
		{
			"Path Conformance", "Checks for policy violations", Static,
			Query{Name: "conformance", Value: SwitchID, Aggregation: Path, Bits: 4, Hashes: 1, Space: 512,
				Flow: ByHostPair},
		},
		{
			"Utilization-aware Routing", "Load balance traffic based on network status", Dynamic,
			Query{Name: "steering", Value: TxUtilization, Aggregation: Quantiles, Bits: 8, Space: 1 * unit.KB,
				Flow: ByFiveTuple},
		},
		{
			"Load Imbalance", "Determine links processing more traffic", Dynamic,
			Query{Name: "imbalance", Value: TxUtilization, Aggregation: Frequent, Bits: 4, Space: 4 * unit.KB,
				Flow: ByDestination},
		},
		{
			"Network Troubleshooting", "Determine flows experiencing high latency", Dynamic,
			LatencyQuery(8, 1*unit.KB),
		},
	}
}
