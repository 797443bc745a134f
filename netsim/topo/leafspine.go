package topo

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// LeafSpine is a two-layer network: every leaf is linked to every spine. With Homes, groups of
// leaves share their hosts. With Planes, there are several such networks that share only the hosts.
// The zero value is not valid; start from schema.Default[LeafSpine]().
type LeafSpine struct {
	// Leaf switches.
	Leaves int `yaml:"leaves" default:"9" range:">=1 <=4096"`
	// Spine switches.
	Spines int `yaml:"spines" default:"4" range:">=1 <=4096"`
	// Hosts of each leaf.
	HostsPerLeaf int `yaml:"hosts_per_leaf" default:"16" range:">=1 <=4096"`
	// Number of leaves that a host is linked to in each plane; divides leaves.
	Homes int `yaml:"homes" default:"1" range:">=1 <=64" omit:"default"`
	// Number of networks of such leaves and spines, each linked to all hosts.
	Planes int `yaml:"planes" default:"1" range:">=1 <=16" omit:"default"`
	// Rate at which the hosts of a leaf can send, divided by the rate of all its uplinks. This ratio sets fabric_rate;
	// with 0, fabric_rate is set directly.
	Oversubscription float64 `yaml:"oversubscription" default:"0" range:">=0 <=1000" omit:"default"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"10Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" when:"oversubscription=0" default:"40Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
	Wear
}

func (c LeafSpine) Count() int { return c.Leaves / max(1, c.Homes) * c.HostsPerLeaf }
func (c LeafSpine) nodes() int { return c.Count() + c.Planes*(c.Leaves+c.Spines) }
func (c LeafSpine) links() int { return c.Planes * (c.Leaves*c.HostsPerLeaf + c.Leaves*c.Spines) }
func (c LeafSpine) fabricRate() unit.Rate {
	return uplink(c.FabricRate, unit.Rate(c.HostsPerLeaf)*c.HostRate, c.Spines, c.Oversubscription)
}

// Check reports a number of homes that does not divide the leaves.
func (c *LeafSpine) Check(to *schema.Checker, at string) {
	to.FailIf(c.Leaves%c.Homes != 0, at+"homes", fmt.Sprintf("want a divisor of leaves = %d", c.Leaves))
	c.Wear.Check(to, at)
}

// Build makes the graph. Its error lists every rule that c breaks.
func (c LeafSpine) Build() (*Graph, error) {
	v := violations{what: "leaf-spine"}
	v.keys(&c)
	v.uplink(c.fabricRate(), c.Oversubscription)
	v.size(c.nodes(), c.links())
	if err := v.err(); err != nil {
		return nil, err
	}
	b := newBuilder("leaf-spine", c.nodes(), c.links())
	host := b.nodes(c.Count(), Host, layerHost, "h")
	leaf := b.nodes(c.Planes*c.Leaves, Switch, layerEdge, "leaf")
	spine := b.nodes(c.Planes*c.Spines, Switch, layerAgg, "spine")
	for h := range c.Count() {
		for p := range c.Planes {
			for i := range c.Homes {
				b.link(host+NodeID(h), leaf+NodeID(p*c.Leaves+h/c.HostsPerLeaf*c.Homes+i), c.HostRate, c.Delay)
			}
		}
	}
	b.join(leaf, spine, c.Planes, c.Leaves, c.Spines, c.fabricRate(), c.Delay)
	return c.Wear.on(b.g)
}
