package netsim

import "pintlab/netsim/buffer"

// SetBatch sets the number of slab entries that a worker gets at a time.
func (e *Engine) SetBatch(n int) { e.s.slab.batch = n }

// Short returns how often a worker had to stop within a window because it had no slab entry left.
func (e *Engine) Short() int { return e.s.slab.short }

// Room returns the number of packets for which the slab has room.
func (e *Engine) Room() int { return len(e.pkts) }

// Memory returns the accounting of a switch, nil for a host.
func (n *Network) Memory(node NodeID) *buffer.Shared { return n.buffers[node] }

// Flows returns how many flow slots there are.
func (e *Engine) Flows() int32 { return int32(len(e.live)) }
