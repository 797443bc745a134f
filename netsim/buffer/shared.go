// Package buffer accounts for the memory of a switch: which packets it admits,
// when an upstream port must pause (PFC, IEEE 802.1Qbb) and when it may go on.
// It is arithmetic on bytes and knows nothing of packets, ports or time.
//
// The model is that of shared-memory switch chips. Every (ingress port, class)
// has a small reserve of its own; what exceeds it is taken from a pool that all
// share, up to a threshold that shrinks as the pool fills (dynamic threshold,
// Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
// Switches", 1998); what exceeds that goes into the headroom of the port, which
// is there for the bytes that arrive between the pause and its effect.
//
// Without PFC (Config.Lossless false) a packet is admitted if the pool and the
// egress queue have room for it: drop-tail.
package buffer

import (
	"fmt"
	"unsafe"

	"pintlab/internal/prefetch"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Classes is the number of traffic classes, as in IEEE 802.1Q.
const Classes = 8

// Port holds what the accounting needs to know of one ingress port.
type Port struct {
	Headroom unit.Bytes // for what arrives after a pause was decided
	Shift    uint       // the dynamic threshold is the free pool divided by 2^Shift
}

// Config describes the memory of one switch.
type Config struct {
	Total     unit.Bytes // of the switch, > 0
	Reserve   unit.Bytes // of each ingress port and class, >= 0
	Classes   int        // in use, 0 to 8: reserve and headroom are set aside for this many at each port; 0 means 1
	Lossless  bool       // PFC: pause instead of dropping
	Resume    unit.Bytes // a paused class goes on when it is this far below the threshold
	QueueCap  unit.Bytes // longest egress queue of a port; 0 means bounded by Total only
	Ports     []Port     // one per ingress port
	Threshold unit.Bytes // a fixed pause threshold instead of the dynamic one; 0 means dynamic
	// Free returns how much of the pool counts as free for the dynamic threshold, given the
	// size of the pool, which may be negative, and what is used. If it is nil, all that is
	// unused is free.
	Free func(pool, used unit.Bytes) unit.Bytes
}

// A SizeError reports a memory of which headroom and reserves leave nothing to share.
type SizeError struct {
	Total, Fixed unit.Bytes // the memory, and what headroom and reserve take
	Ports        int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("total = %v, but headroom and reserve of %d ports alone take %v", e.Total, e.Ports, e.Fixed)
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(c.Total <= 0, "total = %v, want > 0", c.Total)
	errs.If(c.Reserve < 0 || c.Resume < 0 || c.QueueCap < 0 || c.Threshold < 0, "reserve %d, resume gap %d, queue limit %d and threshold %d must not be negative", c.Reserve, c.Resume, c.QueueCap, c.Threshold)
	errs.If(c.Classes < 0 || c.Classes > Classes, "classes = %d, want 0 to %d", c.Classes, Classes)
	if c.Lossless && c.Free == nil {
		need := c.fixed()
		if need >= c.Total {
			errs = append(errs, &SizeError{Total: c.Total, Fixed: need, Ports: len(c.Ports)})
		}
	}
	return errs.Err("buffer: bad config")
}

// fixed returns the memory that is not in the shared pool.
func (c Config) fixed() unit.Bytes {
	var sum unit.Bytes
	for _, p := range c.Ports {
		sum += p.Headroom + c.Reserve
	}
	return sum * unit.Bytes(max(1, c.Classes))
}

// Headroom returns what a class can take beyond its threshold: the packet that exceeds
// it, and what still arrives after the decision to pause. The pause frame waits for
// at most one packet that is being sent, then takes delay to arrive; the sender
// finishes the packet it has begun; and what is on the wire takes delay to come in.
// That is 2·delay·rate + 3 packets + the pause frame itself. With several classes,
// pauseFrame must count the frames of the others, which may be ahead of it.
func Headroom(rate unit.Rate, delay unit.Time, maxPacket, pauseFrame unit.Bytes) unit.Bytes {
	return rate.In(2*delay) + 1 + 3*maxPacket + pauseFrame
}

// share holds what a class of an ingress port has, two of them in a cache line.
type share struct {
	used     unit.Bytes // reserve and pool
	headroom unit.Bytes
	limit    unit.Bytes // of headroom
	shift    uint8      // of the dynamic threshold
	paused   bool
}

// Shared is the memory of one switch. Make one with New.
type Shared struct {
	shares []share    // [class*ports+port]: most traffic is of one class
	ports  int        // into the switch
	total  unit.Bytes // all bytes held
	cfg    Config
	pool   unit.Bytes // size of the shared part
	shared unit.Bytes // used of it
}

// New makes the accounting of one empty switch.
func New(cfg Config) (*Shared, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Shared{cfg: cfg, pool: cfg.Total - cfg.fixed(), ports: len(cfg.Ports)}
	for range Classes {
		for _, p := range cfg.Ports {
			b.shares = append(b.shares, share{limit: p.Headroom, shift: uint8(min(p.Shift, 64))})
		}
	}
	return b, nil
}

// Used returns the number of bytes that the switch holds.
func (b *Shared) Used() unit.Bytes { return b.total }

// Paused reports whether the class of the ingress port is paused.
func (b *Shared) Paused(port, class int) bool { return b.share(port, class).paused }

func (b *Shared) share(port, class int) *share { return &b.shares[class*b.ports+port] }

// Fetch prefetches what Admit, Arrive and Leave need of the class of an ingress port.
func (b *Shared) Fetch(port, class int) {
	if b.cfg.Lossless {
		prefetch.Write(unsafe.Pointer(b.share(port, class)))
	}
}

// over returns what the share takes of the pool.
func (b *Shared) over(s *share) unit.Bytes { return max(0, s.used-b.cfg.Reserve) }

// threshold returns the most pool memory that a share may take.
func (b *Shared) threshold(s *share) unit.Bytes {
	if b.cfg.Free != nil {
		return b.cfg.Free(b.pool, b.shared) >> s.shift
	}
	free := max(0, b.pool-b.shared)
	if b.cfg.Threshold > 0 {
		return min(b.cfg.Threshold, free+b.over(s)) // not more than there is
	}
	return free >> s.shift
}

// Admit reports whether a packet of n bytes that came in by port in class may be
// kept, given the bytes already queued at its egress port.
func (b *Shared) Admit(port, class int, n, queued unit.Bytes) bool {
	if b.cfg.QueueCap > 0 && queued+n > b.cfg.QueueCap {
		return false
	}
	if !b.cfg.Lossless {
		return b.total+n <= b.cfg.Total
	}
	s := b.share(port, class)
	return n+s.headroom <= s.limit || n+b.over(s) <= b.threshold(s)
}

// Pass reports whether a packet that finds its egress port free leaves no trace: it is
// admitted, no threshold is near, and Arrive and Leave would cancel each other out. For
// most packets it replaces Admit, Arrive and Leave at a fraction of their cost.
func (b *Shared) Pass(port, class int, n unit.Bytes) bool {
	if b.cfg.QueueCap > 0 && n > b.cfg.QueueCap {
		return false
	}
	if !b.cfg.Lossless {
		return b.total+n <= b.cfg.Total
	}
	s := b.share(port, class)
	return s.used+n <= b.cfg.Reserve && s.headroom == 0 && n <= s.limit && !s.paused
}

// Arrive takes an admitted packet in. It reports whether the upstream port must now be
// told to pause the class.
func (b *Shared) Arrive(port, class int, n unit.Bytes) (pause bool) {
	b.total += n
	if !b.cfg.Lossless {
		return false
	}
	s := b.share(port, class)
	if above := s.used + n - b.cfg.Reserve; above <= 0 {
		s.used += n
		return false // within the reserve: nothing can be over a threshold
	} else if above > b.threshold(s) {
		s.headroom += n
	} else {
		s.used += n
		b.shared += min(n, above)
	}
	if !s.paused && (s.headroom > 0 || b.over(s) >= b.threshold(s)) {
		s.paused = true
		return true
	}
	return false
}

// Leave gives back the memory of a packet that came in by port in class. It reports
// whether the upstream port may now be told to go on.
func (b *Shared) Leave(port, class int, n unit.Bytes) (resume bool) {
	b.total -= n
	if !b.cfg.Lossless {
		return false
	}
	s := b.share(port, class)
	if s.headroom == 0 && s.used <= b.cfg.Reserve && !s.paused {
		s.used -= n
		return false
	}
	fromHeadroom := min(s.headroom, n)
	b.shared -= min(n-fromHeadroom, b.over(s))
	s.headroom -= fromHeadroom
	s.used -= n - fromHeadroom
	if s.paused && s.headroom == 0 {
		if o := b.over(s); o == 0 || o+b.cfg.Resume <= b.threshold(s) {
			s.paused = false
			return true
		}
	}
	return false
}
