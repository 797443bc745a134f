package topo

import (
	"pintlab/netsim/unit"
)

// Rail is a rail-optimised network for servers with several hosts (GPUs with a network card each): in a unit of
// servers, the hosts with the same number in their servers are on one leaf, their rail. Every leaf is linked to every
// spine. Host s·rails + r is the r-th of server s. The zero value is not valid; start from Default.
type Rail struct {
	// Units of servers with leaves of their own.
	Units int `yaml:"units" default:"1" range:">=1 <=1024"`
	// Servers of a unit.
	Servers int `yaml:"servers" default:"8" range:">=1 <=4096"`
	// Hosts of a server, and leaves of a unit.
	Rails int `yaml:"rails" default:"8" range:">=1 <=64"`
	// Spine switches.
	Spines int `yaml:"spines" default:"8" range:">=1 <=4096"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"400Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"400Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
	// Rate of the links of each host to a switch inside its server, such as NVLink; 0bps for no such switch.
	ServerRate unit.Rate `yaml:"server_rate" default:"0bps" range:">=0bps"`
	// The first links between leaves and spines, counted by leaf and then by spine, that are not there.
	Failed int `yaml:"failed" default:"0" range:">=0 <=65536"`
	// The next links after these, that have a part of their rate.
	Degraded int `yaml:"degraded" default:"0" range:">=0 <=65536"`
	// What part they have.
	DegradedShare float64 `yaml:"degraded_share" default:"0.25" range:">0 <=1"`
}

func (c Rail) hosts() int  { return c.Units * c.Servers * c.Rails }
func (c Rail) leaves() int { return c.Units * c.Rails }

func (c Rail) Count() int { return c.hosts() }

// Validate reports every rule that c breaks.
func (c Rail) Validate() error {
	v := violations{what: "rail"}
	v.count("units", c.Units, 1, 1024)
	v.count("servers", c.Servers, 1, 4096)
	v.count("rails", c.Rails, 1, 64)
	v.count("spines", c.Spines, 1, 4096)
	v.rate("host_rate", c.HostRate)
	v.rate("fabric_rate", c.FabricRate)
	v.delay("delay", c.Delay)
	v.count("failed", c.Failed, 0, 65536)
	v.count("degraded", c.Degraded, 0, 65536)
	v.size(c.hosts()+c.leaves()+c.Spines+c.Units*c.Servers, 2*c.hosts()+c.leaves()*c.Spines)
	if n := c.leaves() * c.Spines; c.Failed+c.Degraded > n {
		v.add("failed + degraded = %d, want at most the %d links between leaves and spines", c.Failed+c.Degraded, n)
	}
	if c.leaves() > 1 && c.Failed >= c.Spines {
		v.add("failed = %d, want fewer than the %d spines: a leaf must keep a link", c.Failed, c.Spines)
	}
	if slow := unit.Rate(float64(c.FabricRate) * c.DegradedShare); c.Degraded > 0 && slow < 1 {
		v.add("degraded_share = %v leaves no rate", c.DegradedShare)
	}
	return v.err()
}

// Build makes the graph, or reports what Validate finds.
func (c Rail) Build() (*Graph, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := newBuilder("rail", c.hosts()+c.leaves()+c.Spines, c.hosts()+c.leaves()*c.Spines)
	host := b.nodes(c.hosts(), Host, layerHost, "h")
	leaf := b.nodes(c.leaves(), Switch, layerEdge, "leaf")
	spine := b.nodes(c.Spines, Switch, layerAgg, "spine")
	for h := range c.hosts() {
		u := h / (c.Servers * c.Rails)
		b.link(host+NodeID(h), leaf+NodeID(u*c.Rails+h%c.Rails), c.HostRate, c.Delay)
	}
	n := 0
	for l := range c.leaves() {
		for s := range c.Spines {
			rate := c.FabricRate
			if n++; n <= c.Failed {
				continue
			} else if n <= c.Failed+c.Degraded {
				rate = unit.Rate(float64(rate) * c.DegradedShare)
			}
			b.link(leaf+NodeID(l), spine+NodeID(s), rate, c.Delay)
		}
	}
	if c.ServerRate > 0 {
		inside := b.nodes(c.Units*c.Servers, Switch, layerEdge, "server")
		for h := range c.hosts() {
			b.link(host+NodeID(h), inside+NodeID(h/c.Rails), c.ServerRate, c.Delay)
		}
	}
	return b.g, nil
}
