package show

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// AllFlows summarises all sampled flows.
type AllFlows struct {
	Flows   int `json:"flows"`           // number of flows
	Between int `json:"between_samples"` // flows that began and ended between two looks, so they have no rate or load
	// goodputs in the intervals, weighted with time; the mean is the payload divided by the time for which flows were
	// under way, so it does not depend on the intervals
	Goodput *Spread `json:"goodput_bps"`
	Rate    *Spread `json:"rate_bps"`
	Load    *Spread `json:"load"` // null if no flow has a load
	// Jain's index, over the intervals, of the goodputs of the flows that were under way for the whole interval; null
	// if there never were two such flows
	Jain *Spread `json:"jain"`
}

// Flow summarises the samples of a flow.
type Flow struct {
	Flow int64 `json:"flow"`
	Src  int32 `json:"src"`
	Dst  int32 `json:"dst"`
	From int64 `json:"from_ps"` // time of the first look
	To   int64 `json:"to_ps"`   // time of the last look
	// goodput in the intervals, weighted with time; the mean is the payload divided by the time that the flow took
	Goodput *Spread `json:"goodput_bps"`
	Rate    *Spread `json:"rate_bps"`
	Load    *Spread `json:"load"`
}

// flowTrack is the state of a flow while the series is read.
type flowTrack struct {
	first, last store.FlowSample
	lastRow     unit.Time
	look        int // look of the last row
	to          unit.Time
	rate, load  weights
	delivery
	lines *[3]curve // goodput, rate and load; nil if not drawn
}

// topFlows is the largest number of flows shown individually.
const topFlows = 64

