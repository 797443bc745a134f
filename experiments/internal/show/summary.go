package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Summary describes the result of a run. brought lists the settings that the congestion control added, command
// repeats the run, and heading formats the word with which a line begins.
func Summary(r *sim.Result, brought []string, command string, heading func(string) string) (string, error) {
	var t columns.Text
	s := &r.Summary
	line := func(name, format string, args ...any) {
		t.Printf("%s %s\n", heading(fmt.Sprintf("%-12s", name)), fmt.Sprintf(format, args...))
	}
	kind, ended := "run", "finished"
	if r.Scenario.Estimate.Enabled {
		kind, ended = "estimate", "estimated"
	}
	overloads, notes := lists.Split(r.Notes, func(n string) bool { return strings.HasPrefix(n, sim.Overload) })
	note := func(text string) {
		warning, is := strings.CutPrefix(text, sim.Warning)
		if is || strings.HasPrefix(text, sim.Overload) {
			line("warning", "%s", warning)
		} else {
			line("note", "%s", text)
		}
	}
	for _, n := range overloads {
		note(n)
	}
	line(kind, "%s, seed %d", s.Name, s.Seed)
	flows := fmt.Sprintf("%d %s, %d failed, %d unfinished of %d", s.Finished, ended, s.Failed, s.Unfinished, s.Flows)
	if s.Projected > 0 {
		flows += fmt.Sprintf(", %d of the unfinished with a projected completion time", s.Projected)
	}
	if s.NotStarted > 0 {
		flows += fmt.Sprintf(" that started, %d not started", s.NotStarted)
	}
	line("flows", "%s", flows)
	window := stats.Arrivals(r.Flows, r.Scenario.Run.Warmup, r.Scenario.Run.Cooldown)
	tables := stats.SizeTables(r.Flows, window, stats.SizeRows)
	for i := range tables {
		of := ""
		if len(tables) > 1 {
			of = [...]string{" of the background", " of incasts"}[min(tables[i].Class, 1)]
		}
		printSizes(&t, &tables[i], of, heading)
	}
	if long := stats.LongFlows(r.Flows, window, 10*unit.MB); long.N > 0 {
		line("goodput", "%.2f Gb/s on average over %s above 10 MB", long.Mean/1e9,
			number.Count(long.N, "flow"))
	}
	for _, b := range brought {
		line("settings", "%s, as %s needs it", strings.Replace(b, "=", " = ", 1), r.Scenario.CC.Kind)
	}
	for _, c := range r.Choices {
		line("auto", "%s = %s", c.Key, c.Text())
	}
	for _, n := range notes {
		note(n)
	}
	for _, text := range r.JobLines() {
		line("job", "%s", text)
	}
	for _, text := range r.Outcomes {
		line("outcomes", "%s", text)
	}
	if !r.Scenario.Estimate.Enabled {
		line("network", "%.2f ms simulated, %s, %d lost on links, %s, %s", 1e3*r.Ended.Seconds(),
			number.Count(s.Drops, "drop"), s.LinkLosses, number.Count(s.Marks, "ECN mark"),
			number.Count(s.Pauses, "pause frame"))
	}
	line("work", "%s, %.3f events each", number.Count(s.PacketHops, "packet-hop"), s.EventsPerHop)
	line("cost", "%s, %s of CPU, %.0f MB of memory: %.2f M packet-hops per CPU second",
		Took(s.WallSeconds), Took(s.CPUSeconds), float64(s.PeakMemory)/1e6, s.HopsPerCPU/1e6)
	if r.Bounds != nil {
		list := lists.Map(r.Bounds.Bounds, func(b netsim.Bound) string {
			return fmt.Sprintf("%d: %.3g", b.Workers, b.Speedup)
		})
		line("bounds", "at most %s times as fast with this number of workers", strings.Join(list, ", "))
	}
	line("fingerprint", "%s", s.Fingerprint)
	line("results", "%s", s.Dir)
	line("reproduce", "%s", command)
	return t.Done()
}

// Took formats seconds: with three digits or, from 100 s, as hours, minutes and seconds.
func Took(seconds float64) string {
	if seconds < 99.95 {
		return fmt.Sprintf("%.3g s", seconds)
	}
	s := int(math.Round(seconds))
	if s < 3600 {
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min %d s", s/3600, s/60%60, s%60)
}

// fixed formats a number with some decimals, or with more if two significant digits need them. So a short flow in a
// table of long ones does not look as if it took no time.
func fixed(v float64, decimals int) string {
	if v > 0 && v < 1 {
		decimals = max(decimals, int(math.Ceil(1-math.Log10(v))))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// printSizes prints completion times by flow size. If there are few sizes, it prints completion times and slowdowns for
// each size. Otherwise it prints slowdowns in rows with about equal numbers of flows.
func printSizes(to *columns.Text, t *stats.SizeTable, of string, heading func(string) string) {
	name, width, form, times, digits := "slowdown", 24, " %8v %9s %9s %9s %9s\n", unit.Second, 2
	heads := []any{"", "flows", "mean", "p50", "p95", "p99"}
	if t.Few {
		for times > unit.Microsecond && t.All.FCT.P99 < times.Seconds() {
			times /= 1000
		}
		if times == unit.Microsecond {
			digits = 1
		}
		name, width, form = "FCT", 9, " %5v %7s %7s %7s %7s %8s %7s %7s %7s\n"
		heads = []any{"", "flows", "mean " + number.Unit(times.String()[1:]), "p50", "p95", "p99", "slowdown", "p50",
			"p95", "p99"}
	}
	names := sizeNames(t.Rows)
	for _, name := range names {
		width = max(width, len(name))
	}
	form = fmt.Sprintf("%%%ds", width) + form
	to.Printf("%s of %s%s, by size (~ marks percentiles of too few flows)\n",
		heading(fmt.Sprintf("%-12s", name)), number.Count(t.All.N, "flow"), of)
	to.Printf(form, heads...)
	row := func(name string, b *stats.SizeRow) {
		cells := []any{name, b.N}
		four := func(digits int, scale, mean, p50, p95, p99 float64) {
			for i, v := range []float64{mean, p50, p95, p99} {
				text := fixed(scale*v, digits)
				if i > 0 && b.Few([]float64{0.50, 0.95, 0.99}[i-1]) {
					text = "~" + text
				}
				cells = append(cells, text)
			}
		}
		if t.Few {
			four(digits, 1/times.Seconds(), b.FCT.Mean, b.FCT.P50, b.FCT.P95, b.FCT.P99)
		}
		four(2, 1, b.Mean, b.P50, b.P95, b.P99)
		to.Printf(form, cells...)
	}
	for i, name := range names {
		row(name, &t.Rows[i])
	}
	if len(t.Rows) > 1 {
		row("all", &t.All)
	}
}

// sizeNames returns the sizes of each row with as many digits as it takes to distinguish the rows. Parts of a
// collective often differ in size by a byte.
func sizeNames(rows []stats.SizeRow) (names []string) {
	for digits := 3; ; digits++ {
		names = names[:0]
		for i := range rows {
			b := &rows[i]
			name := number.Format(float64(b.MinSize), number.Bytes, digits)
			if b.MaxSize > b.MinSize {
				name += " to " + number.Format(float64(b.MaxSize), number.Bytes, digits)
			}
			names = append(names, name)
		}
		if len(slices.Compact(slices.Clone(names))) == len(names) || digits == 13 { // sizes have at most 13 digits
			return names
		}
	}
}
