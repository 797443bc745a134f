package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// buildSampling prepares the sampling. A selection that can match nothing is an error.
func (s *Simulation) buildSampling() error {
	c := &s.Scenario.Run.Sampling
	if !c.Enabled {
		return nil
	}
	if end := s.endTime(); c.From > end {
		return fmt.Errorf("run.sampling.from = %v has no effect: the run ends at %v", c.From, end)
	}
	p := &sampler{cfg: c, at: c.From, last: -1, step: c.Period}
	if c.OfPorts() {
		ports, err := s.portsOf("run.sampling", c.Ports, c.Nodes)
		if err != nil {
			return err
		}
		for _, id := range ports {
			from, to := s.Net.PortEnds(id)
			p.ports = append(p.ports, sampledPort{id: id, row: store.PortSample{
				Node: int32(from), Peer: int32(to), Layer: layerOf(s.Graph, from) + "-" + layerOf(s.Graph, to),
			}})
		}
		p.portRows = store.PortSeries.NewWriter(&p.portFile, int64(c.MaxRows))
	}
	if c.OfFlows() {
		var err error
		if p.flows, err = s.filterOf("run.sampling", c.Flows, c.Src, c.Dst); err != nil {
			return err
		}
		p.flowRows = store.FlowSeries.NewWriter(&p.flowFile, int64(c.MaxRows))
	}
	s.sampler = p
	return nil
}

func layerOf(g *topo.Graph, n topo.NodeID) string {
	if name := g.Nodes[n].LayerName(); name != "" {
		return name
	}
	if g.Nodes[n].Kind == topo.Host {
		return "host"
	}
	return "switch"
}

// portsOf returns the ports that the keys ports and nodes of a section select, sorted by node and peer.
func (s *Simulation) portsOf(section string, words, nodes []string) ([]netsim.PortID, error) {
	ports, err := s.choosePorts(section, words, nodes)
	slices.SortStableFunc(ports, func(a, b netsim.PortID) int {
		fromA, toA := s.Net.PortEnds(a)
		fromB, toB := s.Net.PortEnds(b)
		return cmp.Or(cmp.Compare(fromA, fromB), cmp.Compare(toA, toB))
	})
	return ports, err
}

func (s *Simulation) choosePorts(section string, words, nodes []string) ([]netsim.PortID, error) {
	if slices.Equal(words, []string{scenario.All}) {
		wanted, err := s.nodesOf(nodes)
		if err != nil {
			return nil, fmt.Errorf("%s.nodes: %w", section, err)
		}
		var ports []netsim.PortID
		for p := range netsim.PortID(s.Net.Ports()) {
			if from, _ := s.Net.PortEnds(p); wanted[from] {
				ports = append(ports, p)
			}
		}
		if len(ports) == 0 {
			return nil, fmt.Errorf("%s.nodes = %v: none of them has a port", section, nodes)
		}
		return ports, nil
	}
	var ports []netsim.PortID
	for _, word := range words {
		from, to, err := scenario.ParsePort(word)
		if err != nil {
			return nil, fmt.Errorf("%s.ports: %w", section, err)
		}
		before := len(ports)
		var peers []string
		for p := range netsim.PortID(s.Net.Ports()) {
			a, b := s.Net.PortEnds(p)
			if int32(a) != from {
				continue
			}
			peers = append(peers, fmt.Sprint(b))
			if int32(b) == to {
				ports = append(ports, p)
			}
		}
		switch {
		case len(ports) > before:
		case peers == nil:
			return nil, fmt.Errorf("%s.ports: %s: the nodes of this network are 0 to %d",
				section, word, len(s.Graph.Nodes)-1)
		default:
			return nil, fmt.Errorf("%s.ports: %s: no link joins them; %s is joined to %s",
				section, word, s.Graph.Label(topo.NodeID(from)), strings.Join(peers, ", "))
		}
	}
	return ports, nil
}

// nodesOf returns which nodes the words select.
func (s *Simulation) nodesOf(words []string) ([]bool, error) {
	wanted := make([]bool, len(s.Graph.Nodes))
	for _, word := range words {
		switch word {
		case scenario.All, scenario.Hosts, scenario.Switches:
			for i, n := range s.Graph.Nodes {
				wanted[i] = word == scenario.All || (n.Kind == topo.Host) == (word == scenario.Hosts)
			}
			continue
		}
		r, err := scenario.ParseRange(word)
		if err != nil {
			return nil, err
		}
		if int(r.Last) >= len(wanted) {
			return nil, fmt.Errorf("%s: the nodes of this network are 0 to %d", word, len(wanted)-1)
		}
		for i := r.First; i <= r.Last; i++ {
			wanted[i] = true
		}
	}
	return wanted, nil
}

// flowFilter selects flows. Empty lists select all.
type flowFilter struct {
	numbers, src, dst []scenario.Range
	matches           int64 // number of selected flows of the workload
}

