package heavy

// Exact counts every flow in a map. It is the ground truth of the sketches. The zero Exact is empty. It is
// not safe for concurrent use.
type Exact struct {
	flows   map[uint64]uint64
	packets uint64
}

// Insert counts one packet of the flow.
func (c *Exact) Insert(key uint64) {
	if c.flows == nil {
		c.flows = map[uint64]uint64{}
	}
	c.flows[key]++
	c.packets++
}

// Estimate returns the number of packets of the flow.
func (c *Exact) Estimate(key uint64) (n uint64, ok bool) { return c.flows[key], true }

// Packets returns the number of all packets.
func (c *Exact) Packets() uint64 { return c.packets }

// Flows returns the number of different flows.
func (c *Exact) Flows() int { return len(c.flows) }

// Sizes returns the number of packets of every flow. The caller must not change it.
func (c *Exact) Sizes() map[uint64]uint64 { return c.flows }
