package estimate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Explanation lists the links on which slow flows wait. Slow flows are the flows whose slowdown is at or above the
// 99th percentile.
type Explanation struct {
	Slowdown float64 `json:"p99_slowdown"`
	Flows    int     `json:"flows"` // number of slow flows
	Links    []Cause `json:"links"` // in descending order of Share; empty if no flow ended
	places   []place
}

// Cause is a link, with the share of the slow flows' delays that arises on this link.
type Cause struct {
	Link  string  `json:"link"`
	Load  float64 `json:"load"`  // share of its rate that flows use while new flows start
	Flows int     `json:"flows"` // number of slow flows whose largest delay is here
	Share float64 `json:"share"` // share of the delays of all slow flows that arises here
}

// place is a row of the drawing: the shares of the links from one layer of the network to another, in the order of
// the links' numbers.
type place struct {
	name   string
	shares []float64
}

// Explain returns the explanation of an estimate. It lists no links if no flow has a completion time.
func (e *Estimate) Explain(ctx context.Context) (*Explanation, error) {
	n := e.network
	points := stats.Points(e.Flows, stats.Everything())
	if len(points) == 0 {
		return &Explanation{Links: []Cause{}}, nil
	}
	slowdowns := lists.Map(points, func(p stats.Point) float64 { return p.Slowdown })
	slices.Sort(slowdowns)
	x := &Explanation{Slowdown: stats.Percentile(slowdowns, 0.99)}
	slow := map[int32]bool{}
	for _, p := range points {
		if p.Slowdown >= x.Slowdown {
			slow[int32(p.ID)] = true
		}
	}
	x.Flows = len(slow)
	waits, worst := make([]unit.Time, len(n.on)), make([]int, len(n.on))
	total := unit.Time(0)
	var room [16]unit.Time
	err := n.each(ctx, func(f *flow, path, _ []netsim.PortID) error {
		if !slow[f.id] {
			return nil
		}
		delays := e.delays(room[:0], f, path)
		most := 0
		for k, port := range path {
			waits[port] += delays[k]
			total += delays[k]
			if delays[k] > delays[most] {
				most = k
			}
		}
		worst[path[most]]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	level := n.levels()
	at := map[[2]int]int{}
	for p, flows := range n.crossed {
		if flows == 0 {
			continue
		}
		from, to := n.Net.PortEnds(netsim.PortID(p))
		key := [2]int{level[from], level[to]}
		if _, ok := at[key]; !ok {
			at[key] = len(x.places)
			x.places = append(x.places, place{name: fmt.Sprintf("%s to %s", tier(key[0]), tier(key[1]))})
		}
		row, share := &x.places[at[key]], waits[p].Ratio(max(1, total))
		row.shares = append(row.shares, share)
		x.Links = append(x.Links, Cause{n.name(netsim.PortID(p)), n.load(netsim.PortID(p)), worst[p], share})
	}
	slices.SortStableFunc(x.Links, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Load, a.Load))
	})
	return x, nil
}

// tier names the nodes at a distance of `level` links from the nearest host: hosts, or a layer of switches.
func tier(level int) string {
	if level == 0 {
		return "host"
	}
	return fmt.Sprintf("layer %d", level)
}

// columns is the largest number of cells in a row of the drawing.
const columns = 50

// Draw draws the delays of slow flows. Each pair of layers has a row, with the links from left to right in the order
// of their numbers. If a row has more links than cells, a cell shows the sum of several links. If a row has fewer
// links than cells, a link fills several cells.
func (x *Explanation) Draw() plots.Figure {
	width := 0
	for _, row := range x.places {
		width = min(columns, max(width, len(row.shares)))
	}
	h := &plots.Heat{Label: "Share of their delays", Unit: "%"}
	var names, parts []string
	for c := range width {
		part := ""
		if 10*c%width == 0 {
			part = strconv.Itoa(100 * c / width)
		}
		parts = append(parts, part)
	}
	for _, row := range x.places {
		z := make(plots.Values, width)
		for c := range z {
			from := c * len(row.shares) / width
			for _, share := range row.shares[from:max(from+1, (c+1)*len(row.shares)/width)] {
				z[c] += 100 * share
			}
		}
		names, h.Z = append(names, row.name), append(h.Z, z)
	}
	return plots.Figure{
		Title: "Where the slowest 1 % of the flows wait",
		Footnote: fmt.Sprintf("flows: %d, with slowdowns of %.2f or more; links that carry flows, in order of their "+
			"number",
			x.Flows, x.Slowdown),
		Panels: []plots.Panel{{
			X:    plots.Axis{Label: "Links of the row", Unit: "%", Scale: plots.Categorical, Categories: parts},
			Y:    plots.Axis{Scale: plots.Categorical, Categories: names},
			Heat: h,
		}},
	}
}
