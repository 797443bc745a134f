package route

import (
	"cmp"
	"slices"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Summary holds the main properties of a network.
type Summary struct {
	Name     string `json:"name"`
	Hosts    int    `json:"hosts"`
	Switches int    `json:"switches"`

	Layers []Layer `json:"layers"` // layers of switches, from the edge up, unknown last
	Links  []Links `json:"links"`  // by rates, then delay, ascending

	MinPorts int `json:"min_ports"` // fewest links of a switch; 0 without switches
	MaxPorts int `json:"max_ports"` // most links of a switch

	Paths Paths   `json:"paths"`
	Cut   *Halves `json:"halves,omitempty"` // nil with fewer than two hosts
}

// Layer counts the switches of one layer.
type Layer struct {
	Layer    int8   `json:"layer"` // distance from the hosts, -1 if unknown
	Switches int    `json:"switches"`
	Name     string `json:"-"` // of all its switches, or "" if they have no name in common
}

// Links counts the links with the same rates, delay and error rate.
type Links struct {
	Rate      unit.Rate `json:"rate"`
	Back      unit.Rate `json:"back,omitempty"` // rate of the slower direction, if the directions differ
	Delay     unit.Time `json:"delay"`
	ErrorRate float64   `json:"error_rate,omitempty"`
	Count     int       `json:"count"`
}

// Paths describes the distances between the hosts, or between the switches in a graph without
// hosts. A distance is the number of switches on a shortest path, including ends that are switches.
// Pairs are unordered.
type Paths struct {
	Between     string  `json:"between"`     // "hosts" or "switches"
	Pairs       []int64 `json:"pairs"`       // element i: pairs at distance i
	Unreachable int64   `json:"unreachable"` // pairs without a path
	Mean        float64 `json:"mean"`        // mean distance of the pairs with a path
	Longest     int     `json:"longest"`
}

// Summarize summarises a graph. It returns an error if the graph is not valid or too large to route.
func Summarize(g *topo.Graph) (*Summary, error) {
	table, err := NewExcluding(g, Options{}, nil)
	if err != nil {
		return nil, err
	}
	s := &Summary{Name: g.Name, Paths: paths(table)}
	s.countNodes(g)
	s.Links = countLinks(g)
	if s.Hosts >= 2 {
		s.Cut = halves(g)
	}
	return s, nil
}

func (s *Summary) countNodes(g *topo.Graph) {
	adj := g.Adjacency()
	byLayer := make(map[int8]Layer)
	for i, n := range g.Nodes {
		if n.Kind == topo.Host {
			s.Hosts++
			continue
		}
		ports := len(adj.Of(topo.NodeID(i)))
		if s.Switches == 0 || ports < s.MinPorts {
			s.MinPorts = ports
		}
		s.MaxPorts = max(s.MaxPorts, ports)
		s.Switches++
		l, ok := byLayer[n.Layer]
		if name := n.LayerName(); !ok {
			l = Layer{Layer: n.Layer, Name: name}
		} else if name != l.Name {
			l.Name = ""
		}
		l.Switches++
		byLayer[n.Layer] = l
	}
	for _, l := range byLayer {
		s.Layers = append(s.Layers, l)
	}
	slices.SortFunc(s.Layers, func(a, b Layer) int {
		return cmp.Compare(uint8(a.Layer), uint8(b.Layer)) // -1 comes last
	})
}

func countLinks(g *topo.Graph) []Links {
	count := make(map[Links]int)
	for _, l := range g.Links {
		count[Links{Rate: l.Rate, Back: l.Back, Delay: l.Delay, ErrorRate: l.ErrorRate}]++
	}
	var links []Links
	for k, n := range count {
		k.Count = n
		links = append(links, k)
	}
	slices.SortFunc(links, func(a, b Links) int {
		return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Back, b.Back), cmp.Compare(a.Delay, b.Delay),
			cmp.Compare(a.ErrorRate, b.ErrorRate))
	})
	return links
}

func paths(t *Table) Paths {
	p := Paths{Between: "switches", Pairs: t.lengths, Unreachable: t.unreachable, Longest: t.MaxHops()}
	if len(t.Graph().Hosts()) > 0 {
		p.Between = "hosts"
	}
	var pairs, hops int64
	for i, n := range p.Pairs {
		pairs += n
		hops += int64(i) * n
	}
	if pairs > 0 {
		p.Mean = float64(hops) / float64(pairs)
	}
	return p
}
