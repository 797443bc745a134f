package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// plane is a series under construction.
type plane struct {
	*PageSeries
	steps int
}

// newPlane returns an empty series. If counts is set, it also sums up the values of each port.
func newPlane(ports, steps int, counts bool) plane {
	s := &PageSeries{Peaks: make([]float64, ports)}
	if counts {
		s.Sums = make([]float64, ports)
	}
	return plane{s, steps}
}

// cell returns a value. The first call allocates all values.
func (p plane) cell(port, step int) *float32 {
	if p.Values == nil {
		p.Values = make([]float32, len(p.Peaks)*p.steps)
	}
	return &p.Values[port*p.steps+step]
}

func (p plane) add(port, step int, v float64) {
	if v == 0 {
		return
	}
	c := p.cell(port, step)
	*c += float32(v)
	if p.Sums != nil {
		p.Sums[port] += v
	}
	p.Peaks[port] = max(p.Peaks[port], float64(*c))
}

// raise sets a value to v if v is larger.
func (p plane) raise(port, step int, v float64) {
	if v == 0 {
		return
	}
	c := p.cell(port, step)
	*c = max(*c, float32(v))
	p.Peaks[port] = max(p.Peaks[port], v)
}

// filled returns the series, or nil if all its values are 0.
func (p plane) filled() *PageSeries {
	if p.Values == nil {
		return nil
	}
	return p.PageSeries
}

