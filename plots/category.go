package plots

import (
	"fmt"
	"slices"
)

// BarsByLoad draws a group of bars for each load, with intervals, the published
// bar beside ours. Columns: scheme, load, goodput; optional lo, hi, panel, source.
// For a gain or another measure, name it as Y. X may be a column of text.
func BarsByLoad(t *Table, m Mapping) (Figure, error) {
	def := common
	def.X, def.Y, def.XLabel, def.YLabel = "load", "goodput", "Load", "Goodput"
	m = m.fill(t, def)
	names, place, err := categories(t, m.X)
	if err != nil {
		return Figure{}, err
	}
	label := or(m.XLabel, m.X)
	t = t.with(placeColumn, place)
	m.X, m.XLabel = placeColumn, label
	d, err := gather(t, m)
	if err != nil {
		return Figure{}, err
	}
	return d.figure(Axis{Scale: Categorical, Categories: names}, Axis{Scale: Linear}, Bar), nil
}

// placeColumn is the name of the column of places along a categorical axis. NewTable
// does not accept such a name, so that it clashes with none.
const placeColumn = ":place"

// with returns the table and one more column of real numbers.
func (t *Table) with(name string, values []float64) *Table {
	out := *t
	out.columns = append(slices.Clone(t.columns), Column{Name: name, Kind: Float})
	out.data = append(slices.Clone(t.data), cells{real: values})
	return &out
}

// categories returns the distinct values of a column as text, numbers in rising
// order and text as it first appears, and the place of each row among them.
func categories(t *Table, name string) (names []string, place []float64, err error) {
	i, err := t.column(name, String, Int, Float)
	if err != nil {
		return nil, nil, err
	}
	place = make([]float64, t.Len())
	if t.columns[i].Kind == String {
		for r, s := range t.data[i].text {
			k := slices.Index(names, s)
			if k < 0 {
				k = len(names)
				names = append(names, s)
			}
			place[r] = float64(k)
		}
		return names, place, nil
	}
	v, unit, err := t.scaled(name)
	if err != nil {
		return nil, nil, err
	}
	distinct := slices.Clone(v)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	for _, x := range distinct {
		if !finite(x) {
			return nil, nil, fmt.Errorf("plots: column %q has the value %v, which cannot be a category", name, x)
		}
		names = append(names, FormatValue(x, unit, 4))
	}
	for r, x := range v {
		k, _ := slices.BinarySearch(distinct, x)
		place[r] = float64(k)
	}
	return names, place, nil
}
