package route

import (
	"cmp"
	"fmt"
	"math"
	"pintlab/internal/number"
	"strings"

	"pintlab/netsim/unit"

	"pintlab/internal/lists"
	"pintlab/netsim/topo"
)

// String returns the summary as text.
func (s *Summary) String() string {
	var b strings.Builder
	name := s.Name
	name = cmp.Or(name, "(no name)")
	fmt.Fprintln(&b, name)
	fmt.Fprintf(&b, "  %-16s %d\n", "hosts", s.Hosts)
	fmt.Fprintf(&b, "  %-16s %d%s\n", "switches", s.Switches, layers(s.Layers))
	if s.Switches > 0 {
		fmt.Fprintf(&b, "  %-16s %s\n", "switch ports", span(s.MinPorts, s.MaxPorts))
	}
	total := lists.Sum(s.Links, func(l Links) int { return l.Count })
	fmt.Fprintf(&b, "  %-16s %d\n", "links", total)
	for _, l := range s.Links {
		lost, back := "", ""
		if l.ErrorRate > 0 {
			lost = fmt.Sprintf(", loses %g of the packets", l.ErrorRate)
		}
		if l.Back > 0 {
			back = fmt.Sprintf(" in one direction and %s in the other", rate(l.Back))
		}
		delay := number.Format(l.Delay.Seconds(), number.Seconds, 4)
		fmt.Fprintf(&b, "  %-16s %d × %s%s, %s%s\n", "", l.Count, rate(l.Rate), back, delay, lost)
	}
	if c := s.Cut; c != nil {
		switch {
		case c.Rate == math.MaxInt64:
			fmt.Fprintf(&b, "  %-16s more than can be counted\n", "bisection")
		case c.Hosts == 0:
			fmt.Fprintf(&b, "  %-16s 0 b/s\n", "bisection")
		default:
			fmt.Fprintf(&b, "  %-16s %s between two halves of the hosts (%s of one half's rate)\n",
				"bisection", rate(c.Rate), number.Share(float64(c.Rate)/float64(c.Hosts)))
		}
	}
	s.Paths.text(&b)
	return b.String()
}

// maxRows is the largest number of rows in the table of path lengths; longer tables are grouped.
const maxRows = 15

func (p Paths) text(b *strings.Builder) {
	pairs := p.Unreachable
	for _, n := range p.Pairs {
		pairs += n
	}
	if pairs == 0 {
		return
	}
	fmt.Fprintf(b, "  paths between %s: %.4g %s on average, at most %d\n", p.Between, p.Mean,
		number.Plural(p.Longest, "switch", "switches"), p.Longest)
	fmt.Fprintf(b, "  %10s %14s %8s\n", "switches", "pairs", "share")
	row := func(what string, n int64) {
		if n > 0 {
			fmt.Fprintf(b, "  %10s %14d %8s\n", what, n, number.Share(float64(n)/float64(pairs)))
		}
	}
	width := (len(p.Pairs) + maxRows - 1) / maxRows
	for low := 0; low < len(p.Pairs); low += width {
		high := min(low+width, len(p.Pairs)) - 1
		n := int64(0)
		for _, k := range p.Pairs[low : high+1] {
			n += k
		}
		row(span(low, high), n)
	}
	row("no path", p.Unreachable)
}

// layers lists the layers for the line of switches. It returns "" if no layer is known.
func layers(ls []Layer) string {
	if len(ls) == 1 && ls[0].Layer < 0 {
		return ""
	}
	var b strings.Builder
	for i, l := range ls {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%d %s", sep, l.Switches, l.name())
	}
	return b.String()
}

func (l *Layer) name() string {
	if l.Layer < 0 {
		return "of unknown layer"
	}
	return cmp.Or(l.Name, topo.LayerName(l.Layer), fmt.Sprintf("in layer %d", l.Layer))
}

func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func rate(r unit.Rate) string { return number.Format(float64(r), number.BitsPerSecond, 4) }
