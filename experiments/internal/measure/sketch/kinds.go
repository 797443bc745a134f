package sketch

import (
	"fmt"
	"strings"

	"pintlab/int/sketch/elastic"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/int/sketch/tower"
)

// Kind names a sketch with its insertion.
type Kind string

// The sketches of the SketchINT paper and of its code, and SuMax.
const (
	TowerCM Kind = "tower-cm" // TowerSketch, CM insertion
	TowerCU Kind = "tower-cu" // TowerSketch, CU insertion
	CM      Kind = "cm"       // Count-Min, three rows of 32-bit counters
	CU      Kind = "cu"       // CU, three rows of 32-bit counters
	CMO     Kind = "cm-o"     // the widths of the tower, equal numbers of counters
	CUO     Kind = "cu-o"
	Elastic Kind = "elastic"
	SuMax   Kind = "sumax" // sum cells of 32 bits alone, in three arrays
)

// SketchINT returns the sketches of the SketchINT paper, in the order of its legends.
func SketchINT() []Kind { return []Kind{TowerCM, TowerCU, CM, CU, CMO, CUO, Elastic} }

// Kinds returns all sketches.
func Kinds() []Kind { return append(SketchINT(), SuMax) }

// UnmarshalText reads the name of a sketch.
func (k *Kind) UnmarshalText(text []byte) error {
	var names []string
	for _, x := range Kinds() {
		if string(x) == string(text) {
			*k = x
			return nil
		}
		names = append(names, string(x))
	}
	return fmt.Errorf("no sketch %q (sketches: %s)", text, strings.Join(names, ", "))
}

// Label returns the name in tables and drawings.
func (k Kind) Label() string {
	return map[Kind]string{TowerCM: "TowerCM", TowerCU: "TowerCU", CM: "CM", CU: "CU", CMO: "CM(O)", CUO: "CU(O)",
		Elastic: "Elastic", SuMax: "SuMax"}[k]
}

// counters is a sketch. It may also be a flowCounter and a sizeCounter.
type counters interface {
	inserter
	estimator
}

type inserter interface{ Insert(key uint64) }

// estimator knows the sizes of flows. ok is false if all counters of a flow have overflowed.
type estimator interface {
	Estimate(key uint64) (n uint64, ok bool)
}

// flowCounter is a sketch that can count flows.
type flowCounter interface {
	// Cardinality returns the number of flows. ok is false if the sketch is too full to tell.
	Cardinality() (n float64, ok bool)
}

// sizeCounter is a sketch that can estimate the distribution of flow sizes.
type sizeCounter interface {
	// Distribution returns how many flows have which size, in ascending order of size.
	Distribution(epochs int) []mrac.Point
}

// rowsOfArrays is how many rows CM, CU and SuMax have (SketchINT, §VII-B1).
const rowsOfArrays = 3

// localBits returns the counters of TowerSketch in the local tasks (§VII-B1).
func localBits() []int { return []int{2, 4, 8, 16, 32} }

// newSketch makes a sketch with the given memory in bytes; d is the number of rows of CM, CU and SuMax, bits are the
// widths of the tower and of CM(O) and CU(O).
func newSketch(k Kind, memory, d int, bits []int, seed uint64) (counters, error) {
	switch k {
	case Elastic:
		return made(newElastic(memory, false, seed))
	case TowerCM, TowerCU, CMO, CUO:
		c := tower.EqualMemory(memory, bits...)
		if k == CMO || k == CUO {
			c = tower.EqualCounters(memory, bits...)
		}
		c.Conservative = k == TowerCU || k == CUO
		c.Seed = seed
		return made(tower.New(c))
	case CM:
		return made(rows.NewCountMin(d, rows.CountersFor(memory, d), seed))
	case CU:
		return made(rows.NewCU(d, rows.CountersFor(memory, d), seed))
	case SuMax:
		return made(sumax.NewSizes(d, rows.CountersFor(memory, d), seed))
	}
	return nil, fmt.Errorf("no sketch %q", k)
}

// made keeps a nil pointer from becoming counters that are not nil.
func made[S counters](s S, err error) (counters, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// The shares of the memory that the heavy part of ElasticSketch gets: the second one for
// cardinality and distribution.
const (
	heavyShare     = 1.0 / 4
	heavyShareDist = 1.0 / 16
)

// newLocal makes a sketch with the rows and counters of the local tasks.
func newLocal(k Kind, memory int, seed uint64) (counters, error) {
	return newSketch(k, memory, rowsOfArrays, localBits(), seed)
}

// newElastic makes an ElasticSketch with the given memory in bytes, for counting flows and their
// sizes, or for their number and distribution.
func newElastic(memory int, distribution bool, seed uint64) (*elastic.Sketch, error) {
	share := heavyShare
	if distribution {
		share = heavyShareDist
	}
	return elastic.New(memory, share, seed)
}
