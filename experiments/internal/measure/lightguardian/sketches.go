package lightguardian

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/protocols"
	"pintlab/int/sketch"
)

// registered maps the paper's sketches to their names in the list of all sketches.
var registered = map[string]string{CM: "cm", CU: "cu", SuMax: "sumax"}

// counter is a sketch of flow sizes.
type counter interface {
	sketch.Sketch
	sketch.Estimator
}

// spread is a sketch that estimates the number of flows and their sizes.
type spread interface {
	sketch.FlowCounter
	sketch.SizeCounter
}

// OfSizes returns the names of the sketches that estimate sizes of flows: the paper's and the program's own. tasks
// reports whether Tasks can measure a sketch.
func (t *Trace) OfSizes() (names []string, tasks func(name string) bool) {
	names = slices.Clone(Sketches)
	able := map[string]bool{CM: true, CU: true, SuMax: true}
	for _, k := range t.set().OwnSketches() {
		s, err := k.New(sketch.Config{Memory: 1 << 16, Rows: Arrays, Bits: bits()})
		if _, ok := s.(counter); ok && err == nil {
			names = append(names, k.Name)
			_, able[k.Name] = s.(spread)
		}
	}
	return names, func(name string) bool { return able[name] }
}

func (t *Trace) set() *protocols.Set {
	return cmp.Or(t.Protocols, protocols.Standard())
}

// bits lists the widths of counters in sketches that have several widths.
func bits() []int { return []int{2, 4, 8, 16, 32} }

// newCounter makes a sketch with w counters of 32 bits in each array. If its counters have another size, it has as much
// memory.
func (t *Trace) newCounter(name string, w int, seed uint64) (counter, error) {
	known := t.set().Sketches
	i := slices.IndexFunc(known, func(k sketch.Kind) bool { return k.Name == cmp.Or(registered[name], name) })
	s, err := known[i].New(sketch.Config{Memory: 4 * w * Arrays, Rows: Arrays, Bits: bits(), Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s.(counter), nil
}
