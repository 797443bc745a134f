package workloads

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/internal/lists"
	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Host is an endpoint of flows: a node and the rate of its links into the network.
type Host struct {
	Node topo.NodeID
	Rate unit.Rate
}

// HostsOf lists the hosts of a network by node number. The rate of a host is the sum of its links, except
// links to a switch inside its server. A host without a link is an error.
func HostsOf(g *topo.Graph) ([]Host, error) {
	rates := make([]unit.Rate, len(g.Nodes))
	for _, l := range g.Links {
		if g.Nodes[l.A].Inside || g.Nodes[l.B].Inside {
			continue
		}
		rates[l.A] += l.Rate
		rates[l.B] += l.Rate
	}
	var hosts []Host
	for i, n := range g.Nodes {
		if n.Kind != topo.Host {
			continue
		}
		if rates[i] <= 0 {
			return nil, fmt.Errorf("workloads: host %d has no link", i)
		}
		hosts = append(hosts, Host{topo.NodeID(i), rates[i]})
	}
	return hosts, nil
}

// nodes returns the nodes of hosts.
func nodes(hosts []Host) []topo.NodeID {
	return lists.Map(hosts, func(h Host) topo.NodeID { return h.Node })
}

// totalRate returns the sum of the hosts' rates.
func totalRate(hosts []Host) unit.Rate {
	return lists.Sum(hosts, func(h Host) unit.Rate { return h.Rate })
}

// checkHosts returns an error unless hosts are in ascending order, without duplicates, and have rates.
func checkHosts(hosts []Host) error {
	var errs rules.Broken
	for i, h := range hosts {
		errs.If(h.Rate <= 0, "host %d has rate %d bit/s, want > 0", h.Node, int64(h.Rate))
		if i > 0 && h.Node <= hosts[i-1].Node {
			errs = append(errs, fmt.Errorf("host %d is listed after host %d, want ascending numbers, each once",
				h.Node, hosts[i-1].Node))
		}
	}
	return errors.Join(errs...)
}

// pick returns the hosts with the given nodes, in ascending order, or all if nodes is nil.
func pick(all []Host, nodes []topo.NodeID) ([]Host, error) {
	if nodes == nil {
		return all, nil
	}
	var errs []error
	chosen := make([]Host, 0, len(nodes))
	for _, n := range nodes {
		i, ok := find(all, n)
		if !ok {
			errs = append(errs, fmt.Errorf("node %d is not a host here (%s)", n, describeHosts(all)))
			continue
		}
		chosen = append(chosen, all[i])
	}
	slices.SortFunc(chosen, func(a, b Host) int { return int(a.Node) - int(b.Node) })
	for i := 1; i < len(chosen); i++ {
		if chosen[i].Node == chosen[i-1].Node {
			errs = append(errs, fmt.Errorf("host %d is listed twice", chosen[i].Node))
		}
	}
	return chosen, errors.Join(errs...)
}

// find returns the index of a node in hosts, which are in ascending order.
func find(hosts []Host, node topo.NodeID) (int, bool) {
	return slices.BinarySearchFunc(hosts, node, func(h Host, n topo.NodeID) int { return int(h.Node) - int(n) })
}

// HostAt returns the index of a node in hosts, which are in ascending order. key is the scenario key that
// names the node, for the error.
func HostAt(key string, hosts []Host, node int) (int, error) {
	i, ok := find(hosts, topo.NodeID(node))
	if !ok {
		return 0, fmt.Errorf("%s = %d: that node is not a host here (%s)", key, node, describeHosts(hosts))
	}
	return i, nil
}

// describeHosts describes the hosts for error messages.
func describeHosts(hosts []Host) string {
	switch len(hosts) {
	case 0:
		return "there are no hosts"
	case 1:
		return fmt.Sprintf("the only host is %d", hosts[0].Node)
	}
	return fmt.Sprintf("%d hosts, %d to %d", len(hosts), hosts[0].Node, hosts[len(hosts)-1].Node)
}
