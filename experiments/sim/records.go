package sim

import (
	"cmp"
	"math/bits"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// recorder outputs records in the order in which flows ended. Flows that end at the same time are sorted by number, so
// that the order does not depend on the number of engines. If keep is set, records keep the order of events.
type recorder struct {
	out   *store.Flows
	keep  bool
	at    unit.Time // end of the queued flows
	queue []store.FlowRecord

	ended      int64     // number of ended flows, without unmeasured ones
	unmeasured int       // number of unmeasured flows that have ended or were cut off
	pathless   unit.Time // latest start of a flow without a path
	cut        unit.Time // end of a run that did not wait for all events; else 0
	cutOff     unit.Time // time at which active flows were cut off if they are to be projected; else 0
	givenUp    func(flow int64, at unit.Time)
	complete   func(*store.FlowRecord) // sets the fields that only the simulation knows
}

func (o *recorder) take(r *transport.Record) {
	if r.Number >= workloads.FirstUnmeasured {
		o.unmeasured++
		return
	}
	f := flowRecord(r)
	o.complete(&f)
	if r.Outcome == transport.Failed && o.givenUp != nil {
		o.givenUp(f.ID, r.Ended)
	}
	if r.Outcome == transport.Unfinished && o.cutOff > 0 {
		project(&f, r.Acked, o.cutOff)
	}
	if r.Again {
		o.out.Repeat(f)
		return
	}
	o.ended++
	if r.Outcome == transport.Unreachable {
		o.pathless = r.Start
	}
	if o.keep || r.Outcome != transport.Finished {
		o.flush()
		o.out.Append(f)
		return
	}
	if end := r.Start + r.FCT; end != o.at {
		o.flush()
		o.at = end
	}
	o.queue = append(o.queue, f)
}

// project sets the completion time of a flow that was cut off. The time follows from the mean pace of the flow so far,
// if the flow has one.
func project(f *store.FlowRecord, acked unit.Bytes, at unit.Time) {
	so := at - f.Start
	if acked == 0 || so <= 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(so), uint64(f.Size))
	if hi >= uint64(acked) {
		return // beyond the range of unit.Time
	}
	fct, _ := bits.Div64(hi, lo, uint64(acked))
	if fct < uint64(unit.Never) {
		f.Outcome, f.FCT = store.Projected, max(1, unit.Time(fct))
	}
}

func (o *recorder) flush() {
	slices.SortFunc(o.queue, func(a, b store.FlowRecord) int { return cmp.Compare(a.ID, b.ID) })
	for _, f := range o.queue {
		o.out.Append(f)
	}
	o.queue = o.queue[:0]
}

// outcomes maps the transport's outcomes to the store's.
var outcomes = [...]store.FlowStatus{
	transport.Finished:    store.Finished,
	transport.Unfinished:  store.Unfinished,
	transport.Failed:      store.OutOfTries,
	transport.Stalled:     store.Stalled,
	transport.Unreachable: store.Unreachable,
}

func flowRecord(r *transport.Record) store.FlowRecord {
	class := workloads.ClassBackground
	if r.DstPort == workloads.IncastPort {
		class = workloads.ClassIncast
	}
	return store.FlowRecord{
		ID: int64(r.Number), Src: int32(r.Src), Dst: int32(r.Dst), SrcPort: r.SrcPort, DstPort: r.DstPort,
		Class: uint8(class), Outcome: outcomes[r.Outcome], Hops: r.Hops, Size: r.Size, Start: r.Start,
		FCT: r.FCT, Ideal: r.Ideal, Packets: r.Packets, Retransmitted: r.Retx, Timeouts: r.Timeouts,
	}
}
