package lightguardian

import (
	"math"
	"testing"

	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
)

// ares returns, for each sketch, the ARE of the largest flows: a list over the numbers of flows, each with a list over
// the seeds.
func ares(t *testing.T, trace *Trace, memory int, largest []int, seeds int) map[string][][]float64 {
	t.Helper()
	by := map[string][][]float64{}
	for _, sketch := range Sketches {
		list := make([][]float64, len(largest))
		for seed := range uint64(seeds) {
			x, err := trace.Size(sketch, memory, largest, seed+1)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range x {
				list[i] = append(list[i], a)
			}
		}
		by[sketch] = list
	}
	return by
}

// over returns the ratio of the sums of two lists over the seeds. half is half of the width of its 95 % interval, by
// the delta method.
func over(t *testing.T, a, b []float64) (ratio, half float64) {
	t.Helper()
	sum := lists.Sum(b, func(x float64) float64 { return x })
	if sum == 0 {
		return math.NaN(), math.NaN()
	}
	ratio = lists.Sum(a, func(x float64) float64 { return x }) / sum
	var off []float64
	for i := range a {
		off = append(off, (a[i]-ratio*b[i])*float64(len(b))/sum)
	}
	iv, err := stats.Mean(off, stats.Level)
	if err != nil {
		t.Fatal(err)
	}
	return ratio, iv.Hi - iv.Value
}

// place returns the position of SuMax on a scale on which CM is 0 and CU is 1.
func place(t *testing.T, by map[string][][]float64, i int) (at, half float64) {
	t.Helper()
	var above, apart []float64
	for k, cm := range by[CM][i] {
		above, apart = append(above, cm-by[SuMax][i][k]), append(apart, cm-by[CU][i][k])
	}
	return over(t, above, apart)
}

// At 96 KB, the error of SuMax is nearer to CU's than to CM's only for large flows; lightguardian/fig5/known.csv
// contains the numbers. The numbers of flows are an eighth of the numbers for the whole trace.
func TestWhichFlows(t *testing.T) {
	z, trace := laptop(t)
	largest := []int{1000 / z.Share, 5000 / z.Share, 20_000 / z.Share, 0}
	by := ares(t, trace, 96<<10/z.Share, largest, z.Seeds)
	for i, n := range largest {
		at, half := place(t, by, i)
		if n == 1000/z.Share && at-half < 0.5 || n == 0 && at+half > 0.5 {
			t.Errorf("%d largest flows: place %v", n, at)
		}
		t.Logf("%d largest flows: place %.3f ± %.2g", n, at, half)
	}
}
