package ns3

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Rounds serves the flows of a host like the published simulator. It implements
// transport.Discipline.
//
//   - A flow that has ended stays in the round until a scan passes it. The index of the flow served
//     last is not corrected when ended flows are removed.
//   - A flow whose window is full counts for the choice of the next wake-up. If such a flow was due
//     in the past, there is no wake-up at all.
//   - A pending wake-up is never postponed. It becomes earlier only when a controller is called.
type Rounds struct{}

var _ transport.Discipline = Rounds{}

// Next scans the round from the entry behind the one that was served last. It returns the first
// entry that is ready, due and not paused. If the scan passes ended flows, it removes all ended
// flows from the first of them on.
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

// Due makes the port ask for a packet at the end of every transmission.
func (Rounds) Due(r *transport.Round) unit.Time {
	if len(r.Entries) == 0 {
		return unit.Never
	}
	return 0
}

// Paced moves the wake-up to the time at which the flow is due, if the wake-up is later than that.
func (Rounds) Paced(e *netsim.Engine, r *transport.Round, i int) {
	due := r.Entries[i].Avail
	if at, ok := e.Wake(r.Port); ok && due < at {
		e.WakeAt(r.Port, max(due, e.Now()))
	}
}

// End does not change the entry.
func (Rounds) End(*transport.Round, int) {}
