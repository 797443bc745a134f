package route

import "fmt"

// Penalty sets when a sender stops using a path for a while: when more of its packets are trimmed
// or lost than on other paths. Handley et al., "Re-architecting datacenter networks and stacks for
// low latency and high performance", SIGCOMM 2017 (NDP), §3.2.3: in a network whose paths should
// all be equal, such a path is broken or has a slower link.
//
// The NDP paper leaves outliers out, but defines neither an outlier nor a duration. Here paths are
// judged whenever the order starts again. A path is an outlier if all of these conditions hold for
// the NACKs of its packets:
//
//   - there are at least Answers ACKs and NACKs;
//   - the NACKs exceed Ratio times the ACKs;
//   - this ratio exceeds Excess times the ratio of all paths in the order;
//   - the NACKs are more than three standard deviations above the number at the common rate.
//
// A path is also an outlier if at least two of its packets were lost and the losses are just as far above the common
// rate. Ratio and Excess are from the simulator of the NDP paper's authors (csg-htsim, NdpSrc); the other rules are
// ours. That simulator requires more than 100 answers, defines no ratio for a path with up to 10 ACKs, and counts a
// returned header as three NACKs. Here a returned header counts as one NACK. At least half of the paths stay in the
// order, not counting the paths on trial.
//
// After Rounds orders an excluded path comes back on trial. It gets one packet, and no further packet until this one is
// answered. If the packet is lost, the path waits twice as long. Answers to packets that were sent before the exclusion
// do not count. A path that is excluded again also waits twice as long, unless it was in the order for a long time. All
// counts are halved when one path has 128 ACKs, NACKs and losses, or four times Answers if that is more. So each path
// that is used as much as the others has at least Answers between two halvings.
type Penalty struct {
	Answers int     // 1 to mostAnswers
	Ratio   float64 // NACKs per ACK
	Excess  float64
	Rounds  int // 1 to mostRounds
}

const (
	mostAnswers = 128
	mostRounds  = 1 << 12
	leastCounts = 128 // least number of ACKs, NACKs and losses of a path at which counts are halved
)

// pathRecord is the history of a path at a sender.
type pathRecord struct {
	acks, nacks, losses uint16 // losses counts packets without any answer
	since               uint32 // packets of earlier epochs do not count
	wait                uint16 // orders until its trial
	term                uint16 // value of wait at the start of the last exclusion; 0: not excluded for a long time
	state               pathState
	listed              bool // on trial: it was in the last order
}

type pathState uint8

const (
	inOrder pathState = iota
	leftOut           // excluded for wait orders
	tried             // on trial: it is in the order for one packet
	pending           // its trial packet has not been answered yet
	failed            // its trial packet was lost while it is still in the order
	cleared           // its trial packet was answered: in order from the next order on
)

// Check returns an error if the settings are invalid.
func (p *Penalty) Check() error {
	if p.Answers < 1 || p.Answers > mostAnswers || !(p.Ratio >= 0) || !(p.Excess >= 1) || p.Rounds < 1 ||
		p.Rounds > mostRounds {
		return fmt.Errorf("penalty of paths %+v: want 1 to %d answers, a ratio of at least 0, an excess of at least "+
			"1 and 1 to %d rounds", *p, mostAnswers, mostRounds)
	}
	return nil
}

// Penalise lets the order exclude paths. The caller must report the fate of every packet with
// Answer or Lose. Earlier packets do not count, because the paths may have had other numbers.
func (o *Order) Penalise(p *Penalty) {
	o.epoch++
	o.penalty, o.records = p, o.records[:0]
	for range o.paths {
		o.records = append(o.records, pathRecord{since: o.epoch})
	}
}

// Epoch returns a number that Answer and Lose need together with the path of a packet. It counts
// how often paths were excluded or renumbered. Call it after Next.
func (o *Order) Epoch() uint32 { return o.epoch }

// record returns the record of a packet's path, or nil if the packet does not count.
func (o *Order) record(path uint8, epoch uint32) *pathRecord {
	if int(path) >= len(o.records) || epoch < o.records[path].since {
		return nil
	}
	return &o.records[path]
}

