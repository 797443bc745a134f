package netsim

import "pintlab/netsim/buffer"

// SetBatch makes engines get so few places for packets at a time.
func (r *Parallel) SetBatch(n int) { r.s.slab.batch = n }

// Short returns how often an engine had to stop within a window for want of places.
func (r *Parallel) Short() int { return r.s.slab.short }

// Places returns how many packets the slab of the engines has room for.
func (r *Parallel) Places() int { return len(r.engines[0].pkts) }

// Memory returns the accounting of a switch, nil for a host.
func (n *Network) Memory(node NodeID) *buffer.Shared { return n.buffers[node] }

// Flows returns how many flow slots there are.
func (e *Engine) Flows() int32 { return int32(len(e.live)) }
