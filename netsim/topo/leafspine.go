package topo

import "pintlab/netsim/unit"

// LeafSpine is a two-layer network: every leaf is linked to every spine. The
// zero value is not valid; start from DefaultLeafSpine.
type LeafSpine struct {
	Leaves       int       `yaml:"leaves"`         // 1..4096
	Spines       int       `yaml:"spines"`         // 1..4096
	HostsPerLeaf int       `yaml:"hosts_per_leaf"` // 1..4096
	HostRate     unit.Rate `yaml:"host_rate"`      // host to leaf, > 0
	FabricRate   unit.Rate `yaml:"fabric_rate"`    // leaf to spine, > 0
	Delay        unit.Time `yaml:"delay"`          // propagation of every link, 0..MaxDelay
}

// DefaultLeafSpine is 9 leaves, 4 spines and 16 hosts a leaf (144 hosts), 10
// Gb/s to the hosts and 40 Gb/s above, without oversubscription: the network
// that pFabric (Alizadeh et al., SIGCOMM 2013, section 5) made common.
func DefaultLeafSpine() LeafSpine {
	return LeafSpine{
		Leaves: 9, Spines: 4, HostsPerLeaf: 16,
		HostRate: 10 * unit.Gbps, FabricRate: 40 * unit.Gbps, Delay: unit.Microsecond,
	}
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
