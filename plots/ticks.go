package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"pintlab/internal/number"
)

// linearStep returns the smallest step that divides the span into at most n steps. The step is 1, 2, 2.5 or 5 times
// a power of ten.
func linearStep(span float64, n int) float64 {
	raw := span / float64(max(n, 1))
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if raw <= m*base*1.0000001 {
			return m * base
		}
	}
	return 10 * base
}

// linearTicks returns the multiples of step in [lo, hi]. The labels are value/scale with as many decimals as step
// needs.
func linearTicks(lo, hi, step, scale float64) []plot.Tick {
	decimals := decimalsOf(step / scale)
	var out []plot.Tick
	slack := step * 1e-6
	for i := math.Ceil((lo - slack) / step); i*step <= hi+slack; i++ {
		v := i * step
		out = append(out, plot.Tick{Value: v, Label: number.Fixed(v/scale, decimals)})
	}
	return out
}

// linearMinor returns the ticks without labels between the steps.
func linearMinor(lo, hi, step float64) []plot.Tick {
	parts := 5.0
	if m := math.Round(step / math.Pow(10, math.Floor(math.Log10(step)*1.0000001))); m == 2 {
		parts = 4
	}
	sub := step / parts
	var out []plot.Tick
	for i := math.Ceil(lo/sub - 1e-6); i*sub <= hi+sub*1e-6; i++ {
		if math.Mod(math.Abs(i), parts) != 0 {
			out = append(out, plot.Tick{Value: i * sub})
		}
	}
	return out
}

// decimalsOf returns how many decimals a step of 1, 2, 2.5 or 5 times a power of ten
// needs.
func decimalsOf(step float64) int {
	for d := range 12 {
		x := step * math.Pow(10, float64(d))
		if math.Abs(x-math.Round(x)) < 1e-6*x {
			return d
		}
	}
	return 12
}

// axisScale returns the scale with which the ticks of a linear axis up to v are short. Beyond a million and below a
// thousandth it is a power of a thousand. Units with prefixes reach such numbers only beyond their largest and
// smallest prefixes.
func axisScale(v float64, unit string) number.Scale {
	s := number.ScaleOf(v, unit)
	r := v / s.By
	if r == 0 || r >= 1e-3 && r < 1e6 {
		return s
	}
	e := 3 * int(math.Floor(math.Log10(r)/3+1e-12))
	name := "×" + number.Power(e)
	if word := map[int]string{6: "million", 9: "billion", 12: "trillion"}[e]; word != "" && s.Name == "" {
		name = word + "s"
	} else if word != "" {
		name = word
	}
	if s.Name != "" {
		name += " " + s.Name
	}
	return number.Scale{By: s.By * math.Pow(10, float64(e)), Name: name}
}

// logSets are sets of digits that may be labelled within a decade, from few to many.
var logSets = [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7},
	{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9}}

// logTicks labels at most about n positions in [lo, hi]: one position every few decades, one per decade, or some of
// the digits within decades. Other digits get ticks without labels.
func logTicks(lo, hi float64, n int, unit string) []plot.Tick {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := 1.0
	at := logValues(first, last, every, logSets[0], lo, hi)
	for len(at) > max(n, 2) {
		every++
		at = logValues(first, last, every, logSets[0], lo, hi)
	}
	for _, set := range logSets[1:] {
		if every > 1 {
			break
		}
		more := logValues(first, last, every, set, lo, hi)
		if len(at) >= 2 && len(more) > n+1 {
			break
		}
		at = more
	}
	powers := !number.Prefixed(unit) && (hi >= 1e5 || lo <= 1e-4) && onlyDecades(at)
	var out []plot.Tick
	for _, v := range at {
		label := number.Short(v, unit, 3)
		if powers {
			label = number.Power(int(math.Round(math.Log10(v))))
		}
		out = append(out, plot.Tick{Value: v, Label: label})
	}
	if every == 1 {
		for _, v := range logValues(first, last, 1, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, lo, hi) {
			if !slices.ContainsFunc(at, func(x float64) bool { return math.Abs(x-v) < 1e-9*v }) {
				out = append(out, plot.Tick{Value: v})
			}
		}
	}
	return out
}

func logValues(first, last, every float64, digits []float64, lo, hi float64) []float64 {
	var out []float64
	for e := first; e <= last; e++ {
		if math.Mod(math.Abs(e), every) != 0 {
			continue
		}
		for _, d := range digits {
			if v := d * math.Pow(10, e); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

func onlyDecades(at []float64) bool {
	for _, v := range at {
		if e := math.Log10(v); math.Abs(e-math.Round(e)) > 1e-9 {
			return false
		}
	}
	return true
}

// roundOut125 widens [lo, hi] to ends that are 1, 2 or 5 times a power of ten.
func roundOut125(lo, hi float64) (float64, float64) {
	down, up := 0.0, math.Inf(1)
	for e := math.Floor(math.Log10(lo)) - 1; e <= math.Ceil(math.Log10(hi))+1; e++ {
		for _, d := range []float64{1, 2, 5} {
			v := d * math.Pow(10, e)
			if v <= lo*(1+1e-9) {
				down = max(down, v)
			}
			if v >= hi*(1-1e-9) {
				up = min(up, v)
			}
		}
	}
	return down, up
}
