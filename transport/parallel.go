package transport

import (
	"cmp"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Stacks is the transport of a network that several engines run.
type Stacks struct{ *shared }

// NewParallel makes the transport of the engines of a network and attaches it. It
// calls done between windows of time, in the order in which flows end, those that
// end at the same time in the order of their numbers.
func NewParallel(p *netsim.Parallel, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record)) (*Stacks, error) {
	engines := p.Engines()
	s, err := newShared(engines[0].Network(), routes, cfg, seed, factory, source, done)
	if err != nil {
		return nil, err
	}
	for _, e := range engines {
		t := &Stack{shared: s, e: e, tracer: Tracer{Call: cfg.Trace}}
		s.stacks = append(s.stacks, t)
		e.Attach(t)
	}
	s.owner = p.Owner
	p.Before(s.before)
	if s.more {
		// Without a pending event there would be no first window.
		s.stacks[s.owner(s.upcoming.Src)].e.StartAt(s.upcoming.Start, 0)
	}
	return &Stacks{s}, nil
}

// before runs between two windows; until is the end of the second one. It reports flows that
// have ended, prepares those that will start, and schedules a wake-up for the next flow after
// these. It returns false if the run is to end now.
func (s *shared) before(until unit.Time) bool {
	s.settle()
	if !s.prepare(until) {
		return false
	}
	for _, t := range s.stacks {
		if _, pending := t.e.Starting(); !pending && t.started < len(t.starting) {
			t.e.StartAt(s.senders.at(t.starting[t.started]).Flow.Start, 0)
		}
	}
	t := s.stacks[0]
	if _, pending := t.e.Starting(); !pending && s.more {
		t.e.StartAt(s.upcoming.Start, 0)
	}
	return true
}

// settle reports the flows that ended in the last window.
func (s *shared) settle() {
	var all []ended
	for _, t := range s.stacks {
		all = append(all, t.ended...)
		t.ended = t.ended[:0]
	}
	slices.SortFunc(all, func(a, b ended) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Number, b.Number))
	})
	for i := range all {
		s.done(&all[i].Record)
	}
}

// Active returns the number of flows that have started and not ended.
func (s *Stacks) Active() int {
	n := 0
	for _, t := range s.stacks {
		n += t.active
	}
	return n
}

// Acked returns the number of bytes that all flows together have had acknowledged.
func (s *Stacks) Acked() int64 {
	var n int64
	for _, t := range s.stacks {
		n += t.acked
	}
	return n
}

// Close calls Stack.Close.
func (s *Stacks) Close(o Outcome) {
	s.settle()
	s.shared.Close(o)
}
