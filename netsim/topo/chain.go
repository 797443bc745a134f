package topo

import (
	"pintlab/netsim/unit"
)

// Chain is a row of switches. Hosts are numbered along the row. The zero value is not valid; start
// from schema.Default[Chain]().
type Chain struct {
	// Switches in the row.
	Switches int `yaml:"switches" default:"5" range:">=1 <=255"`
	// Hosts of each switch that has hosts; the hosts are numbered along the row.
	HostsPerSwitch int `yaml:"hosts_per_switch" default:"1" range:">=1 <=4096"`
	// Whether only the first and the last switch have hosts.
	EndsOnly bool `yaml:"ends_only" default:"true"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"100Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"100Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

func (c Chain) Count() int {
	if c.EndsOnly {
		return 2 * c.HostsPerSwitch
	}
	return c.Switches * c.HostsPerSwitch
}

// Build makes the graph. Its error lists every rule that c breaks.
func (c Chain) Build() (*Graph, error) {
	v := violations{what: "chain"}
	v.keys(&c)
	v.size(c.Count()+c.Switches, c.Count()+c.Switches-1)
	if err := v.err(); err != nil {
		return nil, err
	}
	b := newBuilder("chain", c.Count()+c.Switches, c.Count()+c.Switches-1)
	host := b.nodes(c.Count(), Host, layerHost, "h")
	first := b.nodes(c.Switches, Switch, layerEdge, "sw")
	for h := range c.Count() {
		at := h / c.HostsPerSwitch
		if c.EndsOnly {
			at *= c.Switches - 1 // 0 or the last
		}
		b.link(host+NodeID(h), first+NodeID(at), c.HostRate, c.Delay)
	}
	for s := range c.Switches - 1 {
		b.link(first+NodeID(s), first+NodeID(s+1), c.FabricRate, c.Delay)
	}
	b.g.InferLayers() // a switch without hosts is not an edge switch
	return b.g, nil
}
