package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Layer summarises the ports of a layer.
type Layer struct {
	Layer       string  `json:"layer"` // layers of both ends, such as `edge-core`
	Ports       int     `json:"ports"`
	Queue       *Spread `json:"queue_bytes"`
	Utilisation *Spread `json:"utilisation"`
	Paused      float64 `json:"paused"`      // mean share of the time
	MostPaused  float64 `json:"most_paused"` // share of the time during which the longest paused port was paused
	Marks       int64   `json:"marks"`
	Drops       int64   `json:"drops"`

	queue, used                 weights
	pausedAt, marksAt, dropsAt  []float64 // sums over the ports, at each border between intervals
	looked                      unit.Time // sampled time, added up over the ports
	pausedFor, pausedForLongest unit.Time
}

// Port summarises a port.
type Port struct {
	Port        string  `json:"port"` // `16-3` is the port of node 16 towards node 3
	Name        string  `json:"name"` // the port with the names of the nodes, `tor0 to h3`
	Layer       string  `json:"layer"`
	Queue       *Spread `json:"queue_bytes"`
	Utilisation *Spread `json:"utilisation"`
	Paused      float64 `json:"paused"` // share of the time
	Marks       int64   `json:"marks"`
	Drops       int64   `json:"drops"`
}

// portID identifies a port by the nodes at both ends of its link. This is unique, because no two links join the same
// nodes.
type portID struct{ node, peer int32 }

func (p portID) String() string { return fmt.Sprintf("%d-%d", p.node, p.peer) }

// names returns the name of a node.
type names func(node int32) string

// namesOf returns the names of a network's nodes. If the network cannot be built again, the names are numbers.
func namesOf(run *campaign.Run) names {
	w, err := sim.WiringOf(run.Scenario)
	return func(node int32) string {
		if err != nil || int(node) >= len(w.Graph.Nodes) {
			return fmt.Sprint(node)
		}
		return cmp.Or(w.Graph.Nodes[node].Name, w.Graph.Label(topo.NodeID(node)))
	}
}

// of returns the name of a port.
func (n names) of(p portID) string { return n(p.node) + " to " + n(p.peer) }

func comparePorts(a, b portID) int {
	return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.peer, b.peer))
}

// portTrack is the state of a port while the series is read.
type portTrack struct {
	first, last store.PortSample
	look        int // look of the last row
	queue, used weights
	longest     unit.Bytes
	lines       *[2]curve // queue and utilisation; nil if not drawn
}

// Numbers of ports shown individually: those with the longest queues, and those that were paused longest.
const (
	topPorts  = 6
	topPaused = 12
)

