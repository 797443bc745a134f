package topo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Limits of every graph. A typing error in a count or a delay then gives an error message instead
// of exhausting the memory.
const (
	maxNodes = 1 << 20
	maxLinks = 1 << 22
	maxDelay = 1000 * unit.Second
)

// maxListed limits a list of violations; further ones are only counted.
const maxListed = 100

// Label returns the kind and number of a node, and its name if it has one, for messages.
func (g *Graph) Label(id NodeID) string {
	if !g.has(id) {
		return fmt.Sprintf("node %d", id)
	}
	n := g.Nodes[id]
	kind := "switch"
	if n.Kind == Host {
		kind = "host"
	}
	if n.Name == "" {
		return fmt.Sprintf("%s %d", kind, id)
	}
	return fmt.Sprintf("%s %d (%s)", kind, id, n.Name)
}

// Validate reports every rule that g breaks, with the nodes and links at fault. The ends of a link are nodes of g and
// differ. No two links join the same nodes. Rates are in (0, unit.MaxRate], delays in [0, MaxDelay], and error rates in
// [0, 1). Every host has a link. All hosts are connected. In a graph without hosts, all switches are connected.
func (g *Graph) Validate() error {
	v := violations{what: "topology"}
	if g.Name != "" {
		v.what = fmt.Sprintf("topology %q", g.Name)
	}
	v.addIf(len(g.Nodes) == 0, "no nodes")
	v.counts(len(g.Nodes), len(g.Links))
	for i, n := range g.Nodes {
		if n.Kind != Host && n.Kind != Switch {
			v.add("node %d: kind %d, want Host or Switch", i, n.Kind)
		}
		if n.Layer < -1 {
			v.add("%s: layer %d, want -1 (unknown) or more", g.Label(NodeID(i)), n.Layer)
		}
	}
	for i, l := range g.Links {
		g.validateLink(&v, i, l)
	}
	adj := g.Adjacency()
	g.validateDuplicates(&v, &adj)
	for i, n := range g.Nodes {
		if n.Kind == Host && len(adj.Of(NodeID(i))) == 0 {
			v.add("%s has no link", g.Label(NodeID(i)))
		}
	}
	parts := components(&adj, len(g.Nodes))
	if len(g.Hosts()) > 0 { // a switch without a path to a host, such as a spine whose links have failed, does no harm
		parts = slices.DeleteFunc(parts, func(part []NodeID) bool {
			return !slices.ContainsFunc(part, func(id NodeID) bool { return g.Nodes[id].Kind == Host })
		})
	}
	if len(parts) > 1 {
		var cut []NodeID
		for _, part := range parts[1:] {
			cut = append(cut, part...)
		}
		slices.Sort(cut)
		v.add("not connected: %d parts; not reachable from %s: %s",
			len(parts), g.Label(parts[0][0]), g.list(cut, 5))
	}
	return v.err()
}

func (g *Graph) validateLink(v *violations, i int, l Link) {
	bad := false
	for _, end := range []NodeID{l.A, l.B} {
		if !g.has(end) {
			v.add("link %d (%d-%d): no node %d, want 0..%d", i, l.A, l.B, end, len(g.Nodes)-1)
			bad = true
		}
	}
	if !bad && l.A == l.B {
		v.add("link %d (%d-%d): joins a node to itself", i, l.A, l.B)
	}
	if l.Rate <= 0 || l.Rate > unit.MaxRate {
		v.add("link %d (%d-%d): rate %d bit/s, want > 0 and at most %v", i, l.A, l.B, int64(l.Rate), unit.MaxRate)
	}
	if l.Back < 0 || l.Back > max(0, l.Rate) {
		v.add("link %d (%d-%d): rate back %d bit/s, want 0 to the link's", i, l.A, l.B, int64(l.Back))
	}
	if l.Delay < 0 || l.Delay > maxDelay {
		v.add("link %d (%d-%d): delay %s, want 0s..%s", i, l.A, l.B, l.Delay, maxDelay)
	}
	if !(l.ErrorRate >= 0 && l.ErrorRate < 1) { // this form also rejects NaN
		v.add("link %d (%d-%d): error rate %v, want 0 <= rate < 1", i, l.A, l.B, l.ErrorRate)
	}
}

