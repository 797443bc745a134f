package topo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// HTSim is a leaf-spine network or fat tree from a .topo file of htsim (uet-htsim, HOW_TO of its
// fat trees).
type HTSim struct {
	// The file.
	Path string `yaml:"path" file:"yes"`
	// Number of degraded links, as in uet-htsim's -failed. With two tiers, this is a number of spines: all links of
	// these spines are degraded, in both directions. With three tiers, it is a number of links down from cores to
	// aggregation switches, starting with the first pod.
	Degraded int `yaml:"degraded" default:"0" range:">=0 <=100000" omit:"default"`
	// Share of its rate that a degraded link keeps; uet-htsim's is a quarter.
	Share float64 `yaml:"degraded_share" default:"0.25" range:">=0.001 <1" omit:"default"`
}

// Check reports a share that has no effect because no link is degraded.
func (p *HTSim) Check(c *schema.Checker, at string) {
	checkShare(c, at, p.Degraded, p.Share)
}

func (HTSim) Count() int { return 0 }

func (p HTSim) Build() (*Graph, error) {
	r, err := input.Open(p.Path, input.Map)
	if err != nil {
		return nil, fmt.Errorf("topology.path: %w", err)
	}
	defer r.Close()
	t, err := ReadHTSim(r, p.Path)
	if err != nil {
		return nil, err
	}
	g, err := t.Build()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	if p.Degraded > 0 && g.Changes.Joined > 0 {
		return nil, fmt.Errorf("topology.degraded = %d: want 0 in a network with Bundle, such as %s",
			p.Degraded, p.Path)
	}
	if n := t.degrade(g, p.Degraded, p.Share); n < p.Degraded {
		return nil, fmt.Errorf("topology.degraded = %d: want at most %d, the number of links that can be "+
			"degraded in %s", p.Degraded, n, p.Path)
	}
	return g, nil
}

// HTSimTree is the content of a .topo file: a tree with two or three tiers of switches.
type HTSimTree struct {
	Hosts, Pod int
	Tiers      []HTSimTier // from the ToRs up
}

// HTSimTier is a tier of switches and the links below it.
type HTSimTier struct {
	Rate     unit.Rate // rate of the links down
	Delay    unit.Time // delay of the links down
	Switch   unit.Time // delay of a switch, from the arrival of a packet until it is in the queue
	Down, Up int       // links of a switch; Up is 0 at the top
	bundle   int       // parallel links in the file for each link down, at least 1
}

// htsimKey is a key of a .topo file in lower case, and the range of its value. If high is 0, any
// word is accepted.
type htsimKey struct {
	name      string
	low, high int
}

var (
	htsimHeader = []htsimKey{{"nodes", 1, maxNodes}, {"tiers", 2, 3}, {"podsize", 1, maxNodes}}
	htsimTier   = []htsimKey{
		{"downlink_speed_gbps", 1, int(unit.MaxRate / unit.Gbps)},
		{"radix_down", 1, maxNodes}, {"radix_up", 1, maxNodes},
		{"downlink_latency_ns", 0, 1e9}, {"switch_latency_ns", 0, 1e9}, {"oversubscribed", 1, maxNodes},
		{"bundle", 1, maxNodes}, {name: "queue_up"}, {name: "queue_down"},
	}
)

// accepted describes the values of a key.
func (k htsimKey) accepted() string {
	return fmt.Sprintf("a whole number from %d to %d", k.low, k.high)
}

// htsimNames returns the names of keys for an error message.
func htsimNames(keys []htsimKey) string {
	names := lists.Map(keys, func(k htsimKey) string { return k.name })
	return strings.Join(names, ", ")
}

