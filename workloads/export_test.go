package workloads

import "slices"

// Functions that only tests use.

// Points returns the points of the distribution. It adds a first point at 0 % if it is missing.
func (c *CDF) Points() []Point { return slices.Clone(c.points) }

// Flows returns the number of flows according to the first line.
func (fr *FlowReader) Flows() int { return int(fr.want) }