func (f *flowFilter) wants(number, src, dst int32) bool {
	return in(f.numbers, number) && in(f.src, src) && in(f.dst, dst)
}

func in(list []scenario.Range, n int32) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(r scenario.Range) bool { return r.Has(n) })
}

// filterOf returns the filter for the keys flows, src and dst of a section. It is an error if the filter
// selects no flow of the workload, or only flows that start after the end of the run.
func (s *Simulation) filterOf(section string, flows, src, dst []string) (flowFilter, error) {
	var f flowFilter
	total := s.Workload.Stats.Flows
	for _, list := range []struct {
		key   string
		words []string
		into  *[]scenario.Range
	}{{"flows", flows, &f.numbers}, {"src", src, &f.src}, {"dst", dst, &f.dst}} {
		if slices.Equal(list.words, []string{scenario.All}) {
			continue
		}
		for _, word := range list.words {
			r, err := scenario.ParseRange(word)
			switch {
			case err != nil:
			case list.key == "flows" && int64(r.Last) >= total:
				err = fmt.Errorf("%s: the flows of this workload are 0 to %d", word, total-1)
			case list.key != "flows":
				err = s.areHosts(word, r)
			}
			if err != nil {
				return f, fmt.Errorf("%s.%s: %w", section, list.key, err)
			}
			*list.into = append(*list.into, r)
		}
	}
	f.matches = total
	if f.numbers == nil && f.src == nil && f.dst == nil {
		return f, nil
	}
	w, err := BuildWorkload(&s.Scenario, s.hosts)
	if err != nil {
		return f, err
	}
	all, err := w.Stream(s.hosts)
	if err != nil {
		return f, err
	}
	f.matches = 0
	end, late := s.endTime(), int64(0)
	for x := range workloads.All(all) {
		if f.wants(x.ID, int32(x.Src), int32(x.Dst)) {
			f.matches++
			if x.Start > end {
				late++
			}
		}
	}
	if err := all.Err(); err != nil {
		return f, err
	}
	if f.matches > 0 && f.matches == late {
		return f, fmt.Errorf("%s: %s flows = %v, src = %v and dst = %v %s after the end of the run, at %v", section,
			number.Plural(late, "the only flow that matches", fmt.Sprintf("all %d flows that match", late)), flows, src,
			dst, number.Plural(late, "starts", "start"), end)
	}
	if f.matches == 0 {
		return f, fmt.Errorf("%s: none of the %s of this workload matches flows = %v, src = %v and dst = %v", section,
			number.Count(total, "flow"), flows, src, dst)
	}
	return f, nil
}

// areHosts returns an error if a node of a range is not a host.
func (s *Simulation) areHosts(word string, r scenario.Range) error {
	for i := r.First; i <= r.Last; i++ {
		if int(i) >= len(s.Graph.Nodes) || s.Graph.Nodes[i].Kind != topo.Host {
			return fmt.Errorf("%s: node %d is no host; the hosts are %s", word, i, strings.Join(ranges(s.hosts), ", "))
		}
	}
	return nil
}

// ranges formats the numbers of hosts, which ascend, as "0-15", "20".
func ranges(hosts []workloads.Host) []string {
	var words []string
	for i := 0; i < len(hosts); {
		j := i
		for j+1 < len(hosts) && hosts[j+1].Node == hosts[j].Node+1 {
			j++
		}
		if j == i {
			words = append(words, fmt.Sprint(hosts[i].Node))
		} else {
			words = append(words, fmt.Sprintf("%d-%d", hosts[i].Node, hosts[j].Node))
		}
		i = j + 1
	}
	return words
}

// missed returns a warning about a series without rows.
func (p *sampler) missed(flows *store.Flows, ended unit.Time) []string {
	switch {
	case p == nil:
		return nil
	case p.looks == 0:
		return warning("run.sampling.from = %v: the run had ended by then, at %v, so that its series have no rows",
			p.cfg.From, ended)
	case p.flowRows == nil || p.flowRows.Rows() > 0:
		return nil
	}
	const none = Warning + "run.sampling: flowseries has no rows: "
	started, first, last := int64(0), unit.Never, unit.Time(0)
	for f := range flows.All() {
		if p.flows.wants(int32(f.ID), f.Src, f.Dst) {
			started, first, last = started+1, min(first, f.Start), max(last, f.Start)
		}
	}
	switch {
	case p.flows.matches == 0:
		return []string{none + "the workload has no flows"}
	case started == 0:
		return note(none+"%s not started by the end of the run, at %v",
			count(int(p.flows.matches), "selected flow has", "selected flows have"), ended)
	}
	return note(none+"%s not active at %s, one every %v from %v; the first starts at %v, the last at %v",
		count(int(started), "selected flow was", "selected flows were"),
		number.Plural(p.looks, "the only sample", fmt.Sprintf("any of the %d samples", p.looks)), p.step, p.cfg.From,
		first, last)
}
