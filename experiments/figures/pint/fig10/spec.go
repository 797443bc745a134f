package fig10

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/netsim/topo"
	"pintlab/pint/trace"
)

// scale is what is run at a scale.
type scale struct {
	runs  int
	steps int // path lengths on the networks of internet providers, the longest one included
	rough []rough
}

// rough is what happens to packets: a share is lost, identifiers are of so many bits,
// drawn at random, or never repeat if that is 0, and a packet arrives after up to so many
// of those that were sent after it.
type rough struct {
	loss    float64
	idBits  int
	reorder int
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {10, 2, []rough{{0.1, 8, 4}}},
	figure.Laptop: {300, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}},
	figure.Paper:  {10_000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}},
}

// roughRuns is the most runs with rough packets.
const roughRuns = 2000

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("%d runs for each curve and path length, %d lengths on the two large networks, all on the fat tree", z.runs, z.steps)
}

// realKDL is the name of the map of which the PINT paper prints numbers.
const realKDL = "Kentucky Datalink"

// network is one of the three networks.
type network struct {
	key      string // of --set; empty if it cannot be replaced
	name     string // in the PINT paper, if it is that network
	d        int    // typical path length that the switches are configured with
	switches int    // of the PINT paper's map
	graph    *topo.Graph
	source   string // where the graph comes from
}

// networks are those of the PINT paper, with the maps that the job names in place of the
// generated ones.
func networks(set []string) ([]network, error) {
	list := []network{
		{key: "kdl", name: realKDL, d: 10, switches: 754},
		{key: "uscarrier", name: "US Carrier", d: 10, switches: 158},
		{name: "Fat tree (K = 8)", d: 5},
	}
	for _, s := range set {
		key, path, _ := strings.Cut(s, "=")
		i := slices.IndexFunc(list, func(n network) bool { return n.key != "" && n.key == key })
		if i < 0 || path == "" {
			return nil, fmt.Errorf("--set %s: has no effect on this figure (accepted: kdl=FILE, uscarrier=FILE with a map in GML or GraphML)", s)
		}
		g, err := topo.ReadFile(path, topo.DefaultFill())
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
		list[i].graph, list[i].source = g, path
		if n := len(g.Switches()); n != list[i].switches {
			// Another map is not the one that the PINT paper prints numbers of.
			list[i].name = fmt.Sprintf("%s, %d switches", filepath.Base(path), n)
		}
	}
	for i, c := range []interface{ Build() (*topo.Graph, error) }{topo.DefaultISP(), topo.USCarrierISP(), topo.Default[topo.KAry]()} {
		if list[i].graph != nil {
			continue
		}
		var err error
		if list[i].graph, err = c.Build(); err != nil {
			return nil, err
		}
		if list[i].source = "generated"; list[i].key != "" {
			// What is measured on it is not of the map that it stands in for.
			list[i].name = fmt.Sprintf("generated, %d switches", len(list[i].graph.Nodes))
		}
	}
	return list, nil
}

// lengths are the path lengths of a network: all if there are few, else so many, evenly
// from short to the longest.
func lengths(m *trace.Map, ends []topo.NodeID, steps int) []int {
	all := trace.PathLengths(m, ends)
	if len(all) <= 8 {
		return all
	}
	var list []int
	for i := 1; i <= steps; i++ {
		list = append(list, all[i*len(all)/steps-1])
	}
	return slices.Compact(list)
}
