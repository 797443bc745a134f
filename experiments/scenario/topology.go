package scenario

import (
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

// The kinds of topology.
const (
	FatTree320   = "fattree320"
	Clos64       = "clos64"
	FatTree      = "fattree"
	LeafSpine    = "leafspine"
	Dumbbell     = "dumbbell"
	Star         = "star"
	Chain        = "chain"
	TopologyFile = "file"
)

// Topology says which network is built.
//
//	fattree320  PINT §6.1: 320 hosts, 20 ToR, 20 aggregation and 16 core switches
//	clos64      PINT §2: 64 hosts, 4 pods of 4 ToR and 4 aggregation switches, 16 core switches
//	fattree     the k-ary fat tree: k³/4 hosts
//	leafspine   every leaf joined to every spine
//	dumbbell    hosts on both sides of one link
//	star        hosts around one switch
//	chain       switches in a row, with hosts at the ends or at each
//	file        a topology.txt as the HPCC simulators read it
type Topology struct {
	// Which network.
	Kind string `yaml:"kind" default:"fattree320" oneof:"fattree320|clos64|fattree|leafspine|dumbbell|star|chain|file"`
	// The topology.txt.
	Path string `yaml:"path" when:"kind=file" file:"yes"`
	// Ports of a switch; even.
	K int `yaml:"k" when:"kind=fattree" default:"8" range:">=2 <=64"`
	// Leaf switches.
	Leaves int `yaml:"leaves" when:"kind=leafspine" default:"9" range:">=1 <=4096"`
	// Spine switches.
	Spines int `yaml:"spines" when:"kind=leafspine" default:"4" range:">=1 <=4096"`
	// Hosts of each leaf.
	HostsPerLeaf int `yaml:"hosts_per_leaf" when:"kind=leafspine" default:"16" range:">=1 <=4096"`
	// Hosts on the left, numbered first.
	Left int `yaml:"left" when:"kind=dumbbell" default:"2" range:">=1 <=4096"`
	// Hosts on the right.
	Right int `yaml:"right" when:"kind=dumbbell" default:"2" range:">=1 <=4096"`
	// Hosts around the switch.
	Hosts int `yaml:"hosts" when:"kind=star" default:"17" range:">=2 <=4096"`
	// Switches in the row.
	Switches int `yaml:"switches" when:"kind=chain" default:"5" range:">=1 <=255"`
	// Hosts of each switch that has any; numbered along the row.
	HostsPerSwitch int `yaml:"hosts_per_switch" when:"kind=chain" default:"1" range:">=1 <=4096"`
	// Whether only the first and the last switch have hosts.
	EndsOnly bool `yaml:"ends_only" when:"kind=chain" default:"true"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" when:"kind=fattree320|clos64|fattree|leafspine|dumbbell|star|chain" default:"100Gbps; kind=clos64|leafspine: 10Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" when:"kind=fattree320|clos64|fattree|leafspine|chain" default:"100Gbps; kind=fattree320: 400Gbps; kind=clos64: 10Gbps; kind=leafspine: 40Gbps" range:">0bps"`
	// Rate of the link in the middle.
	BottleneckRate unit.Rate `yaml:"bottleneck_rate" when:"kind=dumbbell" default:"100Gbps" range:">0bps"`
	// Propagation delay of every link.
	LinkDelay unit.Time `yaml:"link_delay" when:"kind=fattree320|clos64|fattree|leafspine|dumbbell|star|chain" default:"1us" range:">=0s <=1s"`
}

// hostCount is the number of hosts, or 0 if only the file knows.
func (t Topology) hostCount() int {
	switch t.Kind {
	case FatTree320:
		return 320
	case Clos64:
		return 64
	case FatTree:
		return t.K * t.K * t.K / 4
	case LeafSpine:
		return t.Leaves * t.HostsPerLeaf
	case Dumbbell:
		return t.Left + t.Right
	case Star:
		return t.Hosts
	case Chain:
		if t.EndsOnly {
			return 2 * t.HostsPerSwitch
		}
		return t.Switches * t.HostsPerSwitch
	}
	return 0
}

func (t Topology) check(c *schema.Checker) {
	if t.Kind == FatTree && t.K%2 != 0 {
		c.Fail("topology.k", "want an even number: half of the ports of a switch go up, half down")
	}
}
