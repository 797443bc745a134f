package plots

import (
	"fmt"
	"math"
	"strconv"
)

// Values is a list of numbers in which NaN stands for a missing one. JSON has no
// NaN: there it is null.
type Values []float64

// MarshalJSON writes NaN as null. An infinite value is an error.
func (v Values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case math.IsNaN(x):
			b = append(b, "null"...)
		case math.IsInf(x, 0):
			return nil, fmt.Errorf("plots: value %d is infinite", i)
		default:
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}
