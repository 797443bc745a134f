package show

import (
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

// interval contains the goodputs of flows in the interval between two borders. A further interval lasts from the last
// border to the end of the window.
type interval struct {
	whole []float64  // bit/s of each flow that was under way for the whole interval and whose last byte came later
	bytes unit.Bytes // payload delivered to all flows
	time  unit.Time  // sum of the times that flows were under way
}

// delivery is the progress of a flow within the window.
type delivery struct {
	from, to  unit.Time // part of the window in which the flow was under way, by its record
	size      unit.Bytes
	finished  bool       // the flow ended within the window
	border    int        // last border at which the flow was under way; -1 if there was none
	since     unit.Time  // time of that border, or the time from which the progress is known
	delivered unit.Bytes // payload delivered until since
	counted   unit.Bytes // payload delivered until the last border, even if the flow was complete
	goodput   weights
}

// delivered contains the goodputs of several flows.
type delivered struct {
	flows   int
	goodput weights
}

// deliveryOf returns the progress of a flow with its first row. last is the time of the last look at which the flow was
// under way. If a flow failed, its end is unknown, and it counts until last.
func deliveryOf(w *window, r *store.FlowRecord, first *store.FlowSample, last unit.Time) delivery {
	d := delivery{from: r.Start, to: w.end, size: r.Size, border: -1, since: r.Start, goodput: weights{}}
	if r.Start < w.from {
		d.from, d.since, d.delivered, d.counted = first.Time, first.Time, first.Delivered, first.Delivered
	}
	switch {
	case r.Outcome == store.Finished:
		d.finished = r.Start+r.FCT <= w.end
		d.to = min(w.end, r.Start+r.FCT)
	case r.Outcome.Failed():
		d.to = last
	}
	return d
}

// reach adds the progress until a border. It returns the goodput since the previous border, and whether the flow was
// under way for the whole interval. An interval in which the last byte arrives is not a whole one.
func (d *delivery) reach(w *window, b int, delivered unit.Bytes, intervals []interval) (goodput float64, whole bool) {
	intervals[b].bytes += delivered - d.counted
	if d.counted = delivered; delivered >= d.size {
		return 0, false
	}
	whole = b > 0 && d.border == b-1
	goodput = d.add(w.border(b), delivered)
	if d.border = b; whole {
		intervals[b].whole = append(intervals[b].whole, goodput)
	}
	return goodput, whole
}

// add adds the goodput until a time.
func (d *delivery) add(until unit.Time, delivered unit.Bytes) float64 {
	x := bitRate(delivered-d.delivered, until-d.since)
	d.goodput.add(x, until-d.since)
	d.since, d.delivered = until, delivered
	return x
}

// finish adds the progress after the last border. delivered is the payload in the last row.
func (d *delivery) finish(w *window, delivered unit.Bytes, intervals []interval) {
	if d.finished {
		delivered = d.size
	}
	d.add(d.to, delivered)
	intervals[w.intervalAt(d.to)].bytes += delivered - d.counted
	w.underWay(d.from, d.to, intervals)
}

// betweenLooks adds the selected flows that began and ended between two looks, so that they have no rows.
func betweenLooks(
	w *window, tracks map[int64]*flowTrack, records *store.Flows, s *scenario.Sampling, asked filter[store.FlowSample],
	intervals []interval,
) (delivered, error) {
	all := delivered{goodput: weights{}}
	sampled, err := sampledFlows(s)
	if err != nil {
		return all, err
	}
	for r := range records.All() {
		row := store.FlowSample{Flow: r.ID, Src: r.Src, Dst: r.Dst}
		if tracks[r.ID] != nil || r.Outcome != store.Finished || r.Start < w.from || r.Start+r.FCT > w.end ||
			!sampled.wants(&row) || !asked.wants(&row) {
			continue
		}
		d := deliveryOf(w, r, nil, 0)
		d.finish(w, d.size, intervals)
		all.flows++
		all.goodput.addAll(d.goodput)
	}
	return all, nil
}

func bitRate(b unit.Bytes, d unit.Time) float64 { return 8 * float64(b) / d.Seconds() }

// intervalAt returns the interval in which a time lies. A border belongs to the interval before it.
func (w *window) intervalAt(t unit.Time) int {
	return int((t - w.from + w.interval() - 1) / w.interval())
}

// underWay adds a flow that is under way between two times.
func (w *window) underWay(from, to unit.Time, intervals []interval) {
	for b := max(1, w.intervalAt(from)); b < len(intervals); b++ {
		begin := w.border(b - 1)
		if begin >= to {
			return
		}
		intervals[b].time += min(to, w.border(b)) - max(from, begin)
	}
}
