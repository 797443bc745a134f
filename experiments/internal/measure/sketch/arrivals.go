package sketch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/int/sketch/heavy"
	"pintlab/int/sketch/sumax"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Arrival is the answer of SuMax for a flow.
type Arrival struct {
	Flow    string
	Packets uint64
	Gap     unit.Time // the longest time between packets
	Last    unit.Time // time of the last packet, since the first one of the trace
}

// MarshalJSON writes times in microseconds, which are exact.
func (a Arrival) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Flow    string `json:"flow"`
		Packets uint64 `json:"packets"`
		Gap     int64  `json:"longest_gap_us"`
		Last    int64  `json:"last_us"` // since the first packet of the trace
	}{a.Flow, a.Packets, int64(a.Gap / unit.Microsecond), int64(a.Last / unit.Microsecond)})
}

// ErrNoTimes is the error of a trace without arrival times.
var ErrNoTimes = errors.New("no packet is later than the first packet: want a trace with times")

// arrivals returns the flows of at least Threshold packets. The flow with the longest time between packets comes first.
// A SuMax sketch has cells for flow size, last arrival and longest time between packets, in microseconds. If the time
// of a packet is before the latest time so far, it counts as equal to the latest time. 32 bits end after 71 minutes, so
// a longer trace is an error. A trace whose packets all have the same time is also an error, because it contains no
// information on arrivals.
func (q Question) arrivals(ctx context.Context, trace packets.Source) (*QueryAnswer, error) {
	arrays := Paper().Rows
	s, err := sized(SuMax, q.Memory, func(memory int) (*sumax.Sketch, error) {
		return sumax.New(arrays, memory/(sumax.BucketBytes*arrays), q.Seed)
	})
	if err != nil {
		return nil, err
	}
	table, err := heavy.NewTable(q.table(), q.Threshold)
	if err != nil {
		return nil, err
	}
	a := &QueryAnswer{Arrivals: []Arrival{}}
	var tuples []packets.Tuple
	var p packets.Packet
	latest := unit.Time(0)
	for trace.Next(&p) {
		if a.Packets%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a.Packets++
		if p.Time < latest {
			a.Falling++
		}
		latest = max(latest, p.Time)
		now := latest / unit.Microsecond
		if now >= math.MaxUint32 {
			return nil, fmt.Errorf("packet %d comes %v after the first: the cells of the sketch end after %v",
				a.Packets, p.Time, math.MaxUint32*unit.Microsecond)
		}
		key := p.Tuple.Key()
		s.Record(key, 1, uint32(now)+1) // 0 means no packet
		if place := table.Packet(key, s.Query(key).Size); place == len(tuples) {
			tuples = append(tuples, p.Tuple)
		}
	}
	if err := trace.Err(); err != nil {
		return nil, err
	}
	if a.Packets == 0 {
		return nil, packets.ErrNone
	}
	if latest == 0 && a.Packets > 1 {
		return nil, ErrNoTimes
	}
	a.TableFull = table.Dropped()
	for i, f := range table.Flows() {
		x := s.Query(f.Key)
		a.Arrivals = append(a.Arrivals,
			Arrival{tuples[i].String(), x.Size, unit.Time(x.Interval) * unit.Microsecond,
				unit.Time(x.Last-1) * unit.Microsecond})
	}
	slices.SortFunc(a.Arrivals, func(x, y Arrival) int {
		return cmp.Or(cmp.Compare(y.Gap, x.Gap), cmp.Compare(x.Flow, y.Flow))
	})
	return a, nil
}
