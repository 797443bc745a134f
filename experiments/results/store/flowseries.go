package store

import (
	"fmt"
	"math"

	"pintlab/netsim/unit"
)

// NoWindow is the window of a flow without limit.
const NoWindow unit.Bytes = math.MaxInt64

// FlowSample is the state of an active flow at one instant.
type FlowSample struct {
	Time   unit.Time  `parquet:"time_ps,delta"` // instant
	Flow   int64      `parquet:"flow,dict"`     // `id` in `flows.csv`
	Src    int32      `parquet:"src,dict"`      // node number of the sending host
	Dst    int32      `parquet:"dst,dict"`      // node number of the receiving host
	Acked  unit.Bytes `parquet:"acked_bytes"`   // payload acknowledged since the start of the flow
	Flight unit.Bytes `parquet:"flight_bytes"`  // payload sent and not acknowledged
	Window unit.Bytes `parquet:"window_bytes"`  // most that may be in flight; 2⁶³−1 for no limit
	Rate   unit.Rate  `parquet:"rate_bps"`      // rate of pacing; that of the port if the congestion control sets none
	Stored *float64   `parquet:"load,optional"` // utilisation U of the path that the congestion control knows, or PowerTCP's power Γ; null (CSV: empty) if it knows none
	Load   float64    `parquet:"-"`             // of the column; NaN for null. Only SeriesFile uses Stored
}

// FlowSeries stores time series of flows.
var FlowSeries = SeriesFile[FlowSample]{
	name:    "flowseries",
	columns: []string{"time_ps", "flow", "src", "dst", "acked_bytes", "flight_bytes", "window_bytes", "rate_bps", "load"},
	text: func(line []byte, f *FlowSample) []byte {
		line = decimal(decimal(decimal(decimal(line, f.Time), f.Flow), f.Src), f.Dst)
		line = decimal(decimal(decimal(decimal(line, f.Acked), f.Flight), f.Window), f.Rate)
		return real(line, f.Load)
	},
	parse: func(c *columnReader) FlowSample {
		return FlowSample{
			Time: anything[unit.Time](c, 0), Flow: anything[int64](c, 1), Src: int32(c.number(2, 10, 0, math.MaxInt32)), Dst: int32(c.number(3, 10, 0, math.MaxInt32)),
			Acked: anything[unit.Bytes](c, 4), Flight: anything[unit.Bytes](c, 5), Window: anything[unit.Bytes](c, 6), Rate: anything[unit.Rate](c, 7), Load: c.real(8),
		}
	},
	check: func(f *FlowSample) error {
		if f.Flow < 0 || f.Src < 0 || f.Dst < 0 || min(f.Acked, f.Flight, f.Window) < 0 || f.Rate < 0 {
			return fmt.Errorf("negative value in %+v", *f)
		}
		return nil
	},
	maybe:  func(f *FlowSample) (*float64, **float64) { return &f.Load, &f.Stored },
	time:   func(f *FlowSample) unit.Time { return f.Time },
	create: CreateParquet[FlowSample],
	read:   readParquet[FlowSample],
}
