package plots

import (
	"errors"
	"fmt"
	"math"
)

// HeatMap draws a value over two parameters. Columns: x, y, value, one row a cell;
// optional panel. Cells without a row are crossed out.
func HeatMap(t *Table, m Mapping) (Figure, error) {
	def := Mapping{X: "x", Y: "y", Z: "value", Panel: "panel"}
	m = m.fill(t, def)
	if t.Len() == 0 {
		return Figure{}, errors.New("plots: the table has no rows")
	}
	xs, xAt, err := categories(t, m.X)
	if err != nil {
		return Figure{}, err
	}
	ys, yAt, err := categories(t, m.Y)
	if err != nil {
		return Figure{}, err
	}
	z, unit, err := t.scaled(m.Z)
	if err != nil {
		return Figure{}, err
	}
	panels := make([]string, t.Len())
	if m.Panel != "" {
		if panels, err = t.Texts(m.Panel); err != nil {
			return Figure{}, err
		}
	}
	f := Figure{}
	index := map[string]int{}
	filled := map[[3]int]int{}
	for r := range z {
		i, ok := index[panels[r]]
		if !ok {
			i = len(f.Panels)
			index[panels[r]] = i
			f.Panels = append(f.Panels, heatPanel(panels[r], m, xs, ys, unit))
		}
		row, col := int(yAt[r]), int(xAt[r])
		if first, twice := filled[[3]int{i, row, col}]; twice {
			return Figure{}, fmt.Errorf("plots: rows %d and %d are both for the cell %s, %s", first, r+1, xs[col], ys[row])
		}
		filled[[3]int{i, row, col}] = r + 1
		f.Panels[i].Heat.Z[row][col] = z[r]
	}
	return f, nil
}

func heatPanel(title string, m Mapping, xs, ys []string, unit string) Panel {
	p := Panel{
		Title: title,
		X:     Axis{Label: or(m.XLabel, m.X), Scale: Categorical, Categories: xs},
		Y:     Axis{Label: or(m.YLabel, m.Y), Scale: Categorical, Categories: ys},
		Heat:  &Heat{Label: or(m.ZLabel, m.Z), Unit: unit, Z: make([]Values, len(ys)), Values: true},
	}
	for i := range p.Heat.Z {
		p.Heat.Z[i] = make(Values, len(xs))
		for j := range p.Heat.Z[i] {
			p.Heat.Z[i][j] = math.NaN()
		}
	}
	return p
}
