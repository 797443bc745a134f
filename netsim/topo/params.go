package topo

import (
	"fmt"

	"pintlab/internal/input"
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

// Generator is a network with its parameters: a struct whose tags are its keys in a
// scenario (package internal/schema). experiments/protocols lists the networks.
type Generator interface {
	// Build makes the graph; hosts are numbered first, unless a file says otherwise.
	Build() (*Graph, error)
	// Count is the number of hosts, 0 if only a file knows.
	Count() int
}

// Default is a generator with the parameters that its tags give it.
func Default[G any]() (g G) {
	schema.Defaults(&g)
	return g
}

// PINTFatTree is the network of PINT §6.1 (DefaultFatTree320) with other links.
type PINTFatTree struct {
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"100Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"400Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

// Build is part of Generator.
func (p PINTFatTree) Build() (*Graph, error) {
	c := DefaultFatTree320()
	c.HostRate, c.FabricRate, c.Delay = p.HostRate, p.FabricRate, p.Delay
	return c.Build()
}

// Count is part of Generator.
func (PINTFatTree) Count() int { return DefaultFatTree320().hosts() }

// PINTClos is the network of PINT §2 (DefaultClos64) with other links.
type PINTClos struct {
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"10Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"10Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

// Build is part of Generator.
func (p PINTClos) Build() (*Graph, error) {
	c := DefaultClos64()
	c.HostRate, c.FabricRate, c.Delay = p.HostRate, p.FabricRate, p.Delay
	return c.Build()
}

// Count is part of Generator.
func (PINTClos) Count() int { return DefaultClos64().hosts() }

// SketchINTTestbed is the testbed of SketchINT (DefaultFatTree8) with other links.
type SketchINTTestbed struct {
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"40Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"40Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
}

// Build is part of Generator.
func (p SketchINTTestbed) Build() (*Graph, error) {
	c := DefaultFatTree8()
	c.HostRate, c.FabricRate, c.Delay = p.HostRate, p.FabricRate, p.Delay
	return c.Build()
}

// Count is part of Generator.
func (SketchINTTestbed) Count() int { return DefaultFatTree8().hosts() }

// Count is part of Generator.
func (c KAry) Count() int { return c.K * c.K * c.K / 4 }

// Check reports an odd number of ports.
func (c KAry) Check(to *schema.Checker) {
	if c.K%2 != 0 {
		to.Fail("topology.k", "want an even number: half of the ports of a switch go up, half down")
	}
}

// Count is part of Generator.
func (c LeafSpine) Count() int { return c.Leaves * c.HostsPerLeaf }

// Count is part of Generator.
func (c Dumbbell) Count() int { return c.Left + c.Right }

// Count is part of Generator.
func (c Star) Count() int { return c.Hosts }

// Count is part of Generator.
func (c Chain) Count() int {
	if c.EndsOnly {
		return 2 * c.HostsPerSwitch
	}
	return c.Switches * c.HostsPerSwitch
}

// File is a topology.txt as the HPCC simulators read it.
type File struct {
	// The topology.txt.
	Path string `yaml:"path" file:"yes"`
}

// Build is part of Generator.
func (f File) Build() (*Graph, error) {
	r, err := input.Open(f.Path, input.Map)
	if err != nil {
		return nil, fmt.Errorf("topology.path: %w", err)
	}
	defer r.Close()
	return ReadTopology(r, f.Path)
}

// Count is part of Generator.
func (File) Count() int { return 0 }