// scanFlows returns the selected flows and the time of the last row.
func scanFlows(rows source[store.FlowSample], f filter[store.FlowSample]) (map[int64]*flowTrack, unit.Time, error) {
	tracks := map[int64]*flowTrack{}
	first, last, end := int64(math.MaxInt64), int64(-1), unit.Time(0)
	err := rows(func(r *store.FlowSample) error {
		first, last, end = min(first, r.Flow), max(last, r.Flow), r.Time
		if !f.wants(r) {
			return nil
		}
		t := tracks[r.Flow]
		if t == nil {
			t = &flowTrack{first: *r, look: -1, rate: weights{}, load: weights{}}
			tracks[r.Flow] = t
		}
		t.lastRow = r.Time
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	there := fmt.Sprintf("flows between %d and %d", first, last)
	if last < 0 {
		there = "no rows"
	}
	return tracks, end, f.unused(there)
}

func (v *Series) addFlows(rows source[store.FlowSample], records *store.Flows, s *scenario.Sampling, ended unit.Time,
	o *SeriesOptions) error {
	f, err := o.flowFilter()
	if err != nil {
		return err
	}
	tracks, lastRow, err := scanFlows(rows, f)
	if err != nil {
		return err
	}
	if v.Looks > 0 { // the ports have rows
		lastRow = max(lastRow, v.to)
	}
	w, err := v.begin(s, ended, lastRow, o)
	if err != nil || w.n < 2 || len(tracks) == 0 {
		return err
	}
	ids := slices.Sorted(maps.Keys(tracks))
	beyond, err := ends(&w, tracks, records, s.Rows == "changed")
	if err != nil {
		return err
	}
	intervals := make([]interval, w.borders()+1)
	between, err := betweenLooks(&w, tracks, records, s, f, intervals)
	if err != nil {
		return err
	}
	top := slices.Clone(ids)
	slices.SortStableFunc(top, func(a, b int64) int {
		return cmp.Compare(tracks[b].to-tracks[b].first.Time, tracks[a].to-tracks[a].first.Time)
	})
	top = slices.Sorted(slices.Values(top[:min(topFlows, len(top))]))
	for _, id := range top {
		tracks[id].lines = &[3]curve{{measure: goodput}, {measure: pacing}, {measure: load}}
	}
	if err := rows(func(r *store.FlowSample) error {
		t := tracks[r.Flow]
		if t == nil {
			return nil
		}
		look, err := w.place(r.Time)
		if err != nil {
			return err
		}
		if t.look >= 0 {
			t.hold(&w, look, intervals)
		}
		t.last, t.look = *r, look
		return nil
	}); err != nil {
		return err
	}
	for _, id := range ids {
		tracks[id].hold(&w, beyond[id], intervals)
		tracks[id].finish(&w, tracks[id].last.Delivered, intervals)
	}
	v.finishFlows(&w, ids, top, tracks, intervals, between)
	return nil
}

// ends returns, for each flow, the look up to which the flow's last row applies. If all looks have rows, this is the
// next look; otherwise it is derived from the end of the flow. If a flow ran out of tries or its destination became
// unreachable, its end is unknown.
func ends(w *window, tracks map[int64]*flowTrack, records *store.Flows, changed bool) (map[int64]int, error) {
	beyond := map[int64]int{}
	for r := range records.All() {
		t := tracks[r.ID]
		if t == nil {
			continue
		}
		look, err := w.place(t.lastRow)
		if err != nil {
			return nil, err
		}
		end := look + 1
		switch {
		case !changed:
		case r.Outcome == store.Finished:
			done := r.Start + r.FCT - w.from
			end = max(end, min(w.n, int((done+w.period-1)/w.period)))
		case r.Outcome == store.Unfinished || r.Outcome == store.Stalled || r.Outcome == store.Projected:
			end = w.n
		}
		beyond[r.ID], t.to = end, w.time(end-1)
		t.delivery = deliveryOf(w, r, &t.first, t.to)
	}
	for _, id := range slices.Sorted(maps.Keys(tracks)) {
		if beyond[id] == 0 {
			return nil, fmt.Errorf("flow %d of the time series has no record", id)
		}
	}
	return beyond, nil
}

// hold adds the values of the last row, weighted with the time of all looks before `until`.
func (t *flowTrack) hold(w *window, until int, intervals []interval) {
	d := w.weight(t.look, until)
	t.rate.add(float64(t.last.Rate), d)
	t.load.add(t.last.Load, d)
	for b, beyond := w.bordersIn(t.look, until); b < beyond; b++ {
		if x, whole := t.reach(w, b, t.last.Delivered, intervals); whole && t.lines != nil {
			t.lines[0].point(w.border(b).Seconds(), x)
		}
	}
	if t.lines == nil {
		return
	}
	for _, look := range slices.Compact([]int{t.look, until - 1}) {
		at := w.time(look).Seconds()
		t.lines[1].point(at, float64(t.last.Rate))
		t.lines[2].point(at, t.last.Load)
	}
}

// finishFlows computes the summaries of flows. between contains the flows without rows.
func (v *Series) finishFlows(
	w *window, ids, top []int64, tracks map[int64]*flowTrack, intervals []interval, between delivered,
) {
	goodputs := between.goodput
	rate, loads := weights{}, weights{}
	for _, id := range ids {
		rate.addAll(tracks[id].rate)
		loads.addAll(tracks[id].load)
		goodputs.addAll(tracks[id].goodput)
	}
	for _, id := range top {
		t := tracks[id]
		v.Flows = append(v.Flows, Flow{
			Flow: id, Src: t.first.Src, Dst: t.first.Dst, From: int64(t.first.Time), To: int64(t.to),
			Goodput: t.goodput.spread(), Rate: t.rate.spread(), Load: t.load.spread(),
		})
		for _, c := range t.lines {
			if c.name = fmt.Sprintf("flow %d", id); len(c.x) > 0 {
				v.curves = append(v.curves, c)
			}
		}
	}
	jains := curve{measure: fairness, name: allFlowsName}
	means, counts := curve{measure: meanGoodput, name: allFlowsName}, curve{measure: underWay, name: allFlowsName}
	whole := 0
	for b, x := range intervals[1:w.borders()] {
		at := w.border(b + 1).Seconds()
		whole += len(x.whole)
		jains.point(at, Jain(x.whole))
		counts.point(at, x.time.Seconds()/(w.border(b+1)-w.border(b)).Seconds())
		if x.time > 0 {
			means.point(at, bitRate(x.bytes, x.time))
		}
	}
	v.AllFlows = &AllFlows{Flows: len(ids) + between.flows, Between: between.flows, Goodput: goodputs.spread(),
		Rate: rate.spread(), Load: loads.spread(), Jain: spreadOf(jains.y)}
	v.curves = append(v.curves, means, counts)
	if whole == 0 {
		v.note("no flow was under way for a whole interval of %v, so there is no goodput by flow over time: want a "+
			"shorter --interval or run.sampling.period", w.interval())
	}
	if len(jains.x) > 0 {
		v.curves = append(v.curves, jains)
	}
	if left := len(ids) - len(top); left > 0 {
		v.note("the %d flows that were active longest are shown one by one; %s %s in %s", len(top),
			number.Count(left, "other"), number.Plural(left, "is", "are"), store.FlowSeries.CSV())
	}
}
