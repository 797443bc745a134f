package scenario

import (
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
)

// Topology is the network that is built.
type Topology struct {
	// Network.
	schema.Choice
}

// Generator returns the parameters of the chosen network.
func (t Topology) Generator() topo.Generator { return t.Params.(topo.Generator) }

// FromFile returns the file that describes the network. ok is false if no file describes it.
func (t Topology) FromFile() (path string, ok bool) {
	f, ok := t.Params.(*topo.File)
	if !ok {
		return "", false
	}
	return f.Path, true
}

func (t Topology) check(c *schema.Checker) {
	if r, ok := t.Params.(interface{ Check(*schema.Checker, string) }); ok {
		r.Check(c, "topology.")
	}
}
