package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
	"pintlab/plots/report"
)

// shown describes how the table of an answer shows a measure: the measure's name, its heading, and the unit of the
// rows.
type shown struct {
	quantity, head, unit string
	share                float64 // share of a percentile that is marked if flows are too few, e.g. 0.99; otherwise 0
}

var (
	shownOfFlows = []shown{
		{meanFCT, "mean FCT", plots.InSeconds, 0}, {p50, "p50 slowdown", "", 0.50}, {p95, "p95 slowdown", "", 0.95},
		{p99, "p99 slowdown", "", 0.99},
		{goodput, "goodput of long flows", plots.InBitsPerSecond, 0},
	}
	shownOfJobs = []shown{
		{jobTime, "job time", plots.InSeconds, 0}, {exposed, "exposed communication", plots.InSeconds, 0},
		{collectiveTime, "mean collective time", plots.InSeconds, 0},
		{busBandwidth, "mean bus bandwidth", plots.InBitsPerSecond, 0},
	}
)

// isJob reports whether the rows of a case are about a job.
func isJob(rows []study.Row) bool {
	return has(rows, jobTime) || has(rows, messageFCT) || has(rows, openJobs)
}

// isFlows reports whether the rows of a case are about flows.
func isFlows(rows []study.Row) bool { return has(rows, meanFCT) || has(rows, noFlows) }

// split returns the rows of cases about flows and the rows of cases about jobs. It omits other cases, which have only
// the counters of the whole network.
func split(rows []study.Row) (flows, jobs []study.Row) {
	for _, of := range study.Cases(rows) {
		own := figure.Pick(rows,
			func(r *study.Row) bool { return r.Case == of && (r.Table == measures || r.Table == ratios) })
		switch {
		case isJob(own):
			jobs = append(jobs, own...)
		case isFlows(own):
			flows = append(flows, own...)
		}
	}
	return flows, jobs
}

// answer returns a sentence for each workload that compares its schemes, and a table of their numbers.
func answer(rows []study.Row) figure.Answer {
	var a figure.Answer
	flows, jobs := split(rows)
	var list []shown
	if len(flows) > 0 {
		list = append(list, shownOfFlows...)
	}
	list = append(list, lists.Keep(shownOfJobs, func(s shown) bool { return has(jobs, s.quantity) })...)
	about := append(flows, jobs...)
	a.Grid, a.Export = answerGrid(about, list, sentence), export(about, list, "case", "scheme")
	for _, of := range study.Cases(about) {
		own := figure.Pick(about, func(r *study.Row) bool { return r.Case == of })
		a.Text = append(a.Text, sentence(of)+": "+caseInWords(own)+".")
	}
	base := study.Schemes(rows)[0]
	a.Grid.Caption = gridCaption(base+" on the same flows and paths", rows[0].Seeds)
	if len(flows) > 0 {
		a.Tables, a.Columns = append(a.Tables, flowTable(flows, base)), append(a.Columns, "mean FCT; percentiles of "+
			"the slowdown (~: of too few flows); "+sized(goodput, study.Cases(flows)...))
	}
	if len(jobs) > 0 {
		columns := "completion time of the job; its exposed communication"
		if has(jobs, collectiveTime) {
			columns += "; mean time and bus bandwidth of its collectives"
		}
		a.Tables, a.Columns = append(a.Tables, jobTable(jobs, base)), append(a.Columns, columns)
	}
	return a
}

// answerGrid returns the numbers of each scheme in each case, with their changes relative to the first scheme of the
// case.
func answerGrid(rows []study.Row, list []shown, title func(of string) string) report.Grid {
	grid := report.Grid{Head: []string{"scheme"}}
	for _, s := range list {
		grid.Head = append(grid.Head, sized(s.head, study.Cases(rows)...))
	}
	for _, of := range study.Cases(rows) {
		own := figure.Pick(rows, func(r *study.Row) bool { return r.Case == of })
		schemes := study.Schemes(own)
		g := report.GridGroup{Title: title(of)}
		for _, scheme := range schemes {
			cells := []report.GridCell{{Text: scheme}}
			for _, s := range list {
				cells = append(cells, gridCell(own, scheme, schemes[0], s))
			}
			g.Rows = append(g.Rows, cells)
		}
		grid.Groups = append(grid.Groups, g)
	}
	return grid
}

