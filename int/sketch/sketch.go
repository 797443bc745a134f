// Package sketch declares what a sketch of flow sizes can do, and lists the sketches of its folders. A program adds its
// own to the list (protocols.Set).
package sketch

import (
	"fmt"

	"pintlab/int/sketch/elastic"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/int/sketch/tower"
)

// Sketch takes packets in. What it can be asked is in the interfaces below, each of which it may lack.
type Sketch interface {
	// Insert counts one packet of a flow.
	Insert(key uint64)
}

// Estimator knows the sizes of flows.
type Estimator interface {
	// Estimate returns the packets of a flow. ok is false if all counters of the flow have overflowed.
	Estimate(key uint64) (n uint64, ok bool)
}

// Finder finds heavy flows itself. For an Estimator that is none, a table next to the sketch keeps them.
type Finder interface {
	// Heavy returns the packets of a flow that the sketch has kept.
	Heavy(key uint64) (n uint64, ok bool)
	// CountHeavy returns the number of flows that it has kept and that have so many packets.
	CountHeavy(threshold uint64) int
}

// FlowCounter counts flows.
type FlowCounter interface {
	// Cardinality returns the number of flows. ok is false if the sketch is too full to tell.
	Cardinality() (n float64, ok bool)
}

// SizeCounter estimates the distribution of flow sizes.
type SizeCounter interface {
	// Distribution returns how many flows have which size, in ascending order of size.
	Distribution(epochs int) []mrac.Point
}

// EntropyMeter estimates the entropy of flow sizes. For an Estimator that is none, it follows from the estimates.
type EntropyMeter interface {
	// Entropy returns it in bits.
	Entropy() float64
}

// Config is what a sketch is made of. A kind that has no use for a field ignores it.
type Config struct {
	Memory int   // bytes
	Rows   int   // of counters
	Bits   []int // widths of the counters of each array
	Seed   uint64
}

// Kind is a kind of sketch.
type Kind struct {
	Name string
	// New makes an empty sketch within the memory.
	New func(Config) (Sketch, error)
	// Flows makes a sketch that only answers the number of flows and their sizes; nil if New's sketch does that too.
	Flows func(Config) (Sketch, error)
	// Merge adds the counters of a sketch of the same Config; nil if these sketches cannot be merged.
	Merge func(to, from Sketch) error
}

// The shares of the memory that the heavy part of ElasticSketch gets: the second one for cardinality and distribution.
const (
	heavyShare     = 1.0 / 4
	heavyShareDist = 1.0 / 16
)

// Standard returns the sketches of the SketchINT paper and of its code, in the order of its legends, and SuMax.
func Standard() []Kind {
	return []Kind{
		towers("tower-cm", tower.EqualMemory, false),
		towers("tower-cu", tower.EqualMemory, true),
		{"cm", func(c Config) (Sketch, error) {
			return made(rows.NewCountMin(c.Rows, rows.CountersFor(c.Memory, c.Rows), c.Seed))
		}, nil, merge((*rows.CountMin).Merge)},
		{"cu", func(c Config) (Sketch, error) {
			return made(rows.NewCU(c.Rows, rows.CountersFor(c.Memory, c.Rows), c.Seed))
		}, nil, merge((*rows.CU).Merge)},
		towers("cm-o", tower.EqualCounters, false),
		towers("cu-o", tower.EqualCounters, true),
		{"elastic",
			func(c Config) (Sketch, error) { return made(elastic.New(c.Memory, heavyShare, c.Seed)) },
			func(c Config) (Sketch, error) { return made(elastic.New(c.Memory, heavyShareDist, c.Seed)) }, nil},
		{"sumax", func(c Config) (Sketch, error) {
			return made(sumax.NewSizes(c.Rows, rows.CountersFor(c.Memory, c.Rows), c.Seed))
		}, nil, merge((*sumax.Sizes).Merge)},
	}
}

// towers returns a kind of TowerSketch.
func towers(name string, shape func(int, ...int) tower.Config, conservative bool) Kind {
	return Kind{name, func(c Config) (Sketch, error) {
		t := shape(c.Memory, c.Bits...)
		t.Conservative, t.Seed = conservative, c.Seed
		return made(tower.New(t))
	}, nil, merge((*tower.Sketch).Merge)}
}

// made keeps a nil pointer from becoming a Sketch that is not nil.
func made[S Sketch](s S, err error) (Sketch, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// merge makes Kind.Merge of the method of a type.
func merge[S Sketch](method func(to, from S) error) func(to, from Sketch) error {
	return func(to, from Sketch) error {
		a, ok := to.(S)
		b, same := from.(S)
		if !ok || !same {
			return fmt.Errorf("a %T and a %T cannot be merged", to, from)
		}
		return method(a, b)
	}
}
