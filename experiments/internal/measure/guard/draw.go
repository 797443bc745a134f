package guard

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/plots"
)

// marks contains the places of the faults for a drawing of the network, and the number of victims that blame each
// switch.
type marks struct {
	nodes map[netsim.NodeID]bool   // faulty nodes
	links map[int]bool             // likewise
	named map[netsim.NodeID]int    // victims
	ways  map[[2]netsim.NodeID]int // number of victims for each pair of the hop before the culprit and the culprit
}

func newMarks() marks {
	return marks{map[netsim.NodeID]bool{}, map[int]bool{}, map[netsim.NodeID]int{}, map[[2]netsim.NodeID]int{}}
}

func (m *marks) fault(s *sim.Simulation, f scenario.Fault) {
	switch f.Kind {
	case scenario.HostPause, scenario.HostFailure:
		m.nodes[s.Graph.Hosts()[f.Host]] = true
	case scenario.BlackholeEntry, scenario.WrongPath, scenario.SwitchFailure:
		m.nodes[netsim.NodeID(f.Switch)] = true
	default:
		for i, l := range s.Graph.Links {
			if int(l.A) == f.A && int(l.B) == f.B || int(l.A) == f.B && int(l.B) == f.A {
				m.links[i] = true
			}
		}
	}
}

// name counts a victim for each culprit that its finding names.
func (m *marks) name(x *diagnose.Finding) {
	for _, at := range x.Switches {
		m.named[at]++
	}
	if x.Last >= 0 {
		m.ways[[2]netsim.NodeID{x.Last, x.Switches[0]}]++
	}
}

// place is the position at which a node is drawn. The layer of a node is its distance from the nearest host.
type place struct{ x, y float64 }

func places(g *topo.Graph) []place {
	layered := *g
	layered.Nodes = slices.Clone(g.Nodes)
	layered.InferLayers()
	members := map[int8][]int{}
	for i, n := range layered.Nodes {
		members[n.Layer] = append(members[n.Layer], i)
	}
	list := make([]place, len(g.Nodes))
	for layer, nodes := range members {
		for i, n := range nodes {
			list[n] = place{(float64(i) + 0.5) / float64(len(nodes)), float64(layer)}
		}
	}
	return list
}

// worthDrawing is the smallest share of the victims that must name a culprit so that the culprit is drawn. If single
// wrong reports were drawn, they would hide the other culprits.
const worthDrawing = 0.01

// figure returns a drawing of the network with the faults and the culprits named.
func (a *Answer) figure() *plots.Figure {
	at := places(a.graph)
	layers := 0.0
	for _, p := range at {
		layers = max(layers, p.y)
	}
	var series []plots.Series
	line := func(name string, a, b place, look plots.Series) {
		if a.x > b.x {
			a, b = b, a
		}
		look.Name, look.X, look.Y = name, plots.Values{a.x, b.x}, plots.Values{a.y, b.y}
		series = append(series, look)
	}
	for i, l := range a.graph.Links {
		if !a.marks.links[i] {
			line("link", at[l.A], at[l.B], plots.Series{Style: plots.Trace, Muted: true})
		}
	}
	for i, l := range a.graph.Links {
		if a.marks.links[i] {
			line("faulty link", at[l.A], at[l.B], plots.Series{Style: plots.Trace})
		}
	}
	for _, w := range sortedWays(a.marks.ways) {
		if float64(a.marks.ways[w]) > worthDrawing*float64(a.Named) {
			line("hop before the culprit", at[w[0]], at[w[1]], plots.Series{Style: plots.Trace, Pattern: plots.Dotted})
		}
	}
	var notes []plots.Note
	names := []string{"node", "faulty node", "culprit named", "faulty and named"}
	points := make([]plots.Series, len(names))
	for i, p := range at {
		kind := 0
		if a.marks.nodes[netsim.NodeID(i)] {
			kind++
		}
		if n := a.marks.named[netsim.NodeID(i)]; float64(n) > worthDrawing*float64(a.Named) {
			kind += 2
			notes = append(notes, plots.Note{X: p.x, Y: p.y, Text: fmt.Sprintf("%d: %d", i, n)})
		}
		points[kind].X, points[kind].Y = append(points[kind].X, p.x), append(points[kind].Y, p.y)
	}
	for kind, s := range points {
		if s.Name, s.Style = names[kind], plots.Points; len(s.X) > 0 {
			series = append(series, s)
		}
	}
	p := plots.Panel{Series: series,
		X: plots.Axis{Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1), Ticks: []plots.Tick{{At: 0.5}}},
		Y: plots.Axis{Scale: plots.Linear, Min: plots.At(-0.3), Max: plots.At(layers + 0.3)}, Notes: notes}
	for l := range int(layers) + 1 {
		p.Y.Ticks = append(p.Y.Ticks, plots.Tick{At: float64(l), Label: layerName(l)})
	}
	return &plots.Figure{
		Title: "Culprits of the victims",
		Subtitle: fmt.Sprintf("%s: %s, %d with a culprit, %d of these correct",
			a.Scenario, number.Count(len(a.Victims), "victim"), a.Named, a.Right),
		Footnote: fmt.Sprintf("%s; %s. Next to a culprit: its node, and how many victims name it "+
			"if more than %s do.",
			a.View, a.scores(3), number.Share(worthDrawing)),
		Alt:   a.words(),
		Width: plots.PageWidth, PanelHeight: 190,
		Panels: []plots.Panel{p},
	}
}

