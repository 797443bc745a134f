package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// screen is the largest width of a table in columns. On a narrower terminal of 80 columns, cells of the table wrap.
const screen = 90

// least lists the numbers that a table omits if it is too wide, in the order in which they are omitted.
var least = []string{"p50_slowdown", "drops", "goodput_long", "p95_slowdown", "p99_slowdown"}

// Explanations of numbers that only some of the seeds have.
const (
	ofSeeds = " \"of N\": only N of the seeds have flows of this kind."
	ofJobs  = " \"of N\": the job has ended with only N of the seeds."
)

// twoSeeds warns about intervals of two seeds.
const twoSeeds = "With two seeds an interval is ±12.7 standard errors: use more seeds before you trust a difference."

// tables returns the tables of jobs, of entries of the workload, of whole runs, of size classes of flows, and of
// changes.
func (v *gridView) tables() []figure.Table {
	parts := v.parts()
	list := v.partTable("Jobs, "+v.over()+": completion time, its excess over the time "+
		"of the computations alone, and the mean completion time and bus bandwidth of collectives.",
		"job", ofJobs, parts, jobColumns)
	if v.several() {
		of := figure.Pick(append([]column{partFlows}, flowColumns...),
			func(c *column) bool { return c.Name != "p50_slowdown" })
		list = append(list, v.partTable("Flows of each entry of the workload, "+v.over()+"; ~ marks "+
			"percentiles of too few flows.", "entry", ofSeeds, parts, of)...)
	}
	list = append(list, v.whole())
	list = append(list, v.partTable("Completion times of short, medium and long flows"+v.together()+": means over the "+
		"seeds of each seed's percentile. The column of flows counts the flows of all "+
		"seeds.", "class", ofSeeds, classes, classColumns(0, 0))...)
	return append(list, v.changesTable()...)
}

// whole returns a table with a line for each combination. It omits numbers that no run has, and numbers that do not fit
// on a terminal.
func (v *gridView) whole() figure.Table {
	var missing, narrow []string
	shown := slices.DeleteFunc(v.pooled(), func(c column) bool {
		if v.empty(c) {
			missing = append(missing, c.title)
		}
		return v.empty(c)
	})
	lines := lists.Map(v.list, func(g combination) line { return line{g, ""} })
	more := append(leftOutOf(lines, func(l line) string { return v.lackOfFlows(lackCounted, l.combination) }),
		figure.Whole("seeds", "", func(l line) int64 { return int64(len(l.rows)) }))
	out := v.table(lines, more, shown)
	for _, name := range least {
		if t, err := out.Plain(); err != nil || t.Width() <= screen {
			break
		}
		if at := slices.IndexFunc(shown, func(c column) bool { return c.Name == name }); at >= 0 {
			narrow = append(narrow, shown[at].title)
			shown = slices.Delete(shown, at, at+1)
			out = v.table(lines, more, shown)
		}
	}
	caption := "Whole runs, "
	if v.several() {
		caption += "with the flows of all entries together, "
	}
	caption += v.over() + "; ~ marks percentiles of too few flows."
	if v.fewest() == 2 {
		caption += " " + twoSeeds
	}
	if v.partly(lines, shown) {
		caption += ofSeeds
	}
	if len(missing) > 0 {
		caption += " No run has: " + strings.Join(missing, ", ") + "."
	}
	if len(narrow) > 0 {
		caption += " Omitted here, but included in the drawings and rows.csv: " + strings.Join(narrow, ", ") + "."
	}
	if _, reason := v.arrange(); reason != "" {
		caption += " " + reason
	}
	out.Caption = caption
	return out
}

// line identifies a line of a table: a combination and a part of its flows.
type line struct {
	combination
	part string
}

