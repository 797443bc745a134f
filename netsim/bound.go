package netsim

import (
	"slices"

	"pintlab/internal/invariants"
)

// Bound says how many times as fast as one worker several can be at most, because no window ends before its
// busiest worker does. Work is counted in events. The work of each place in each window is measured, and handed to workers in
// the order in which the pool does it.
type Bound struct {
	Workers int     `json:"workers"`
	Speedup float64 `json:"speedup"` // all events over those of the busiest worker of each window
	Events  int64   `json:"-"`       // of all workers
	Busiest int64   `json:"-"`       // events of the busiest worker of each window, summed over windows
}

// add adds a window.
func (b *Bound) add(events, busiest int64) {
	b.Events, b.Busiest = b.Events+events, b.Busiest+busiest
	b.Speedup = float64(b.Events) / float64(max(1, b.Busiest))
}

// Bounds is what MeasureBounds has measured.
type Bounds struct {
	Windows int64   `json:"windows"` // with events
	Shared  int64   `json:"shared"`  // of these, those with so many arrivals that several workers take part
	Bounds  []Bound `json:"bounds"`  // for 2, 4, 8, 16 and 64 workers
	Places  Bound   `json:"places"`  // with a worker for each place, in all windows
	Taken   Bound   `json:"taken"`   // for the workers of this run, as they have shared its events
}

// bounds measures Bounds.
type bounds struct {
	Bounds
	work   []int64 // by place, in this window
	listed []bool  // by place
	list   []int   // places of this window in the order of the pool
	shared bool    // all workers take part
	since  []int64 // events of each worker until this window
	pools  []model
}

// model hands out pieces in the order in which a pool does.
type model struct {
	homes []int32 // by piece: its worker
	own   [][]int // by worker: its pieces that nobody has taken
	took  []int64 // by worker: work in this job
}

// MeasureBounds measures bounds for these numbers of workers, from now on.
func (e *Engine) MeasureBounds(workers ...int) {
	n := len(e.s.places)
	b := &bounds{work: make([]int64, n), listed: make([]bool, n), since: make([]int64, len(e.s.engines))}
	for _, n := range workers {
		n = max(1, n)
		b.Bounds.Bounds = append(b.Bounds.Bounds, Bound{Workers: n})
		b.pools = append(b.pools, model{homes: e.s.assign(n), own: make([][]int, n), took: make([]int64, n)})
	}
	b.Places.Workers, b.Taken.Workers = n, len(e.s.engines)
	e.s.bounds = b
}

// Bounds returns what has been measured since MeasureBounds.
func (e *Engine) Bounds() Bounds { return e.s.bounds.Bounds }

// visit begins a window, or goes on with it.
func (b *bounds) visit(list []int, shared bool) {
	b.shared = b.shared || shared
	for _, pl := range list {
		if !b.listed[pl] {
			b.listed[pl] = true
			b.list = append(b.list, pl)
		}
	}
}

// close ends a window. An engine may have stopped and gone on within it.
func (b *bounds) close(s *schedule) {
	sum, most := int64(0), int64(0)
	for _, n := range b.work {
		sum, most = sum+n, max(most, n)
	}
	if sum == 0 {
		return
	}
	b.Windows++
	if b.shared {
		b.Shared++
	}
	b.Places.add(sum, most)
	for i := range b.Bounds.Bounds {
		busiest := sum
		if b.shared {
			busiest = b.pools[i].run(b.list, b.work)
		}
		b.Bounds.Bounds[i].add(sum, busiest)
	}
	taken := int64(0)
	for i, e := range s.engines {
		taken = max(taken, e.count.Events-b.since[i])
		b.since[i] = e.count.Events
	}
	b.Taken.add(sum, min(taken, sum)) // starts of flows between windows are events, too
	clear(b.work)
	clear(b.listed)
	b.list, b.shared = b.list[:0], false
}

// run does a job and returns the work of the busiest worker. The one that is the first to be free takes its own next piece, or
// the last one of the next worker that has one.
func (m *model) run(order []int, work []int64) int64 {
	for _, piece := range order {
		w := m.homes[piece]
		m.own[w] = append(m.own[w], piece)
	}
	clear(m.took)
	for range order {
		free := slices.Index(m.took, slices.Min(m.took))
		from := free
		for len(m.own[from]) == 0 {
			from = (from + 1) % len(m.own)
		}
		at := 0
		if from != free {
			at = len(m.own[from]) - 1
		}
		m.took[free] += work[m.own[from][at]]
		m.own[from] = slices.Delete(m.own[from], at, at+1)
	}
	return slices.Max(m.took)
}

// shares reports whether several workers take part in a window with this many arrivals. With inner checks
// they always do, so that small networks check that too.
func shares(arrivals int) bool { return arrivals >= worthSharing || invariants.Enabled }
