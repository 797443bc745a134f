package pint

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/internal/progress"
	"pintlab/pint/global"
	detect "pintlab/pint/loops"
)

// LoopQuestion describes a path without a loop, and a loop, for PINT's loop detection (appendix A.4 of the PINT paper,
// package pint/loops). It consists of two questions. How often is a packet on the path without a loop reported? And if
// a wrong route sends a flow into a loop in the simulation, how soon is the first packet reported?
type LoopQuestion struct {
	Detectors []detect.Config // empty: the detectors of appendix A.4
	Hops      int             `flag:"hops" default:"32" range:">=1 <=65536" use:"switches {N} on the path without a loop"`
	Packets   int             `flag:"packets" default:"200000" range:">=1 <=1000000000" use:"packets {N} on the path without a loop"`
	Prefix    int             `flag:"prefix" default:"3" range:">=0 <=255" use:"switches {N} before the loop"`
	Ring      int             `flag:"ring" default:"2" range:">=2 <=255" use:"switches {N} of the loop"`
	TTL       int             `flag:"ttl" default:"64" range:">=1 <=255" use:"hops {N} after which a packet in the loop ends"`
	Seed      uint64
}

// LoopAnswer contains the performance of the detectors.
type LoopAnswer struct {
	Hops    int     `json:"hops"`    // hops of the path without a loop
	Packets int     `json:"packets"` // packets of the path without a loop
	Prefix  int     `json:"prefix"`  // switches before the loop
	Ring    int     `json:"ring"`    // switches of the loop
	TTL     int     `json:"ttl"`
	Rows    []Check `json:"rows"`
}

// Check is a row: the performance of one detector.
type Check struct {
	Bits      int     `json:"bits" col:"bits"`
	Threshold int     `json:"threshold" col:"T"`
	Width     int     `json:"width" col:"bits on the packet"`                // on the packet
	Exact     float64 `json:"false_reports_exact" col:"false reports"`       // probability
	Measured  float64 `json:"false_reports_measured" col:"measured"`         // probability
	Expected  float64 `json:"false_reports_expected" col:"expected reports"` // number of reports among the packets
	Reports   int     `json:"false_reports" col:"reports"`                   // count
	Found     float64 `json:"packets_reported" col:"found in the loop"`      // share of the packets in the loop
	// hop at which loops are reported; null if no packet is reported
	Hop columns.Number `json:"median_hop" col:"at hop (median)"`
	// first packet that is reported; null if no packet is reported
	Packet columns.Number `json:"first_packet" col:"first packet"`
	// time until this report since the start of the flow, simulated; null if no packet is reported
	Delay columns.Number `json:"delay_us" col:"after" unit:"us"`
}

// maxTTL is the largest TTL of a header.
const maxTTL = 255

// Ask measures how often a packet on a path without a loop is reported, and how soon a loop is reported.
func (q *LoopQuestion) Ask(ctx context.Context, by study.Runner) (*LoopAnswer, error) {
	if q.Hops < 1 || q.Hops > maxTTL {
		return nil, fmt.Errorf("--hops %d: a packet passes at most %d switches before its TTL ends", q.Hops, maxTTL)
	}
	detectors := q.Detectors
	if len(detectors) == 0 {
		detectors = []detect.Config{detect.Plain(), detect.Twice(), detect.Fourfold()}
	}
	s := study.Study{Seeds: []uint64{q.Seed}}
	for i, c := range detectors {
		s.Cells = append(s.Cells, study.Cell{Label: fmt.Sprintf("detector %d", i+1), X: float64(i),
			Work: func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
				d, err := detect.New(c, global.Fast(seed))
				if err != nil {
					return nil, err
				}
				return q.check(ctx, c, d, show)
			}})
	}
	results, err := s.Run(ctx, by)
	if err != nil {
		return nil, err
	}
	a := &LoopAnswer{Hops: q.Hops, Packets: q.Packets, Prefix: q.Prefix, Ring: q.Ring, TTL: q.TTL}
	for _, c := range s.Cells {
		a.Rows = append(a.Rows, study.Made[Check](results, c)...)
	}
	a.Rows = columns.Rounded(a.Rows)
	return a, nil
}

// check measures one detector.
func (q *LoopQuestion) check(
	ctx context.Context, c detect.Config, d *detect.Detector, show *progress.Task,
) (row Check, err error) {
	row = Check{Bits: c.Bits, Threshold: c.Threshold, Width: c.Width()}
	if row.Exact, err = c.FalseReport(q.Hops); err != nil {
		return row, err
	}
	row.Expected = row.Exact * float64(q.Packets)
	for n := range q.Packets {
		if n%(1<<16) == 0 {
			if err := ctx.Err(); err != nil {
				return row, err
			}
			show.Update(float64(n)/float64(q.Packets), fmt.Sprintf("%d of %d packets", n, q.Packets))
		}
		digest, loop := uint64(0), false
		for hop := 1; hop <= q.Hops && !loop; hop++ {
			digest, loop = d.Process(uint64(n), hop, uint64(hop), digest)
		}
		if loop {
			row.Reports++
		}
	}
	row.Measured = float64(row.Reports) / float64(q.Packets)
	l := defaultLoopRun(d)
	l.Prefix, l.Ring, l.TTL = q.Prefix, q.Ring, q.TTL
	found, err := l.run()
	if err != nil {
		return row, err
	}
	reported, seen := l.Packets-found.At[0], 0
	row.Found = float64(reported) / float64(l.Packets)
	if reported == 0 {
		nan := columns.Number(math.NaN())
		row.Hop, row.Packet, row.Delay = nan, nan, nan
		return row, nil
	}
	for hop := 1; hop < len(found.At) && 2*seen < reported; hop++ {
		seen += found.At[hop]
		row.Hop = columns.Number(hop)
	}
	row.Packet, row.Delay = columns.Number(found.Packet), columns.Number(1e6*found.Delay.Seconds())
	return row, nil
}
