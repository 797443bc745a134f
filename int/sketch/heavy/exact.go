package heavy

// Exact counts every flow in a map. It is the ground truth of the sketches. The zero Exact is empty. It is
// not safe for concurrent use.
type Exact struct {
	flows map[uint64]uint64
	total uint64
}

// Insert counts n packets or bytes of the flow.
func (c *Exact) Insert(key, n uint64) {
	if c.flows == nil {
		c.flows = map[uint64]uint64{}
	}
	c.flows[key] += n
	c.total += n
}

// Estimate returns the size of the flow.
func (c *Exact) Estimate(key uint64) (n uint64, ok bool) { return c.flows[key], true }

// Total returns the sum of all sizes.
func (c *Exact) Total() uint64 { return c.total }

// Flows returns the number of different flows.
func (c *Exact) Flows() int { return len(c.flows) }

// Sizes returns the size of every flow. The caller must not change the map.
func (c *Exact) Sizes() map[uint64]uint64 { return c.flows }