// ReadHTSim reads a .topo file: the lines "Nodes N", "Tiers 2|3" and "Podsize N", then for each
// tier "Tier I" and its keys. The keys are Downlink_speed_Gbps, Radix_Down, Radix_Up (not at the
// top), Downlink_Latency_ns, and, if they are not 0 or 1, Switch_Latency_ns, Oversubscribed and
// Bundle. Queue_Up and Queue_Down are ignored, as in uet-htsim, which derives its queues from the
// network. Upper and lower case are equal, and # starts a comment. name is the file name for
// errors; every error begins with it and the line.
//
// Bundle is the number of parallel links to each switch below, which the radixes count. The tree has one
// link of their total rate instead, because the graph has at most one link between two switches. The
// radixes set the number of links: Oversubscribed must be 1, Radix_Down over Radix_Up, or this ratio times
// the ratio of the rates, as in csg-htsim.
func ReadHTSim(r io.Reader, name string) (*HTSimTree, error) {
	sections, lineNumber := []map[string]int{{}}, 0 // the header, and then the tiers
	errorf := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %w", name, lineNumber, fmt.Errorf(format, args...))
	}
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		lineNumber++
		text, _, _ := strings.Cut(scan.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, errorf("%s, want a key and its value", number.Count(len(words), "word"))
		}
		key, keys := strings.ToLower(words[0]), htsimTier
		value, err := strconv.Atoi(words[1])
		if tier := len(sections) - 1; key == "tier" {
			if err != nil || value != tier || value >= sections[0]["tiers"] {
				return nil, errorf("Tier %s: want %d, after the lines %s", words[1], tier, htsimNames(htsimHeader))
			}
			sections = append(sections, map[string]int{})
			continue
		} else if tier == 0 {
			keys = htsimHeader
		}
		last := sections[len(sections)-1]
		i := slices.IndexFunc(keys, func(k htsimKey) bool { return k.name == key })
		if i < 0 {
			return nil, errorf("unknown key %q (accepted: Tier, %s)", words[0], htsimNames(keys))
		}
		if _, twice := last[key]; twice {
			return nil, errorf("a second %s", words[0])
		}
		if k := keys[i]; k.high > 0 && (err != nil || value < k.low || value > k.high) {
			return nil, errorf("%s %q: want %s", words[0], words[1], k.accepted())
		}
		last[key] = value
	}
	if err := input.LineError(scan.Err(), bufio.MaxScanTokenSize); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, lineNumber+1, err)
	}
	head := sections[0]
	t := &HTSimTree{Hosts: head["nodes"], Pod: head["podsize"]}
	for _, x := range sections[1:] {
		t.Tiers = append(t.Tiers, HTSimTier{
			Rate:   unit.Rate(x["downlink_speed_gbps"]) * unit.Gbps,
			Delay:  unit.Time(x["downlink_latency_ns"]) * unit.Nanosecond,
			Switch: unit.Time(x["switch_latency_ns"]) * unit.Nanosecond, Down: x["radix_down"], Up: x["radix_up"],
			bundle: 1,
		})
	}
	if n := head["tiers"]; n == 0 || len(t.Tiers) != n {
		return nil, fmt.Errorf("%s: %s, want the %d that the line Tiers promises (2 or 3)", name,
			number.Count(len(t.Tiers), "tier"), n)
	}
	if err := t.ratios(sections[1:]); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// ratios checks Oversubscribed and applies Bundle.
func (t *HTSimTree) ratios(tiers []map[string]int) error {
	for i, x := range tiers {
		if o := x["oversubscribed"]; !t.Tiers[i].restates(o, t.Tiers[min(i+1, len(tiers)-1)]) {
			return fmt.Errorf("in Tier %d: Oversubscribed %d: want 1, or Radix_Down over Radix_Up", i, o)
		}
	}
	for i, x := range tiers {
		if err := t.bundle(i, x["bundle"]); err != nil {
			return err
		}
	}
	return nil
}

// restates reports whether the value of Oversubscribed of a tier agrees with the radixes of the tier. above is the next
// higher tier.
func (t HTSimTier) restates(oversubscribed int, above HTSimTier) bool {
	up := oversubscribed * t.Up
	return oversubscribed <= 1 || up == t.Down || up*int(above.Rate/unit.Gbps) == t.Down*int(t.Rate/unit.Gbps)
}

