package sweep

import (
	"math"
	"slices"
	"strings"

	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// ChangesFile is the name of the file of changes, beside the rows.
const ChangesFile = "changes.csv"

// changesView is the columns of that file.
var changesView = columns.View{"setting=table", "value=scheme", "against", "others=case", "measure=quantity", "ratio=value", "lo", "hi", "flows", "seeds"}

// mostChanges is how many lines a table of changes has.
const mostChanges = 60

// Changes returns what the values of a setting change against its first one where all other settings are alike: for
// each number the geometric mean over the seeds of its ratios, with its interval. Numbers that are not
// positive have none.
func Changes(t *plots.Table) (*plots.Table, error) {
	rows, err := changes(t, slices.Concat(measures, byClass(DefaultSizes)))
	if err != nil {
		return nil, err
	}
	return columns.Encode(rows, changesView...)
}

// changes compares the rows of a campaign, number by number. Table is the setting, Case the values of the others.
func changes(t *plots.Table, of []column) ([]comparison.Row, error) {
	axes, list, err := groups(t)
	if err != nil {
		return nil, err
	}
	seeds, err := t.Texts(seedColumn)
	if err != nil {
		return nil, err
	}
	counted, err := t.Wholes(countedColumn)
	if err != nil {
		return nil, err
	}
	keys := short(axes)
	var rows []comparison.Row
	for i, axis := range axes {
		var others []int
		for k := range axes {
			if k != i {
				others = append(others, k)
			}
		}
		for _, g := range list {
			first := slices.IndexFunc(list, func(h group) bool {
				return !slices.ContainsFunc(others, func(k int) bool { return h.labels[k] != g.labels[k] })
			})
			base := list[first]
			if base.labels[i] == g.labels[i] {
				continue
			}
			for _, c := range of {
				if !t.Has(c.Name) || strings.HasSuffix(c.Name, "_flows") {
					continue
				}
				values, err := t.Reals(c.Name)
				if err != nil {
					return nil, err
				}
				flows := func(r int) int { return int(counted[r]) }
				if class, _, _ := strings.Cut(c.Name, "_"); slices.Contains(classes, class) {
					counts, err := t.Reals(class + "_flows")
					if err != nil {
						return nil, err
					}
					flows = func(r int) int { return int(counts[r]) }
				}
				var own, against stats.PerSeed
				for _, r := range g.rows {
					k := slices.IndexFunc(base.rows, func(b int) bool { return seeds[b] == seeds[r] })
					if k >= 0 && values[r] > 0 && values[base.rows[k]] > 0 {
						own.Add(values[r], flows(r))
						against.Add(values[base.rows[k]], flows(base.rows[k]))
					}
				}
				if m, err := own.Over(&against); err == nil && m.Seeds == len(g.rows) {
					rows = append(rows, comparison.Row{Table: axis, Case: g.name(keys, others), X: math.NaN(), Scheme: g.labels[i], Against: base.labels[i], Quantity: c.Name, Measured: m})
				}
			}
		}
	}
	return rows, nil
}

// changesTable shows the changes of a few numbers.
func changesTable(t *plots.Table) ([]report.Table, error) {
	shown := []string{"mean_fct", "p99_slowdown"}
	rows, err := changes(t, slices.DeleteFunc(slices.Clone(measures), func(c column) bool { return !slices.Contains(shown, c.Name) }))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	out, err := plots.NewTable(plots.Text("setting"), plots.Text("change"), plots.Text("mean FCT"), plots.Text("p99 slowdown"))
	if err != nil {
		return nil, err
	}
	caption := "Change against the first value of a setting where the others are alike, with the same seeds: geometric mean"
	if slices.ContainsFunc(rows, func(r comparison.Row) bool { return r.Seeds > 1 }) {
		caption += " with its 95 % interval"
	}
	lines := 0
	for i := 0; i < len(rows); lines++ {
		first := rows[i]
		cells := map[string]string{}
		for ; i < len(rows) && rows[i].Table == first.Table && rows[i].Scheme == first.Scheme && rows[i].Case == first.Case; i++ {
			cells[rows[i].Quantity] = rows[i].Change()
		}
		if lines >= mostChanges {
			continue
		}
		what := first.Scheme + " over " + first.Against
		if first.Case != "" {
			what += ", " + first.Case
		}
		words := []any{first.Table[strings.LastIndexByte(first.Table, '.')+1:], what}
		for _, name := range shown {
			text := cells[name]
			if text == "" {
				text = "–"
			}
			words = append(words, text)
		}
		if err := out.Append(words...); err != nil {
			return nil, err
		}
	}
	caption += "; that of all numbers is in " + ChangesFile + "."
	return []report.Table{{Table: out, Caption: caption}}, nil
}

// classTable is the completion times of each class of flows.
func classTable(t *plots.Table, axes []string, list []group) ([]report.Table, error) {
	if !t.Has(classes[0] + "_flows") {
		return nil, nil
	}
	var head []plots.Column
	for _, a := range short(axes) {
		head = append(head, plots.Text(a))
	}
	out, err := plots.NewTable(append(head, plots.Text("class"), plots.Whole("flows", ""), plots.Text("p50 FCT"), plots.Text("p95 FCT"), plots.Text("p99 FCT"))...)
	if err != nil {
		return nil, err
	}
	for _, g := range list {
		for _, class := range classes {
			counts, err := t.Reals(class + "_flows")
			if err != nil {
				return nil, err
			}
			flows, fewest := 0, math.MaxInt
			for _, r := range g.rows {
				flows, fewest = flows+int(counts[r]), min(fewest, int(counts[r]))
			}
			if flows == 0 {
				continue
			}
			var cells []any
			for _, l := range g.labels {
				cells = append(cells, l)
			}
			cells = append(cells, class, flows)
			for i, p := range []string{"p50", "p95", "p99"} {
				values, err := t.Reals(class + "_" + p + "_fct")
				if err != nil {
					return nil, err
				}
				v, lo, hi := mean(values, g.rows)
				text := spread(v, lo, hi, plots.InSeconds)
				if !stats.Enough(fewest, percentiles[i]) {
					text = "~" + text
				}
				cells = append(cells, text)
			}
			if err := out.Append(cells...); err != nil {
				return nil, err
			}
		}
	}
	return []report.Table{{Table: out, Caption: "Completion times of short, medium and long flows: means over the seeds of each one's percentile. Flows are those of all seeds."}}, nil
}
