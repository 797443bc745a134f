package telemetry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// asked is a question whose answers users compare when they choose a system.
type asked struct {
	question string
	label    string // title of its panel
	axis     string // label of the panel's axis
	unit     string
	of       func(*systemRow) float64
	most     bool // whether a larger number is better
	log      bool // scale of the axis
	print    func(float64) string
}

func percent(v float64) string { return number.Format(v, "%", 3) } // writes a number that is in percent
func plain(v float64) string   { return fmt.Sprintf("%.3g", v) }
func seconds(v float64) string { return number.Format(v, plots.InSeconds, 3) }

var questions = []asked{
	{"latency of a flow at a switch, median error", "Latency error, median", "Error", "%",
		func(r *systemRow) float64 { return 100 * r.Latency50 }, false, true, percent},
	{"latency of a flow at a switch, 99th percentile of the error", "Latency error, p99", "Error", "%",
		func(r *systemRow) float64 { return 100 * r.Latency99 }, false, true, percent},
	{"pairs of flow and switch whose latency it reports", "Latencies reported", "Share", "%",
		func(r *systemRow) float64 { return 100 * r.Told }, true, false, percent},
	{"time from the first packet of a flow at a switch until its latency there is " +
		"reported", "Lag, median", "Time", plots.InSeconds,
		func(r *systemRow) float64 { return r.Lag }, false, true, seconds},
	{"flows whose path is known", "Paths known", "Share of the flows", "%",
		func(r *systemRow) float64 { return 100 * r.PathFlows }, true, false, percent},
	{"packets until a path is known, median", "Packets until a path is known", "Packets", "",
		func(r *systemRow) float64 { return r.PathPackets }, false, true, plain},
	{"heavy flows, F1", "F1 of heavy flows", "F1", "",
		func(r *systemRow) float64 { return r.Heavy }, true, false, plain},
	{"flow size, average relative error", "Error of flow sizes", "Error", "%",
		func(r *systemRow) float64 { return 100 * r.Size }, false, true, percent},
	{"silent faults of other runs (16 hosts, HPCC, flows of 200 KB at 40 %), mean F1 over their kinds",
		"F1 of silent faults", "F1", "", func(r *systemRow) float64 { return r.located.F1 }, true, false, plain},
	{"distribution of the latency at a switch, mean |log2| error", "Error of latency distributions", "|log₂|", "",
		func(r *systemRow) float64 { return r.Delays }, false, true, plain},
}

// bytes returns the cost per data packet: the telemetry in the packet, as a mean over links, plus the reports about
// the packet.
func (r *systemRow) bytes() float64 { return r.Mean + r.ReportBytes }

// ofFault returns the rows of a kind of fault, or of all kinds.
func ofFault(rows []systemRow, kind string) []systemRow {
	return figure.Pick(rows, func(r *systemRow) bool { return r.Table == byFault && r.Fault == kind })
}

// central returns the rows of the main setting, which the text describes. This setting has the first control and the
// first workload, at 50 % load or, without rows for 50 %, at the first load. central adds the results of the runs
// with faults to the rows.
func central(rows []systemRow) []systemRow {
	var some []systemRow
	for _, load := range []int{50, -1} {
		for i := range rows {
			r := &rows[i]
			if r.Table != bySetting || load > 0 && r.Load != load {
				continue
			}
			if len(some) == 0 || r.place() == some[0].place() {
				some = append(some, *r)
				if x := find(ofFault(rows, everyKind), r.System); x != nil {
					some[len(some)-1].located = x.located
				}
			}
		}
		if len(some) > 0 {
			return some
		}
	}
	return nil
}

// contested adds a row for LightGuardian with host votes to the rows of a setting. This variant costs as much as
// LightGuardian, and answers only questions about faults.
func contested(rows, at []systemRow) []systemRow {
	own, votes := find(at, nameOf("lightguardian")), find(ofFault(rows, everyKind), withVotes)
	if own == nil || votes == nil {
		return at
	}
	r := *own
	r.System, r.answers, r.located = withVotes, columns.Blank[answers](), votes.located
	return append(slices.Clone(at), r)
}

func (r *systemRow) place() place { return place{r.Control, r.Workload, r.Load} }

// find returns the row of a system, or nil.
func find(rows []systemRow, system string) *systemRow {
	return figure.Find(rows, func(r *systemRow) bool { return r.System == system })
}

// nameOf returns the name of the system with a key. It panics if there is no such system.
func nameOf(key string) string {
	for _, x := range systems {
		if x.key == key {
			return x.name
		}
	}
	panic("telemetry: no system " + key)
}

// checkSystems returns the findings from the rows.
func checkSystems(rows []systemRow) []figure.Finding {
	at := central(rows)
	if len(at) == 0 {
		return nil
	}
	where := at[0].place()
	var list []figure.Finding
	for _, q := range questions {
		if f, ok := best(contested(rows, at), &q, where); ok {
			list = append(list, f)
		}
	}
	list = append(list, prices(rows)...)
	list = append(list, claims(at, where)...)
	list = append(list, wrongPaths(rows, at)...)
	return append(list, guardians(rows)...)
}

