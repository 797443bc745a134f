package store

import (
	"pintlab/netsim/unit"
)

// PortSample is the state of one egress port at one instant. Counters count from the start of the run.
type PortSample struct {
	Time unit.Time `parquet:"time_ps,delta"` // instant
	Node int32     `parquet:"node,dict"`     // node that sends
	Peer int32     `parquet:"peer,dict"`     // node at the other end of the link
	// layers of the two nodes, such as `edge-core`: `host`, `edge`, `aggregation`, `core`, in leaf-spine networks
	// `leaf` and `spine`, or `switch` if the layer is unknown
	Layer   string     `parquet:"layer,dict"`
	Queue   unit.Bytes `parquet:"queue_bytes"` // bytes waiting at the port, in all classes
	Sent    unit.Bytes `parquet:"sent_bytes"`  // counter: transmissions begun, with headers and telemetry
	Packets int64      `parquet:"packets"`     // counter: transmissions begun
	// share of the link's capacity since the previous look, 0 to 1, slightly more with network.serialisation =
	// floor-ns; null (CSV: empty) at the first look
	Stored      *float64  `parquet:"utilisation,optional"`
	Marks       int64     `parquet:"marks,dict"`     // counter: packets marked with ECN
	Drops       int64     `parquet:"drops,dict"`     // counter: packets refused for this port
	Paused      bool      `parquet:"paused"`         // whether the peer has paused the port, in any class
	Pauses      int64     `parquet:"pauses,dict"`    // counter: pauses by the peer
	PausedTime  unit.Time `parquet:"paused_ps,dict"` // counter: time paused, in any class
	Utilisation float64   `parquet:"-"`              // value of Stored, with NaN for null; only SeriesFile uses Stored
}

// PortSeries stores time series of ports.
var PortSeries = SeriesFile[PortSample]{
	table: tableOf[PortSample](),
	name:  "series",
	time:  func(p *PortSample) unit.Time { return p.Time },
	maybe: func(p *PortSample) (*float64, **float64) { return &p.Utilisation, &p.Stored },
}