func (r *reader) ports(p *Page, g grid) error {
	n := len(p.Seen)
	number := map[[2]int32]int{}
	for i, l := range p.Links {
		number[[2]int32{int32(l.A), int32(l.B)}] = 2 * i
		number[[2]int32{int32(l.B), int32(l.A)}] = 2*i + 1
	}
	queue, busy, paused := newPlane(n, g.steps, false), newPlane(n, g.steps, false), newPlane(n, g.steps, false)
	drops, marks := newPlane(n, g.steps, true), newPlane(n, g.steps, true)
	period := r.sampling.Spacing(r.end)
	before := make([]store.PortSample, n)
	// stand extends the state of the last row to a later time, because rows without a change may be missing.
	stand := func(port int, from, to unit.Time) {
		x := &before[port]
		g.over(from, to, func(i int, part unit.Time) {
			queue.raise(port, i, float64(x.Queue))
			if x.Utilisation > 0 {
				busy.add(port, i, x.Utilisation*part.Ratio(g.length(i)))
			}
		})
	}
	err := store.PortSeries.ReadDir(r.dir, r.run.Manifest, func(row *store.PortSample) error {
		port, ok := number[[2]int32{row.Node, row.Peer}]
		if !ok {
			return fmt.Errorf("%s: a row has port %d-%d, but the network has no such port", r.dir, row.Node, row.Peer)
		}
		x := &before[port]
		since := r.from
		if p.Seen[port] {
			since = x.Time
			if r.sampling.Rows != "all" {
				since = max(since, row.Time-period)
				stand(port, x.Time, since)
			}
		}
		i := g.at(row.Time)
		drops.add(port, i, float64(row.Drops-x.Drops))
		marks.add(port, i, float64(row.Marks-x.Marks))
		if d := row.PausedTime - x.PausedTime; d > 0 && row.Time > x.Time {
			g.over(x.Time, row.Time, func(i int, part unit.Time) {
				paused.add(port, i, d.Ratio(row.Time-x.Time)*part.Ratio(g.length(i)))
			})
		}
		p.Seen[port], *x = true, *row
		queue.raise(port, i, float64(row.Queue))
		if row.Utilisation > 0 {
			g.over(since, row.Time, func(i int, part unit.Time) {
				busy.add(port, i, row.Utilisation*part.Ratio(g.length(i)))
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.sampling.Rows != "all" {
		for port := range before {
			if p.Seen[port] {
				stand(port, before[port].Time, g.end)
			}
		}
	}
	p.Queue, p.Busy, p.Paused, p.Drops, p.Marks = queue.filled(), busy.filled(), paused.filled(), drops.filled(),
		marks.filled()
	return nil
}

// flow is a flow of the page, with the state that is needed while its series is read.
type flow struct {
	rec  *store.FlowRecord
	end  unit.Time
	page PageFlow
	at   unit.Time // time of the last row
	next int       // step after the last one with values
	last store.FlowSample
}

func (f *flow) transport() *transport.Flow {
	return &transport.Flow{Src: topo.NodeID(f.rec.Src), Dst: topo.NodeID(f.rec.Dst), SrcPort: f.rec.SrcPort,
		DstPort: f.rec.DstPort}
}

// addFlows adds the flows that were active longest, in the order of their numbers.
func (r *reader) addFlows(p *Page, g grid, most int) error {
	var list []*flow
	p.Under = make([]int, g.steps)
	for x := range r.flows.All() {
		f := &flow{rec: x, end: r.end}
		if x.Outcome == store.Finished {
			f.end = x.Start + x.FCT
		}
		if x.Start < r.end && f.end > r.from {
			list = append(list, f)
			for i := g.at(max(x.Start, g.from) + 1); i <= g.at(min(f.end, g.end)); i++ {
				p.Under[i]++
			}
		}
	}
	slices.SortFunc(list, func(a, b *flow) int {
		return cmp.Or(cmp.Compare(b.end-b.rec.Start, a.end-a.rec.Start), cmp.Compare(a.rec.ID, b.rec.ID))
	})
	list = list[:min(len(list), most)]
	slices.SortFunc(list, func(a, b *flow) int { return cmp.Compare(a.rec.ID, b.rec.ID) })
	byID := map[int64]*flow{}
	for _, f := range list {
		byID[f.rec.ID] = f
		f.begin(r)
	}
	if r.sampling.OfFlows() {
		if err := store.FlowSeries.ReadDir(r.dir, r.run.Manifest, func(row *store.FlowSample) error {
			if f := byID[row.Flow]; f != nil {
				f.take(row, g)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	for _, f := range list {
		f.finish(g)
		p.Flows = append(p.Flows, f.page)
		for len(p.Classes) <= f.page.Class {
			p.Classes = append(p.Classes, workloads.Class(len(p.Classes)).String())
		}
	}
	return nil
}

// begin sets the fields that do not depend on the series of the flow.
func (f *flow) begin(r *reader) {
	x := f.rec
	f.page = PageFlow{
		ID: int(x.ID), Src: int(x.Src), Dst: int(x.Dst), Class: int(x.Class), Size: float64(x.Size),
		Start: x.Start.Seconds(), End: f.end.Seconds(),
		Outcome: x.Outcome.String(), Packets: int(x.Packets), Again: int(x.Retransmitted), Timeouts: int(x.Timeouts),
		First: -1,
	}
	if x.Outcome.Timed() {
		f.page.Slowdown = x.Slowdown()
	}
	f.page.Paths = r.paths(f)
}

func (f *flow) take(row *store.FlowSample, g grid) {
	p := &f.page
	if p.First < 0 {
		p.First = g.at(max(f.rec.Start, g.from) + 1)
		p.Rate, p.Goodput, p.Flight = &Curve{}, &Curve{}, &Curve{}
		if row.Window != store.NoWindow {
			p.Window = &Curve{}
		}
		f.last, f.at = *row, max(f.rec.Start, g.from)
		f.last.Delivered = 0
	}
	f.delivered(g, row.Time, row.Delivered)
	f.last = *row
	f.state(max(0, g.at(row.Time)-p.First)) // a look at the start of the flow belongs to its first step
}

// delivered adds the bytes that the destination received since the last row to the goodput. total counts them from the
// start of the flow.
func (f *flow) delivered(g grid, to unit.Time, total unit.Bytes) {
	bytes := float64(total - f.last.Delivered)
	if d := to - f.at; d > 0 {
		g.over(f.at, to, func(i int, part unit.Time) {
			*at(f.page.Goodput, i-f.page.First) += 8 * bytes * part.Ratio(d) / g.length(i).Seconds()
		})
		f.at = to
	}
}

// state sets rate, window and flight of all steps up to the given step of the flow. Steps without a row receive the
// values of the next row.
func (f *flow) state(step int) {
	for i := min(f.next, step); i <= step; i++ {
		*at(f.page.Rate, i), *at(f.page.Flight, i) = float64(f.last.Rate), float64(f.last.Flight)
		if f.page.Window != nil {
			*at(f.page.Window, i) = float64(f.last.Window)
		}
	}
	f.next = max(f.next, step+1)
}

func (f *flow) finish(g grid) {
	if f.page.First < 0 {
		return
	}
	total := f.last.Delivered
	if f.rec.Outcome == store.Finished && f.end <= g.end {
		total = f.rec.Size
	}
	f.delivered(g, min(f.end, g.end), total)
	last := g.at(min(f.end, g.end)) - f.page.First
	if f.next <= last {
		f.state(last)
	}
	at(f.page.Goodput, last)
	f.smooth(g)
}

// smooth spreads the goodput of each step over the steps around it. The spread covers the time of sixteen packets, but
// stays within the flow. Without this, if a step is shorter than a packet at the flow's rate, the goodput would jump
// between zero and one packet.
func (f *flow) smooth(g grid) {
	c, n := f.page.Goodput, len(f.page.Goodput.Values)
	ends := make([]float64, n+1)
	bits := 0.0 // delivered bits in the part of the flow that the page shows
	for i, v := range c.Values {
		ends[i+1] = ends[i] + g.length(f.page.First+i).Seconds()
		bits += float64(v * (ends[i+1] - ends[i]))
	}
	packets := math.Round(float64(f.page.Packets) * min(1, bits/8/float64(f.rec.Size)))
	half := 8 * n / max(1, int(packets))
	changes := make([]float64, n+1)
	for i, v := range c.Values {
		from, to := max(0, i-half), min(n, i+half+1)
		share := v * (ends[i+1] - ends[i]) / (ends[to] - ends[from])
		changes[from] += share
		changes[to] -= share
	}
	now := 0.0
	for i := range c.Values {
		now += changes[i]
		c.Values[i] = max(0, now)
	}
}

// at returns a value of a curve, and extends the curve if necessary.
func at(c *Curve, i int) *float64 {
	for len(c.Values) <= i {
		c.Values = append(c.Values, 0)
	}
	return &c.Values[i]
}
