package topo

import (
	"pintlab/netsim/unit"
)

// Star is a network of hosts around one switch. The zero value is not valid; start from
// schema.Default[Star]().
type Star struct {
	// Hosts around the switch.
	Hosts int `yaml:"hosts" default:"17" range:">=2 <=4096"`
	// Rate of the links to hosts.
	Rate unit.Rate `yaml:"host_rate" default:"100Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

// Build makes the graph. Its error lists every rule that c breaks.
func (c Star) Build() (*Graph, error) {
	v := violations{what: "star"}
	v.keys(&c)
	if err := v.err(); err != nil {
		return nil, err
	}
	b := newBuilder("star", c.Hosts+1, c.Hosts)
	host := b.nodes(c.Hosts, Host, layerHost, "h")
	sw := b.nodes(1, Switch, layerEdge, "sw")
	for h := range c.Hosts {
		b.link(host+NodeID(h), sw, c.Rate, c.Delay)
	}
	return b.g, nil
}
