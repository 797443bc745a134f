package topo

import "pintlab/netsim/unit"

// FatTree is a three-layer tree of pods. Every ToR is linked to every aggregation switch of its
// pod. Core switch j is linked to aggregation switch j/CoresPerAgg of every pod. Hosts are numbered
// first, then ToRs, aggregation switches and core switches. Hosts, ToRs and aggregation switches
// are numbered pod by pod. The zero value is not valid;
// start from DefaultFatTree320, DefaultClos64 or DefaultFatTree8.
type FatTree struct {
	Name        string    `yaml:"name"`
	Pods        int       `yaml:"pods"`          // 1..512
	ToRsPerPod  int       `yaml:"tors_per_pod"`  // 1..512
	AggsPerPod  int       `yaml:"aggs_per_pod"`  // 1..512
	CoresPerAgg int       `yaml:"cores_per_agg"` // uplinks of an aggregation switch, 1..512
	HostsPerToR int       `yaml:"hosts_per_tor"` // 1..512
	HostRate    unit.Rate `yaml:"host_rate"`     // host to ToR, > 0
	FabricRate  unit.Rate `yaml:"fabric_rate"`   // between switches, > 0
	Delay       unit.Time `yaml:"delay"`         // propagation of every link, 0..MaxDelay
	CommonCores bool      `yaml:"common_cores"`  // all aggregation switches have the same CoresPerAgg core switches
}

// DefaultFatTree320 returns the network of PINT §6.1: 320 servers at 100 Gb/s in 20 racks, 20
// aggregation and 16 core switches in 5 pods, 400 Gb/s between switches, and 1 us per link.
func DefaultFatTree320() FatTree {
	return FatTree{
		Name: "fat320", Pods: 5, ToRsPerPod: 4, AggsPerPod: 4, CoresPerAgg: 4, HostsPerToR: 16,
		HostRate: 100 * unit.Gbps, FabricRate: 400 * unit.Gbps, Delay: unit.Microsecond,
	}
}

// DefaultClos64 returns our interpretation of the network of PINT §2: 64 hosts, 4 pods of 4 ToRs
// and 4 aggregation switches, 16 core switches, all links 10 Gb/s and 1 us. Paths between pods
// cross 5 switches.
func DefaultClos64() FatTree {
	return FatTree{
		Name: "clos64", Pods: 4, ToRsPerPod: 4, AggsPerPod: 4, CoresPerAgg: 4, HostsPerToR: 4,
		HostRate: 10 * unit.Gbps, FabricRate: 10 * unit.Gbps, Delay: unit.Microsecond,
	}
}

// DefaultFatTree8 returns our interpretation of the testbed of SketchINT §VII-A: 8 hosts and 10 switches in a fat tree
// of 40 Gb/s. The SketchINT paper states neither the wiring nor delays. Our network has 2 pods of 2 ToRs and 2
// aggregation switches, 2 core switches, and 1 us per link. Every aggregation switch is joined to both core switches,
// so that the links of a pod carry what its hosts can send, as in every fat tree.
func DefaultFatTree8() FatTree {
	return FatTree{
		Name: "fat8", Pods: 2, ToRsPerPod: 2, AggsPerPod: 2, CoresPerAgg: 2, CommonCores: true, HostsPerToR: 2,
		HostRate: 40 * unit.Gbps, FabricRate: 40 * unit.Gbps, Delay: unit.Microsecond,
	}
}

func (c FatTree) tors() int  { return c.Pods * c.ToRsPerPod }
func (c FatTree) aggs() int  { return c.Pods * c.AggsPerPod }
func (c FatTree) hosts() int { return c.tors() * c.HostsPerToR }
func (c FatTree) cores() int {
	if c.CommonCores {
		return c.CoresPerAgg
	}
	return c.AggsPerPod * c.CoresPerAgg
}
func (c FatTree) links() int {
	return c.hosts() + c.tors()*c.AggsPerPod + c.aggs()*c.CoresPerAgg
}

// Build makes the graph. Its error lists every rule that c breaks.
func (c FatTree) Build() (*Graph, error) {
	v := violations{what: "fat tree"}
	// The limits keep the products below 2^31, the int of a 32-bit machine.
	v.count("pods", c.Pods, 1, 512)
	v.count("tors_per_pod", c.ToRsPerPod, 1, 512)
	v.count("aggs_per_pod", c.AggsPerPod, 1, 512)
	v.count("cores_per_agg", c.CoresPerAgg, 1, 512)
	v.count("hosts_per_tor", c.HostsPerToR, 1, 512)
	v.rate("host_rate", c.HostRate)
	v.rate("fabric_rate", c.FabricRate)
	v.delay("delay", c.Delay)
	v.size(c.hosts()+c.tors()+c.aggs()+c.cores(), c.links())
	if err := v.err(); err != nil {
		return nil, err
	}
	return c.build(), nil
}

func (c FatTree) build() *Graph {
	b := newBuilder(c.Name, c.hosts()+c.tors()+c.aggs()+c.cores(), c.links())
	host := b.nodes(c.hosts(), Host, layerHost, "h")
	tor := b.nodes(c.tors(), Switch, layerEdge, "tor")
	agg := b.nodes(c.aggs(), Switch, layerAgg, "agg")
	core := b.nodes(c.cores(), Switch, layerCore, "core")
	for h := range c.hosts() {
		b.link(host+NodeID(h), tor+NodeID(h/c.HostsPerToR), c.HostRate, c.Delay)
	}
	for t := range c.tors() {
		pod := t / c.ToRsPerPod
		for a := range c.AggsPerPod {
			b.link(tor+NodeID(t), agg+NodeID(pod*c.AggsPerPod+a), c.FabricRate, c.Delay)
		}
	}
	for a := range c.aggs() {
		first := a % c.AggsPerPod * c.CoresPerAgg
		for j := range c.CoresPerAgg {
			b.link(agg+NodeID(a), core+NodeID((first+j)%c.cores()), c.FabricRate, c.Delay)
		}
	}
	return b.g
}
