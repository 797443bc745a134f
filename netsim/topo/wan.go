package topo

import (
	"fmt"
	"io"

	"pintlab/internal/input"
	"pintlab/netsim/unit"
)

// maxMap is the largest GML or GraphML file read, in bytes.
const maxMap = input.Map

// Fill says what a map of a network, in GML or GraphML, leaves open. The zero
// value is not valid; start from DefaultFill.
type Fill struct {
	Rate  unit.Rate // of every link, > 0
	Delay unit.Time // of every link, 0..MaxDelay

	// LargestComponent keeps the largest connected part of a map in several
	// parts (of equal ones, that with the first node) and drops the rest. Without
	// it such a map is an error.
	LargestComponent bool
}

// DefaultFill is 10 Gb/s and 1 ms, a few hundred kilometres of fibre.
func DefaultFill() Fill { return Fill{Rate: 10 * unit.Gbps, Delay: unit.Millisecond} }

// Validate reports every rule that f breaks.
func (f Fill) Validate() error {
	v := violations{what: "topology map"}
	v.rate("rate", f.Rate)
	v.delay("delay", f.Delay)
	return v.err()
}

// Dropped counts what a map had and the graph does not.
type Dropped struct {
	DuplicateLinks int // links between nodes that already had one, in any direction
	SelfLinks      int // links of a node to itself
	Nodes          int // outside the largest connected part
	Links          int // outside the largest connected part
}

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
	at             position
}

// openMap reads the text of a map and starts an empty one to fill from it.
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

func (w *wan) edge(source, target string, at position) error {
	if len(w.edges) == MaxLinks {
		return w.errorf(at, "more than %d edges", MaxLinks)
	}
	w.edges = append(w.edges, wanEdge{source, target, at})
	return nil
}

// graph makes the links and checks the whole.
func (w *wan) graph(f Fill) (*Graph, Dropped, error) {
	var d Dropped
	seen := make(map[[2]NodeID]bool)
	for _, e := range w.edges {
		var ends [2]NodeID
		for i, id := range []string{e.source, e.target} {
			n, ok := w.ids[id]
			if !ok {
				return nil, Dropped{}, w.errorf(e.at, "edge %s-%s: there is no node with id %s", e.source, e.target, id)
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
			w.g.Links = append(w.g.Links, Link{A: ends[0], B: ends[1], Rate: f.Rate, Delay: f.Delay})
		}
	}
	if len(w.g.Nodes) == 0 {
		return nil, Dropped{}, fmt.Errorf("%s: no nodes", w.g.Name)
	}
	adj := w.g.Adjacency()
	if parts := components(&adj, len(w.g.Nodes)); len(parts) > 1 && f.LargestComponent {
		nodes, links := len(w.g.Nodes), len(w.g.Links)
		w.g = w.g.keep(parts[0])
		d.Nodes, d.Links = nodes-len(w.g.Nodes), links-len(w.g.Links)
	}
	if err := w.g.Validate(); err != nil {
		return nil, Dropped{}, err
	}
	return w.g, d, nil
}

// keep is the part of g made of some nodes, in ascending order, numbered anew.
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