// bundle replaces every n parallel links below the switches of tier i by one link.
func (t *HTSimTree) bundle(i, n int) error {
	switch below := &t.Tiers[max(i-1, 0)]; {
	case n <= 1:
	case i == 0:
		return fmt.Errorf("in Tier 0: Bundle %d: want 1, because a host has one link", n)
	case t.Tiers[i].Down%n != 0 || below.Up%n != 0:
		return fmt.Errorf("in Tier %d: Bundle %d: want a divisor of its Radix_Down, %d, and of Radix_Up of Tier %d, %d",
			i, n, t.Tiers[i].Down, i-1, below.Up)
	case t.Tiers[i].Rate > unit.MaxRate/unit.Rate(n):
		return fmt.Errorf("in Tier %d: Bundle %d: %v in all, want at most %v", i, n, t.Tiers[i].Rate, unit.MaxRate)
	default:
		t.Tiers[i].Rate *= unit.Rate(n)
		t.Tiers[i].Down /= n
		t.Tiers[i].bundle = n
		below.Up /= n
	}
	return nil
}

// switches returns the number of switches of each tier, and of the first two tiers in a pod.
func (t *HTSimTree) switches() (tors, aggs, cores, torsOfPod, aggsOfPod int) {
	tors = t.Hosts / t.Tiers[0].Down
	torsOfPod = t.Pod / t.Tiers[0].Down
	aggsOfPod = t.Tiers[0].Up
	if len(t.Tiers) == 2 {
		return tors, aggsOfPod, 0, tors, aggsOfPod
	}
	return tors, t.Hosts / t.Pod * aggsOfPod, aggsOfPod * t.Tiers[1].Up, torsOfPod, aggsOfPod
}

