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
	Speedup float64 `json:"speedup"` // Events / Busiest
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
	Shared  int64   `json:"shared"`  // of these, after a window with so many events that several workers take part
	Bounds  []Bound `json:"bounds"`
	Places  Bound   `json:"places"` // with a worker for each place, in all windows
	Taken   Bound   `json:"taken"`  // as the workers of this run have shared its events
}

// bounds measures Bounds.
type bounds struct {
	Bounds
	work  []int64 // by place, in this window
	list  []int   // places with work
	did   int64   // events in the window before
	since []int64 // events of each worker until this window
	pools []model
}

// model hands out pieces in the order in which a pool does.
type model struct {
	last []int32 // by piece, as in pool
	own  [][]int // by worker: pieces of this job that it did last
	next []int   // by worker: the first of these that it has not looked at
	took []int64 // by worker: work in this job
	done []bool  // by piece
}

// MeasureBounds measures bounds for these numbers of workers, from now on.
func (e *Engine) MeasureBounds(workers ...int) {
	b := &bounds{work: make([]int64, len(e.s.places)), since: make([]int64, len(e.s.engines))}
	for _, n := range workers {
		n = max(1, n)
		b.Bounds.Bounds = append(b.Bounds.Bounds, Bound{Workers: n})
		b.pools = append(b.pools, model{
			last: make([]int32, len(e.s.places)), own: make([][]int, n), next: make([]int, n), took: make([]int64, n), done: make([]bool, len(e.s.places)),
		})
	}
	b.Places.Workers, b.Taken.Workers = len(e.s.places), len(e.s.engines)
	e.s.bounds = b
}

// Bounds returns what has been measured since MeasureBounds.
func (e *Engine) Bounds() Bounds { return e.s.bounds.Bounds }

// close ends a window. An engine may have stopped and gone on within it.
func (b *bounds) close(s *schedule) {
	sum, most := int64(0), int64(0)
	b.list = b.list[:0]
	for i, n := range b.work {
		if n > 0 {
			b.list, sum, most = append(b.list, i), sum+n, max(most, n)
		}
	}
	if sum == 0 {
		return
	}
	shared := shares(b.did)
	b.Windows++
	if shared {
		b.Shared++
	}
	b.Places.add(sum, most)
	for i := range b.Bounds.Bounds {
		workers := 1
		if shared {
			workers = b.Bounds.Bounds[i].Workers
		}
		b.Bounds.Bounds[i].add(sum, b.pools[i].run(workers, b.list, b.work))
	}
	taken := int64(0)
	for i, e := range s.engines {
		taken = max(taken, e.count.Events-b.since[i])
		b.since[i] = e.count.Events
	}
	b.Taken.add(sum, min(taken, sum)) // starts of flows between windows are events, too
	b.did = sum
	clear(b.work)
}

// run does a job with so many of the workers and returns the work of the busiest one. The worker that is the first to be free takes
// the next piece.
func (m *model) run(workers int, order []int, work []int64) int64 {
	for w := range m.own {
		m.own[w], m.next[w], m.took[w] = m.own[w][:0], 0, 0
	}
	for _, piece := range order {
		w := m.last[piece]
		m.own[w], m.done[piece] = append(m.own[w], piece), false
	}
	for left, end := len(order), len(order)-1; left > 0; left-- {
		w := 0
		for i, t := range m.took[:workers] {
			if t < m.took[w] {
				w = i
			}
		}
		piece := -1
		for ; piece < 0 && m.next[w] < len(m.own[w]); m.next[w]++ {
			if x := m.own[w][m.next[w]]; !m.done[x] {
				piece = x
			}
		}
		for ; piece < 0; end-- {
			if x := order[end]; !m.done[x] {
				piece = x
			}
		}
		m.done[piece], m.last[piece] = true, int32(w)
		m.took[w] += work[piece]
	}
	return slices.Max(m.took)
}

// shares reports whether several workers take part in a window, by the events of the window before. With inner checks
// they always do, so that small networks check that too.
func shares(before int64) bool { return before >= worthSharing || invariants.Enabled }
