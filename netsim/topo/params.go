package topo

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"pintlab/internal/input"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Generator is a network with its parameters: a struct whose tags are its keys in a scenario
// (package netsim/schema). experiments/protocols lists all of them.
type Generator interface {
	// Build makes the graph, and returns an error if Graph.Validate does. Hosts are numbered first, except in
	// some files.
	Build() (*Graph, error)
	// Count returns the number of hosts, or 0 if it is known only from a file.
	Count() int
}

// over makes the graph with other links.
func (c FatTree) over(host, fabric unit.Rate, delay unit.Time) (*Graph, error) {
	c.HostRate, c.FabricRate, c.Delay = host, fabric, delay
	return c.Build()
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

func (p PINTFatTree) Build() (*Graph, error) {
	return DefaultFatTree320().over(p.HostRate, p.FabricRate, p.Delay)
}

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

func (p PINTClos) Build() (*Graph, error) {
	return DefaultClos64().over(p.HostRate, p.FabricRate, p.Delay)
}

func (PINTClos) Count() int { return DefaultClos64().hosts() }

// SketchINTTestbed is the testbed of SketchINT (DefaultFatTree8) with other links.
type SketchINTTestbed struct {
	// Rate of the links to hosts.
	HostRate unit.Rate `yaml:"host_rate" default:"40Gbps" range:">0bps"`
	// Rate of the links between switches.
	FabricRate unit.Rate `yaml:"fabric_rate" default:"40Gbps" range:">0bps"`
	// Propagation delay of every link.
	Delay unit.Time `yaml:"link_delay" default:"1us" range:">=0s <=1s"`
	// Links of an aggregation switch to core switches. With 2 it is joined to both of them, and a pod can send to the
	// other one as much as its hosts can; with 1 half of that.
	Uplinks int `yaml:"uplinks" default:"2" range:">=1 <=2"`
}

func (p SketchINTTestbed) Build() (*Graph, error) {
	c := DefaultFatTree8()
	if p.Uplinks == 1 {
		c.CoresPerAgg, c.CommonCores = 1, false
	}
	return c.over(p.HostRate, p.FabricRate, p.Delay)
}

func (SketchINTTestbed) Count() int { return DefaultFatTree8().hosts() }

func (c KAry) Count() int { return c.K * c.K * c.K / 4 }

// Check reports an odd number of ports.
func (c *KAry) Check(to *schema.Checker, at string) {
	c.Wear.Check(to, at)
	to.FailIf(c.K%2 != 0, at+"k", "want an even number, because half of the ports of a switch are for links up and "+
		"half for links down")
}

func (c Dumbbell) Count() int { return c.Left + c.Right }

func (c Star) Count() int { return c.Hosts }

// File is a network from a file: a topology.txt as the HPCC simulators read it, a .topo of htsim, or a map
// in GML or GraphML. A map has only switches and links; the other keys add the hosts and the missing values.
// Hosts are numbered first, then the switches in the order of the map.
type File struct {
	// The file: a map if its name ends in .gml, .graphml or .xml, a file of htsim if it ends in .topo, otherwise a
	// topology.txt.
	Path string `yaml:"path" file:"yes"`
	// Hosts at each switch of a map; maps contain no hosts.
	Hosts int `yaml:"map_hosts" default:"0" range:">=0 <=4096" omit:"default"`
	// Rate of the links to the hosts of a map.
	HostRate unit.Rate `yaml:"map_host_rate" default:"0bps" range:">=0bps" omit:"default"`
	// Rate of the links of a map that have no LinkSpeedRaw.
	Rate unit.Rate `yaml:"map_rate" default:"0bps" range:">=0bps" omit:"default"`
	// Propagation delay of every link of a map.
	Delay unit.Time `yaml:"map_delay" default:"0s" range:">=0s <=1000s" omit:"default"`
	// Keep only the largest part of a map that is not connected.
	LargestPart bool `yaml:"map_largest_part" default:"false" omit:"default"`
}

// IsMap reports whether a file is a map, by the extension of its name.
func IsMap(path string) bool {
	return slices.Contains([]string{".gml", ".graphml", ".xml"}, filepath.Ext(path))
}

// Check reports map keys for a file that is not a map, and missing keys for a map.
func (f *File) Check(c *schema.Checker, at string) {
	for _, k := range []struct {
		key         string
		given, must bool
		rule        string
	}{
		{"map_hosts", f.Hosts != 0, true, "at least 1"},
		{"map_host_rate", f.HostRate != 0, true, "the rate of the links to hosts"},
		{"map_rate", f.Rate != 0, false, ""},
		{"map_delay", f.Delay != 0, true, "the delay of its links"},
		{"map_largest_part", f.LargestPart, false, ""},
	} {
		switch key := at + k.key; {
		case k.given && !IsMap(f.Path):
			c.FailFor(at+"path", key, fmt.Sprintf("has no effect on %s (only on a map: .gml, .graphml, .xml)", f.Path))
		case !k.given && k.must && IsMap(f.Path):
			c.FailFor(at+"path", key, fmt.Sprintf("missing: the map does not contain this value; want %s", k.rule))
		}
	}
}

func (f File) Build() (*Graph, error) {
	r, err := input.Open(f.Path, input.Map)
	if err != nil {
		return nil, fmt.Errorf("topology.path: %w", err)
	}
	defer r.Close()
	g, err := read(r, f.Path, Fill{Rate: f.Rate, Delay: f.Delay, Largest: f.LargestPart, Asked: f.Rate != 0})
	if e := (*RateError)(nil); errors.As(err, &e) {
		return nil, fmt.Errorf("topology.map_rate: %w", err)
	}
	if err != nil || !IsMap(f.Path) {
		return g, err
	}
	return f.attach(g)
}

// attach adds the hosts of every switch of a map.
func (f File) attach(g *Graph) (*Graph, error) {
	switches := len(g.Nodes)
	v := violations{what: f.Path}
	v.size(switches*(1+f.Hosts), switches*f.Hosts+len(g.Links))
	if err := v.err(); err != nil {
		return nil, fmt.Errorf("topology.map_hosts: %d: %w", f.Hosts, err)
	}
	hosts := switches * f.Hosts
	whole := &Graph{Name: g.Name, Changes: g.Changes, Nodes: append(make([]Node, hosts, hosts+switches), g.Nodes...)}
	for h := range hosts {
		whole.Links = append(whole.Links,
			Link{A: NodeID(h), B: NodeID(hosts + h/f.Hosts), Rate: f.HostRate, Delay: f.Delay})
	}
	for _, l := range g.Links {
		l.A, l.B = l.A+NodeID(hosts), l.B+NodeID(hosts)
		whole.Links = append(whole.Links, l)
	}
	whole.InferLayers()
	return whole, whole.Validate()
}

func (File) Count() int { return 0 }
