package store

import (
	"math"

	"pintlab/netsim/unit"
)

// NoWindow is the window of a flow whose data in flight is not limited.
const NoWindow unit.Bytes = math.MaxInt64

// FlowSample is the state of an active flow at one instant.
type FlowSample struct {
	Time  unit.Time  `parquet:"time_ps,delta"` // instant
	Flow  int64      `parquet:"flow,dict"`     // `id` in `flows.csv`
	Src   int32      `parquet:"src,dict"`      // node number of the sending host
	Dst   int32      `parquet:"dst,dict"`      // node number of the receiving host
	Acked unit.Bytes `parquet:"acked_bytes"`   // payload acknowledged since the start of the flow
	// payload that has arrived at the destination in order, that is, up to the first gap
	Delivered unit.Bytes `parquet:"delivered_bytes"`
	Flight    unit.Bytes `parquet:"flight_bytes"` // payload sent and not acknowledged
	Window    unit.Bytes `parquet:"window_bytes"` // limit on the payload in flight; 2⁶³−1 if there is no limit
	Rate      unit.Rate  `parquet:"rate_bps"`     // rate of pacing; the port's rate if the congestion control sets none
	// utilisation U of the path that the congestion control knows, or PowerTCP's power Γ; null (CSV: empty) if it knows
	// neither
	Stored *float64 `parquet:"load,optional" min:"none"`
	Load   float64  `parquet:"-"` // value of Stored, with NaN for null; only SeriesFile uses Stored
}

// FlowSeries stores time series of flows.
var FlowSeries = SeriesFile[FlowSample]{
	table: tableOf[FlowSample](),
	name:  "flowseries",
	time:  func(f *FlowSample) unit.Time { return f.Time },
	maybe: func(f *FlowSample) (*float64, **float64) { return &f.Load, &f.Stored },
}