func (t *HTSimTree) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	top := len(t.Tiers) - 1
	for i, x := range t.Tiers {
		if x.Rate == 0 || x.Down == 0 || (x.Up == 0) != (i == top) {
			bad("Tier %d: want Downlink_speed_Gbps, Radix_Down, Downlink_Latency_ns and, except in the top tier, "+
				"Radix_Up", i)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	switch down := t.Tiers[0].Down; {
	case t.Pod < 1 || t.Hosts%t.Pod != 0 || t.Pod%down != 0 || top == 1 && t.Pod != t.Hosts:
		bad("Nodes %d, Podsize %d, Radix_Down %d of Tier 0: want pods that consist of whole ToRs, and with two "+
			"tiers one pod of all nodes", t.Hosts, t.Pod, down)
	case t.Tiers[1].Down != t.Pod/down:
		bad("Radix_Down of Tier 1 = %d, want %d, the number of ToRs in a pod", t.Tiers[1].Down, t.Pod/down)
	case top == 2 && t.Tiers[2].Down != t.Hosts/t.Pod:
		bad("Radix_Down of Tier 2 = %d, want %d, the number of pods", t.Tiers[2].Down, t.Hosts/t.Pod)
	}
	return errors.Join(errs...)
}

// Build makes the graph. Hosts are numbered first, then ToRs, aggregation switches (or spines) and cores. In each pod,
// core c is linked to the aggregation switch with number c modulo the number of aggregation switches of the pod.
func (t *HTSimTree) Build() (*Graph, error) {
	tors, aggs, cores, torsOfPod, aggsOfPod := t.switches()
	v := violations{what: "tree"}
	links := t.Hosts + tors*aggsOfPod
	if cores > 0 {
		links += aggs * t.Tiers[1].Up
	}
	v.size(t.Hosts+tors+aggs+cores, links)
	if err := v.err(); err != nil {
		return nil, err
	}
	b := newBuilder("htsim", t.Hosts+tors+aggs+cores, links)
	names := []string{"tor", "agg", "core"}
	if cores == 0 {
		names = []string{"leaf", "spine", ""}
	}
	host := b.nodes(t.Hosts, Host, layerHost, "h")
	tor := b.nodes(tors, Switch, layerEdge, names[0])
	agg := b.nodes(aggs, Switch, layerAgg, names[1])
	core := b.nodes(cores, Switch, layerCore, names[2])
	for i := range b.g.Nodes {
		if n := &b.g.Nodes[i]; n.Kind == Switch {
			n.Delay = t.Tiers[n.Layer-layerEdge].Switch
		}
	}
	for h := range t.Hosts {
		b.link(host+NodeID(h), tor+NodeID(h/t.Tiers[0].Down), t.Tiers[0].Rate, t.Tiers[0].Delay)
	}
	for i := range tors {
		for a := range aggsOfPod {
			b.link(tor+NodeID(i), agg+NodeID(i/torsOfPod*aggsOfPod+a), t.Tiers[1].Rate, t.Tiers[1].Delay)
		}
	}
	b.g.Changes.Joined = tors * aggsOfPod * (t.Tiers[1].bundle - 1)
	if cores > 0 {
		b.g.Changes.Joined += aggs * t.Tiers[1].Up * (t.Tiers[2].bundle - 1)
		for a := range aggs {
			for l := range t.Tiers[1].Up {
				b.link(agg+NodeID(a), core+NodeID(a%aggsOfPod+aggsOfPod*l), t.Tiers[2].Rate, t.Tiers[2].Delay)
			}
		}
	}
	return b.g, nil
}

// degrade slows the links that "-failed n" of uet-htsim stands for: all links of the first n spines or, with three
// tiers, the first n links down from cores. It returns how many of these n spines or links exist.
func (t *HTSimTree) degrade(g *Graph, n int, share float64) int {
	tors, _, cores, _, spines := t.switches()
	above := g.Links[t.Hosts:]
	if cores == 0 {
		for i := range above {
			if i%spines < n {
				above[i].Rate = slower(above[i].Rate, share)
			}
		}
		return min(n, spines)
	}
	above = above[tors*spines:]
	for i := range above {
		if i < n {
			above[i].Back = slower(above[i].Rate, share)
		}
	}
	return min(n, len(above))
}

// WriteHTSim writes a graph as a .topo file, which ReadHTSim and uet-htsim read. The graph must be
// a leaf-spine network or a fat tree in which all links of a tier are equal. Otherwise the error
// names the first difference. Cores may get other numbers in the file.
func WriteHTSim(w io.Writer, g *Graph) error {
	t, err := htsimOf(g)
	if err != nil {
		return fmt.Errorf("as .topo: %w", err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Nodes %d\nTiers %d\nPodsize %d\n", t.Hosts, len(t.Tiers), t.Pod)
	for i, x := range t.Tiers {
		fmt.Fprintf(out, "Tier %d\nDownlink_speed_Gbps %d\nRadix_Down %d\n", i, x.Rate/unit.Gbps, x.Down)
		if x.Up > 0 {
			fmt.Fprintf(out, "Radix_Up %d\n", x.Up)
		}
		fmt.Fprintf(out, "Downlink_Latency_ns %d\n", x.Delay/unit.Nanosecond)
		if x.Switch > 0 {
			fmt.Fprintf(out, "Switch_Latency_ns %d\n", x.Switch/unit.Nanosecond)
		}
	}
	return out.Flush()
}

// htsimOf returns the tree of a graph. It derives the tree from the first switch of each tier and
// checks that the tree makes the same graph.
func htsimOf(g *Graph) (*HTSimTree, error) {
	if slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Layer < 0 }) {
		g = &Graph{Nodes: slices.Clone(g.Nodes), Links: g.Links}
		g.InferLayers()
	}
	adj := g.Adjacency()
	t := &HTSimTree{Hosts: len(g.Hosts())}
	if t.Hosts > 0 && int(g.Hosts()[t.Hosts-1]) != t.Hosts-1 {
		return nil, errors.New("want hosts before switches")
	}
	for layer := layerEdge; layer <= layerCore; layer++ {
		i := slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Layer == layer })
		if i < 0 {
			break
		}
		x := HTSimTier{Switch: g.Nodes[i].Delay, bundle: 1}
		for _, a := range adj.Of(NodeID(i)) {
			switch l := g.Links[a.Link]; g.Nodes[a.Peer].Layer {
			case layer - 1:
				x.Down++
				x.Rate, x.Delay = l.Rate, l.Delay
			case layer + 1:
				x.Up++
			}
		}
		if x.Rate%unit.Gbps != 0 || x.Delay%unit.Nanosecond != 0 || x.Switch%unit.Nanosecond != 0 {
			return nil, fmt.Errorf("%s: %v, %v and %v in the switch, want whole Gb/s and ns",
				g.Label(NodeID(i)), x.Rate, x.Delay, x.Switch)
		}
		t.Tiers = append(t.Tiers, x)
	}
	if len(t.Tiers) < 2 {
		return nil, fmt.Errorf("%s of switches, want 2 or 3", number.Count(len(t.Tiers), "tier"))
	}
	t.Pod = t.Tiers[0].Down * t.Tiers[1].Down
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("the network is not a tree of equal switches without planes, homes, rails, failed or "+
			"degraded links: %w", err)
	}
	same, err := t.Build()
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, line := range shape(same) {
		want[line] = true
	}
	for i, line := range shape(g) {
		if want[line] {
			continue
		}
		what := ""
		if i < len(g.Nodes) {
			what = g.Label(NodeID(i))
		} else {
			l := g.Links[i-len(g.Nodes)]
			what = fmt.Sprintf("link of %s and %s", g.Label(l.A), g.Label(l.B))
		}
		return nil, fmt.Errorf("%s: not part of a tree of equal switches with %s for each ToR and %d for each pod; a "+
			".topo file can describe only such a tree, without planes, homes, rails, failed or degraded links", what,
			number.Count(t.Tiers[0].Down, "host"), t.Pod)
	}
	if len(g.Nodes)+len(g.Links) != len(want) {
		return nil, fmt.Errorf("%d nodes and links, want %d, as in a tree of equal switches with %s for each ToR and "+
			"%d for each pod; a .topo file can describe only such a tree, without failed links",
			len(g.Nodes)+len(g.Links), len(want), number.Count(t.Tiers[0].Down, "host"), t.Pod)
	}
	return t, nil
}

