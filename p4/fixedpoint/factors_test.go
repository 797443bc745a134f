package fixedpoint

import (
	"math"
	"testing"

	"pintlab/int/fridge"
)

func TestPrefixesOfFactors(t *testing.T) {
	for _, c := range []fridge.FactorsConfig{
		{Entries: 1 << 16, Probability: 0.5, Limit: 1 << 19},
		{Entries: 1 << 8, Probability: 1, Limit: 1 << 11},
		{Entries: 100, Probability: 0.3, Limit: 1000},
	} {
		f, err := fridge.NewFactors(c)
		if err != nil {
			t.Fatal(err)
		}
		list := FactorPrefixes(f)
		check := func(x uint32) {
			factor, hits := lookup(list, x)
			if hits != 1 || factor != f.Factor(x) {
				t.Fatalf("%+v: x = %d matches %d prefixes with factor %d, want one with %d",
					c, x, hits, factor, f.Factor(x))
			}
		}
		for x := range uint32(3000) {
			check(x)
		}
		for _, s := range f.Steps() {
			check(s.From)
			check(s.From - min(s.From, 1))
		}
		check(math.MaxUint32)
	}
}
