package route

import "fmt"

// Penalty is by what a sender leaves paths out of its order for a time: those of which more
// packets come back trimmed, or get lost, than of the others. Handley et al., "Re-architecting
// datacenter networks and stacks for low latency and high performance", SIGCOMM 2017 (NDP),
// §3.2.3: in a network where all paths are alike a path that is not is broken, or has a link of
// a lower rate.
//
// The NDP paper says that outliers are left out, and neither what an outlier is nor for how
// long. Here paths are judged when the order begins anew. A path is an outlier if all of this
// holds of the NACKs of its packets:
//
//   - there have been at least Answers ACKs and NACKs;
//   - NACKs are more than Ratio of the ACKs;
//   - they are more than Excess times the ratio of all paths in the order;
//   - they are more than three standard deviations above what the share of all would give;
//
// or this of lost packets: there are two at least, and they are as far above the others'. Ratio
// and Excess are those of the simulator of the NDP paper's authors (csg-htsim, NdpSrc), which
// asks for 100 answers; the rest is ours. At least half of the paths stay.
//
// A path that is left out comes back on trial after Rounds orders. It has one packet, and no
// more until that is answered; if it is lost, the path waits twice as long. A path that is left
// out once more also waits twice as long, unless it was in order for long. Counts are halved
// together when one path has had mostAnswers.
type Penalty struct {
	Answers int     // 1 to mostAnswers
	Ratio   float64 // NACKs for an ACK
	Excess  float64
	Rounds  int // 1 to mostRounds
}

const (
	mostAnswers = 128
	mostRounds  = 1 << 12
)

// pathRecord is what a sender knows of a path.
type pathRecord struct {
	acks, nacks, losses uint16 // losses are of packets that neither was heard of
	wait                uint16 // orders until it is tried
	term                uint16 // what wait began with the last time; 0: not left out for long
	state               pathState
	sent                bool // of a path that is tried: its packet, in this order
}

type pathState uint8

const (
	inOrder pathState = iota
	leftOut           // for wait orders
	tried             // in the order for one packet
	pending           // that packet has been sent, and nothing heard of it
	failed            // it was lost, in the order yet
	cleared           // it has been answered: in order from the next one on
)

// Check says what is wrong with a penalty.
func (p *Penalty) Check() error {
	if p.Answers < 1 || p.Answers > mostAnswers || !(p.Ratio >= 0) || !(p.Excess >= 1) || p.Rounds < 1 || p.Rounds > mostRounds {
		return fmt.Errorf("penalty of paths %+v: want 1 to %d answers, a ratio of at least 0, an excess of at least 1, 1 to %d rounds", *p, mostAnswers, mostRounds)
	}
	return nil
}

// Penalise makes the order leave paths out. Every packet that is sent is to be told of by
// Answer or Lose.
func (o *Order) Penalise(p *Penalty) {
	o.penalty, o.records = p, o.records[:0]
	for range o.paths {
		o.records = append(o.records, pathRecord{})
	}
}

// Answer takes in an ACK or NACK for a packet on a path. Without a penalty nothing happens.
func (o *Order) Answer(path uint8, ack bool) {
	if int(path) >= len(o.records) {
		return // sent before there were fewer paths
	}
	r := &o.records[path]
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

// Lose takes in that a packet on a path was lost. Without a penalty nothing happens.
func (o *Order) Lose(path uint8) {
	if int(path) >= len(o.records) {
		return // sent before there were fewer paths
	}
	r := &o.records[path]
	r.losses++
	switch {
	case r.state == pending:
		r.leave(o.penalty)
	case r.state == tried && r.sent:
		r.state = failed
	}
	o.age(r)
}

// age halves all counts if those of a path have become large.
func (o *Order) age(r *pathRecord) {
	if r.acks+r.nacks+r.losses < mostAnswers {
		return
	}
	r.term = 0
	for i := range o.records {
		x := &o.records[i]
		x.acks, x.nacks, x.losses = x.acks/2, x.nacks/2, x.losses/2
	}
}

// leave takes a path out, for twice as long as the last time.
func (r *pathRecord) leave(p *Penalty) {
	r.term = min(max(uint16(p.Rounds), 2*r.term), mostRounds)
	*r = pathRecord{state: leftOut, wait: r.term, term: r.term}
}

// judge decides which paths are in the next order.
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
	for _, path := range o.paths[:o.listed] {
		if r := &o.records[path]; r.state == inOrder {
			all.add(r)
		}
	}
	for i := 0; i < o.listed; {
		r := &o.records[o.paths[i]]
		out := false
		switch r.state {
		case tried:
			// Paths that came back in this very judgement have not had their packet.
			if out = r.sent; out {
				r.state = pending
			}
			r.sent = true
		case failed:
			out = true
			r.leave(o.penalty)
		case cleared:
			r.state = inOrder
		default:
			if out = 2*(o.listed-1) >= len(o.paths) && o.penalty.outlier(r, &all); out {
				r.leave(o.penalty)
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

// pathCount is what is known of several paths together.
type pathCount struct{ acks, nacks, losses int64 }

func (c *pathCount) add(r *pathRecord) {
	c.acks += int64(r.acks)
	c.nacks += int64(r.nacks)
	c.losses += int64(r.losses)
}

// outlier says whether a path is one among all.
func (p *Penalty) outlier(r *pathRecord, all *pathCount) bool {
	acks, nacks, losses := int64(r.acks), int64(r.nacks), int64(r.losses)
	if losses >= 2 && deviates(losses, acks+nacks+losses, all.losses, all.acks+all.nacks+all.losses) {
		return true
	}
	return acks+nacks >= int64(p.Answers) && float64(nacks) > p.Ratio*float64(acks) &&
		float64(nacks*all.acks) > p.Excess*float64(all.nacks*acks) &&
		deviates(nacks, acks+nacks, all.nacks, all.acks+all.nacks)
}

// deviates says whether k of n is more than three standard deviations above what it would be at
// the rate of all of total.
func deviates(k, n, all, total int64) bool {
	excess := k*total - n*all
	return excess > 0 && excess*excess > 9*n*all*(total-all)
}
