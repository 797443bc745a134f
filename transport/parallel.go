package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
)

// Stacks is the transport of a network that several engines run.
type Stacks struct{ *shared }

// NewParallel makes the transport of the engines of a network and attaches it. It calls done as New
// does.
func NewParallel(p *netsim.Parallel, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record)) (*Stacks, error) {
	engines := p.Engines()
	s, err := newShared(engines[0].Network(), routes, cfg, seed, factory, source, done)
	if err != nil {
		return nil, err
	}
	s.attach(engines...)
	return &Stacks{s}, nil
}
