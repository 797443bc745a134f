package workloads

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Stats sums up a finite list of flows.
type Stats struct {
	Flows      int64      `json:"flows"`
	Bytes      unit.Bytes `json:"bytes"`
	MeanSize   float64    `json:"mean_size_bytes"` // 0 if there are no flows
	FirstStart unit.Time  `json:"first_start"`
	LastStart  unit.Time  `json:"last_start"`
	Classes    []Count    `json:"classes"` // background, incast
	Bins       []Bin      `json:"bins"`    // by size, ascending
	Load       *Load      `json:"load,omitempty"`
}

// Count is a number of flows and their bytes.
type Count struct {
	Name  string     `json:"name"`
	Flows int64      `json:"flows"`
	Bytes unit.Bytes `json:"bytes"`
}

// Bin counts the flows of Min <= size < Max; the last bin has no Max (0).
type Bin struct {
	Min   unit.Bytes `json:"min_bytes"`
	Max   unit.Bytes `json:"max_bytes"`
	Flows int64      `json:"flows"`
	Bytes unit.Bytes `json:"bytes"`
}

// Load is the realised load of a time window: payload bits of the flows that start in the window, over the capacity of
// the links. 1 is a full link.
type Load struct {
	Start unit.Time `json:"start"`
	End   unit.Time `json:"end"`
	Hosts int       `json:"hosts"`
	// Overall is the total payload over the links of all hosts. Send and Receive are per host, for the
	// flows from it and to it.
	Overall float64 `json:"overall"`
	Send    Spread  `json:"send"`
	Receive Spread  `json:"receive"`
}

// Spread is the mean and the extremes over all hosts.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// binEdges separate the bins of Stats.
var binEdges = [...]unit.Bytes{unit.KB, 10 * unit.KB, 100 * unit.KB, unit.MB, 10 * unit.MB}

// Measure summarises all flows of a source. If hosts is not nil and end > start, it also computes the load
// of the flows that start in [start, end). With a load, a flow from or to a node that is not among the
// hosts is an error.
func Measure(flows Source, hosts []Host, start, end unit.Time) (*Stats, error) {
	s := &Stats{Classes: []Count{{Name: ClassBackground.String()}, {Name: ClassIncast.String()}}}
	s.Bins = make([]Bin, len(binEdges)+1)
	for i, edge := range binEdges {
		s.Bins[i].Max, s.Bins[i+1].Min = edge, edge
	}
	var sent, received []unit.Bytes // by index in hosts
	withLoad := len(hosts) > 0 && end > start
	if withLoad {
		sent, received = make([]unit.Bytes, len(hosts)), make([]unit.Bytes, len(hosts))
	}
	for f := range All(flows) {
		if err := s.add(f); err != nil {
			return nil, fmt.Errorf("workloads: flow %d: %w", f.ID, err)
		}
		if !withLoad {
			continue
		}
		src, okSrc := find(hosts, f.Src)
		dst, okDst := find(hosts, f.Dst)
		if !okSrc || !okDst {
			return nil, fmt.Errorf("workloads: flow %d goes from %d to %d, which are not both hosts here (%s)",
				f.ID, f.Src, f.Dst, describeHosts(hosts))
		}
		if f.Start >= start && f.Start < end {
			sent[src] += f.Size
			received[dst] += f.Size
		}
	}
	if err := flows.Err(); err != nil {
		return nil, err
	}
	if s.Flows > 0 {
		s.MeanSize = float64(s.Bytes) / float64(s.Flows)
	}
	if withLoad {
		s.Load = loadOf(hosts, sent, received, start, end)
	}
	return s, nil
}

func (s *Stats) add(f Flow) error {
	if int(f.Class) >= len(s.Classes) {
		return fmt.Errorf("unknown class %v", f.Class)
	}
	sum, carry := bits.Add64(uint64(s.Bytes), uint64(f.Size), 0)
	if f.Size < 1 || carry != 0 || sum > math.MaxInt64 {
		return errors.New("sizes do not add up to a number of bytes in range")
	}
	if s.Flows == 0 {
		s.FirstStart, s.LastStart = f.Start, f.Start
	}
	s.FirstStart, s.LastStart = min(s.FirstStart, f.Start), max(s.LastStart, f.Start)
	s.Flows++
	s.Bytes = unit.Bytes(sum)
	s.Classes[f.Class].Flows++
	s.Classes[f.Class].Bytes += f.Size
	i := 0
	for i < len(binEdges) && f.Size >= binEdges[i] {
		i++
	}
	s.Bins[i].Flows++
	s.Bins[i].Bytes += f.Size
	return nil
}

func loadOf(hosts []Host, sent, received []unit.Bytes, start, end unit.Time) *Load {
	window := (end - start).Seconds()
	l := &Load{Start: start, End: end, Hosts: len(hosts)}
	spread := func(bytes []unit.Bytes) Spread {
		s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
		for i, h := range hosts {
			load := float64(bytes[i]) / (h.Rate.BytesPerSecond() * window)
			s.Mean += load / float64(len(hosts))
			s.Min, s.Max = min(s.Min, load), max(s.Max, load)
		}
		return s
	}
	l.Send, l.Receive = spread(sent), spread(received)
	total := lists.Sum(sent, func(b unit.Bytes) float64 { return float64(b) })
	l.Overall = total / (totalRate(hosts).BytesPerSecond() * window)
	return l
}