// scanPorts returns the selected ports and the time of the last row.
func scanPorts(
	rows source[store.PortSample], f filter[store.PortSample], node names,
) (map[portID]*portTrack, unit.Time, error) {
	tracks, all := map[portID]*portTrack{}, map[portID]string{}
	var last unit.Time
	err := rows(func(p *store.PortSample) error {
		last = p.Time
		id := portID{p.Node, p.Peer}
		all[id] = p.Layer
		if !f.wants(p) {
			return nil
		}
		t := tracks[id]
		if t == nil {
			t = &portTrack{look: -1, queue: weights{}, used: weights{}}
			tracks[id] = t
		}
		t.longest = max(t.longest, p.Queue)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	names := lists.Map(slices.SortedFunc(maps.Keys(all), comparePorts),
		func(id portID) string { return fmt.Sprintf("%s (%s)", node.of(id), all[id]) })
	there := "the ports " + some(names)
	if len(all) == 0 {
		there = "no rows"
	}
	if err := f.unused(there); err != nil {
		return nil, 0, err
	}
	if len(tracks) == 0 && len(all) > 0 {
		return nil, 0, fmt.Errorf("no port matches all of --node, --port and --layer: the series has %s", there)
	}
	return tracks, last, nil
}

func (v *Series) addPorts(
	rows source[store.PortSample], s *scenario.Sampling, ended unit.Time, o *SeriesOptions,
) error {
	f, err := o.portFilter(v.node)
	if err != nil {
		return err
	}
	tracks, lastRow, err := scanPorts(rows, f, v.node)
	if err != nil {
		return err
	}
	w, err := v.begin(s, ended, lastRow, o)
	if err != nil || w.n < 2 {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(tracks), comparePorts)
	top := slices.Clone(ids)
	slices.SortStableFunc(top, func(a, b portID) int { return cmp.Compare(tracks[b].longest, tracks[a].longest) })
	top = top[:min(topPorts, len(top))]
	for i, id := range top {
		if i > 0 && tracks[id].longest == 0 { // omit queues that are always empty, but keep at least one port
			top = top[:i]
			break
		}
		tracks[id].lines = &[2]curve{{measure: queue}, {measure: utilisation}}
	}
	layers := map[string]*Layer{}
	if err := rows(func(p *store.PortSample) error {
		t := tracks[portID{p.Node, p.Peer}]
		if t == nil {
			return nil
		}
		look, err := w.place(p.Time)
		if err != nil {
			return err
		}
		if t.look < 0 {
			t.first = *p
			if layers[p.Layer] == nil {
				b := w.borders()
				layers[p.Layer] = &Layer{Layer: p.Layer, queue: weights{}, used: weights{},
					pausedAt: make([]float64, b), marksAt: make([]float64, b), dropsAt: make([]float64, b)}
			}
		} else {
			t.hold(&w, look, layers[t.first.Layer])
		}
		t.last, t.look = *p, look
		return nil
	}); err != nil {
		return err
	}
	return v.finishPorts(&w, ids, top, tracks, layers)
}

// pausedBy returns for how long the port has been paused since the first row. If the last row lies within a pause, this
// pause continues until now.
func (t *portTrack) pausedBy(now unit.Time) unit.Time {
	d := t.last.PausedTime - t.first.PausedTime
	if t.last.Paused {
		d += now - t.last.Time
	}
	return d
}

// hold adds the values of the last row, weighted with the time of all looks before `until`.
func (t *portTrack) hold(w *window, until int, l *Layer) {
	d := w.weight(t.look, until)
	t.queue.add(float64(t.last.Queue), d)
	t.used.add(t.last.Utilisation, d)
	for b, beyond := w.bordersIn(t.look, until); b < beyond; b++ {
		l.pausedAt[b] += t.pausedBy(w.border(b)).Seconds()
		l.marksAt[b] += float64(t.last.Marks - t.first.Marks)
		l.dropsAt[b] += float64(t.last.Drops - t.first.Drops)
	}
	if t.lines == nil {
		return
	}
	for _, look := range slices.Compact([]int{t.look, until - 1}) {
		at := w.time(look).Seconds()
		t.lines[0].point(at, float64(t.last.Queue))
		t.lines[1].point(at, t.last.Utilisation)
	}
}

// finishPorts computes the summaries of ports and layers.
func (v *Series) finishPorts(
	w *window, ids, top []portID, tracks map[portID]*portTrack, layers map[string]*Layer,
) error {
	span := w.end - w.from
	var rank []Port
	ports := map[portID]Port{}
	for _, id := range ids {
		t := tracks[id]
		l := layers[t.first.Layer]
		t.hold(w, w.n, l)
		paused := t.pausedBy(w.end)
		p := Port{
			Port: id.String(), Name: v.node.of(id), Layer: l.Layer,
			Queue: t.queue.spread(), Utilisation: t.used.spread(),
			Paused: columns.Round(paused.Seconds() / span.Seconds()), Marks: t.last.Marks - t.first.Marks,
			Drops: t.last.Drops - t.first.Drops,
		}
		ports[id] = p
		if paused > 0 {
			rank = append(rank, p)
		}
		l.Ports++
		l.queue.addAll(t.queue)
		l.used.addAll(t.used)
		l.looked += span
		l.pausedFor += paused
		l.pausedForLongest = max(l.pausedForLongest, paused)
		l.Marks += p.Marks
		l.Drops += p.Drops
	}
	for _, id := range top {
		v.Ports = append(v.Ports, ports[id])
		for _, c := range tracks[id].lines {
			c.name = fmt.Sprintf("%s (%s)", ports[id].Name, ports[id].Layer)
			v.curves = append(v.curves, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		v.addLayer(w, layers[name])
	}
	slices.SortStableFunc(rank, func(a, b Port) int { return cmp.Compare(b.Paused, a.Paused) })
	for i, p := range rank[:min(topPaused, len(rank))] {
		c := curve{measure: pausedBy, name: p.Name}
		c.point(float64(i), p.Paused)
		v.curves = append(v.curves, c)
	}
	if left := len(rank) - topPaused; left > 0 {
		v.note("%s %s paused; only %d are drawn", number.Count(left, "more port"), number.Plural(left, "was", "were"),
			topPaused)
	}
	return nil
}

func (v *Series) addLayer(w *window, l *Layer) {
	l.Queue, l.Utilisation = l.queue.spread(), l.used.spread()
	l.Paused = columns.Round(l.pausedFor.Seconds() / l.looked.Seconds())
	l.MostPaused = columns.Round(l.pausedForLongest.Seconds() / (w.end - w.from).Seconds())
	v.Layers = append(v.Layers, *l)
	add := func(measure string, point func(*curve)) {
		c := curve{measure: measure, name: l.Layer}
		point(&c)
		v.curves = append(v.curves, c)
	}
	add(queueCDF, func(c *curve) { c.x, c.y = l.queue.cdf() })
	if l.pausedFor > 0 {
		add(pausedShare, func(c *curve) {
			for b := 1; b < len(l.pausedAt); b++ {
				time := float64(l.Ports) * (w.border(b) - w.border(b-1)).Seconds()
				c.point(w.border(b).Seconds(), (l.pausedAt[b]-l.pausedAt[b-1])/time)
			}
		})
	}
	for _, counter := range []struct {
		measure string
		total   int64
		at      []float64
	}{{marks, l.Marks, l.marksAt}, {drops, l.Drops, l.dropsAt}} {
		if counter.total > 0 {
			add(counter.measure, func(c *curve) {
				for b, n := range counter.at {
					c.point(w.border(b).Seconds(), n)
				}
			})
		}
	}
}
