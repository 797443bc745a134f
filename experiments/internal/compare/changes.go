package compare

import (
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// ChangesFile is the name of the file of changes, in the directory of the rows.
const ChangesFile = "changes.csv"

// changesView lists the columns of ChangesFile.
var changesView = columns.View{"setting=table", "value=scheme", "against", "others=case", "measure=quantity",
	"ratio=value", "lo", "hi", "flows", "seeds"}

// change is the ratio of a number for one value of a setting to the number for the setting's first value. Table is
// the name of the setting, and Case lists the values of the other settings.
type change = study.Row

// Changes returns a table that compares the first value of a setting with each other value of the setting, while all
// other settings are equal. A change is the geometric mean over the seeds of the ratios of a number, with its interval.
// Numbers that are not positive are omitted.
func Changes(t *plots.Table) (*plots.Table, error) {
	v, err := gridOf(t)
	if err != nil {
		return nil, err
	}
	return columns.Encode(v.changes(slices.Concat(runColumns, byClass(defaultSizes), v.sources)), changesView...)
}

// changes compares the rows of a campaign for each number.
func (v *gridView) changes(of []column) (rows []change) {
	for i, axis := range v.axes {
		bases := map[string]combination{} // key: the values of the other settings
		for _, g := range v.list {
			others := v.others(g, i)
			first, ok := bases[others]
			if !ok {
				bases[others] = g
				continue
			}
			for _, c := range of {
				if m, ok := v.ratio(c, g, first); ok {
					rows = append(rows, change{Table: axis, Case: others, X: math.NaN(), Scheme: g.labels[i],
						Against: first.labels[i], Quantity: c.Name, Sized: stats.Whole(m)})
				}
			}
		}
	}
	return rows
}

// others formats the values of all settings except one: "eta=0.9, p=1/16".
func (v *gridView) others(g combination, axis int) string {
	var list []string
	for i, name := range v.names {
		if i != axis {
			list = append(list, name+v.between+g.labels[i])
		}
	}
	return strings.Join(list, ", ")
}

// ratio divides a number of one combination by the same number of another, paired by seed. ok is false if a seed lacks
// the number.
func (v *gridView) ratio(c column, g, base combination) (m stats.Number, ok bool) {
	values, counts := v.values[c.Name], v.counts(c.part)
	if values == nil || c.count {
		return m, false
	}
	flows := func(r int) int {
		if counts == nil {
			return 1
		}
		return int(counts[r])
	}
	var own, against stats.PerSeed
	for _, r := range g.rows {
		k := slices.IndexFunc(base.rows, func(b int) bool { return v.seeds[b] == v.seeds[r] })
		if k >= 0 && values[r] > 0 && values[base.rows[k]] > 0 {
			own.Add(values[r], flows(r))
			against.Add(values[base.rows[k]], flows(base.rows[k]))
		}
	}
	m, err := own.Over(&against)
	return m, err == nil && m.Seeds == len(g.rows)
}
