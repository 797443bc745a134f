package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// A Follower starts flows that wait for others. It is told what happens by the stack that runs the place
// where it happens. Several stacks tell it side by side, each of the hosts of other places.
type Follower interface {
	// Left is called at the source of a flow with the last of its packets, before it leaves the host for the first time.
	Left(t *Stack, number int32)
	// Sent is called at the source of a flow with the ACK of its last byte.
	Sent(t *Stack, number int32)
	// Arrived is called at the destination of a flow with the last of its bytes.
	Arrived(t *Stack, number int32)
	// Due is called at the time that was given to Stack.Later.
	Due(t *Stack, token int32)
}

// start is the start of a flow, or the end of a delay.
type start struct {
	at   unit.Time
	slot int32 // of a delay the complement of its token
}

// add puts a start behind all that are not later.
func (c *coming) add(x start) {
	if n := c.started; n == len(c.starts) || n >= 1<<10 && 2*n > len(c.starts) {
		c.starts, c.started = c.starts[:copy(c.starts, c.starts[n:])], 0
	}
	i := len(c.starts)
	for i > c.started && c.starts[i-1].at > x.at {
		i--
	}
	c.starts = slices.Insert(c.starts, i, x)
}

// Now returns the simulated time.
func (t *Stack) Now() unit.Time { return t.e.Now() }

// Launch starts a flow now, or at a later Start, from a host of the present place. Its slot is made between
// two visits of the place, because several engines make none while they run.
func (t *Stack) Launch(f *Flow) {
	c := &t.coming[t.e.Here()]
	c.asked = append(c.asked, *f)
	t.e.Pause()
}

// Later calls Follower.Due at a host when a time comes. The host is at the present place, or no engine runs.
func (t *Stack) Later(host netsim.NodeID, at unit.Time, token int32) {
	t.coming[t.e.Place(host)].add(start{at, ^token})
	t.e.WakeHost(host, at)
}

// admitAsked gives slots to the flows that places have launched.
func (s *shared) admitAsked() {
	if s.cfg.Follower == nil {
		return
	}
	for i := range s.coming {
		c := &s.coming[i]
		for k := range c.asked {
			if f := &c.asked[k]; s.enlist(f) {
				s.stacks[0].e.WakeHost(f.Src, f.Start)
			}
		}
		c.asked = c.asked[:0]
	}
}

// Arrived tells the Follower of a flow when all of its bytes have come. A Strategy calls it whenever
// Receiver.Expected has grown.
func (t *Stack) Arrived(r *Receiver, slot int32) {
	if t.cfg.Follower == nil {
		return
	}
	if f := &t.senders.at(slot).Flow; r.Expected == int64(f.Size) {
		t.cfg.Follower.Arrived(t, f.Number)
	}
}
