package workloads

import (
	"errors"
	"math"

	"pintlab/netsim/unit"
)

// Stream yields the flows of a workload in order, one at a time. Its memory is one
// pending flow for each process (a Poisson part has one process a host) and a
// counter for each pair of hosts that has had a flow.
//
// Invariants: pending[i] is the next flow of processes[i]; heap orders the processes
// that are not at their end by (pending start, index).
type Stream struct {
	processes []process
	blanks    []Flow // what each process starts a flow from
	pending   []Flow
	heap      []turn
	ports     *ports
	count     int64
	err       error
}

// turn is a process's place in the heap; the key is inline so that ordering follows
// no pointer.
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

// errTooMany stops a stream whose flows an ID cannot count any more.
var errTooMany = errors.New("workloads: more than 2147483647 flows, which is what a flow ID can count")

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
	f.ID = int32(s.count)
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

// siftDown restores the heap's order after its first element has changed.
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

// Err returns the error that ended the stream early, nil after all flows have come out.
func (s *Stream) Err() error { return s.err }