// gridCaption explains a grid whose changes are relative to a base.
func gridCaption(base string, seeds int) string {
	text := "~ marks percentiles of too few flows. Below each number: its change against " + base
	if seeds == 1 {
		return text + ". With one seed there are no intervals, so no change is significant."
	}
	return text + ", with the interval over the seeds. Grey cells are better, hatched cells worse; " +
		"both are pale if the interval contains 0."
}

// gridCell formats a number of a scheme and its change relative to the first scheme.
func gridCell(rows []study.Row, scheme, base string, s shown) report.GridCell {
	v := study.One(rows, "", scheme, s.quantity)
	c := report.GridCell{Text: v.Weak(s.share) + s.text(v.Value)}
	for _, r := range study.Pick(rows, "", scheme, base, s.quantity) {
		c.Detail = r.Brief()
		better := (r.Value > 1) == moreIsBetter(s.quantity)
		switch {
		case math.IsNaN(r.Lo):
		case better:
			c.Lean = report.Better
		default:
			c.Lean = report.Worse
		}
		c.Sure = r.Differs(1)
	}
	return c
}

// flowTable returns the answer about flows on a terminal.
func flowTable(rows []study.Row, base string) *plots.Table {
	return figure.Lines("", figure.BySchemes(rows), figure.Case("workload"), figure.Scheme("scheme"),
		figure.Value("FCT", "us", meanFCT), figure.Percentile("p50", p50, 0.50),
		figure.Percentile("p95", p95, 0.95), figure.Percentile("p99", p99, 0.99),
		figure.Real("Gb/s", "", func(l figure.Line) float64 { return l.Find("", "", goodput).Value / 1e9 }),
		versus("FCT vs "+base, base, meanFCT)).Rows.(*plots.Table)
}

// jobTable returns the answer about jobs on a terminal.
func jobTable(rows []study.Row, base string) *plots.Table {
	cells := []figure.Cell{figure.Case("workload"), figure.Scheme("scheme"), figure.Value("job", "us", jobTime),
		figure.Value("exposed", "us", exposed)}
	if has(rows, collectiveTime) {
		cells = append(cells, figure.Value("each", "us", collectiveTime), figure.Value("bus", "Gb/s", busBandwidth))
	}
	return figure.Lines("", figure.BySchemes(rows),
		append(cells, versus("job vs "+base, base, jobTime))...).Rows.(*plots.Table)
}

// versus formats the change of a quantity relative to the first scheme.
func versus(head, base, quantity string) figure.Cell {
	return figure.Text(head, func(l figure.Line) string {
		if r := l.Find("", base, quantity); !math.IsNaN(r.Value) {
			return r.Brief()
		}
		return ""
	})
}

// spoken returns the name of a scheme as it appears within a sentence, which lists schemes with commas, "and" and "or":
// "HPCC over INT (LetFlow)".
func spoken(scheme string) string {
	name, balancer, balanced := strings.Cut(strings.Replace(scheme, ", ", " over ", 1), ", ")
	if balanced {
		name += " (" + balancer + ")"
	}
	return name
}

// The times that sentences compare.
const (
	meanTime  = "the mean completion time"
	timeOfJob = "the job completion time"
)

// tails lists the percentiles that a sentence about flows also compares.
var tails = []shown{{p95, "the p95 slowdown", "", 0.95}, {p99, "the p99 slowdown", "", 0.99}}

