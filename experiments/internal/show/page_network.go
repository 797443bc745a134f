package show

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func (r *reader) draw(p *Page) {
	g := r.wiring.Graph
	layer := layersOf(g)
	members := make([][]string, slices.Max(layer)+1)
	for i, n := range g.Nodes {
		name := n.Name
		if name == "" {
			name = fmt.Sprintf("n%d", i)
		}
		p.Nodes = append(p.Nodes, Node{Name: name, Layer: layer[i]})
		members[layer[i]] = append(members[layer[i]], name)
	}
	for i, names := range members {
		p.Layers = append(p.Layers, PageLayer{Name: layerName(i, names)})
	}
	for _, l := range g.Links {
		p.Links = append(p.Links, Link{A: int(l.A), B: int(l.B), Rate: float64(l.Rate)})
	}
}

// layersOf returns the layer of each node, numbered without gaps. Hosts have layer 0. Other nodes have the layer of the
// topology or, if it defines no layers, their distance from the hosts. Nodes that have neither come last.
func layersOf(g *topo.Graph) []int {
	c := *g
	c.Nodes = slices.Clone(g.Nodes)
	if slices.ContainsFunc(c.Nodes, func(n topo.Node) bool { return n.Layer < 0 }) {
		c.InferLayers()
	}
	last := topo.Node{}.Layer
	for _, n := range c.Nodes {
		last = max(last, n.Layer+1)
	}
	var used []int8
	of := make([]int8, len(c.Nodes))
	for i, n := range c.Nodes {
		switch {
		case n.Kind == topo.Host:
			of[i] = 0
		case n.Layer <= 0:
			of[i] = last
		default:
			of[i] = n.Layer
		}
		used = append(used, of[i])
	}
	slices.Sort(used)
	used = slices.Compact(used)
	return lists.Map(of, func(l int8) int { return slices.Index(used, l) })
}

// layerName returns the name of a layer: the common name of its nodes without their numbers.
func layerName(layer int, names []string) string {
	if layer == 0 {
		return "hosts"
	}
	word := func(s string) string { return strings.TrimRight(s, "0123456789") }
	first := word(names[0])
	if len(first) > 1 && !slices.ContainsFunc(names, func(s string) bool { return word(s) != first }) {
		if full := map[string]string{"tor": "ToR", "agg": "aggregation", "sw": "switch"}[first]; full != "" {
			return full
		}
		return first
	}
	if name := topo.LayerName(int8(layer)); name != "" {
		return name
	}
	return fmt.Sprintf("layer %d", layer)
}

func (r *reader) faults(p *Page) {
	g := r.wiring.Graph
	name := func(n int) string { return p.Nodes[n].Name }
	between := func(a, b int) []int {
		for i, l := range g.Links {
			if int(l.A) == a && int(l.B) == b || int(l.A) == b && int(l.B) == a {
				return []int{i}
			}
		}
		return nil
	}
	of := func(n int) (list []int) {
		for i, l := range g.Links {
			if int(l.A) == n || int(l.B) == n {
				list = append(list, i)
			}
		}
		return list
	}
	for _, f := range r.run.Scenario.Faults {
		if f.At >= r.end || f.Until <= r.from {
			continue
		}
		x := Fault{At: max(f.At, r.from).Seconds(), Until: min(f.Until, r.end).Seconds()}
		link := func(what string) {
			x.Text, x.Links = fmt.Sprintf("link %s – %s %s", name(f.A), name(f.B), what), between(f.A, f.B)
		}
		switch f.Kind {
		case scenario.LinkDown:
			link("down")
			x.Down = true
		case scenario.Blackhole:
			link("loses every packet")
		case scenario.RandomDrop:
			link("loses " + number.Share(f.Probability) + " of the packets")
		case scenario.Jitter:
			link("delays " + number.Share(f.Spread) + " of the packets")
		case scenario.Loop:
			link("sends packets in a loop")
		case scenario.HostPause:
			x.Text, x.Links = fmt.Sprintf("host %s sends nothing", name(f.Host)), of(f.Host)
		case scenario.HostFailure:
			x.Text, x.Links = fmt.Sprintf("host %s is down", name(f.Host)), of(f.Host)
		case scenario.SwitchFailure:
			x.Text, x.Links, x.Down = fmt.Sprintf("switch %s is down", name(f.Switch)), of(f.Switch), f.Reroute
		default:
			x.Text = fmt.Sprintf("switch %s forwards wrongly (%s)", name(f.Switch), f.Kind)
		}
		p.Faults = append(p.Faults, x)
	}
}

// paths returns the paths of a flow while it is active.
func (r *reader) paths(f *flow) []Path {
	var list []Path
	for i, routes := range r.wiring.Routes {
		if routes.At >= f.end || i+1 < len(r.wiring.Routes) && r.wiring.Routes[i+1].At <= f.rec.Start {
			continue
		}
		x := Path{From: max(routes.At, f.rec.Start).Seconds()}
		var ports []route.Port
		if t := f.transport(); r.wiring.Single {
			ports = t.Path(nil, routes.Table)
		} else {
			ports = spread(r.wiring.Graph, routes.Table, t.Src, t.Dst)
		}
		for _, p := range ports {
			x.Ports = append(x.Ports, int(p))
		}
		if n := len(list); n == 0 || len(ports) > 0 &&
			!slices.Equal(list[n-1].Ports, x.Ports) { // if there is no path, the flow keeps its previous path
			list = append(list, x)
		}
	}
	return list
}

// spread lists the ports of all shortest paths, in the order of their distance from the source.
func spread(g *topo.Graph, t *route.Table, src, dst topo.NodeID) []route.Port {
	var ports []route.Port
	seen := map[topo.NodeID]bool{src: true}
	for queue := []topo.NodeID{src}; len(queue) > 0; queue = queue[1:] {
		for _, p := range t.NextHops(queue[0], dst) {
			ports = append(ports, p)
			if to := p.To(g); !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return ports
}

// grid divides the time into steps. It has one step if there is no time between from and end.
type grid struct {
	from, end, step unit.Time
	steps           int
}

// at returns the step that contains an instant t or ends at t.
func (g *grid) at(t unit.Time) int {
	return min(max(0, int((t-g.from-1)/g.step)), g.steps-1)
}

// length returns the length of a step.
func (g *grid) length(i int) unit.Time {
	return min(g.step, g.end-g.from-unit.Time(i)*g.step)
}

// over calls f for each step between a and b. part is the part of the time from a to b that lies in the step.
func (g *grid) over(a, b unit.Time, f func(step int, part unit.Time)) {
	a, b = max(a, g.from), min(b, g.end)
	for i := g.at(a + 1); a < b; i++ {
		next := min(b, g.from+unit.Time(i+1)*g.step)
		f(i, next-a)
		a = next
	}
}