func layerName(l int) string {
	switch l {
	case 0:
		return "hosts"
	case 1:
		return "edge"
	}
	return fmt.Sprintf("layer %d", l)
}

func sortedWays(m map[[2]netsim.NodeID]int) [][2]netsim.NodeID {
	return slices.SortedFunc(maps.Keys(m), func(a, b [2]netsim.NodeID) int { return slices.Compare(a[:], b[:]) })
}

func (a *Answer) words() string {
	text := fmt.Sprintf("A network of %d nodes.", len(a.graph.Nodes))
	for _, f := range a.Faults {
		text += fmt.Sprintf(" Fault %d is a %s at %s.", f.Number, f.Kind, f.Where)
	}
	for _, c := range a.Culprits {
		text += fmt.Sprintf(" %s %s %s (%s), %d correctly.", number.Count(c.Victims, "victim"),
			number.Plural(c.Victims, "names", "name"), c.Where, c.Rule, c.Right)
	}
	return text
}

// Save writes the drawing and the victims to a directory.
func (a *Answer) Save(dir string) error {
	a.Dir = dir
	victims, err := columns.Encode(a.Victims)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err = plots.SaveAll(a.figure(), filepath.Join(dir, "guard"), "svg", "png")
	return errors.Join(victims.SaveCSV(filepath.Join(dir, "rows.csv")), err)
}

// Text prints the faults, and at most top culprits and victims.
func (a *Answer) Text(top int) (string, error) {
	var t columns.Text
	t.Printf("%s: %s, %d of them victims; diagnosed with %s, which answered %s of the questions\n\nFaults\n",
		a.Scenario, number.Count(a.Flows, "flow"), len(a.Victims), a.View, number.Share(a.Known))
	t.Rows(a.Faults)
	if len(a.Culprits) > 0 {
		t.Printf("\nCulprits\n")
		t.Rows(a.Culprits[:min(len(a.Culprits), top)])
	}
	if n := min(len(a.Victims), top); n > 0 {
		t.Printf("\nVictims (%d of %d)\n", n, len(a.Victims))
		t.Rows(a.Victims[:n])
	}
	t.Printf("\n%d of %s %s a culprit, %d correctly; %d %s a fault on the path of their data\n", a.Named,
		number.Count(len(a.Victims)-a.OnlyACKs, "victim"), number.Plural(a.Named, "names", "name"), a.Right,
		a.Afflicted, number.Plural(a.Afflicted, "has", "have"))
	t.Printf("%s\nrows, drawing  %s\n", a.scores(4), a.Dir)
	return t.Done()
}
