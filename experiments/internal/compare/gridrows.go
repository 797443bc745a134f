package compare

import (
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Columns that are neither axes nor numbers.
const (
	seedColumn     = "seed"
	flowsColumn    = "flows"
	finishedColumn = "finished" // number of flows that have finished or whose completion time is projected
	countedColumn  = "counted"  // number of flows that the numbers cover
	printColumn    = "fingerprint"
	hashColumn     = "hash" // hash of the scenario
	runColumn      = "run"  // name of the run directory
)

// GridPrefix is the prefix of the figure names of sweeps.
const GridPrefix = "sweep/"

// Figure returns the campaign as a figure.
func (c *Grid) Figure() *figure.Figure {
	f := StoredGrid(c.Name, c.Names)
	f.Measure = c.measure
	return f
}

// StoredGrid returns the figure of a finished campaign. The figure can be drawn but not measured.
func StoredGrid(name string, of figure.Names) *figure.Figure {
	return &figure.Figure{Name: GridPrefix + name, Title: "Sweep " + name, Source: "campaign " + name,
		Read: func(t *plots.Table) (figure.View, error) { return read(t, of) }}
}

// emptyRows returns a table without rows for a campaign with these axes and entries of workloads.
func emptyRows(sources []source, axes ...string) (*plots.Table, error) {
	head := lists.Map(axes, plots.Text)
	add := func(list []column) {
		for _, c := range list {
			head = append(head, c.Column)
		}
	}
	head = append(head, plots.Text(seedColumn), plots.Whole(flowsColumn, ""), plots.Whole(finishedColumn, ""),
		plots.Whole(countedColumn, ""))
	add(runColumns)
	head = append(head, plots.Text(printColumn))
	add(byClass(defaultSizes))
	add(sourceColumns(sources))
	return plots.NewTable(append(head, plots.Text(hashColumn), plots.Text(runColumn))...)
}

// gridView is a View of the rows of a campaign.
type gridView struct {
	figure.Bare
	axes    []string // columns of the rows
	names   []string // names of the axes in tables and drawings
	between string   // text between the name of a setting and its value
	of      figure.Names
	list    []combination
	seeds   []string             // by row
	values  map[string][]float64 // values of each column of numbers
	sources []column             // columns of numbers of the workload's entries and of jobs
}

// read returns a view of the rows in which settings and their values are in words.
func read(t *plots.Table, of figure.Names) (figure.View, error) {
	v, err := gridOf(t)
	if err != nil {
		return nil, err
	}
	v.between, v.of = " ", of
	for i, name := range lists.Map(v.axes, figure.KeyInWords) {
		if !slices.Contains(v.names, name) {
			v.names[i] = name
		}
		for _, g := range v.list {
			g.labels[i] = of.KindInWords(v.axes[i], g.labels[i])
		}
	}
	return v, nil
}

// gridOf finds the axes and the combinations in the rows. Axes are the columns before the seed.
func gridOf(t *plots.Table) (v *gridView, err error) {
	v = &gridView{Bare: figure.Bare{Table: t}, values: map[string][]float64{}, sources: storedSources(t)}
	if v.seeds, err = t.Texts(seedColumn); err != nil {
		return nil, err
	}
	heads := t.Columns()
	var texts [][]string
	for _, c := range heads[:slices.IndexFunc(heads, func(c plots.Column) bool { return c.Name == seedColumn })] {
		of, err := t.Texts(c.Name)
		if err != nil {
			return nil, err
		}
		v.axes, texts = append(v.axes, c.Name), append(texts, of)
	}
	v.names, v.between = shorten(v.axes), "="
	for _, c := range heads {
		if c.Kind == plots.String {
			continue
		}
		if v.values[c.Name], err = t.Reals(c.Name); err != nil {
			return nil, err
		}
	}
	for r := range t.Len() {
		labels := lists.Map(texts, func(of []string) string { return of[r] })
		at := slices.IndexFunc(v.list, func(g combination) bool { return slices.Equal(g.labels, labels) })
		if at < 0 {
			at = len(v.list)
			v.list = append(v.list, combination{labels: labels})
		}
		v.list[at].rows = append(v.list[at].rows, r)
	}
	return v, nil
}

// parts returns the entries of the workload that have columns. A job that is the only entry has the name "".
func (v *gridView) parts() []string {
	return lists.Distinct(v.sources, func(c column) string { return c.part })
}

// several reports whether the workload has several entries.
func (v *gridView) several() bool {
	return slices.ContainsFunc(v.sources, func(c column) bool { return c.part != "" && c.base() == partFlows.Name })
}

// byKind reports whether a column covers only a job's collectives of one kind. Other columns cover a whole job or all
// flows of an entry.
func (v *gridView) byKind(c column) bool {
	entry := v.counts(c.part) != nil
	return !entry && v.values[jobColumns[0].of(c.part).Name] == nil
}

// pooled returns the numbers of whole runs. If the workload has several entries, numbers of flows are omitted, because
// a mean over incast and other flows would depend on the share of each.
func (v *gridView) pooled() []column {
	list := slices.Clone(runColumns)
	if v.several() {
		list = list[len(flowColumns):]
	}
	return figure.Pick(list, func(c *column) bool { return c.shown })
}

// together returns the end of a title of numbers that cover the flows of all entries. It is "" if the workload has a
// single entry.
func (v *gridView) together() string {
	if v.several() {
		return ", all entries together"
	}
	return ""
}

// titled returns the title of a column for drawings. If the workload has several entries, the title of a number of
// flows says that the number covers the flows of all entries.
func (v *gridView) titled(c column) string {
	if c.network || c.part != "" && !slices.Contains(classes, c.part) {
		return c.title
	}
	return c.title + v.together()
}

// counts returns, for each row, the number of flows that the numbers of a part cover. It returns nil if these are
// unknown.
func (v *gridView) counts(part string) []float64 {
	if part == "" {
		return v.values[countedColumn]
	}
	return v.values[partFlows.of(part).Name]
}

// mean returns the mean of a column and its interval. It uses those rows of a combination that have a value in the
// column.
func (v *gridView) mean(c column, g combination) stats.Number {
	seeds := stats.PerSeed{Least: c.least}
	for _, r := range v.with(c, g) {
		flows := 1
		if counts := v.counts(c.part); counts != nil {
			flows = int(counts[r])
		}
		seeds.Add(v.values[c.Name][r], flows)
	}
	m, err := seeds.Mean()
	if err != nil {
		return stats.None()
	}
	return m
}

// with returns the rows of a combination that have the given number.
func (v *gridView) with(c column, g combination) (list []int) {
	for _, r := range g.rows {
		if of := v.values[c.Name]; of != nil && !math.IsNaN(of[r]) {
			list = append(list, r)
		}
	}
	return list
}

// empty reports whether no run has a number.
func (v *gridView) empty(c column) bool {
	return !slices.ContainsFunc(v.list, func(g combination) bool { return len(v.with(c, g)) > 0 })
}

// over describes the numbers of tables.
func (v *gridView) over() string {
	if v.fewest() == 1 {
		return "one seed, so without intervals"
	}
	return "means over the seeds with 95 % intervals"
}

// fewest returns the smallest number of seeds that a combination has.
func (v *gridView) fewest() int {
	n := math.MaxInt
	for _, g := range v.list {
		n = min(n, len(g.rows))
	}
	return n
}

// shorten shortens keys to their last words, if they then still differ from each other and from the other columns.
func shorten(axes []string) []string {
	out := slices.Clone(axes)
	for i, a := range axes {
		for cut := strings.LastIndexByte(a, '.'); cut >= 0; cut = strings.LastIndexByte(a[:cut], '.') {
			name := a[cut+1:]
			same := func(o string) bool { return o == name || strings.HasSuffix(o, "."+name) }
			if name != "seeds" && !slices.ContainsFunc(slices.Concat(axes[:i], axes[i+1:]), same) {
				out[i] = name
				break
			}
		}
	}
	return out
}

func (v *gridView) Tables() ([]report.Table, error) { return figure.Reports(v.tables()) }
