package topo

import (
	"pintlab/netsim/unit"
)

// Rail is a rail-optimised network for servers with several hosts (GPUs with a network card each).
// In a unit of servers, the hosts with the same number in their servers are linked to the same
// leaf, their rail. Every leaf is linked to every spine. Host s·rails + r is host r of server s.
// With Planes, there are several such networks that share only the hosts. The zero value is not
// valid; start from schema.Default[Rail]().
type Rail struct {
	// Number of groups of servers, each with its own leaves.
	Units int `yaml:"units" default:"1" range:">=1 <=1024"`
	// Servers of a unit.
	Servers int `yaml:"servers" default:"8" range:">=1 <=4096"`
	// Hosts of a server, and leaves of a unit.
	Rails int `yaml:"rails" default:"8" range:">=1 <=64"`
	// Spine switches.
	Spines int `yaml:"spines" default:"8" range:">=1 <=4096"`
	// Number of networks of such leaves and spines, each linked to all hosts.
	Planes int `yaml:"planes" default:"1" range:">=1 <=16" omit:"default"`
	// Rate at which the hosts of a leaf can send, divided by the rate of all its uplinks. This ratio sets fabric_rate;
	// with 0, fabric_rate is set directly.
	Oversubscription float64 `yaml:"oversubscription" default:"0" range:">=0 <=1000" omit:"default"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"400Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" when:"oversubscription=0" default:"400Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
	// Rate of the links of each host to a switch inside its server, such as NVLink; 0bps for no such switch.
	ServerRate unit.Rate `yaml:"server_rate" default:"0bps" range:">=0bps"`
	Wear
}

func (c Rail) hosts() int  { return c.Units * c.Servers * c.Rails }
func (c Rail) leaves() int { return c.Units * c.Rails }
func (c Rail) fabricRate() unit.Rate {
	return uplink(c.FabricRate, unit.Rate(c.Servers)*c.HostRate, c.Spines, c.Oversubscription)
}

func (c Rail) Count() int { return c.hosts() }

// Build makes the graph. Its error lists every rule that c breaks.
func (c Rail) Build() (*Graph, error) {
	v := violations{what: "rail"}
	v.keys(&c)
	v.uplink(c.fabricRate(), c.Oversubscription)
	v.size(c.hosts()+c.Planes*(c.leaves()+c.Spines)+c.Units*c.Servers,
		(1+c.Planes)*c.hosts()+c.Planes*c.leaves()*c.Spines)
	if err := v.err(); err != nil {
		return nil, err
	}
	b := newBuilder("rail", c.hosts()+c.Planes*(c.leaves()+c.Spines), c.Planes*(c.hosts()+c.leaves()*c.Spines))
	host := b.nodes(c.hosts(), Host, layerHost, "h")
	leaf := b.nodes(c.Planes*c.leaves(), Switch, layerEdge, "leaf")
	spine := b.nodes(c.Planes*c.Spines, Switch, layerAgg, "spine")
	for h := range c.hosts() {
		u := h / (c.Servers * c.Rails)
		for p := range c.Planes {
			b.link(host+NodeID(h), leaf+NodeID(p*c.leaves()+u*c.Rails+h%c.Rails), c.HostRate, c.Delay)
		}
	}
	b.join(leaf, spine, c.Planes, c.leaves(), c.Spines, c.fabricRate(), c.Delay)
	if c.ServerRate > 0 {
		inside := b.nodes(c.Units*c.Servers, Switch, layerEdge, "server")
		for h := range c.hosts() {
			b.link(host+NodeID(h), inside+NodeID(h/c.Rails), c.ServerRate, c.Delay)
			b.g.Nodes[inside+NodeID(h/c.Rails)].Inside = true
		}
	}
	return c.Wear.on(b.g)
}
