package sketch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/int/sketch"
	"pintlab/internal/lists"
)

// Kind is the name of a sketch and its insertion.
type Kind string

// The sketches of the SketchINT paper and of its code, SuMax and FermatSketch.
const (
	TowerCM Kind = "tower-cm" // TowerSketch, CM insertion
	TowerCU Kind = "tower-cu" // TowerSketch, CU insertion
	CM      Kind = "cm"       // Count-Min, three rows of 32-bit counters
	CU      Kind = "cu"       // CU, three rows of 32-bit counters
	CMO     Kind = "cm-o"     // with the widths of the tower, equal numbers of counters
	CUO     Kind = "cu-o"
	Elastic Kind = "elastic"
	SuMax   Kind = "sumax" // only sum cells of 32 bits, in three arrays
	Fermat  Kind = "fermat"
)

// SketchINT returns the sketches of the SketchINT paper, in the order of its legends.
func SketchINT() []Kind { return []Kind{TowerCM, TowerCU, CM, CU, CMO, CUO, Elastic} }

// UnmarshalText reads the name of a sketch, which Check looks up.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Kind(text)
	return nil
}

// Names returns the names of a list.
func Names(known []sketch.Kind) []Kind {
	return lists.Map(known, func(k sketch.Kind) Kind { return Kind(k.Name) })
}

// Check returns an error for the first name that no sketch of the list has.
func Check(known []sketch.Kind, names ...Kind) error {
	for _, k := range names {
		if _, err := find(known, k); err != nil {
			return err
		}
	}
	return nil
}

// HaveRows reports whether at least one of the named sketches has rows.
func HaveRows(known []sketch.Kind, names ...Kind) bool {
	return slices.ContainsFunc(known, func(k sketch.Kind) bool {
		return k.Rows && slices.Contains(names, Kind(k.Name))
	})
}

// find returns the sketch with the given name.
func find(known []sketch.Kind, name Kind) (*sketch.Kind, error) {
	if known == nil {
		known = protocols.Standard().Sketches
	}
	for i := range known {
		if known[i].Name == string(name) {
			return &known[i], nil
		}
	}
	names := lists.Map(Names(known), func(k Kind) string { return string(k) })
	return nil, fmt.Errorf("no sketch %q (sketches: %s)", name, strings.Join(names, ", "))
}

// empty makes a sketch of a kind. A sketch that takes more than its memory would have an advantage over the others. An
// array of small counters may take one byte more, because it ends at a whole byte.
func empty(k *sketch.Kind, c sketch.Config) (sketch.Sketch, error) {
	s, err := k.New(c)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errors.New("function New returns no sketch")
	}
	if n := s.Memory(); n < 1 || n > c.Memory+len(c.Bits) {
		return nil, fmt.Errorf("the new sketch takes %d B, want 1 to %d", n, c.Memory)
	}
	return s, nil
}

// Label returns the name of the sketch in tables and drawings. It is the paper's name or, if the paper has none, the
// name of the kind.
func (k Kind) Label() string {
	return cmp.Or(map[Kind]string{
		TowerCM: "TowerCM", TowerCU: "TowerCU", CM: "CM", CU: "CU", CMO: "CM(O)", CUO: "CU(O)",
		Elastic: "Elastic", SuMax: "SuMax", Fermat: "FermatSketch",
	}[k], string(k))
}

// localBits returns the widths of TowerSketch's counters in the local tasks (§VII-B1).
func localBits() []int { return []int{2, 4, 8, 16, 32} }

// local returns the configuration of a sketch for the local tasks. If rows is 0, the sketch has as many rows as in the
// paper.
func local(memory, rows int, seed uint64) sketch.Config {
	return sketch.Config{Memory: memory, Rows: cmp.Or(rows, Paper().Rows), Bits: localBits(), Seed: seed}
}
