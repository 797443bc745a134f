package mrac

import (
	"cmp"
	"slices"
)

// Distribution collects numbers of flows by size.
type Distribution struct{ flows map[uint64]float64 }

// Collect makes a Distribution of points.
func Collect(points []Point) *Distribution {
	d := &Distribution{map[uint64]float64{}}
	for _, p := range points {
		d.Add(p.Size, p.Flows)
	}
	return d
}

// Points returns the numbers of flows by size, in ascending order of size.
func Points(flows map[uint64]float64) []Point { return (&Distribution{flows}).Points() }

// Add adds a number of flows of a size. The number may be negative.
func (d *Distribution) Add(size uint64, flows float64) { d.flows[size] += flows }

// Points returns the distribution in ascending order of size.
func (d *Distribution) Points() []Point {
	points := make([]Point, 0, len(d.flows))
	for s, n := range d.flows {
		points = append(points, Point{s, n})
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	return points
}

// Between returns the points with from <= Size < to.
func Between(points []Point, from, to uint64) []Point {
	at := func(size uint64) int {
		i, _ := slices.BinarySearchFunc(points, size, func(p Point, s uint64) int { return cmp.Compare(p.Size, s) })
		return i
	}
	return points[at(from):max(at(from), at(to))]
}

// Mean returns the mean of several distributions.
func Mean(of ...[]Point) []Point {
	d := Collect(nil)
	for _, points := range of {
		for _, p := range points {
			d.Add(p.Size, p.Flows/float64(len(of)))
		}
	}
	return d.Points()
}
