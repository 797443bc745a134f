// Package exact counts every flow: the ground truth of the sketches, and row zero of
// every comparison with them.
package exact

// Counter counts keys in a map. The zero Counter is empty. It is not safe for concurrent
// use.
type Counter struct {
	flows   map[uint64]uint64
	packets uint64
}

// Insert counts one packet of the flow.
func (c *Counter) Insert(key uint64) {
	if c.flows == nil {
		c.flows = map[uint64]uint64{}
	}
	c.flows[key]++
	c.packets++
}

// Estimate returns the number of packets of the flow.
func (c *Counter) Estimate(key uint64) (n uint64, ok bool) { return c.flows[key], true }

// Packets returns the number of all packets.
func (c *Counter) Packets() uint64 { return c.packets }

// Flows returns the number of different flows.
func (c *Counter) Flows() int { return len(c.flows) }

// Sizes returns the number of packets of every flow. The caller must not change it.
func (c *Counter) Sizes() map[uint64]uint64 { return c.flows }
