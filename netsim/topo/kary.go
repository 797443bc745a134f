package topo

import (
	"fmt"

	"pintlab/netsim/unit"
)

// KAry is the fat tree of switches with K ports: K pods of K/2 edge and K/2 aggregation switches,
// K²/4 core switches and K³/4 hosts. With equal rates it is not oversubscribed. The zero value is
// not valid; start from schema.Default[KAry]().
type KAry struct {
	// Ports of a switch; even.
	K int `yaml:"k" default:"8" range:">=2 <=128"`
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"100Gbps" range:">0bps"`
	// Rate at which the hosts of a ToR can send, divided by the rate of all its uplinks. This ratio sets fabric_rate;
	// with 0, fabric_rate is set directly.
	Oversubscription float64 `yaml:"oversubscription" default:"0" range:">=0 <=1000" omit:"default"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" when:"oversubscription=0" default:"100Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
	Wear
}

func (c KAry) fabricRate() unit.Rate { return uplink(c.FabricRate, c.HostRate, 1, c.Oversubscription) }

// Build makes the graph. Its error lists every rule that c breaks.
func (c KAry) Build() (*Graph, error) {
	v := violations{what: "k-ary fat tree"}
	v.keys(&c)
	v.uplink(c.fabricRate(), c.Oversubscription)
	if err := v.err(); err != nil {
		return nil, err
	}
	return c.Wear.on(FatTree{
		Name: fmt.Sprintf("fat-tree-k%d", c.K),
		Pods: c.K, ToRsPerPod: c.K / 2, AggsPerPod: c.K / 2, CoresPerAgg: c.K / 2, HostsPerToR: c.K / 2,
		HostRate: c.HostRate, FabricRate: c.fabricRate(), Delay: c.Delay,
	}.build())
}
