package show

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/plots"
)

// Limits of the drawings.
const (
	mostRanks = 64 // number of ranks in a timeline
	mostRows  = 64 // rows of switches in a heat map
	mostEach  = 8  // number of drawings of one kind
	mostLines = 16 // lines of bus bandwidth
)

// tables returns a table of the jobs and one of the collectives by kind.
func (v *jobView) tables() []figure.Table {
	jobs := figure.Pick(v.jobs, func(r *jobRow) bool { return r.Group == "job" })
	list := []figure.Table{figure.Show("Jobs: the rank and the flow that finished last, the busiest link on the "+
		"path of that flow, and the queue where one of its packets waited longest.",
		jobs, "run", "job", "ranks", "time", "exposed", "slowest rank", "last flow", "busiest link", "use", "queue",
		"longest wait")}
	if all := v.collectives(); len(all) > 0 {
		list = append(list, figure.Show("Collectives of one kind: mean times and bandwidths, and the smallest and "+
			"largest bus bandwidth.",
			all, "run", "job", "group", "ranks", "count", "bytes", "time", "algorithm bandwidth", "bus bandwidth",
			"least", "most"))
	}
	return list
}

// collectives returns the means of the collectives by kind and size.
func (v *jobView) collectives() []jobRow {
	type kind struct {
		run, job, group string
		ranks           int
		bytes           float64
	}
	timed := figure.Pick(v.jobs, func(r *jobRow) bool { return r.Bus > 0 })
	var list []jobRow
	kindOf := func(r *jobRow) kind { return kind{r.Run, r.Job, r.Group, r.Ranks, r.Bytes} }
	for _, of := range figure.Groups[[]jobRow](timed, kindOf) {
		mean := of[0]
		n := float64(len(of))
		mean.Count, mean.Least, mean.Most = len(of), mean.Bus, mean.Bus
		mean.Time, mean.Alg, mean.Bus = 0, 0, 0
		for _, r := range of {
			mean.Time, mean.Alg, mean.Bus = mean.Time+r.Time/n, mean.Alg+r.Alg/n, mean.Bus+r.Bus/n
			mean.Least, mean.Most = min(mean.Least, r.Bus), max(mean.Most, r.Bus)
		}
		list = append(list, mean)
	}
	return list
}

// drawings returns the timelines of jobs, the bus bandwidth by size, and the utilisation of links.
func (v *jobView) drawings() (list []figure.Drawing, notes []string) {
	for i, l := range v.lanes {
		if i == mostEach {
			notes = append(notes, fmt.Sprintf("%d jobs: timelines of the first %d are drawn.", len(v.lanes), mostEach))
			break
		}
		if len(l.groups) > 0 {
			list = append(list, l.draw(v.name("timeline", i, len(v.lanes))))
		}
	}
	if d, lines := v.bandwidth(); lines > 0 {
		if list = append(list, d); lines > mostLines {
			notes = append(notes, fmt.Sprintf("%d lines of bus bandwidth: the first %d are drawn.", lines, mostLines))
		}
	}
	for i, links := range v.links {
		if i == mostEach {
			notes = append(notes, fmt.Sprintf("%d runs: links of the first %d are drawn.", len(v.links), mostEach))
			break
		}
		if len(links) > 0 {
			list = append(list, heat(links, v.name("links", i, len(v.links)), v.of(i)))
		}
	}
	return list, notes
}

// name returns the name of a drawing. It contains the number i if there are several drawings of the kind.
func (v *jobView) name(what string, i, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s-%d", what, i)
}

// of returns the suffix of a title that names the run, or "" if there is only one run.
func (v *jobView) of(run int) string {
	if len(v.runs) == 1 {
		return ""
	}
	return ": " + v.runs[run]
}

// draw draws a lane for each rank, with computations above and messages below. Each group of messages has
// its own height.
func (l *lanes) draw(name string) figure.Drawing {
	var ranks []int
	step := (len(l.hosts) + mostRanks - 1) / mostRanks
	for r := 0; r < len(l.hosts); r += step {
		ranks = append(ranks, r)
	}
	slices.Reverse(ranks) // the first rank on top
	p := plots.Panel{X: plots.Axis{Label: "Time", Unit: plots.InSeconds, Min: plots.At(0), Max: plots.At(l.end)},
		Y: plots.Axis{Scale: plots.Categorical}}
	for _, r := range ranks {
		p.Y.Categories = append(p.Y.Categories, fmt.Sprintf("rank %d, host %s", r, l.hosts[r]))
	}
	sent := len(slices.DeleteFunc(slices.Clone(l.groups), func(group string) bool { return group == compute }))
	low := -0.02
	for _, group := range l.groups {
		s := plots.Series{Name: group, Style: plots.Span}
		y, high := 0.02, 0.42
		if group != compute {
			high = low
			low -= 0.4 / float64(sent)
			y = low
		}
		for at, r := range ranks {
			if r >= len(l.spans[group]) {
				continue
			}
			for _, x := range l.spans[group][r] {
				s.X, s.Y = append(s.X, x.from, x.to, x.to), append(s.Y, float64(at)+y, float64(at)+high, math.NaN())
			}
		}
		p.Series = append(p.Series, s)
	}
	caption := fmt.Sprintf("What the ranks of %s did, with a line for each group: computations above, messages that "+
		"a rank sends or receives below. White: neither.", l.job)
	if step > 1 {
		caption += fmt.Sprintf(" One of every %d ranks is drawn.", step)
	}
	return figure.Drawing{Name: name, Caption: caption, Plot: plots.Figure{
		Title: "Timeline of " + l.job + " (" + l.run + ")", Width: plots.PageWidth,
		PanelHeight: float64(max(60, min(7+4*max(1, sent), 11*mostRanks/len(ranks))*len(ranks))),
		Panels:      []plots.Panel{p}}}
}