// caseInWords compares the schemes of a case with the first one. It compares the mean completion times of the flows,
// or the times of the job. For flows, it adds the changes of the tails.
func caseInWords(rows []study.Row) string {
	quantity, subject := meanFCT, meanTime
	if isJob(rows) {
		quantity, subject = jobTime, timeOfJob
	}
	schemes, of := study.Schemes(rows), changesIn(rows, quantity)
	var parts []string
	if len(of) > 0 {
		parts = append(parts, inWords(subject, of, tailsInWords(rows, of)...))
	}
	lacks := lists.Map(schemes, func(scheme string) string { return leftOut(rows, scheme) })
	same := len(lists.Distinct(lacks, func(text string) string { return text })) == 1
	for i, text := range lacks {
		switch {
		case text == "" || same && i > 0:
		case same:
			parts = append(parts, text+" with each scheme")
		default:
			parts = append(parts, text+" with "+spoken(schemes[i]))
		}
	}
	if len(of) == 0 {
		parts = append(parts, "nothing to compare")
	}
	return strings.Join(parts, "; ")
}

// changesIn returns the changes of a quantity in a case, relative to the first scheme, for a sentence.
func changesIn(rows []study.Row, quantity string) (list []study.Row) {
	schemes := study.Schemes(rows)
	for _, scheme := range schemes[1:] {
		for _, r := range study.Pick(rows, "", scheme, schemes[0], quantity) {
			r.Case, r.Scheme, r.Against = "", spoken(r.Scheme), spoken(r.Against)
			list = append(list, r)
		}
	}
	return list
}

// tailsInWords returns a clause for each tail that the mean does not foretell: the tail differs significantly, but the
// mean does not, or changes the other way. With one seed nothing is significant, and only the direction counts. of
// contains the changes of the mean.
func tailsInWords(rows, of []study.Row) (list []string) {
	for _, s := range tails {
		sure := figure.Pick(changesIn(rows, s.quantity), func(r *study.Row) bool {
			mean := figure.Find(of, func(m *study.Row) bool { return m.Scheme == r.Scheme })
			reverse := mean != nil && (mean.Value > 1) != (r.Value > 1)
			return math.IsNaN(r.Lo) && reverse || r.Differs(1) && (reverse || mean == nil || !mean.Differs(1))
		})
		if len(sure) > 0 {
			list = append(list, listed(s.head, sure, s.share, ""))
		}
	}
	return list
}

// leftOut describes the flows and jobs that are missing from the numbers of a scheme. It returns "" if none are
// missing.
func leftOut(rows []study.Row, scheme string) string {
	for _, q := range []string{openJobs, noFlows, openFlows} {
		if r := study.One(rows, "", scheme, q); r.Value > 0 {
			of := r.Seeds
			if q == openFlows {
				of = r.Flows
			}
			return lackInWords(q, int(r.Value), of)
		}
	}
	return ""
}

// lackInWords describes how many of the jobs had not ended, how many of the runs have no finished flow, or how many of
// the flows had not finished.
func lackInWords(quantity string, n, of int) string {
	switch text := lackCounted(quantity, n, of); quantity {
	case openJobs:
		return text + " had not ended"
	case openFlows:
		return text + " had not finished"
	default:
		return "no flow has finished in " + text
	}
}

// lackCounted counts missing jobs, runs or flows: "2 of 3 runs".
func lackCounted(quantity string, n, of int) string {
	word := map[string]string{openJobs: "job", openFlows: "flow", noFlows: "run"}[quantity]
	return fmt.Sprintf("%d of %s", n, figure.Count(of, word))
}

// mostSaid is the largest number of changes that a sentence lists one by one.
const mostSaid = 4