// guardians returns a finding that compares how well variants of LightGuardian locate faults. The differences show
// how much each part of LightGuardian contributes to its failures.
func guardians(rows []systemRow) []figure.Finding {
	var list []string
	for _, name := range []string{nameOf("lightguardian"), withVotes, readWhole, exactly} {
		if r := find(ofFault(rows, everyKind), name); r != nil {
			list = append(list, fmt.Sprintf("%s %.3g", name, r.located.F1))
		}
	}
	if len(list) < 2 {
		return nil
	}
	return []figure.Finding{{Outcome: figure.Found, Statement: "silent faults by LightGuardian, " +
		"mean F1 over their kinds", Detail: strings.Join(list, ", ")}}
}

// wrongPaths returns a finding that names the system that locates most victims of wrong paths. Hosts alone cannot
// detect wrong paths. The means are over few faults and have no intervals, so the finding only reports the order of
// the systems.
func wrongPaths(rows, at []systemRow) []figure.Finding {
	var where place
	some := slices.Clone(contested(rows, at))
	for i := range some {
		some[i].located = columns.Blank[located]()
		if x := find(ofFault(rows, scenario.WrongPath), some[i].System); x != nil {
			some[i].located = x.located
			where = x.place()
		}
	}
	q := asked{question: "victims of wrong paths in a network of 16 hosts that name the culprit",
		of: func(r *systemRow) float64 { return 100 * r.located.Recall }, most: true, print: percent}
	if f, ok := best(some, &q, where); ok {
		return []figure.Finding{f}
	}
	return nil
}

// best returns a finding that names the system with the best answer to a question, or the systems that share it, by
// ascending cost. The detail lists the answer and the cost of every system.
func best(rows []systemRow, q *asked, where place) (figure.Finding, bool) {
	var first []*systemRow
	var all []string
	for i := range rows {
		r := &rows[i]
		v := q.of(r)
		if math.IsNaN(v) {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s at %.3g B", r.System, q.print(v), r.bytes()))
		switch {
		case len(first) == 0 || v != q.of(first[0]) && v > q.of(first[0]) == q.most:
			first = []*systemRow{r}
		case v == q.of(first[0]):
			first = append(first, r)
		}
	}
	if len(first) == 0 {
		return figure.Finding{}, false
	}
	slices.SortStableFunc(first, func(a, b *systemRow) int { return cmp.Compare(a.bytes(), b.bytes()) })
	is := first[0].System + " is best"
	if last := len(first) - 1; last > 0 {
		names := lists.Map(first, func(r *systemRow) string { return r.System })
		is = fmt.Sprintf("%s and %s tie for best", strings.Join(names[:last], ", "), names[last])
	}
	return figure.Finding{
		Outcome:   figure.Found,
		Statement: fmt.Sprintf("%s: %s (%v)", q.question, is, where),
		Detail:    strings.Join(all, ", ") + " for each data packet, on it and about it",
	}, true
}

// prices returns a finding for each system: how much the system changes the p95 slowdown, over all settings, and in
// how many settings the change is significant.
func prices(rows []systemRow) []figure.Finding {
	var list []figure.Finding
	for _, x := range systems[1:] {
		worse, better, n, seeds := 0, 0, 0, 0
		sum := 0.0
		for i := range rows {
			r := &rows[i]
			if r.Table != bySetting || r.System != x.name {
				continue
			}
			n++
			seeds = r.Seeds
			sum += math.Log(r.P95.Value)
			switch {
			case r.P95.Above(1):
				worse++
			case r.P95.Below(1):
				better++
			}
		}
		if n == 0 {
			continue
		}
		detail := fmt.Sprintf("significantly worse in %d of %d settings, better in %d", worse, n, better)
		if seeds == 1 {
			detail = figure.Count(n, "setting") + "; one seed has no intervals"
		}
		list = append(list, figure.Finding{
			Outcome: figure.Found,
			Statement: fmt.Sprintf("%s: p95 slowdown %s %% against none, mean over the settings", x.name,
				number.Change(100*(math.Exp(sum/float64(n))-1), 1)),
			Detail: detail,
		})
	}
	return list
}

// claims checks properties that follow from how the systems work.
func claims(rows []systemRow, where place) []figure.Finding {
	var list []figure.Finding
	add := func(statement string, a, b string, of func(*systemRow) float64, less bool, unit string) {
		x, y := find(rows, nameOf(a)), find(rows, nameOf(b))
		if x == nil || y == nil {
			return
		}
		v, w := of(x), of(y)
		holds, fails := v > w, v < w
		if less {
			holds, fails = fails, holds
		}
		list = append(list, figure.Judge(fmt.Sprintf("%s (%v)", statement, where), holds, fails, "%.3g and %.3g%s", v,
			w, unit))
	}
	add("postcards cost more bytes than passports on as many packets", "postcard", "passport",
		(*systemRow).bytes, false, " B")
	add("16 bits of PINT know the paths of more flows than 8", "pint-16", "pint-8",
		func(r *systemRow) float64 { return r.PathFlows }, false, "")
	add("the records of INT give the latencies of flows more accurately than the cells of LightGuardian", "passport",
		"lightguardian", func(r *systemRow) float64 { return r.Latency50 }, true, "")
	add("SketchINT reports more latencies than passports on a share of the packets", "sketchint", "passport",
		func(r *systemRow) float64 { return r.Told }, false, "")
	return list
}
