package netsim

import "pintlab/netsim/buffer"

// Memory is the accounting of a switch, nil for a host.
func (n *Network) Memory(node NodeID) *buffer.Shared { return n.buffers[node] }