// inWords returns a sentence about changes of a time relative to a base. The sentence lists the significant changes,
// and then the schemes without a significant difference. Its subject is the time. Clauses about other quantities
// follow. The Case of a change names where the change was measured, such as "load 0.3"; it is empty if the sentence is
// about a single case.
func inWords(subject string, of []study.Row, clauses ...string) string {
	sure, open := lists.Split(of, func(r study.Row) bool { return math.IsNaN(r.Lo) || r.Differs(1) })
	var parts []string
	if len(sure) > 0 {
		parts = append(parts, listed(subject, sure, 0, sure[0].Against))
		subject = "it"
	}
	if len(open) > 0 {
		against, seeds := open[0].Against, figure.Count(open[0].Seeds, "seed")
		oneScheme := !slices.ContainsFunc(open,
			func(r study.Row) bool { return r.Scheme != open[0].Scheme || r.Case == "" })
		subject += " does not differ significantly "
		switch {
		case len(open) > mostSaid:
			parts = append(parts, fmt.Sprintf("%sfrom %s in %d of %s (%s)", subject, against, len(open),
				number.Count(len(of), "comparison"), seeds))
		case oneScheme:
			cases := lists.Map(open, func(r study.Row) string { return r.Case })
			parts = append(parts, fmt.Sprintf("%sbetween %s and %s with %s (%s)",
				subject, against, open[0].Scheme, strings.Join(cases, " or with "), seeds))
		default:
			schemes := lists.Map(open, func(r study.Row) string { return r.Scheme + place(r) })
			parts = append(parts, fmt.Sprintf("%sbetween %s and %s (%s)",
				subject, against, strings.Join(schemes, " or "), seeds))
		}
	}
	parts = append(parts, clauses...)
	if of[0].Seeds == 1 {
		parts = append(parts, "with one seed no change is significant")
	}
	return strings.Join(parts, "; ")
}

// place returns where a change was measured, in brackets.
func place(r study.Row) string {
	if r.Case == "" {
		return ""
	}
	return " (" + r.Case + ")"
}

// listed returns a clause that lists changes of a quantity: "the p95 slowdown is 13 % lower with Swift". If against is
// not empty, the clause names it as the reference. Of more than mostSaid changes, the clause lists only the smallest
// and the largest. If the quantity is a percentile, share is its share, and the clause names percentiles of too few
// flows in words, because "~50 %" would read as "about 50 %".
func listed(subject string, of []study.Row, share float64, against string) string {
	is := subject + " is "
	if len(of) > mostSaid {
		byValue := func(a, b study.Row) int { return cmp.Compare(a.Value, b.Value) }
		is += "between "
		of = []study.Row{slices.MinFunc(of, byValue), slices.MaxFunc(of, byValue)}
	}
	words := lists.Map(of, func(r study.Row) string {
		return higherOrLower(r.Value) + " with " + r.Scheme
	})
	last := len(words) - 1
	if last == 0 && against != "" {
		words[0] += " than with " + against
	}
	for i, r := range of {
		words[i] += place(r)
		if r.Weak(share) != "" {
			words[i] += " (from too few flows)"
		}
	}
	if last == 0 {
		return is + words[0]
	}
	if against != "" {
		is = "compared with " + against + ", " + is
	}
	return is + strings.Join(words[:last], ", ") + " and " + words[last]
}

// higherOrLower puts a ratio into words: "13 % lower".
func higherOrLower(ratio float64) string {
	way := " % higher"
	if ratio < 1 {
		way = " % lower"
	}
	text := stats.Signed(ratio)
	switch change := strings.TrimLeft(text, "<>+−"); {
	case text[0] == '<' || text[0] == '>':
		return "more than " + change + way
	case change == "0.0":
		return "less than 0.1" + way
	default:
		return change + way
	}
}

// soFar returns the preliminary answer while further seeds run, both as several lines and as a single line.
func soFar(rows []study.Row) (text, line string, err error) {
	a := answer(rows)
	var b strings.Builder
	fmt.Fprintln(&b)
	for _, t := range a.Tables {
		if err := t.WriteText(&b); err != nil {
			return "", "", err
		}
	}
	seeds := 0
	for _, r := range rows {
		seeds = max(seeds, r.Seeds)
	}
	fmt.Fprintf(&b, "so far, after %d seeds\n", seeds)
	return b.String(), fmt.Sprintf("after %d seeds: %s", seeds, strings.Join(a.Text, " ")), nil
}
