package route

import "fmt"

// Penalty says when a sender stops using a path for a time: if more packets of it are trimmed
// or lost than of other paths. Handley et al., "Re-architecting datacenter networks and stacks
// for low latency and high performance", SIGCOMM 2017 (NDP), §3.2.3: in a network where all
// paths should be alike, such a path is broken or has a slower link.
//
// The NDP paper says that outliers are left out, but not what an outlier is, or for how long.
// Here paths are judged when the order begins anew. A path is an outlier if all of this holds
// of the NACKs of its packets:
//
//   - there have been at least Answers ACKs and NACKs;
//   - NACKs are more than Ratio of the ACKs;
//   - they are more than Excess times the ratio of all paths in the order;
//   - they are more than three standard deviations above what the share of all would give;
//
// or this of lost packets: there are two at least, and they are as far above the others'. Ratio
// and Excess are those of the simulator of the NDP paper's authors (csg-htsim, NdpSrc); the rest
// is ours. That simulator asks for more than 100 answers, has no ratio of a path up to 10 ACKs, and
// counts a returned header as three NACKs. Here a returned header is one NACK. At least half of the
// paths stay, those on trial not counted.
//
// A path that is left out comes back on trial after Rounds orders. It has one packet, and no
// more until that is answered; if it is lost, the path waits twice as long. What is heard of
// packets that were sent before the path was left out does not count. A path that is left
// out once more also waits twice as long, unless it was in order for long. Counts are halved
// together when one path has had 128 ACKs, NACKs and losses, or four times Answers if that is
// more: so each path that is used like the others has Answers between one time and the next.
type Penalty struct {
	Answers int     // 1 to mostAnswers
	Ratio   float64 // NACKs for an ACK
	Excess  float64
	Rounds  int // 1 to mostRounds
}

const (
	mostAnswers = 128
	mostRounds  = 1 << 12
	leastCounts = 128 // of a path before counts are halved
)

// pathRecord holds what a sender knows of a path.
type pathRecord struct {
	acks, nacks, losses uint16 // losses are of packets that neither was heard of
	since               uint32 // first epoch of which packets count
	wait                uint16 // orders until it is tried
	term                uint16 // first value of wait the last time; 0: not left out for long
	state               pathState
	listed              bool // of a path that is tried: it was in the last order
}

type pathState uint8

const (
	inOrder pathState = iota
	leftOut           // for wait orders
	tried             // in the order for one packet
	pending           // that packet has been sent and not been answered yet
	failed            // it was lost, in the order yet
	cleared           // it has been answered: back in the order from the next one on
)

// Check reports what is wrong with a penalty.
func (p *Penalty) Check() error {
	if p.Answers < 1 || p.Answers > mostAnswers || !(p.Ratio >= 0) || !(p.Excess >= 1) || p.Rounds < 1 || p.Rounds > mostRounds {
		return fmt.Errorf("penalty of paths %+v: want 1 to %d answers, a ratio of at least 0, an excess of at least 1, 1 to %d rounds", *p, mostAnswers, mostRounds)
	}
	return nil
}

// Penalise makes the order leave paths out. The caller must report the fate of every packet with
// Answer or Lose. Packets that were sent before do not count: the paths may have had other numbers.
func (o *Order) Penalise(p *Penalty) {
	o.epoch++
	o.penalty, o.records = p, o.records[:0]
	for range o.paths {
		o.records = append(o.records, pathRecord{since: o.epoch})
	}
}

// Epoch returns what Answer and Lose need to know of a packet beside its path: when it was sent, counted
// in the times that paths were left out or numbered anew. It is asked for after Next.
func (o *Order) Epoch() uint32 { return o.epoch }

// record returns what is known of the path of a packet, nil if the packet does not count.
func (o *Order) record(path uint8, epoch uint32) *pathRecord {
	if int(path) >= len(o.records) || epoch < o.records[path].since {
		return nil
	}
	return &o.records[path]
}

// Answer takes in an ACK or NACK for a packet that was sent on a path in an epoch. Without a
// penalty nothing happens.
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

// Lose takes in that a packet was lost that was sent on a path in an epoch. Without a penalty
// nothing happens.
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

// age halves all counts if those of a path have become large.
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

// leave takes a path out, for twice as long as the last time. Of what has been sent on it nothing
// counts any more.
func (o *Order) leave(r *pathRecord) {
	o.epoch++
	term := min(max(uint16(o.penalty.Rounds), 2*r.term), mostRounds)
	*r = pathRecord{state: leftOut, wait: term, term: term, since: o.epoch}
}

// judge decides which paths are in the next order. No path is judged an outlier unless half of all
// are in order without it. Those on trial do not count, since they may all leave: so orders have at
// least half of the paths.
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
			// Paths that came back in this same call have not had their packet yet.
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

// pathCount holds what is known of several paths together.
type pathCount struct{ acks, nacks, losses int64 }

func (c *pathCount) add(r *pathRecord) {
	c.acks += int64(r.acks)
	c.nacks += int64(r.nacks)
	c.losses += int64(r.losses)
}

// outlier reports whether a path is one among all.
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
// number at the common rate.
func deviates(k, n, all, total int64) bool {
	excess := k*total - n*all
	return excess > 0 && excess*excess > 9*n*all*(total-all)
}
