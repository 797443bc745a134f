package topo

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pintlab/internal/input"
	"pintlab/internal/number"
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

	// Largest keeps only the largest connected part of a map; of equal parts, the one with
	// the first node. Without it a map that is not connected is an error.
	Largest bool `flag:"largest-part" use:"keep only the largest part of a GML or GraphML map that is not connected"`
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

// Changes counts the elements of a file that are missing from the graph or have another form there.
type Changes struct {
	DuplicateLinks int // links between nodes that already have one of the same rate
	SelfLinks      int // links of a node to itself
	Nodes          int // nodes outside the largest connected part
	Links          int // links outside the largest connected part
	Text           int // lines after the links of a topology.txt
	Joined         int // parallel links: the graph has one link of their total rate

	// Unread names the attributes of a map's links that look like a rate or a delay but have no effect, such as
	// "bandwidth, delay".
	Unread string
}

func (d Changes) String() string {
	var all, list []string
	for _, x := range []struct {
		n         int
		one, more string
	}{
		{d.DuplicateLinks, "repeated link", "repeated links"},
		{d.SelfLinks, "link of a node to itself", "links of a node to itself"},
		{d.Nodes, "node outside the largest part", "nodes outside the largest part"},
		{d.Links, "link outside the largest part", "links outside the largest part"},
		{d.Text, "line after the last link", "lines after the last link"},
	} {
		switch x.n {
		case 0:
		case 1:
			list = append(list, "1 "+x.one)
		default:
			list = append(list, fmt.Sprint(x.n, " ", x.more))
		}
	}
	if len(list) > 0 {
		all = append(all, "left out: "+strings.Join(list, ", "))
	}
	if d.Joined > 0 {
		all = append(all, fmt.Sprintf("joined: %s, so that two switches have one link with the total rate",
			number.Count(d.Joined, "parallel link")))
	}
	if d.Unread != "" {
		all = append(all, fmt.Sprintf("attributes of links without effect: %s (only LinkSpeedRaw sets a rate, and all "+
			"links have the same delay)", d.Unread))
	}
	return strings.Join(all, "; ")
}

// RateError reports that a map lacks the rate of a link, or that a given rate has no effect on a
// map.
type RateError struct{ rule string }

func (e *RateError) Error() string { return e.rule }

// wan collects the nodes and links of a map. All nodes become switches.
type wan struct {
	g     *Graph
	ids   map[string]NodeID
	at    []position // positions of the nodes
	edges []wanEdge

	unread map[string]bool // attributes of edges that look like a rate or a delay and have no effect
}

// position is a place in a file, from 1.
type position struct{ line, col int }

type wanEdge struct {
	source, target string
	rate           unit.Rate // 0 if the map has none
	directed       bool
	at             position
}

// joint collects the edges between two nodes.
type joint struct {
	from, to NodeID       // ends of the first edge
	rates    [2]unit.Rate // rate from → to, and rate back; 0 if the map has none
	at       [2]*wanEdge  // first edge from → to, which may be undirected, and first edge back; nil if there is none
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
	return &wan{g: &Graph{Name: name}, ids: make(map[string]NodeID), unread: make(map[string]bool)}, text, nil
}

func (w *wan) errorf(at position, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", w.g.Name, at.line, at.col, fmt.Errorf(format, args...))
}

func (w *wan) node(id, name string, at position) error {
	if first, ok := w.ids[id]; ok {
		return w.errorf(at, "node id %s is already used by the node in line %d", id, w.at[first].line)
	}
	if len(w.g.Nodes) == maxNodes {
		return w.errorf(at, "more than %d nodes", maxNodes)
	}
	w.ids[id] = NodeID(len(w.g.Nodes))
	w.at = append(w.at, at)
	w.g.Nodes = append(w.g.Nodes, Node{Kind: Switch, Layer: -1, Name: printable(name)})
	return nil
}

// printable replaces characters that a terminal obeys or does not show by spaces, and invalid UTF-8 by U+FFFD.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, name)
}

// named reports whether the name of an attribute contains one of some words.
func named(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// rate reads the LinkSpeedRaw of an edge.
func (w *wan) rate(text string, at position) (unit.Rate, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1 && x <= float64(unit.MaxRate)) {
		return 0, w.errorf(at, "LinkSpeedRaw %q: want bits per second, from 1 to %d", text, int64(unit.MaxRate))
	}
	return unit.Rate(math.Round(x)), nil
}

