package lightguardian

import (
	"fmt"
	"math"

	"pintlab/int/fridge"
	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// reconstructed contains the analyzer's sketches of each switch and interval of the window. The sketches report the
// latency of a packet as a cell, and the mean uses the geometric middle of each cell. Paths come from routing.
type reconstructed struct {
	analyzer  *Module
	interval  unit.Time
	intervals int                  // intervals of the window
	bounds    [sumax.Cells]float64 // lower bounds of the cells in ns, including the pipeline
	middle    [sumax.Cells]float64 // in ps with the pipeline
	sums      map[netsim.NodeID]*[sumax.Cells]float64
}

func (m *Monitor) Answers(w telemetry.Window) (any, error) {
	if err := m.global(); err != nil {
		return nil, err
	}
	p := &m.params
	r := &reconstructed{analyzer: m.analyzer, interval: p.Interval, intervals: int(w.Until / p.Interval)}
	for i, low := range [...]unit.Time{0, p.Fast, p.Medium, p.Slow} {
		r.bounds[i] = float64((low + w.Pipeline) / unit.Nanosecond)
	}
	for i, low := range r.bounds {
		r.middle[i] = math.Sqrt(low*r.end(i)) * float64(unit.Nanosecond)
	}
	return r, nil
}

// global returns an error unless there is an analyzer with the sketches of all switches.
func (m *Monitor) global() error {
	if m.analyzer == nil {
		return fmt.Errorf("analysis = local: want global, because only the global analyzer knows what happened on a " +
			"path")
	}
	return nil
}

// end returns the upper bound of a cell in ns. The last cell has no upper bound, so this cell is assumed to be as wide
// as the previous cell, on a logarithmic scale.
func (r *reconstructed) end(cell int) float64 {
	if cell+1 < len(r.bounds) {
		return r.bounds[cell+1]
	}
	return r.bounds[cell] * r.bounds[cell] / r.bounds[cell-1]
}

// ask adds up the answers of all intervals about a flow at a switch. first is the interval of
// the first answer.
func (r *reconstructed) ask(node netsim.NodeID, key uint64) (n uint64, cells [sumax.Cells]uint64, first int, ok bool) {
	for i := range r.intervals {
		x := r.analyzer.At(i)
		if x == nil {
			continue
		}
		f := x.Query(node, key)
		if !f.Packets.Valid || f.Packets.N == 0 {
			continue
		}
		if !ok {
			first, ok = i, true
		}
		n += f.Packets.N
		for c, k := range f.Delay {
			cells[c] += k
		}
	}
	return n, cells, first, ok
}

// Latency returns the mean latency and the time from which it is known. This is the end of the interval after the first
// interval in which packets of the flow passed.
func (r *reconstructed) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	_, cells, first, ok := r.ask(f.Path[hop], f.Key)
	if !ok {
		return 0, 0, false
	}
	var sum, n float64
	for c, k := range cells {
		sum += float64(k) * r.middle[c]
		n += float64(k)
	}
	return sum / n, unit.Time(first+2) * r.interval, n > 0
}

// Packets returns the smallest estimate of the switches on the path, because a sketch never
// underestimates.
func (r *reconstructed) Packets(f *telemetry.Flow) (n float64, ok bool) {
	for _, at := range f.Path {
		if k, _, _, known := r.ask(at, f.Key); known && (!ok || float64(k) < n) {
			n, ok = float64(k), true
		}
	}
	return n, ok
}

// Delays adds up the answers of a switch's sketch for all flows that hosts know.
func (r *reconstructed) Delays(at netsim.NodeID, flows []*telemetry.Flow) (said, truth telemetry.Distribution) {
	if r.sums == nil {
		r.sums = map[netsim.NodeID]*[sumax.Cells]float64{}
		for _, f := range flows {
			for _, node := range f.Path {
				if r.sums[node] == nil {
					r.sums[node] = &[sumax.Cells]float64{}
				}
				_, cells, _, _ := r.ask(node, f.Key)
				for c, k := range cells {
					r.sums[node][c] += float64(k)
				}
			}
		}
	}
	sums := r.sums[at]
	if sums == nil {
		return nil, nil
	}
	// parts is the number of steps into which a cell of delays is divided. Latencies are assumed to be log-uniform
	// within a cell.
	const parts = 20
	t := fridge.NewLatencies()
	for c, k := range sums {
		step := math.Pow(r.end(c)/r.bounds[c], 1.0/parts)
		x := r.bounds[c] * math.Sqrt(step)
		for range parts {
			t.Add(0, uint64(x), k/parts)
			x *= step
		}
	}
	return t.Distribution(), nil
}
