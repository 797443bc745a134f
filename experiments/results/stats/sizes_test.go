package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Equal sizes share a row, classes are separate, and a total contains all flows of a class. If there are more sizes
// than rows, sizes share rows, but a row never ends between equal sizes. Computed by hand: six flows of 1 KB that take
// 1 to 6 us are one row with the median 3 us.
func TestSizeTables(t *testing.T) {
	f := &store.Flows{}
	add := func(class uint8, size unit.Bytes, us int, outcome store.FlowStatus) {
		f.Append(store.FlowRecord{
			ID: int64(f.Len()), Size: size, Class: class, FCT: unit.Time(us) * unit.Microsecond,
			Ideal: unit.Microsecond, Outcome: outcome,
		})
	}
	for i := range 6 {
		add(1, 1000, i+1, store.Finished)
	}
	add(1, 3000, 8, store.Finished)
	add(1, 3000, 9, store.Unfinished)
	for i, size := range []unit.Bytes{5, 5, 5, 5, 6, 7, 8, 9} {
		add(0, size, i+1, store.Finished)
	}
	var got []string
	for _, x := range SizeTables(f, Everything(), 3) {
		for _, r := range append(x.Rows, x.All) {
			got = append(got,
				fmt.Sprintf("%d %v: %d to %d, %d flows, %.3g us, %.3g", x.Class, x.Few, r.MinSize, r.MaxSize, r.N,
					1e6*r.FCT.P50, r.Mean))
		}
	}
	want := []string{
		"0 false: 5 to 5, 4 flows, 2 us, 2.5",
		"0 false: 6 to 6, 1 flows, 5 us, 5",
		"0 false: 7 to 9, 3 flows, 7 us, 7",
		"0 false: 5 to 9, 8 flows, 4 us, 4.5",
		"1 true: 1000 to 1000, 6 flows, 3 us, 3.5",
		"1 true: 3000 to 3000, 1 flows, 8 us, 8",
		"1 true: 1000 to 3000, 7 flows, 4 us, 4.14",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	// Half of the flows have one size, which fills five rows. The other rows have a tenth of the flows each.
	f = &store.Flows{}
	for i := range 200 {
		add(0, 100+unit.Bytes(max(0, i-99)), 1, store.Finished)
	}
	got = nil
	for _, r := range SizeTables(f, Everything(), 10)[0].Rows {
		got = append(got, fmt.Sprintf("%d to %d: %d", r.MinSize, r.MaxSize, r.N))
	}
	if want := []string{"100 to 100: 100", "101 to 120: 20", "121 to 140: 20", "141 to 160: 20", "161 to 180: 20",
		"181 to 200: 20"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if list := SizeTables(&store.Flows{}, Everything(), 3); list != nil {
		t.Errorf("no flows: %+v", list)
	}
}

func TestManySizes(t *testing.T) {
	points := []Point{{Size: 1}, {Size: 2}, {Size: 2}, {Size: 3}}
	if !ManySizes(points, 2) || ManySizes(points, 3) || ManySizes(nil, 0) {
		t.Error("three sizes are more than two, and not more than three")
	}
}

// The jackknife of a mean is the mean with its Student-t interval. A single value has no interval.
func TestJackknife(t *testing.T) {
	values := []float64{1, 2, 4, 8, 9}
	want, err := Mean(values, Level)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Jackknife(len(values), func(without int) float64 {
		rest := slices.Clone(values)
		if without >= 0 {
			rest = slices.Delete(rest, without, without+1)
		}
		return stat.Mean(rest, nil)
	}, Level)
	if err != nil || math.Abs(got.Lo-want.Lo)+math.Abs(got.Hi-want.Hi)+math.Abs(got.Value-want.Value) > 1e-9 {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	one, err := Jackknife(1, func(int) float64 { return 3 }, Level)
	if err != nil || one.Bounded() || one.Value != 3 {
		t.Errorf("one value: %+v, %v", one, err)
	}
}
