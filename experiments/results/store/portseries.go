package store

import (
	"fmt"
	"math"
	"strconv"

	"pintlab/netsim/unit"
)

// PortSample is the state of one egress port at one instant. Counters count from the start of the run.
type PortSample struct {
	Time        unit.Time  `parquet:"time_ps,delta"`        // instant
	Node        int32      `parquet:"node,dict"`            // node that sends
	Peer        int32      `parquet:"peer,dict"`            // node at the other end of the link
	Layer       string     `parquet:"layer,dict"`           // layers of the two, such as `edge-core`: `host`, `edge`, `aggregation`, `core`, in leaf-spine networks `leaf` and `spine`, or `switch` if not known
	Queue       unit.Bytes `parquet:"queue_bytes"`          // waiting at the port, all classes
	Sent        unit.Bytes `parquet:"sent_bytes"`           // counter: transmissions begun, headers and telemetry included
	Packets     int64      `parquet:"packets"`              // counter: transmissions begun
	Stored      *float64   `parquet:"utilisation,optional"` // share of the link's capacity since the look before, 0 to 1, slightly more with network.serialisation = floor-ns; null (CSV: empty) at the first look
	Marks       int64      `parquet:"marks,dict"`           // counter: packets marked with ECN
	Drops       int64      `parquet:"drops,dict"`           // counter: packets refused for this port
	Paused      bool       `parquet:"paused"`               // whether the peer has paused the port, in any class
	Pauses      int64      `parquet:"pauses,dict"`          // counter: pauses by the peer
	PausedTime  unit.Time  `parquet:"paused_ps,dict"`       // counter: time paused, in any class
	Utilisation float64    `parquet:"-"`                    // of the column; NaN for null. Only SeriesFile uses Stored
}

// PortSeries stores time series of ports.
var PortSeries = SeriesFile[PortSample]{
	name: "series",
	columns: []string{"time_ps", "node", "peer", "layer", "queue_bytes", "sent_bytes", "packets", "utilisation",
		"marks", "drops", "paused", "pauses", "paused_ps"},
	text: func(line []byte, p *PortSample) []byte {
		line = decimal(decimal(decimal(line, p.Time), p.Node), p.Peer)
		line = append(append(line, p.Layer...), ',')
		line = decimal(decimal(decimal(line, p.Queue), p.Sent), p.Packets)
		line = decimal(decimal(real(line, p.Utilisation), p.Marks), p.Drops)
		line = append(strconv.AppendBool(line, p.Paused), ',')
		return decimal(decimal(line, p.Pauses), p.PausedTime)
	},
	parse: func(c *columnReader) PortSample {
		return PortSample{
			Time: anything[unit.Time](c, 0), Node: int32(c.number(1, 10, 0, math.MaxInt32)), Peer: int32(c.number(2, 10, 0, math.MaxInt32)),
			Layer: c.words[3], Queue: anything[unit.Bytes](c, 4), Sent: anything[unit.Bytes](c, 5), Packets: anything[int64](c, 6),
			Utilisation: c.positive(7), Marks: anything[int64](c, 8), Drops: anything[int64](c, 9),
			Paused: c.truth(10), Pauses: anything[int64](c, 11), PausedTime: anything[unit.Time](c, 12),
		}
	},
	check: func(p *PortSample) error {
		if p.Node < 0 || p.Peer < 0 || min(p.Queue, p.Sent) < 0 || min(p.Packets, p.Marks, p.Drops, p.Pauses) < 0 || p.PausedTime < 0 || p.Utilisation < 0 {
			return fmt.Errorf("negative value in %+v", *p)
		}
		return nil
	},
	maybe:  func(p *PortSample) (*float64, **float64) { return &p.Utilisation, &p.Stored },
	time:   func(p *PortSample) unit.Time { return p.Time },
	create: CreateParquet[PortSample],
	read:   readParquet[PortSample],
}