func (g *Graph) validateDuplicates(v *violations, adj *Adjacency) {
	for i := range g.Nodes {
		at := NodeID(i)
		arcs := adj.Of(at)
		for j := 1; j < len(arcs); j++ {
			// Each pair appears at both ends. It is reported at the lower end only.
			if arcs[j].Peer == arcs[j-1].Peer && at < arcs[j].Peer {
				v.add("links %d and %d both join %s and %s",
					arcs[j-1].Link, arcs[j].Link, g.Label(at), g.Label(arcs[j].Peer))
			}
		}
	}
}

// list returns the labels of the first few nodes and the number of the others.
func (g *Graph) list(ids []NodeID, few int) string {
	var b strings.Builder
	for i, id := range ids {
		if i == few {
			fmt.Fprintf(&b, " and %d more", len(ids)-few)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(g.Label(id))
	}
	return b.String()
}

// components returns the connected parts, largest first, each in ascending order. Among equally
// large parts the one with the lowest node comes first.
func components(adj *Adjacency, n int) [][]NodeID {
	seen := make([]bool, n)
	var parts [][]NodeID
	for i := range n {
		if seen[i] {
			continue
		}
		seen[i] = true
		part := []NodeID{NodeID(i)}
		for head := 0; head < len(part); head++ {
			for _, a := range adj.Of(part[head]) {
				if !seen[a.Peer] {
					seen[a.Peer] = true
					part = append(part, a.Peer)
				}
			}
		}
		slices.Sort(part)
		parts = append(parts, part)
	}
	slices.SortStableFunc(parts, func(a, b []NodeID) int { return len(b) - len(a) })
	return parts
}

// violations collects the broken rules of one object.
type violations struct {
	what string
	errs []error
	more int
}

func (v *violations) add(format string, args ...any) {
	if len(v.errs) == maxListed {
		v.more++
		return
	}
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

// addIf adds an error if the condition holds.
func (v *violations) addIf(broken bool, format string, args ...any) {
	if broken {
		v.add(format, args...)
	}
}

func (v *violations) err() error {
	if len(v.errs) == 0 {
		return nil
	}
	if v.more > 0 {
		v.errs = append(v.errs, fmt.Errorf("and %d more", v.more))
	}
	return fmt.Errorf("%s: %w", v.what, errors.Join(v.errs...))
}

// checked is a generator with rules on several keys.
type checked interface {
	// Check reports keys that contradict each other. at is their prefix.
	Check(c *schema.Checker, at string)
}

// keys checks the fields of a generator by the tags of its keys and by its rules.
func (v *violations) keys(params any) {
	for _, p := range schema.CheckValues(params, func(c *schema.Checker) {
		if g, ok := params.(checked); ok {
			g.Check(c, "")
		}
	}) {
		v.add("%w", p)
	}
}

// count, rate and delay check the fields of a generator without keys.

func (v *violations) count(key string, value, low, high int) {
	v.addIf(value < low || value > high, "%s = %d, want %d..%d", key, value, low, high)
}

func (v *violations) rate(key string, value unit.Rate) {
	v.addIf(value <= 0 || value > unit.MaxRate, "%s = %d bit/s, want > 0 and at most %v",
		key, int64(value), unit.MaxRate)
}

func (v *violations) delay(key string, value unit.Time) {
	v.addIf(value < 0 || value > maxDelay, "%s = %s, want 0s..%s", key, value, maxDelay)
}

// size checks the number of nodes and links that valid fields would make.
func (v *violations) size(nodes, links int) {
	if len(v.errs) > 0 {
		return // the counts cannot be trusted
	}
	v.counts(nodes, links)
}

func (v *violations) counts(nodes, links int) {
	v.addIf(nodes > maxNodes, "%d nodes, want at most %d", nodes, maxNodes)
	v.addIf(links > maxLinks, "%d links, want at most %d", links, maxLinks)
}
