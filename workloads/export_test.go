package workloads

import "slices"

// What only tests ask.

// Points are the points of the distribution, with a first one at 0 % added if it
// was missing.
func (c *CDF) Points() []Point { return slices.Clone(c.points) }

// Flows is the number of flows that the first line promises.
func (fr *FlowReader) Flows() int { return int(fr.want) }
