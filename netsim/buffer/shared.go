// Package buffer accounts for the memory of a switch: which packets it admits, when an upstream port must pause (PFC,
// IEEE 802.1Qbb) and when it may resume. It computes with byte counts only; it needs no packets, ports or clock.
//
// The model follows shared-memory switch chips. Every (ingress port, class) first uses its own
// small reserve. Beyond the reserve it uses a pool that all share, up to a threshold that shrinks
// as the pool fills (dynamic threshold, Choudhury and Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", 1998). Beyond the threshold it uses the headroom of the port,
// which holds the bytes that arrive after a pause was sent and before it takes effect.
//
// Without PFC (Config.Lossless false) a packet is admitted if the pool and the
// egress queue have room for it: drop-tail.
package buffer

import (
	"fmt"
	"math"

	"pintlab/internal/mem"
	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Classes is the number of traffic classes, as in IEEE 802.1Q.
const Classes = 8

// Port holds the settings of one ingress port.
type Port struct {
	Headroom unit.Bytes // memory for bytes that arrive after the decision to pause
	Shift    uint       // the dynamic threshold is the free pool divided by 2^Shift
}

// Config describes the memory of one switch.
type Config struct {
	Total     unit.Bytes // > 0
	Reserve   unit.Bytes // reserve of each ingress port and class, >= 0
	Classes   int        // classes in use, 0 to 8, with reserve and headroom at each port; 0 means 1
	Lossless  bool       // PFC: pause instead of dropping
	Resume    unit.Bytes // a paused class resumes when it is this far below the threshold
	QueueCap  unit.Bytes // longest egress queue of a port; 0 means limited by Total only
	Ports     []Port     // one per ingress port
	Threshold unit.Bytes // a fixed pause threshold instead of the dynamic one; 0 means dynamic
	// Free returns how much of the pool counts as free for the dynamic threshold. pool, the size of
	// the pool, may be negative. If Free is nil, all unused memory is free.
	Free func(pool, used unit.Bytes) unit.Bytes
}

// SizeError reports that headroom and reserves leave no memory to share.
type SizeError struct {
	Total, Fixed unit.Bytes // the memory, and the sum of headroom and reserves
	Ports        int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("total = %v, but headroom and reserve of %s alone take %v", e.Total,
		number.Count(e.Ports, "port"), e.Fixed)
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(c.Total <= 0, "total = %v, want > 0", c.Total)
	errs.If(c.Reserve < 0 || c.Resume < 0 || c.QueueCap < 0 || c.Threshold < 0,
		"reserve %d, resume gap %d, queue limit %d and threshold %d must not be negative", c.Reserve, c.Resume,
		c.QueueCap, c.Threshold)
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

// Headroom returns how much a class can use beyond its threshold: the packet that exceeds the threshold, and the bytes
// that still arrive after the decision to pause. The pause frame waits for at most one packet that is being sent and
// then takes delay to arrive. The sender finishes the packet that it has begun. Bytes on the wire take delay to come
// in. The sum is 2·delay·rate + 3 packets + the pause frame. With several classes, pauseFrame must include the frames
// of the other classes, which may go first.
func Headroom(rate unit.Rate, delay unit.Time, maxPacket, pauseFrame unit.Bytes) unit.Bytes {
	return rate.In(2*delay) + 1 + 3*maxPacket + pauseFrame
}

// share is the memory use of a class of an ingress port. Two shares fit into a cache line. Without PFC, one share
// stands for the whole switch.
type share struct {
	used     unit.Bytes // bytes in the reserve and the pool
	headroom unit.Bytes // bytes in the headroom
	limit    unit.Bytes // size of the headroom
	room     int32      // largest packet that Pass lets through; negative for none
	shift    uint8      // shift of the dynamic threshold
	paused   bool
}

// Shared is the memory of one switch. Make one with New.
type Shared struct {
	shares []share    // indexed by class*ports+port, because most traffic is of one class
	ports  int        // number of ingress ports
	one    int        // 0 if there is only one share, otherwise -1
	most   unit.Bytes // largest room of a share
	total  unit.Bytes
	cfg    Config
	pool   unit.Bytes // size of the shared part
	shared unit.Bytes // used bytes of the pool
}

// New makes the accounting of an empty switch.
func New(cfg Config) (*Shared, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Shared{cfg: cfg, pool: cfg.Total - cfg.fixed(), ports: len(cfg.Ports), most: math.MaxInt32}
	if cfg.QueueCap > 0 {
		b.most = min(b.most, cfg.QueueCap)
	}
	if !cfg.Lossless {
		b.shares = make([]share, 1)
	} else {
		b.one = -1
		for range Classes {
			for _, p := range cfg.Ports {
				b.shares = append(b.shares, share{limit: p.Headroom, shift: uint8(min(p.Shift, 64))})
			}
		}
	}
	for i := range b.shares {
		b.measure(&b.shares[i])
	}
	return b, nil
}

// Used returns the number of bytes that the switch holds.
func (b *Shared) Used() unit.Bytes { return b.total }

// Paused reports whether the class of the ingress port is paused.
func (b *Shared) Paused(port, class int) bool { return b.share(port, class).paused }

func (b *Shared) share(port, class int) *share { return mem.At(b.shares, (class*b.ports+port)&b.one) }

// measure computes the room of a share again after its memory use has changed.
func (b *Shared) measure(s *share) {
	switch {
	case !b.cfg.Lossless:
		s.room = int32(min(b.most, b.cfg.Total-b.total))
	case s.headroom > 0 || s.paused:
		s.room = -1
	default:
		s.room = int32(max(-1, min(b.most, s.limit, b.cfg.Reserve-s.used)))
	}
}

// over returns the bytes that the share uses of the pool.
func (b *Shared) over(s *share) unit.Bytes { return max(0, s.used-b.cfg.Reserve) }

// threshold returns the largest number of pool bytes that a share may use.
func (b *Shared) threshold(s *share) unit.Bytes {
	if b.cfg.Free != nil {
		return b.cfg.Free(b.pool, b.shared) >> s.shift
	}
	free := max(0, b.pool-b.shared)
	if b.cfg.Threshold > 0 {
		return min(b.cfg.Threshold, free+b.over(s)) // not more than is left
	}
	return free >> s.shift
}

// Pass reports whether Enter and Leave would cancel each other out for a packet whose egress port is free: the packet
// is admitted, and no threshold is near. For most packets Pass replaces Enter and Leave at a fraction of their cost.
func (b *Shared) Pass(port, class int, n unit.Bytes) bool {
	return n <= unit.Bytes(b.share(port, class).room)
}

// Enter admits a packet that came in by port in class and accounts for it like Arrive, or refuses it.
// queued is the length of its egress queue in bytes.
func (b *Shared) Enter(port, class int, n, queued unit.Bytes) (admitted, pause bool) {
	s := b.share(port, class)
	if b.cfg.QueueCap > 0 && queued+n > b.cfg.QueueCap || n > unit.Bytes(s.room) &&
		!(b.cfg.Lossless && (n+s.headroom <= s.limit || n+b.over(s) <= b.threshold(s))) {
		return false, false
	}
	return true, b.Arrive(port, class, n)
}

// Arrive accounts for an admitted packet. It reports whether the upstream port must now pause the
// class.
func (b *Shared) Arrive(port, class int, n unit.Bytes) (pause bool) {
	s := b.share(port, class)
	b.total += n
	if b.cfg.Lossless {
		pause = b.fill(s, n)
	}
	b.measure(s)
	return pause
}

// fill adds a packet to a share. It reports whether the share must be paused now.
func (b *Shared) fill(s *share, n unit.Bytes) (pause bool) {
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

// Leave releases the memory of a packet that came in by port in class. It reports whether the
// upstream port may now resume.
func (b *Shared) Leave(port, class int, n unit.Bytes) (resume bool) {
	b.total -= n
	s := b.share(port, class)
	if b.cfg.Lossless {
		resume = b.drain(s, n)
	}
	b.measure(s)
	return resume
}

// drain removes a packet from a share. It reports whether the share may resume now.
func (b *Shared) drain(s *share, n unit.Bytes) (resume bool) {
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
