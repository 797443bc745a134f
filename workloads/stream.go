package workloads

import (
	"errors"
	"math"

	"pintlab/netsim/unit"
)

// Stream returns the flows of a workload in order, one at a time. It stores one pending flow for each
// process (a Poisson part has one process per host) and a counter for each pair of hosts that has had a
// flow.
//
// Invariants: pending[i] is the next flow of processes[i]; heap orders the unfinished processes by (pending
// start, index).
type Stream struct {
	processes []process
	blanks    []Flow // initial value of each process's flows
	pending   []Flow
	heap      []turn
	ports     *ports
	count     int64
	err       error
}

// turn is a process in the heap. It contains the sort key, so that comparisons follow no pointer.
type turn struct {
	at   unit.Time
	rank int // index of the process
}

func (a turn) before(b turn) bool { return a.at < b.at || a.at == b.at && a.rank < b.rank }

func newStream() *Stream { return &Stream{ports: newPorts()} }

// add appends a process whose flows begin as copies of blank.
func (s *Stream) add(p process, blank Flow) {
	rank := len(s.processes)
	s.processes = append(s.processes, p)
	s.blanks = append(s.blanks, blank)
	s.pending = append(s.pending, blank)
	if !p.next(&s.pending[rank]) {
		return
	}
	s.heap = append(s.heap, turn{s.pending[rank].Start, rank})
	for i := len(s.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s.heap[i].before(s.heap[parent]) {
			break
		}
		s.heap[i], s.heap[parent] = s.heap[parent], s.heap[i]
		i = parent
	}
}

// errTooMany ends a stream with more flows than IDs.
var errTooMany = errors.New("workloads: more than 2147483647 flows, the most that flow IDs can count")

// Next returns the next flow. At the end, or after an error, ok is false.
func (s *Stream) Next() (f Flow, ok bool) {
	if len(s.heap) == 0 || s.err != nil {
		return Flow{}, false
	}
	if s.count > math.MaxInt32 {
		s.err = errTooMany
		return Flow{}, false
	}
	rank := s.heap[0].rank
	f = s.pending[rank]
	f.ID, f.Part = int32(s.count), s.blanks[rank].Part
	f.SrcPort = s.ports.next(f.Src, f.Dst)
	s.count++

	s.pending[rank] = s.blanks[rank]
	if s.processes[rank].next(&s.pending[rank]) {
		s.heap[0].at = s.pending[rank].Start
	} else {
		last := len(s.heap) - 1
		s.heap[0] = s.heap[last]
		s.heap = s.heap[:last]
	}
	s.siftDown()
	return f, true
}

// siftDown restores the heap's order after a change of its first element.
func (s *Stream) siftDown() {
	h := s.heap
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if right := child + 1; right < len(h) && h[right].before(h[child]) {
			child = right
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// Err returns the error that ended the stream early, or nil if all flows have come out.
func (s *Stream) Err() error { return s.err }
