package transport

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Follower starts flows that wait for other flows. The stack that runs a domain calls the Follower
// for events in this domain. Several stacks call the Follower at the same time, for hosts of
// different domains.
type Follower interface {
	// Left is called at the source of a flow when its last packet is about to leave the host for
	// the first time.
	Left(t *Stack, number int32)
	// Sent is called at the source of a flow when the ACK of its last byte arrives.
	Sent(t *Stack, number int32)
	// Arrived is called at the destination of a flow when all of its bytes have arrived.
	Arrived(t *Stack, number int32)
	// Due is called at the time given to Stack.Later.
	Due(t *Stack, token int32)
}

// start is the start of a flow or the end of a delay.
type start struct {
	at   unit.Time
	slot int32 // for a delay: the complement of its token
}

// add inserts a start after all starts that are due at the same time or earlier.
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

// Launch starts a flow from a host of the current domain, now or at its later Start. The flow gets
// its slot between two visits of the domain, because slots cannot be made while several engines run.
func (t *Stack) Launch(f *Flow) {
	c := &t.coming[t.e.Here()]
	c.asked = append(c.asked, *f)
	t.e.Pause()
}

// Later calls Follower.Due at a host at the given time. The host must be in the current domain,
// unless no engine runs.
func (t *Stack) Later(host netsim.NodeID, at unit.Time, token int32) {
	t.coming[t.e.Domain(host)].add(start{at, ^token})
	t.e.WakeHost(host, at)
}

// admitAsked gives slots to the flows that Launch has queued.
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

// Arrived calls the Follower if all bytes of a flow have arrived. A Strategy calls it whenever
// Receiver.Expected has grown.
func (t *Stack) Arrived(r *Receiver, slot int32) {
	if t.cfg.Follower == nil {
		return
	}
	if f := &t.senders.at(slot).Flow; r.Expected == int64(f.Size) {
		t.cfg.Follower.Arrived(t, f.Number)
	}
}
