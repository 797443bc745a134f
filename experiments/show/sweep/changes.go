package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/plots"
)

// ChangesFile is the name of the file of changes, in the directory of the rows.
const ChangesFile = "changes.csv"

// changesView is the columns of that file.
var changesView = columns.View{"setting=table", "value=scheme", "against", "others=case", "measure=quantity",
	"ratio=value", "lo", "hi", "flows", "seeds"}

// mostChanges is the largest number of lines in a table of changes.
const mostChanges = 60

// Changes returns the changes of numbers between the first and each other value of a setting while all
// other settings are equal: the geometric mean of the ratios over the seeds, with its interval. Numbers
// that are not positive are omitted.
func Changes(t *plots.Table) (*plots.Table, error) {
	rows, err := changes(t, slices.Concat(measures, byClass(DefaultSizes), storedSources(t)))
	if err != nil {
		return nil, err
	}
	return columns.Encode(rows, changesView...)
}

// changes compares the rows of a campaign, number by number. In its results, Table is the setting and Case
// the values of the others.
func changes(t *plots.Table, of []column) ([]study.Row, error) {
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
	var rows []study.Row
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
				class, _, _ := strings.Cut(c.Name, "_")
				if class = cmp.Or(c.source, class); c.source != "" || slices.Contains(classes, class) {
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
					rows = append(rows, study.Row{Table: axis, Case: g.name(keys, others), X: math.NaN(),
						Scheme: g.labels[i], Against: base.labels[i], Quantity: c.Name, Sized: stats.Whole(m)})
				}
			}
		}
	}
	return rows, nil
}

// mainOf returns the few numbers that the table of changes shows: of jobs, of the entries of the workload, or of all
// flows.
func mainOf(t *plots.Table) []column {
	const most = 4
	sources := storedSources(t)
	for _, names := range [][]string{{"job_time", "bus_bandwidth"}, {"mean_fct"}} {
		of := figure.Pick(sources,
			func(c *column) bool { return slices.Contains(names, strings.TrimPrefix(c.Name, c.source+"_")) })
		if len(of) > 0 {
			return of[:min(most, len(of))]
		}
	}
	return figure.Pick(measures, func(c *column) bool { return c.Name == "mean_fct" || c.Name == "p99_slowdown" })
}

// changesTable returns a table of the changes of a few numbers.
func changesTable(t *plots.Table) ([]figure.Table, error) {
	shown := mainOf(t)
	rows, err := changes(t, shown)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	caption := "Change against the first value of a setting where the others are alike, " +
		"with the same seeds: geometric mean"
	if slices.ContainsFunc(rows, func(r study.Row) bool { return r.Seeds > 1 }) {
		caption += " with its 95 % interval"
	}
	lines := figure.By(rows, func(r *study.Row) string { return fmt.Sprintf("%s\n%s\n%s", r.Table, r.Scheme, r.Case) })
	cells := []figure.Cell{
		figure.Text("setting",
			func(l figure.Line) string { return l[0].Table[strings.LastIndexByte(l[0].Table, '.')+1:] }),
		figure.Text("change", func(l figure.Line) string {
			what := l[0].Scheme + " over " + l[0].Against
			if l[0].Case != "" {
				what += ", " + l[0].Case
			}
			return what
		}),
	}
	for _, c := range shown {
		cells = append(cells, figure.Text(c.title, func(l figure.Line) string {
			if r := figure.Find(l, func(r *study.Row) bool { return r.Quantity == c.Name }); r != nil {
				return r.Change()
			}
			return "–"
		}))
	}
	caption += "; that of all numbers is in " + ChangesFile + "."
	return []figure.Table{figure.Lines(caption, lines[:min(mostChanges, len(lines))], cells...)}, nil
}

// classTable returns a table of the completion times of each class of flows.
func classTable(t *plots.Table, axes []string, list []group) (_ []figure.Table, err error) {
	if !t.Has(classes[0] + "_flows") {
		return nil, nil
	}
	type line struct {
		group
		class string
		flows int
	}
	var lines []line
	columns := map[string][]float64{} // by name
	for _, c := range byClass(DefaultSizes) {
		if columns[c.Name], err = t.Reals(c.Name); err != nil {
			return nil, err
		}
	}
	for _, g := range list {
		for _, class := range classes {
			l := line{g, class, 0}
			for _, r := range g.rows {
				l.flows += int(columns[class+"_flows"][r])
			}
			if l.flows > 0 {
				lines = append(lines, l)
			}
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	caption := "Completion times of short, medium and long flows: means over the seeds of each one's percentile. " +
		"Flows are those of all seeds."
	cells := append(labels(axes, func(l line) group { return l.group }),
		figure.Text("class", func(l line) string { return l.class }),
		figure.Whole("flows", "", func(l line) int64 { return int64(l.flows) }))
	for _, share := range percentiles {
		p := fmt.Sprintf("p%.0f", 100*share)
		c := column{Column: plots.Real("", plots.InSeconds), share: share}
		values := func(l line) []float64 { return columns[l.class+"_"+p+"_fct"] }
		cells = append(cells,
			figure.Text(p+" FCT",
				func(l line) string { return number(c, values(l), columns[l.class+"_flows"], l.rows) }))
	}
	if slices.ContainsFunc(lines, func(l line) bool { return partly(columns[l.class+"_p50_fct"], l.rows) }) {
		caption += ofSeeds
	}
	return []figure.Table{figure.Lines(caption, lines, cells...)}, nil
}
