package scenario

import (
	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/netsim/topo"
)

// Topology says which network is built.
type Topology struct {
	// Which network.
	schema.Choice
}

// Catalogue returns the networks, for package schema.
func (Topology) Catalogue() schema.Catalogue { return protocols.Networks() }

// Generator returns the parameters of the chosen one.
func (t Topology) Generator() topo.Generator { return t.Params.(topo.Generator) }

// FromFile reports whether a file describes the network, and which.
func (t Topology) FromFile() (path string, ok bool) {
	f, ok := t.Params.(*topo.File)
	if !ok {
		return "", false
	}
	return f.Path, true
}

func (t Topology) check(c *schema.Checker) {
	if r, ok := t.Params.(interface{ Check(*schema.Checker) }); ok {
		r.Check(c)
	}
}
