package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// listed is the number of ports or flows that a line of the outcomes names.
const listed = 3

// count formats a number with the singular or the plural of a text.
func count(n int, one, many string) string {
	return fmt.Sprintf("%d %s", n, number.Plural(n, one, many))
}

// someOf lists the first few names and the number of the others.
func someOf(names []string) string {
	if n := len(names) - listed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listed], ", "), n)
	}
	return strings.Join(names, ", ")
}

// name returns the name of a node, or its kind and number if it has none.
func (s *Simulation) name(n topo.NodeID) string {
	return cmp.Or(s.Graph.Nodes[n].Name, s.Graph.Label(n))
}

// between names a port by the nodes at the ends of its link.
func (s *Simulation) between(p netsim.PortID) string {
	from, to := s.Net.PortEnds(p)
	return s.name(from) + " to " + s.name(to)
}

// losses returns a line for each cause of drops and losses, with the places.
func (s *Simulation) losses(c *netsim.Counters) []string {
	type cause struct {
		text   string
		at     func(p netsim.PortID, l *netsim.Losses) int64
		atNode bool // the place of the loss is the node to which the port leads
	}
	list := []cause{
		{"dropped for lack of buffer space",
			func(p netsim.PortID, l *netsim.Losses) int64 { return s.Net.PortDrops(p) - l.Flushed }, false},
		{"dropped at ports when their link failed",
			func(_ netsim.PortID, l *netsim.Losses) int64 { return l.Flushed }, false},
		{"dropped without a path", func(_ netsim.PortID, l *netsim.Losses) int64 { return l.Unrouted }, true},
		{"lost on links that were down", func(_ netsim.PortID, l *netsim.Losses) int64 { return l.Broken }, false},
		{"lost by bit errors", func(_ netsim.PortID, l *netsim.Losses) int64 { return l.Errors }, false},
	}
	for by, text := range silentCauses {
		atNode := by == int(netsim.Dead) || by == int(netsim.Expired)
		list = append(list, cause{"lost " + text,
			func(_ netsim.PortID, l *netsim.Losses) int64 { return l.Tolls[by] }, atNode})
	}
	var lines []string
	rest := c.Dropped + c.Lost
	for _, x := range list {
		sums := map[string]int64{} // by place
		total := int64(0)
		for p := range netsim.PortID(s.Net.Ports()) {
			n := x.at(p, s.Net.PortLosses(p))
			if n == 0 {
				continue
			}
			place := s.between(p)
			if x.atNode {
				_, to := s.Net.PortEnds(p)
				place = s.name(to)
			}
			sums[place], total = sums[place]+n, total+n
		}
		if total == 0 {
			continue
		}
		rest -= total
		places := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
			return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b))
		})
		lines = append(lines,
			fmt.Sprintf("%s %s: %s", number.Count(total, "packet"), x.text, atPlaces(places, sums, x.atNode)))
	}
	if rest > 0 {
		lines = append(lines,
			number.Count(rest, "report")+" of monitors dropped at the node that made them")
	}
	return lines
}

// atPlaces lists the first few places with their numbers of packets, and the sum of the others.
func atPlaces(places []string, sums map[string]int64, nodes bool) string {
	named := places[:min(listed, len(places))]
	list := lists.Map(named, func(place string) string { return fmt.Sprintf("%d at %s", sums[place], place) })
	kind := "port"
	if nodes {
		kind = "node"
	}
	text, others := strings.Join(list, ", "), places[len(named):]
	rest := lists.Sum(others, func(place string) int { return int(sums[place]) })
	switch len(others) {
	case 0:
		return text
	case 1:
		return fmt.Sprintf("%s and %d at another %s", text, rest, kind)
	}
	return fmt.Sprintf("%s and %d at %d other %ss", text, rest, len(others), kind)
}

// utilisation returns the utilisation of a port over the whole run.
func (s *Simulation) utilisation(p netsim.PortID, ended unit.Time) float64 {
	return s.Net.PortCarried(p, ended).Use(netsim.Carried{}, s.Net.PortRate(p), ended)
}

// busiest returns a line with the ports of the highest utilisation over the run.
func (s *Simulation) busiest(ended unit.Time) []string {
	if ended == 0 {
		return nil
	}
	var ports []netsim.PortID
	for p := range netsim.PortID(s.Net.Ports()) {
		if s.Net.PortSent(p) > 0 {
			ports = append(ports, p)
		}
	}
	if len(ports) == 0 {
		return nil
	}
	share := func(p netsim.PortID) float64 { return s.utilisation(p, ended) }
	slices.SortStableFunc(ports, func(a, b netsim.PortID) int { return cmp.Compare(share(b), share(a)) })
	names := lists.Map(ports[:min(len(ports), listed)], func(p netsim.PortID) string {
		return s.between(p) + " " + number.Share(share(p))
	})
	return []string{"busiest ports (mean utilisation): " + strings.Join(names, ", ")}
}