// edge adds an edge with the attributes others, which are not read.
func (w *wan) edge(e wanEdge, others []string) error {
	if len(w.edges) == maxLinks {
		return w.errorf(e.at, "more than %d edges", maxLinks)
	}
	for _, name := range others {
		if named(name, "delay", "latency") || e.rate == 0 && named(name, "bandwidth", "capacity", "rate", "speed") {
			w.unread[name] = true
		}
	}
	w.edges = append(w.edges, e)
	return nil
}

// joints returns the pairs of nodes with edges between them, in the order of their first edges.
func (w *wan) joints() ([]*joint, error) {
	var list []*joint
	known := make(map[[2]NodeID]*joint)
	for i := range w.edges {
		e := &w.edges[i]
		var ends [2]NodeID
		for i, id := range []string{e.source, e.target} {
			n, ok := w.ids[id]
			if !ok {
				return nil, w.errorf(e.at, "edge %s-%s: there is no node with id %s", e.source, e.target, id)
			}
			ends[i] = n
		}
		if ends[0] == ends[1] {
			w.g.Changes.SelfLinks++
			continue
		}
		key := [2]NodeID{min(ends[0], ends[1]), max(ends[0], ends[1])}
		j := known[key]
		if j == nil {
			j = &joint{from: ends[0], to: ends[1]}
			known[key], list = j, append(list, j)
		}
		if err := w.add(j, e, ends[0]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// add adds an edge, which leaves the node source, to the edges between two nodes. If an earlier edge has the same
// direction, or one of the two is undirected, this edge is a repetition. It is an error if both have a rate and these
// rates differ.
func (w *wan) add(j *joint, e *wanEdge, source NodeID) error {
	way := 0
	if e.directed && j.at[0] != nil && j.at[0].directed && source != j.from {
		way = 1
	}
	switch old := j.at[way]; {
	case old == nil:
		j.at[way], j.rates[way] = e, e.rate
		return nil
	case e.rate != 0 && j.rates[way] != 0 && e.rate != j.rates[way]:
		return w.errorf(e.at, "edge %s-%s has %v, but the edge between these nodes in line %d has %v: want one edge "+
			"with the sum of the rates, or a directed map if they are two "+
			"directions", e.source, e.target, e.rate, old.at.line, j.rates[way])
	case e.rate != 0:
		j.rates[way] = e.rate
	}
	w.g.Changes.DuplicateLinks++
	return nil
}

// links makes the links.
func (w *wan) links(f Fill) error {
	joints, err := w.joints()
	if err != nil {
		return err
	}
	unrated, first := 0, position{}
	for _, j := range joints {
		for way, e := range j.at {
			if e == nil {
				continue
			}
			if j.rates[way] == 0 {
				if unrated++; unrated == 1 {
					first = e.at
				}
				j.rates[way] = f.Rate
			}
		}
		l := Link{A: j.from, B: j.to, Rate: j.rates[0], Delay: f.Delay}
		switch back := j.rates[1]; {
		case back > l.Rate:
			l.A, l.B, l.Rate, l.Back = j.to, j.from, back, l.Rate
		case back < l.Rate:
			l.Back = back
		}
		w.g.Links = append(w.g.Links, l)
	}
	switch {
	case f.Rate == 0 && unrated > 0:
		return &RateError{w.errorf(first,
			"%d of %d links have no LinkSpeedRaw, and this is the first of them: want a rate for these links", unrated,
			len(w.g.Links)).Error()}
	case f.Asked && unrated == 0:
		return &RateError{fmt.Sprintf("%s: %v has no effect, because every link has a LinkSpeedRaw", w.g.Name, f.Rate)}
	}
	return nil
}

// graph makes the links and validates the graph.
func (w *wan) graph(f Fill) (*Graph, error) {
	if len(w.g.Nodes) == 0 {
		return nil, fmt.Errorf("%s: no nodes", w.g.Name)
	}
	if err := w.links(f); err != nil {
		return nil, err
	}
	w.g.Changes.Unread = strings.Join(slices.Sorted(maps.Keys(w.unread)), ", ")
	adj := w.g.Adjacency()
	if parts := components(&adj, len(w.g.Nodes)); len(parts) > 1 && f.Largest {
		whole := w.g
		w.g = whole.keep(parts[0])
		w.g.Changes = whole.Changes
		w.g.Changes.Nodes, w.g.Changes.Links = len(whole.Nodes)-len(w.g.Nodes), len(whole.Links)-len(w.g.Links)
	}
	if err := w.g.Validate(); err != nil {
		return nil, err
	}
	return w.g, nil
}

// keep returns the subgraph of the nodes ids, which must be in ascending order. It renumbers these nodes.
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
