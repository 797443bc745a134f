package topo

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"pintlab/internal/input"
	"pintlab/netsim/unit"
)

// maxMap is the largest GML or GraphML file read, in bytes.
const maxMap = input.Map

// Fill holds the values that a map in GML or GraphML may lack. The zero value is not valid; start
// from DefaultFill.
type Fill struct {
	// Rate of links without LinkSpeedRaw; 0 if the map must have a rate for every link.
	Rate unit.Rate `flag:"rate" use:"{rate} of the links of a GML or GraphML map that have no LinkSpeedRaw"`
	// Delay of every link, 0..MaxDelay.
	Delay unit.Time `flag:"delay" use:"{delay} of the links of a GML or GraphML map"`

	// Asked makes it an error if no link uses Rate.
	Asked bool

	// LargestComponent keeps only the largest connected part of a map; of equal parts, the one with
	// the first node. Without it a map that is not connected is an error.
	LargestComponent bool `flag:"largest-part" use:"keep only the largest part of a GML or GraphML map that is not connected"`
}

// DefaultFill returns 10 Gb/s and 1 ms, the delay of a few hundred kilometres of fibre.
func DefaultFill() Fill { return Fill{Rate: 10 * unit.Gbps, Delay: unit.Millisecond} }

// Validate reports every rule that f breaks.
func (f Fill) Validate() error {
	v := violations{what: "topology map"}
	if f.Rate != 0 {
		v.rate("rate", f.Rate)
	}
	v.delay("delay", f.Delay)
	return v.err()
}

// Dropped counts the elements of a map that the graph lacks.
type Dropped struct {
	DuplicateLinks int // links between nodes that already have one, in either direction
	SelfLinks      int // links of a node to itself
	Nodes          int // outside the largest connected part
	Links          int // outside the largest connected part
}

func (d Dropped) String() string {
	return fmt.Sprintf("%d repeated links, %d links of a node to itself, %d nodes and %d links outside the largest part", d.DuplicateLinks, d.SelfLinks, d.Nodes, d.Links)
}

// RateError reports that a map lacks the rate of a link, or that a given rate has no effect on a
// map.
type RateError struct{ rule string }

func (e *RateError) Error() string { return e.rule }

// wan collects the nodes and links of a map. All nodes become switches.
type wan struct {
	g     *Graph
	ids   map[string]NodeID
	at    []position // of the nodes
	edges []wanEdge
}

// position is a place in a file, from 1.
type position struct{ line, col int }

type wanEdge struct {
	source, target string
	rate           unit.Rate // 0 if the map has none
	at             position
}

// openMap reads the text of a map and returns an empty wan to fill from it.
func openMap(r io.Reader, name string, f Fill) (*wan, []byte, error) {
	if err := f.Validate(); err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxMap+1))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxMap {
		return nil, nil, fmt.Errorf("%s: larger than %d bytes", name, maxMap)
	}
	return &wan{g: &Graph{Name: name}, ids: make(map[string]NodeID)}, text, nil
}

func (w *wan) errorf(at position, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", w.g.Name, at.line, at.col, fmt.Errorf(format, args...))
}

func (w *wan) node(id, name string, at position) error {
	if first, ok := w.ids[id]; ok {
		return w.errorf(at, "node id %s is taken by the node at line %d", id, w.at[first].line)
	}
	if len(w.g.Nodes) == MaxNodes {
		return w.errorf(at, "more than %d nodes", MaxNodes)
	}
	w.ids[id] = NodeID(len(w.g.Nodes))
	w.at = append(w.at, at)
	w.g.Nodes = append(w.g.Nodes, Node{Kind: Switch, Layer: -1, Name: name})
	return nil
}

// rate reads the LinkSpeedRaw of an edge.
func (w *wan) rate(text string, at position) (unit.Rate, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1 && x <= float64(unit.MaxRate)) {
		return 0, w.errorf(at, "LinkSpeedRaw %q: want bits per second, from 1 to %d", text, int64(unit.MaxRate))
	}
	return unit.Rate(math.Round(x)), nil
}

func (w *wan) edge(source, target string, rate unit.Rate, at position) error {
	if len(w.edges) == MaxLinks {
		return w.errorf(at, "more than %d edges", MaxLinks)
	}
	w.edges = append(w.edges, wanEdge{source, target, rate, at})
	return nil
}

// graph makes the links and validates the graph.
func (w *wan) graph(f Fill) (*Graph, error) {
	d := &w.g.Dropped
	unrated, first := 0, position{}
	seen := make(map[[2]NodeID]bool)
	for _, e := range w.edges {
		var ends [2]NodeID
		for i, id := range []string{e.source, e.target} {
			n, ok := w.ids[id]
			if !ok {
				return nil, w.errorf(e.at, "edge %s-%s: there is no node with id %s", e.source, e.target, id)
			}
			ends[i] = n
		}
		key := [2]NodeID{min(ends[0], ends[1]), max(ends[0], ends[1])}
		switch {
		case key[0] == key[1]:
			d.SelfLinks++
		case seen[key]:
			d.DuplicateLinks++
		default:
			seen[key] = true
			if e.rate == 0 {
				if unrated++; unrated == 1 {
					first = e.at
				}
				e.rate = f.Rate
			}
			w.g.Links = append(w.g.Links, Link{A: ends[0], B: ends[1], Rate: e.rate, Delay: f.Delay})
		}
	}
	if len(w.g.Nodes) == 0 {
		return nil, fmt.Errorf("%s: no nodes", w.g.Name)
	}
	switch {
	case f.Rate == 0 && unrated > 0:
		return nil, &RateError{w.errorf(first, "%d of %d links have no LinkSpeedRaw, of which this is the first: want a rate for them", unrated, len(w.g.Links)).Error()}
	case f.Asked && unrated == 0:
		return nil, &RateError{fmt.Sprintf("%s: every link has a LinkSpeedRaw: %v has no effect", w.g.Name, f.Rate)}
	}
	adj := w.g.Adjacency()
	if parts := components(&adj, len(w.g.Nodes)); len(parts) > 1 && f.LargestComponent {
		nodes, links := len(w.g.Nodes), len(w.g.Links)
		w.g = w.g.keep(parts[0])
		w.g.Dropped = Dropped{d.DuplicateLinks, d.SelfLinks, nodes - len(w.g.Nodes), links - len(w.g.Links)}
	}
	if err := w.g.Validate(); err != nil {
		return nil, err
	}
	return w.g, nil
}

// keep returns the subgraph of some nodes, given in ascending order and renumbered.
func (g *Graph) keep(ids []NodeID) *Graph {
	part := &Graph{Name: g.Name}
	number := make(map[NodeID]NodeID, len(ids))
	for _, id := range ids {
		number[id] = NodeID(len(part.Nodes))
		part.Nodes = append(part.Nodes, g.Nodes[id])
	}
	for _, l := range g.Links {
		a, okA := number[l.A]
		b, okB := number[l.B]
		if okA && okB {
			l.A, l.B = a, b
			part.Links = append(part.Links, l)
		}
	}
	return part
}
