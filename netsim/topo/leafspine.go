package topo

import (
	"pintlab/netsim/unit"
)

// LeafSpine is a two-layer network: every leaf is linked to every spine. The
// zero value is not valid; start from Default.
type LeafSpine struct {
	// Leaf switches.
	Leaves int `yaml:"leaves" default:"9" range:">=1 <=4096"`
	// Spine switches.
	Spines int `yaml:"spines" default:"4" range:">=1 <=4096"`
	// Hosts of each leaf.
	HostsPerLeaf int `yaml:"hosts_per_leaf" default:"16" range:">=1 <=4096"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"10Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"40Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

func (c LeafSpine) hosts() int { return c.Leaves * c.HostsPerLeaf }
func (c LeafSpine) nodes() int { return c.hosts() + c.Leaves + c.Spines }
func (c LeafSpine) links() int { return c.hosts() + c.Leaves*c.Spines }

// Validate reports every rule that c breaks.
func (c LeafSpine) Validate() error {
	v := violations{what: "leaf-spine"}
	v.count("leaves", c.Leaves, 1, 4096)
	v.count("spines", c.Spines, 1, 4096)
	v.count("hosts_per_leaf", c.HostsPerLeaf, 1, 4096)
	v.rate("host_rate", c.HostRate)
	v.rate("fabric_rate", c.FabricRate)
	v.delay("delay", c.Delay)
	v.size(c.nodes(), c.links())
	return v.err()
}

// Build makes the graph, or reports what Validate finds.
func (c LeafSpine) Build() (*Graph, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := newBuilder("leaf-spine", c.nodes(), c.links())
	host := b.nodes(c.hosts(), Host, layerHost, "h")
	leaf := b.nodes(c.Leaves, Switch, layerEdge, "leaf")
	spine := b.nodes(c.Spines, Switch, layerAgg, "spine")
	for h := range c.hosts() {
		b.link(host+NodeID(h), leaf+NodeID(h/c.HostsPerLeaf), c.HostRate, c.Delay)
	}
	for l := range c.Leaves {
		for s := range c.Spines {
			b.link(leaf+NodeID(l), spine+NodeID(s), c.FabricRate, c.Delay)
		}
	}
	return b.g, nil
}
