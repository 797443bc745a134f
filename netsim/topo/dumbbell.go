package topo

import "pintlab/netsim/unit"

// Dumbbell is two switches joined by one link, with hosts on either side. Hosts
// 0..Left-1 are on the left. The zero value is not valid; start from
// DefaultDumbbell.
type Dumbbell struct {
	Left           int       `yaml:"left"`            // hosts on the left, 1..65536
	Right          int       `yaml:"right"`           // hosts on the right, 1..65536
	HostRate       unit.Rate `yaml:"host_rate"`       // host to switch, > 0
	BottleneckRate unit.Rate `yaml:"bottleneck_rate"` // between the switches, > 0
	Delay          unit.Time `yaml:"delay"`           // propagation of every link, 0..MaxDelay
}

// DefaultDumbbell has 2 hosts a side and 100 Gb/s everywhere, 1 us per link.
func DefaultDumbbell() Dumbbell {
	return Dumbbell{
		Left: 2, Right: 2,
		HostRate: 100 * unit.Gbps, BottleneckRate: 100 * unit.Gbps, Delay: unit.Microsecond,
	}
}

// Validate reports every rule that c breaks.
func (c Dumbbell) Validate() error {
	v := violations{what: "dumbbell"}
	v.count("left", c.Left, 1, 1<<16)
	v.count("right", c.Right, 1, 1<<16)
	v.rate("host_rate", c.HostRate)
	v.rate("bottleneck_rate", c.BottleneckRate)
	v.delay("delay", c.Delay)
	return v.err()
}

// Build makes the graph, or reports what Validate finds.
func (c Dumbbell) Build() (*Graph, error) {
	if err := c.Validate(); err != nil {
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
