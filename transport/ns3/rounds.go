package ns3

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Rounds serves the flows of a host as that simulator does. It implements
// transport.Discipline.
//
//   - A flow that has ended stays in the round until a scan passes it, and the place of
//     the flow served last is not corrected when it goes.
//   - A flow that is bound by its window takes part in the choice of the next wake-up.
//     If it was due in the past there is no wake-up at all.
//   - A wake-up that is pending is never put off, and moves forward only when a
//     controller speaks.
type Rounds struct{}

var _ transport.Discipline = Rounds{}

// Next returns the first entry after the one served last that is ready, due and not paused.
// Ended flows that the scan passes are removed with all others behind the first of
// them.
func (Rounds) Next(e *netsim.Engine, r *transport.Round) int {
	now := e.Now()
	found, ended := -1, -1
	last := max(0, r.Last)
	for k := range r.Entries {
		i := (k + 1 + last) % len(r.Entries)
		t := &r.Entries[i]
		if t.State == transport.Ready {
			if t.Avail > now || e.Paused(r.Port, t.Class) {
				continue
			}
			found = i
			break
		}
		if t.State == transport.Ended && (ended < 0 || i < ended) {
			ended = i
		}
	}
	if ended >= 0 {
		found = r.Sweep(ended, found)
	}
	if found >= 0 {
		return found
	}
	due := unit.Never
	for i := range r.Entries {
		if t := &r.Entries[i]; t.State <= transport.Blocked {
			due = min(due, t.Avail)
		}
	}
	if due != unit.Never && due > now {
		if _, ok := e.Wake(r.Port); !ok {
			e.WakeAt(r.Port, due)
		}
	}
	return -1
}

// Due makes the port look for a packet at the end of every transmission.
func (Rounds) Due(r *transport.Round) unit.Time {
	if len(r.Entries) == 0 {
		return unit.Never
	}
	return 0
}

// Paced moves a later wake-up to the time at which the flow is due.
func (Rounds) Paced(e *netsim.Engine, r *transport.Round, i int) {
	due := r.Entries[i].Avail
	if at, ok := e.Wake(r.Port); ok && due < at {
		e.WakeAt(r.Port, max(due, e.Now()))
	}
}

// End leaves the entry where it is.
func (Rounds) End(*transport.Round, int) {}