// Answer records an ACK or NACK for a packet that was sent on a path in an epoch. It has no effect
// without a penalty.
func (o *Order) Answer(path uint8, epoch uint32, ack bool) {
	r := o.record(path, epoch)
	if r == nil {
		return
	}
	if ack {
		r.acks++
	} else {
		r.nacks++
	}
	if r.state == tried || r.state == pending {
		r.state = cleared
	}
	o.age(r)
}

// Lose records the loss of a packet that was sent on a path in an epoch. It has no effect without a
// penalty.
func (o *Order) Lose(path uint8, epoch uint32) {
	r := o.record(path, epoch)
	if r == nil {
		return
	}
	r.losses++
	switch r.state {
	case pending:
		o.leave(r)
	case tried:
		r.state = failed
	}
	o.age(r)
}

// age halves all counts if the counts of a path have become large.
func (o *Order) age(r *pathRecord) {
	if int(r.acks+r.nacks+r.losses) < max(leastCounts, 4*o.penalty.Answers) {
		return
	}
	r.term = 0
	for i := range o.records {
		x := &o.records[i]
		x.acks, x.nacks, x.losses = x.acks/2, x.nacks/2, x.losses/2
	}
}

// leave excludes a path for twice as long as at the last exclusion. Packets sent on this path so far no longer count.
func (o *Order) leave(r *pathRecord) {
	o.epoch++
	term := min(max(uint16(o.penalty.Rounds), 2*r.term), mostRounds)
	*r = pathRecord{state: leftOut, wait: term, term: term, since: o.epoch}
}

// judge decides which paths are in the next order. It excludes an outlier only if at least half of
// all paths are then still in order. Paths on trial do not count, because all of them may leave. So
// an order always has at least half of the paths.
func (o *Order) judge() {
	for i := o.listed; i < len(o.paths); i++ {
		switch r := &o.records[o.paths[i]]; r.state {
		case leftOut:
			if r.wait--; r.wait > 0 {
				continue
			}
			r.state = tried
		case cleared:
			r.state = inOrder
		default:
			continue
		}
		o.paths[i], o.paths[o.listed] = o.paths[o.listed], o.paths[i]
		o.listed++
	}
	var all pathCount
	good := 0
	for _, path := range o.paths[:o.listed] {
		r := &o.records[path]
		if r.state == cleared {
			r.state = inOrder
		}
		if r.state == inOrder {
			all.add(r)
			good++
		}
	}
	for i := 0; i < o.listed; {
		r := &o.records[o.paths[i]]
		out := false
		switch r.state {
		case tried:
			// A path that came back in this call has not had its trial packet yet.
			if out = r.listed; out {
				r.state = pending
			}
			r.listed = true
		case failed:
			out = true
			o.leave(r)
		default:
			if out = 2*(good-1) >= len(o.paths) && o.penalty.outlier(r, &all); out {
				good--
				o.leave(r)
			}
		}
		if !out {
			i++
			continue
		}
		o.listed--
		o.paths[i], o.paths[o.listed] = o.paths[o.listed], o.paths[i]
	}
}

// pathCount sums the counts of several paths.
type pathCount struct{ acks, nacks, losses int64 }

func (c *pathCount) add(r *pathRecord) {
	c.acks += int64(r.acks)
	c.nacks += int64(r.nacks)
	c.losses += int64(r.losses)
}

// outlier reports whether a path is an outlier among all paths.
func (p *Penalty) outlier(r *pathRecord, all *pathCount) bool {
	acks, nacks, losses := int64(r.acks), int64(r.nacks), int64(r.losses)
	if losses >= 2 && deviates(losses, acks+nacks+losses, all.losses, all.acks+all.nacks+all.losses) {
		return true
	}
	return acks+nacks >= int64(p.Answers) && float64(nacks) > p.Ratio*float64(acks) &&
		float64(nacks*all.acks) > p.Excess*float64(all.nacks*acks) &&
		deviates(nacks, acks+nacks, all.nacks, all.acks+all.nacks)
}

// deviates reports whether k of n is more than three standard deviations above n·all/total, the
// expected number at the common rate.
func deviates(k, n, all, total int64) bool {
	excess := k*total - n*all
	return excess > 0 && excess*excess > 9*n*all*(total-all)
}
