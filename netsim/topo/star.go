package topo

import "pintlab/netsim/unit"

// Star is hosts around one switch. The zero value is not valid; start from
// DefaultStar.
type Star struct {
	Hosts int       `yaml:"hosts"` // 1..65536
	Rate  unit.Rate `yaml:"rate"`  // of every link, > 0
	Delay unit.Time `yaml:"delay"` // propagation of every link, 0..MaxDelay
}

// DefaultStar is the network of a 16:1 incast: 17 hosts at 100 Gb/s, 1 us per
// link.
func DefaultStar() Star {
	return Star{Hosts: 17, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}
}

// Validate reports every rule that c breaks.
func (c Star) Validate() error {
	v := violations{what: "star"}
	v.count("hosts", c.Hosts, 1, 1<<16)
	v.rate("rate", c.Rate)
	v.delay("delay", c.Delay)
	return v.err()
}

// Build makes the graph, or reports what Validate finds.
func (c Star) Build() (*Graph, error) {
	if err := c.Validate(); err != nil {
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
