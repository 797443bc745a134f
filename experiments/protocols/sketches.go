package protocols

import (
	"fmt"
	"slices"

	"pintlab/int/sketch"
	"pintlab/int/sketch/elastic"
	"pintlab/int/sketch/fermat"
	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/int/sketch/tower"
)

// sketches returns the sketches of the SketchINT paper and of its code, in the order of the legends of the paper. SuMax
// and FermatSketch follow.
func sketches() []sketch.Kind {
	return []sketch.Kind{
		towers("tower-cm", tower.EqualMemory, false),
		towers("tower-cu", tower.EqualMemory, true),
		ofRows("cm", rows.NewCountMin, (*rows.CountMin).Merge),
		ofRows("cu", rows.NewCU, (*rows.CU).Merge),
		towers("cm-o", tower.EqualCounters, false),
		towers("cu-o", tower.EqualCounters, true),
		{Name: "elastic", New: elastics(1. / 4), Flows: elastics(1. / 16)}, // as its authors recommend
		ofRows("sumax", sumax.NewSizes, (*sumax.Sizes).Merge),
		{Name: "fermat", Rows: true, Merge: merge((*fermat.Sketch).Merge),
			New: func(c sketch.Config) (sketch.Sketch, error) { return made(fermat.Within(c.Memory, c.Rows, c.Seed)) }},
	}
}

// OwnSketches returns the sketches that the standard set lacks: another module has added them.
func (s *Set) OwnSketches() []sketch.Kind {
	standard := sketches()
	return slices.DeleteFunc(slices.Clone(s.Sketches), func(k sketch.Kind) bool {
		return slices.ContainsFunc(standard, func(o sketch.Kind) bool { return o.Name == k.Name })
	})
}

// towers returns a kind of TowerSketch.
func towers(name string, shape func(int, ...int) tower.Config, conservative bool) sketch.Kind {
	return sketch.Kind{Name: name, Merge: merge((*tower.Sketch).Merge),
		New: func(c sketch.Config) (sketch.Sketch, error) {
			t := shape(c.Memory, c.Bits...)
			t.Conservative, t.Seed = conservative, c.Seed
			return made(tower.New(t))
		}}
}

// ofRows returns a kind with rows of 32-bit counters.
func ofRows[S sketch.Sketch](
	name string, fresh func(rows, counters int, seed uint64) (S, error), add func(to, from S) error,
) sketch.Kind {
	return sketch.Kind{Name: name, Rows: true, Merge: merge(add),
		New: func(c sketch.Config) (sketch.Sketch, error) {
			return made(fresh(c.Rows, rows.CountersFor(c.Memory, c.Rows), c.Seed))
		}}
}

// elastics returns a function that makes ElasticSketches whose heavy part has a share of the memory.
func elastics(share float64) func(sketch.Config) (sketch.Sketch, error) {
	return func(c sketch.Config) (sketch.Sketch, error) { return made(elastic.New(c.Memory, share, c.Seed)) }
}

// made prevents a nil pointer from becoming an interface value that is not nil.
func made[S sketch.Sketch](s S, err error) (sketch.Sketch, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// merge makes a function for Kind.Merge from the method of a type.
func merge[S sketch.Sketch](method func(to, from S) error) func(to, from sketch.Sketch) error {
	return func(to, from sketch.Sketch) error {
		a, ok := to.(S)
		b, same := from.(S)
		if !ok || !same {
			return fmt.Errorf("a %T and a %T cannot be merged", to, from)
		}
		return method(a, b)
	}
}
