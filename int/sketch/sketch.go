// Package sketch declares what a sketch of flow sizes can do. Package protocols lists the sketches of this module, and
// a program adds its own to the list (protocols.Set).
package sketch

import "pintlab/int/sketch/mrac"

// Sketch counts packets. The interfaces below describe the questions that a sketch may answer; each is optional.
type Sketch interface {
	// Insert counts n packets of a flow, or n bytes: all insertions into a sketch have one unit.
	Insert(key, n uint64)
	// Memory returns the bytes that the sketch takes, at most Config.Memory. An array of small counters may
	// take a byte more, because it ends at a whole byte.
	Memory() int
}

// Estimator estimates the sizes of flows.
type Estimator interface {
	// Estimate returns the size of a flow. ok is false if all counters of the flow have overflowed.
	Estimate(key uint64) (n uint64, ok bool)
}

// Finder finds heavy flows in its own structure. For other Estimators, a separate table keeps the heavy flows.
type Finder interface {
	// Heavy returns the size of a flow that the sketch has kept.
	Heavy(key uint64) (n uint64, ok bool)
	// CountHeavy returns the number of flows that the sketch has kept and whose size is at least threshold.
	CountHeavy(threshold uint64) int
}

// Decoder is an Estimator that decodes its flows. If it cannot decode all of them, estimates are upper bounds, unless
// ok of Estimate is false. Decoding reads the whole sketch, so estimates are meant for the end of a trace.
type Decoder interface {
	Estimator
	// Decode returns the flows that can be decoded, with their sizes. complete reports whether these are all flows.
	Decode() (flows map[uint64]int64, complete bool)
}

// FlowCounter counts flows.
type FlowCounter interface {
	// Cardinality returns the number of flows. ok is false if the sketch is too full to tell.
	Cardinality() (n float64, ok bool)
}

// SizeCounter estimates the distribution of flow sizes.
type SizeCounter interface {
	// Distribution returns the number of flows of each size, in ascending order of size.
	Distribution(epochs int) []mrac.Point
}

// EntropyMeter estimates the entropy of flow sizes. For other Estimators, entropy is computed from the estimates of
// flow sizes.
type EntropyMeter interface {
	// Entropy returns the entropy in bits.
	Entropy() float64
}

// Config contains the shape and the seed of a sketch. A kind ignores the fields that it does not need.
type Config struct {
	Memory int   // bytes
	Rows   int   // rows of counters
	Bits   []int // widths of the counters of each array
	Seed   uint64
}

// Kind is a kind of sketch.
type Kind struct {
	Name string
	Rows bool // whether it has Config.Rows rows
	// New makes an empty sketch that takes at most Config.Memory.
	New func(Config) (Sketch, error)
	// Flows makes a sketch that only estimates the number of flows and their sizes. Flows is nil if the sketch that New
	// makes also does this.
	Flows func(Config) (Sketch, error)
	// Merge adds the counters of a sketch of the same Config; nil if these sketches cannot be merged.
	Merge func(to, from Sketch) error
}