// partTable returns a table with a line for each combination and each part that has at least one of the numbers. The
// table is nil if there is no line. head is the heading of the column of parts. The caption ends with `some` if
// some seeds have a number and other seeds lack it.
func (v *gridView) partTable(caption, head, some string, parts []string, of []column) []figure.Table {
	var lines []line
	for _, g := range v.list {
		for _, part := range parts {
			has := func(c column) bool {
				c = c.of(part)
				return slices.ContainsFunc(v.with(c, g), func(r int) bool { return v.values[c.Name][r] > 0 })
			}
			n, _ := v.open(part, g)
			if slices.ContainsFunc(of, has) || head != "class" && n > 0 {
				lines = append(lines, line{g, part})
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	var more []figure.Column[line]
	if parts[0] != "" {
		more = append(more, figure.Text(head, func(l line) string { return l.part }))
	}
	if v.partly(lines, of) {
		caption += some
	}
	if of[0].Name == jobColumns[0].Name {
		more = append(more,
			leftOutOf(lines, func(l line) string { return v.lack(lackCounted, openJobs, l.part, l.combination) })...)
	}
	if head == "class" {
		more = append(more, figure.Whole("flows", "", v.flows))
	}
	t := v.table(lines, more, of)
	t.Caption = caption
	return []figure.Table{t}
}

// leftOutOf returns a column about the flows or jobs that the numbers of the lines leave out, if a line lacks some.
func leftOutOf(lines []line, lack func(line) string) []figure.Column[line] {
	if !slices.ContainsFunc(lines, func(l line) bool { return lack(l) != "" }) {
		return nil
	}
	return []figure.Column[line]{figure.Text("left out", lack)}
}

// open counts rows of some combinations: jobs is the number of rows in which a part is a job, and n is the number of
// rows in which this job had not ended.
func (v *gridView) open(part string, of ...combination) (n, jobs int) {
	values := v.values[openColumn.of(part).Name]
	for _, g := range of {
		for _, r := range g.rows {
			if values != nil && values[r] >= 0 {
				n, jobs = n+int(values[r]), jobs+1
			}
		}
	}
	return n, jobs
}

// lack describes the flows and jobs that are missing from the numbers of a part in some combinations. It returns ""
// if none are missing.
func (v *gridView) lack(
	write func(quantity string, n, of int) string, quantity, part string, of ...combination,
) string {
	n, all := v.open(part, of...)
	if quantity != openJobs {
		n, all = 0, 0
		for _, g := range of {
			for _, r := range g.rows {
				if flows := v.values[flowsColumn][r]; quantity == openFlows {
					all, n = all+int(flows), n+int(flows-v.values[finishedColumn][r])
				} else if all++; v.counts("")[r] == 0 {
					n++
				}
			}
		}
	}
	if n == 0 {
		return ""
	}
	return write(quantity, n, all)
}

// lackOfFlows describes the flows that are missing from the numbers of some combinations.
func (v *gridView) lackOfFlows(write func(string, int, int) string, of ...combination) string {
	return cmp.Or(v.lack(write, noFlows, "", of...), v.lack(write, openFlows, "", of...))
}

// flows returns the number of flows of a line, summed over all seeds.
func (v *gridView) flows(l line) (n int64) {
	for _, r := range l.rows {
		n += int64(v.counts(l.part)[r])
	}
	return n
}

// table returns a table of the axes, of further columns, and of some numbers.
func (v *gridView) table(lines []line, more []figure.Column[line], of []column) figure.Table {
	var cells []figure.Column[line]
	for i, a := range v.names {
		cells = append(cells, figure.Text(a, func(l line) string { return l.labels[i] }))
	}
	cells = append(cells, more...)
	for _, c := range of {
		number := func(l line) string { return v.number(c.of(l.part), l.combination) }
		cells = append(cells, figure.Text(c.title, number))
	}
	return figure.Lines("", lines, cells...)
}

// partly reports whether only some of the seeds of a line have a number.
func (v *gridView) partly(lines []line, of []column) bool {
	return slices.ContainsFunc(lines, func(l line) bool {
		return slices.ContainsFunc(of, func(c column) bool {
			n := len(v.with(c.of(l.part), l.combination))
			return 0 < n && n < len(l.rows)
		})
	})
}

// number formats the mean of a column over the rows of a combination. A ~ marks a percentile of too few flows in one
// of the rows. If only n of the rows have the number, the text ends with "of n".
func (v *gridView) number(c column, g combination) string {
	m, have, counts := v.mean(c, g), v.with(c, g), v.counts(c.part)
	if m.Missing() {
		return "–"
	}
	text := number.Format(m.Value, c.Unit, 3)
	if m.Lo < m.Hi && !c.count {
		lo := max(m.Lo, c.least)
		text += fmt.Sprintf(" (%s to %s)", number.Format(lo, c.Unit, 3), number.Format(m.Hi, c.Unit, 3))
	}
	if c.share > 0 && counts != nil &&
		slices.ContainsFunc(have, func(r int) bool { return !stats.Enough(int(counts[r]), c.share) }) {
		text = "~" + text
	}
	if len(have) < len(g.rows) {
		text += fmt.Sprintf(" of %d", len(have))
	}
	return text
}

// mostChanges is the largest number of lines in a table of changes.
const mostChanges = 60

// changesTable returns a table of the changes of a few numbers.
func (v *gridView) changesTable() []figure.Table {
	main := v.main()
	rows := v.changes(main)
	if len(rows) == 0 {
		return nil
	}
	caption := "Change relative to the first value of each setting, between runs with the same seed and the same " +
		"other settings."
	if slices.ContainsFunc(rows, func(r change) bool { return r.Seeds > 1 }) {
		caption += " Each change is a geometric mean over the seeds, with its 95 % interval."
	}
	lines := figure.By(rows, func(r *change) string { return fmt.Sprintf("%s\n%s\n%s", r.Table, r.Scheme, r.Case) })
	cells := []figure.Cell{
		figure.Text("setting",
			func(l figure.Line) string { return v.names[slices.Index(v.axes, l[0].Table)] }),
		figure.Text("change", func(l figure.Line) string {
			what := l[0].Scheme + " over " + l[0].Against
			if l[0].Case != "" {
				what += ", " + l[0].Case
			}
			return what
		}),
	}
	for _, c := range main {
		cells = append(cells, figure.Text(c.title, func(l figure.Line) string {
			if r := figure.Find(l, func(r *change) bool { return r.Quantity == c.Name }); r != nil {
				return judged(r)
			}
			return "–"
		}))
	}
	caption += " " + ChangesFile + " has the changes of all numbers."
	return []figure.Table{figure.Lines(caption, lines[:min(mostChanges, len(lines))], cells...)}
}

// main returns the few numbers that the table of changes shows: numbers of jobs, of the workload's entries, or of all
// flows.
func (v *gridView) main() []column {
	const most = 4
	for _, names := range [][]string{{"job_time", "bus_bandwidth"}, {"mean_fct"}} {
		of := figure.Pick(v.sources,
			func(c *column) bool { return slices.Contains(names, c.base()) && !v.byKind(*c) })
		if len(of) > 0 {
			return of[:min(most, len(of))]
		}
	}
	return figure.Pick(flowColumns, func(c *column) bool { return c.Name == "mean_fct" || c.Name == "p99_slowdown" })
}
