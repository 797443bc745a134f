package topo

import (
	"pintlab/netsim/unit"
)

// Dumbbell is two switches joined by one link, with hosts on either side. Hosts
// 0..Left-1 are on the left. The zero value is not valid; start from
// Default.
type Dumbbell struct {
	// Hosts on the left, numbered first.
	Left int `yaml:"left" default:"2" range:">=1 <=4096"`
	// Hosts on the right.
	Right int `yaml:"right" default:"2" range:">=1 <=4096"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"100Gbps" range:">0bps"`
	// Rate of the link in the middle.
	BottleneckRate unit.Rate `yaml:"bottleneck_rate" default:"100Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

// Build makes the graph. Its error lists every rule that c breaks.
func (c Dumbbell) Build() (*Graph, error) {
	v := violations{what: "dumbbell"}
	v.keys(&c)
	if err := v.err(); err != nil {
		return nil, err
	}
	n := c.Left + c.Right
	b := newBuilder("dumbbell", n+2, n+1)
	host := b.nodes(n, Host, layerHost, "h")
	left := b.nodes(2, Switch, layerEdge, "sw")
	for h := range n {
		sw := left
		if h >= c.Left {
			sw = left + 1
		}
		b.link(host+NodeID(h), sw, c.HostRate, c.Delay)
	}
	b.link(left, left+1, c.BottleneckRate, c.Delay)
	return b.g, nil
}