// sizeSetting matches the size of a collective in a run's name.
var sizeSetting = regexp.MustCompile(`,? workload\.\d+\.size=[^,]*`)

// bandwidth draws the bus bandwidth of collectives against their size, and returns the number of lines. Runs that
// differ only in this size share a line.
func (v *jobView) bandwidth() (d figure.Drawing, lines int) {
	all := v.collectives()
	for i := range all {
		r := &all[i]
		r.Group = fmt.Sprintf("%s of %d, %s", r.Group, r.Ranks, r.Job)
		if len(v.runs) > 1 {
			r.Group = strings.TrimPrefix(sizeSetting.ReplaceAllString(r.Run, "")+", "+r.Group, ", ")
		}
	}
	slices.SortStableFunc(all, func(a, b jobRow) int { return cmp.Compare(a.Bytes, b.Bytes) })
	p := plots.Panel{X: plots.Axis{Label: "Size", Unit: plots.InBytes, Scale: plots.Log},
		Y: plots.Axis{Label: "Bus bandwidth", Unit: plots.InBitsPerSecond, Min: plots.At(0)}}
	if len(all) > 0 { // leave room for marks at the ends of the axis
		p.X.Min, p.X.Max = plots.At(all[0].Bytes/2), plots.At(2*all[len(all)-1].Bytes)
	}
	groups := figure.Groups[[]jobRow](all, func(r *jobRow) string { return r.Group })
	for _, of := range groups[:min(len(groups), mostLines)] {
		p.Series = append(p.Series, figure.Ranges(plots.Series{Name: of[0].Group, Style: plots.Line}, of,
			func(r *jobRow) (x, y, lo, hi float64) { return r.Bytes, r.Bus, r.Least, r.Most }))
	}
	return figure.Drawing{Name: "bus-bandwidth", Caption: "Bus bandwidth of collectives by size: the mean, and the " +
		"smallest and largest value if there are several.", Plot: plots.Figure{
		Title: "Bus bandwidth", Footnote: "Bars: smallest and largest value", Width: 380,
		Panels: []plots.Panel{p}}}, len(groups)
}

// heat draws the utilisation of each link, with a panel for each direction between two layers. A row is a
// switch with its links to hosts, or a node with its links to the layer above.
func heat(links []link, name, of string) figure.Drawing {
	type direction struct{ low, high int }
	f := plots.Figure{Title: "Use of links" + of, Width: plots.PageWidth, Columns: 2}
	cut, most := false, plots.At(1)
	for _, l := range links {
		*most = max(*most, math.Ceil(l.use))
	}
	for _, d := range figure.Groups[[]link](links, func(l *link) direction { return direction{l.low, l.high} }) {
		rowOf, other := func(l *link) string { return l.from }, func(l *link) string { return l.to }
		if low, high := d[0].low, d[0].high; low == 0 || high > 0 && low > high {
			rowOf, other = other, rowOf
		}
		rows := figure.Groups[[]link](d, func(l *link) string { return rowOf(l) })
		if len(rows) > mostRows {
			cut = true
			busiest := func(r []link) float64 {
				return slices.MaxFunc(r, func(a, b link) int { return cmp.Compare(a.use, b.use) }).use
			}
			slices.SortStableFunc(rows, func(a, b []link) int { return cmp.Compare(busiest(b), busiest(a)) })
			rows = rows[:mostRows]
		}
		slices.Reverse(rows) // the first row on top
		p := plots.Panel{Title: layer(d[0].low, d[0].from) + " to " + layer(d[0].high, d[0].to),
			X: plots.Axis{Scale: plots.Categorical, Label: "link"}, Y: plots.Axis{Scale: plots.Categorical},
			Heat: &plots.Heat{Label: "Use", Unit: "%", Min: plots.At(0), Max: most}}
		wide := 0
		for _, r := range rows {
			wide = max(wide, len(r))
		}
		for k := range wide {
			same := ""
			for i, r := range rows {
				if k < len(r) && (i == 0 || same == other(&r[k])) {
					same = other(&r[k])
				} else {
					same = ""
					break
				}
			}
			p.X.Categories = append(p.X.Categories, cmp.Or(same, fmt.Sprint(k)))
		}
		for _, r := range rows {
			z := make(plots.Values, wide)
			for k := range z {
				if z[k] = math.NaN(); k < len(r) {
					z[k] = r[k].use
				}
			}
			p.Y.Categories, p.Heat.Z = append(p.Y.Categories, rowOf(&r[0])), append(p.Heat.Z, z)
		}
		f.PanelHeight = max(f.PanelHeight, float64(9*min(len(rows), 40)), 70)
		f.Panels = append(f.Panels, p)
	}
	caption := "Share of its rate that each link carried over the whole run, both directions. A row has the links " +
		"of one node in the order of the network; places without a link are crossed out."
	if cut {
		caption += fmt.Sprintf(" The network has more than %d nodes: only the nodes with the busiest links are "+
			"drawn.", mostRows)
	}
	return figure.Drawing{Name: name, Caption: caption, Plot: f}
}

// layer returns the name of the layer of a node: the node's name without the digits at its end, or the number
// of the layer.
func layer(n int, name string) string {
	if n == 0 {
		return "hosts"
	}
	return cmp.Or(strings.TrimRight(name, "0123456789"), fmt.Sprintf("layer %d", n))
}
