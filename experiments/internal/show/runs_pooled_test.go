package show

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedsOf returns a view of two runs that differ only in the seed. Run i has flows of size sizes[i]. All its
// percentiles have the value values[i]; with 0, the run has no finished flow.
func seedsOf(sizes [2]float64, values [2]float64) *view {
	v := &view{scheme: map[string]string{"a": "HPCC", "b": "HPCC"}}
	for i, run := range []string{"a", "b"} {
		for _, table := range []string{slowdowns, bySizes} {
			for _, m := range []string{"p50", "p95", "p99"} {
				if values[i] > 0 {
					v.rows = append(v.rows, RunRow{Table: table, Run: run, Measure: m, Size: sizes[i],
						Share: math.NaN(), Value: values[i], Flows: 1, Least: sizes[i]})
				}
			}
		}
		v.rows = append(v.rows, RunRow{Table: summary, Run: run, Measure: "goodput", Size: math.NaN(),
			Share: math.NaN(), Value: math.NaN(), Least: math.NaN()})
	}
	return v
}

// An interval whose lower end is 0 is a valid interval.
func TestIntervalFromZero(t *testing.T) {
	rows, _, err := seedsOf([2]float64{1e4, 1e4}, [2]float64{0.001, 0.003}).pooled()
	if err != nil || len(rows) != 2*len(percentiles) {
		t.Fatalf("%+v, %v", rows, err)
	}
	for _, r := range rows {
		if r.Run != "HPCC" || r.Value != 0.002 || r.Table == bySizes && (r.lo != 0 || r.hi <= 0.003) {
			t.Errorf("%+v", r)
		}
	}
	for _, d := range drawSizes(rows) {
		for _, p := range d.Plot.Panels {
			if s := p.Series[0]; len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X) {
				t.Errorf("%d points, intervals from %v to %v", len(s.X), s.Lo, s.Hi)
			}
		}
	}
}

// Seeds whose flows have different sizes are not averaged.
func TestOtherSizesAreNotPooled(t *testing.T) {
	rows, _, err := seedsOf([2]float64{1e4, 4e5}, [2]float64{0.001, 0.003}).pooled()
	var sizes []float64
	for _, r := range rows {
		if r.Table == bySizes && r.Measure == "p95" {
			sizes = append(sizes, r.Size)
		}
	}
	if err != nil || !cmp.Equal(sizes, []float64{1e4, 4e5}) {
		t.Errorf("sizes %v, %v", sizes, err)
	}
}

// Seeds without a finished flow are not pooled.
func TestNothingToPool(t *testing.T) {
	if rows, _, err := seedsOf([2]float64{}, [2]float64{}).pooled(); err != nil || len(rows) != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}
