package estimate

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Explanation says which links make flows slow: those on which the flows at and above the 99th percentile of the
// slowdown wait.
type Explanation struct {
	Slowdown float64 `json:"p99_slowdown"`
	Flows    int     `json:"flows"` // at and above
	Links    []Cause `json:"links"` // the worst first; none if no flow ended
	places   []string
	columns  int
}

// Cause is a link with what the slow flows wait there.
type Cause struct {
	Link  string  `json:"link"`
	Load  float64 `json:"load"`  // share of its rate, while flows start
	Flows int     `json:"flows"` // slow ones that wait longer here than on any other link
	Share float64 `json:"share"` // of all that the slow flows wait
	place int
	order int // among the links of its place
}

// Explain finds the links. There is none if no flow has a completion time.
func (e *Estimate) Explain() *Explanation {
	n := e.network
	points, _ := stats.Points(e.Flows, stats.Everything())
	if len(points) == 0 {
		return &Explanation{Links: []Cause{}}
	}
	slowdowns := make([]float64, len(points))
	for i, p := range points {
		slowdowns[i] = p.Slowdown
	}
	slices.Sort(slowdowns)
	x := &Explanation{Slowdown: stats.Percentile(slowdowns, 0.99)}
	waits, worst := make([]unit.Time, len(n.on)), make([]int, len(n.on))
	total := unit.Time(0)
	var room [16]unit.Time
	for _, p := range points {
		if p.Slowdown < x.Slowdown {
			continue
		}
		x.Flows++
		delays := e.delays(room[:0], int32(p.ID))
		most := 0
		for k, port := range n.path(int32(p.ID)) {
			waits[port] += delays[k]
			total += delays[k]
			if delays[k] > delays[most] {
				most = k
			}
		}
		worst[n.path(int32(p.ID))[most]]++
	}
	x.place(n, waits, worst, total)
	return x
}

// place lists the links by their places in the network, in the order of their numbers.
func (x *Explanation) place(n *network, waits []unit.Time, worst []int, total unit.Time) {
	level := n.levels()
	count := map[[2]int]int{}
	at := map[[2]int]int{}
	for p, on := range n.on {
		if len(on) == 0 {
			continue
		}
		from, to := n.Net.PortEnds(netsim.PortID(p))
		key := [2]int{level[from], level[to]}
		place, ok := at[key]
		if !ok {
			place = len(x.places)
			at[key] = place
			x.places = append(x.places, fmt.Sprintf("%s to %s", tier(key[0]), tier(key[1])))
		}
		x.Links = append(x.Links, Cause{n.name(netsim.PortID(p)), n.load(netsim.PortID(p)), worst[p], waits[p].Ratio(max(1, total)), place, count[key]})
		count[key]++
		x.columns = max(x.columns, count[key])
	}
	slices.SortStableFunc(x.Links, func(a, b Cause) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Load, a.Load)) })
}

// tier names the nodes that are so many links away from a host: hosts, and layers of switches.
func tier(level int) string {
	if level == 0 {
		return "host"
	}
	return fmt.Sprintf("layer %d", level)
}

// columns is how many cells a place has at most in the drawing.
const columns = 64

// Draw draws what slow flows wait, link by link: a row for each place in the network, links by number from left to right,
// several in a cell if there are many.
func (x *Explanation) Draw() (plots.Figure, error) {
	t, err := plots.NewTable(plots.Whole("x", ""), plots.Text("y"), plots.Real("share of their delays", "%"))
	if err != nil {
		return plots.Figure{}, err
	}
	per := max(1, (x.columns+columns-1)/columns)
	cells := map[[2]int]float64{}
	for _, l := range x.Links {
		cells[[2]int{l.place, l.order / per}] += 100 * l.Share
	}
	for place := range x.places {
		for c := range (x.columns + per - 1) / per {
			if v, ok := cells[[2]int{place, c}]; ok {
				if err := t.Append(int64(c*per), x.places[place], v); err != nil {
					return plots.Figure{}, err
				}
			}
		}
	}
	f, err := plots.HeatMap(t, plots.Mapping{Z: "share of their delays"})
	if err == nil {
		f.Title = "Where the slowest hundredth of the flows waits"
		f.Footnote = fmt.Sprintf("share of the delays of %d flows with a slowdown from %.2f; links by number, %d in a cell", x.Flows, x.Slowdown, per)
		f.Panels[0].X.Label, f.Panels[0].Y.Label = "Link", "Place"
	}
	return f, err
}
