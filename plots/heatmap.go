package plots

import (
	"fmt"
	"math"
	"slices"
)

// Cell is one value of a heat map.
type Cell struct {
	Panel, X, Y string
	Value       float64
}

// HeatMaps makes a panel for each panel name. The panel shows its cells in the way that heat describes. All panels
// have the same categories, in the order of their first cells. Missing cells are crossed out.
func HeatMaps(cells []Cell, x, y Axis, heat Heat) ([]Panel, error) {
	x.Scale, y.Scale = Categorical, Categorical
	place := func(list *[]string, name string) int {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
		return slices.Index(*list, name)
	}
	for _, c := range cells {
		place(&x.Categories, c.X)
		place(&y.Categories, c.Y)
	}
	var list []Panel
	for _, c := range cells {
		i := slices.IndexFunc(list, func(p Panel) bool { return p.Title == c.Panel })
		if i < 0 {
			i = len(list)
			h := heat
			h.Z = make([]Values, len(y.Categories))
			for row := range h.Z {
				h.Z[row] = slices.Repeat(Values{math.NaN()}, len(x.Categories))
			}
			list = append(list, Panel{Title: c.Panel, X: x, Y: y, Heat: &h})
		}
		at := &list[i].Heat.Z[place(&y.Categories, c.Y)][place(&x.Categories, c.X)]
		if !math.IsNaN(*at) {
			return nil, fmt.Errorf("plots: two values for the cell %s, %s", c.X, c.Y)
		}
		*at = c.Value
	}
	return list, nil
}