// shape describes each node and then each link of a graph in a line that does not depend on the
// numbers of cores: a core is described by its neighbours, other nodes by layer and order.
func shape(g *Graph) (lines []string) {
	names, count := make([]string, len(g.Nodes)), map[string]int{}
	next := func(kind string) string {
		count[kind]++
		return fmt.Sprintf("%s %d", kind, count[kind]-1)
	}
	adj := g.Adjacency()
	for i, n := range g.Nodes {
		kind := fmt.Sprintf("node of layer %d", n.Layer)
		if n.Layer == layerCore {
			below := lists.Map(adj.Of(NodeID(i)), func(a Arc) NodeID { return a.Peer })
			kind = fmt.Sprintf("core above %v", below)
		}
		names[i] = next(kind)
		lines = append(lines, fmt.Sprintf("%s with delay %v", names[i], n.Delay))
	}
	for _, l := range g.Links {
		a, b, rates := names[l.A], names[l.B], l.Rates()
		if g.Nodes[l.A].Layer > g.Nodes[l.B].Layer {
			a, b, rates[0], rates[1] = b, a, rates[1], rates[0]
		}
		lines = append(lines, fmt.Sprintf("link of %s and %s: %v up, %v down, %v, errors %v",
			a, b, rates[0], rates[1], l.Delay, l.ErrorRate))
	}
	return lines
}
