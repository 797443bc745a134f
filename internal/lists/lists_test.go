package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"pintlab/internal/lists"
)

func TestLists(t *testing.T) {
	list := []int{3, 1, 4, 1, 5}
	odd := func(x int) bool { return x%2 == 1 }
	if got := lists.Map(list, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "4", "1", "5"}) {
		t.Errorf("Map: %q", got)
	}
	if got := lists.Keep(list, odd); !slices.Equal(got, []int{3, 1, 1, 5}) {
		t.Errorf("Keep: %d", got)
	}
	if got, rest := lists.Split(list, odd); !slices.Equal(got, []int{3, 1, 1, 5}) || !slices.Equal(rest, []int{4}) {
		t.Errorf("Split: %d, %d", got, rest)
	}
	if got := lists.Count(list, odd); got != 4 {
		t.Errorf("Count: %d, want 4", got)
	}
	if got := lists.Indices(int32(3)); !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("Indices: %d, want [0 1 2]", got)
	}
	if got := lists.Distinct(list, func(x int) int { return x / 2 }); !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("Distinct: %d, want [1 0 2]", got)
	}
	if got := lists.Sum(list, func(x int) float64 { return float64(x) / 2 }); got != 7 {
		t.Errorf("Sum: %g, want 7", got)
	}
	large := func(x int) bool { return x > 5 }
	if lists.Map([]int{}, strconv.Itoa) != nil || lists.Keep(list, large) != nil || lists.Count(list, large) != 0 {
		t.Error("without items, Map and Keep give nil and Count 0")
	}
	if got, err := lists.Try([]string{"3", "1"}, strconv.Atoi); err != nil || !slices.Equal(got, []int{3, 1}) {
		t.Errorf("Try: %d, %v", got, err)
	}
	if got, err := lists.Try([]string{"3", "x", "1"}, strconv.Atoi); err == nil || got != nil {
		t.Errorf("Try: %d, %v, want the error alone", got, err)
	}
}
