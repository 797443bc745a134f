package netsim

import (
	"slices"

	"pintlab/internal/invariants"
)

// Bound is an upper bound of the speedup of several workers over one. It is an upper bound because no window ends
// before its busiest worker does. The work of a domain in a window is its number of events. A model of the worker pool
// assigns this work to the workers.
type Bound struct {
	Workers int     `json:"workers"`
	Speedup float64 `json:"speedup"` // all events divided by the events of the busiest workers
	Events  int64   `json:"-"`       // number of events of all workers
	Busiest int64   `json:"-"`       // events of the busiest worker of each window, summed over windows
}

// addWindow adds a window.
func (b *Bound) addWindow(events, busiest int64) {
	b.Events, b.Busiest = b.Events+events, b.Busiest+busiest
	b.Speedup = float64(b.Events) / float64(max(1, b.Busiest))
}

// Bounds are the results of MeasureBounds.
type Bounds struct {
	Windows int64   `json:"windows"` // windows with events
	Shared  int64   `json:"shared"`  // windows with so many arrivals that all workers take part
	Bounds  []Bound `json:"bounds"`  // one for each number of workers
	Domains Bound   `json:"places"`  // with one worker for each domain, in all windows
	Taken   Bound   `json:"taken"`   // with the workers of this run and the events that each of them ran
}

// bounds measures Bounds.
type bounds struct {
	Bounds
	work   []int64 // events of this window, by domain
	listed []bool  // by domain: whether the domain is in list
	list   []int   // domains of this window, in the order in which the pool runs them
	shared bool    // all workers take part in this window
	since  []int64 // events of each worker before this window
	pools  []model
}

// model assigns pieces to workers in the order in which the pool does.
type model struct {
	homes []int32 // by piece: its worker
	own   [][]int // by worker: its pieces that no worker has taken
	took  []int64 // by worker: work in this job
}

// MeasureBounds starts to measure bounds for these numbers of workers.
func (e *Engine) MeasureBounds(workers ...int) {
	n := len(e.s.domains)
	b := &bounds{work: make([]int64, n), listed: make([]bool, n), since: make([]int64, len(e.s.engines))}
	for _, n := range workers {
		n = max(1, n)
		b.Bounds.Bounds = append(b.Bounds.Bounds, Bound{Workers: n})
		b.pools = append(b.pools, model{homes: e.s.assign(n), own: make([][]int, n), took: make([]int64, n)})
	}
	b.Domains.Workers, b.Taken.Workers = n, len(e.s.engines)
	e.s.bounds = b
}

// Bounds returns the results since MeasureBounds.
func (e *Engine) Bounds() Bounds { return e.s.bounds.Bounds }

// visit adds the domains of a visit to the current window. A window has several visits if an engine
// stopped within it.
func (b *bounds) visit(list []int, shared bool) {
	b.shared = b.shared || shared
	for _, dom := range list {
		if !b.listed[dom] {
			b.listed[dom] = true
			b.list = append(b.list, dom)
		}
	}
}

// close ends a window.
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
	b.Domains.addWindow(sum, most)
	for i := range b.Bounds.Bounds {
		busiest := sum
		if b.shared {
			busiest = b.pools[i].run(b.list, b.work)
		}
		b.Bounds.Bounds[i].addWindow(sum, busiest)
	}
	taken := int64(0)
	for i, e := range s.engines {
		taken = max(taken, e.count.Events-b.since[i])
		b.since[i] = e.count.Events
	}
	b.Taken.addWindow(sum, min(taken, sum)) // starts of flows between windows are events, too
	clear(b.work)
	clear(b.listed)
	b.list, b.shared = b.list[:0], false
}

// run models one job and returns the work of the busiest worker. The first worker to become idle
// takes the next of its own pieces. If none is left, it takes the last piece of the next worker
// that has any.
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

// shares reports whether all workers take part in a window with this many arrivals. With invariant checks they always
// do, so that tests with small networks cover the pool.
func shares(arrivals int) bool { return arrivals >= worthSharing || invariants.Enabled }
