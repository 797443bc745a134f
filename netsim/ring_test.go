package netsim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/unit"
)

// A ring returns its events in the order of time and tie.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var want []due
		for x := range slot(rapid.IntRange(1, 200).Draw(t, "steps")) {
			switch does := rapid.IntRange(0, 9).Draw(t, "does"); {
			case does < 6:
				d := due{at: unit.Time(rapid.IntRange(0, 20).Draw(t, "at")), tie: uint64(x), slot: x}
				r.insert(d)
				want = append(want, d)
				slices.SortFunc(want, func(a,
					b due) int {
					return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie))
				})
			case does < 8 && len(want) > 0:
				if got := r.pop(); got != want[0] {
					t.Fatalf("%+v, want %+v", got, want[0])
				}
				want = want[1:]
			default:
				gone := slot(rapid.IntRange(0, int(x)).Draw(t, "gone"))
				r.remove(gone)
				want = slices.DeleteFunc(want, func(d due) bool { return d.slot == gone })
			}
			if !slices.Equal(r.all(), want) {
				t.Fatalf("%+v, want %+v", r.all(), want)
			}
		}
	})
}
