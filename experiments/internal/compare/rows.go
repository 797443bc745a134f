package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// view lists the columns of rows.csv. Times are in s and goodput is in b/s.
var view = columns.View{"table", "workload=case", "scheme", "versus=against", "measure=quantity", "size", "share",
	"value", "lo", "hi", "flows", "seeds"}

// The tables of the rows. The first two are about flows of a size bucket: a scheme, and the ratio of two schemes. The
// others are about all flows of a scheme, and the ratio of two schemes.
const (
	bySize     = "size"
	sizeRatios = "size ratio"
	measures   = "measure"
	ratios     = "ratio"
)

// oneBDP is a bandwidth-delay product: 100 Gb/s times 12 us, the largest base RTT. Shorter flows can be sent before the
// first feedback arrives.
const oneBDP = 150 * unit.KB

// The names of the measures.
const (
	meanFCT  = "mean FCT"
	p50      = "p50 slowdown"
	p95      = "p95 slowdown"
	p99      = "p99 slowdown"
	p95Short = "p95 slowdown, flows up to 150 KB"
	p95Long  = "p95 slowdown, flows above 1 MB"
	goodput  = "goodput of long flows"
	byFlow   = "goodput of long flows, flow by flow"
	drops    = "packets dropped"
	pauses   = "pause frames"
)

// The names of the measures of jobs. A measure of collectives of one kind is followed by the kind.
const (
	jobTime        = "job completion time"
	exposed        = "exposed communication"
	collectiveTime = "collective completion time"
	busBandwidth   = "bus bandwidth"
	messageFCT     = "mean FCT of messages"
	messageP99     = "p99 slowdown of messages"
	byMessage      = "goodput of long messages, message by message"
)

// The names of measures that count what the numbers leave out. The value is the number of such jobs, runs or flows of
// all seeds. The number of flows of openFlows is also a sum over all seeds; other rows have the number of the seed with
// the fewest flows. Rows omit a count of 0.
const (
	openJobs  = "jobs that had not ended"
	noFlows   = "runs in which no flow has finished"
	openFlows = "flows that had not finished, of the flows of all seeds"
)

// lacking returns a measure that counts the seeds in which another measure has no number.
func lacking(name string, of study.Measure) study.Measure {
	return study.Measure{Name: name, Of: func(trials []*study.Trial) ([]stats.Sized, error) {
		n := stats.Alone(0)
		for _, t := range trials {
			list, err := of.Of([]*study.Trial{t})
			if err != nil {
				return nil, err
			}
			if len(list) == 0 {
				n.Value++
			}
		}
		n.Seeds = len(trials)
		return []stats.Sized{stats.Whole(n)}, nil
	}}
}

var (
	withoutFlows = lacking(noFlows, study.MeanFCT(""))
	withoutEnd   = lacking(openJobs, study.JobTime(""))
	withoutTime  = study.Measure{Name: openFlows, Of: unfinished}
)

// flowLacks lists the measures that count missing flows.
var flowLacks = []study.Measure{withoutFlows, withoutTime}

// unfinished counts the flows that have no completion time, and all flows.
func unfinished(trials []*study.Trial) ([]stats.Sized, error) {
	n := stats.Alone(0)
	n.Seeds = len(trials)
	for _, t := range trials {
		n.Flows += len(t.Points)
		n.Value += float64(lists.Count(t.Points, func(p stats.Point) bool { return math.IsNaN(p.Slowdown) }))
	}
	return []stats.Sized{stats.Whole(n)}, nil
}

// measured lists the measures of flows. Only the paired measures compare schemes.
var measured = []study.Measure{
	study.MeanFCT(meanFCT),
	study.Slowdown(p50, 0.50, 0, math.MaxInt64),
	study.Slowdown(p95, 0.95, 0, math.MaxInt64),
	study.Slowdown(p99, 0.99, 0, math.MaxInt64),
	study.Slowdown(p95Short, 0.95, 0, oneBDP),
	study.Slowdown(p95Long, 0.95, 1*unit.MB+1, math.MaxInt64),
	study.Goodput(goodput),
	study.FlowByFlow(byFlow),
}

// counted lists the measures of the whole network.
var counted = []study.Measure{study.Network(drops, study.Drops), study.Network(pauses, study.Pauses)}

// maxKinds is the largest number of kinds of collectives for which a job has measures.
const maxKinds = 8

// measuredOf returns the measures of a job. They contain no curves by message size, because two schemes may not start
// the same messages.
func measuredOf(job *sim.Source) []study.Measure {
	list := []study.Measure{
		study.JobTime(jobTime), study.JobExposed(exposed),
		study.CollectiveTime(collectiveTime, nil), study.BusBandwidth(busBandwidth, nil),
	}
	if n := len(job.Kinds); n > 1 && n <= maxKinds {
		for i := range job.Kinds {
			kind := &job.Kinds[i]
			list = append(list, study.CollectiveTime(collectiveTime+", "+kind.String(), kind),
				study.BusBandwidth(busBandwidth+", "+kind.String(), kind))
		}
	}
	return append(list, study.MeanFCT(messageFCT), study.Slowdown(messageP99, 0.99, 0, math.MaxInt64),
		study.FlowByFlow(byMessage))
}

// slowdowns measures slowdowns in buckets by flow size. There is one bucket for each tick of the PINT paper's axes,
// so that even the short runs of the laptop scale fill all buckets. There are no buckets if there are few flows or
// few sizes. There is no curve for a scheme that finishes no flow of some bucket.
var slowdowns = study.Measure{Name: "p95 slowdown by flow size", Shown: p95,
	Of: func(trials []*study.Trial) ([]stats.Sized, error) {
		for _, t := range trials {
			if len(t.Points) < 2*buckets || !stats.ManySizes(t.Points, buckets) {
				return nil, nil
			}
		}
		list, err := study.BySize("", 0.95, buckets).Of(trials)
		if errors.Is(err, stats.ErrOpen) {
			return nil, nil
		}
		return list, err
	}}

const buckets = 10

// group contains the schemes of a case.
type group struct {
	name     string
	runs     string // name of the runs, which several cases may share
	entries  []study.Cell
	brought  [][]string      // settings that the control of each entry changes
	pairs    [][2]string     // pairs of schemes; the first is divided by the second
	curves   int             // number of leading pairs that are also compared by flow size
	lacks    []study.Measure // measures that count missing flows or jobs
	measured []study.Measure
	settling []string // measures whose intervals end the case
}

// againstFirst pairs each scheme with the first one. All pairs are also compared by flow size.
func (g *group) againstFirst() {
	for _, e := range g.entries[1:] {
		g.pairs = append(g.pairs, [2]string{e.Scheme, g.entries[0].Scheme})
	}
	g.curves = len(g.pairs)
}

// measure sets the measures of the group.
func (g *group) measure(settling []string, list ...study.Measure) {
	g.settling, g.measured = settling, list
	all := append(slices.Clone(g.lacks), list...)
	if g.curves > 0 {
		all = append(all, slowdowns)
	}
	g.entries = slices.Clone(g.entries)
	for i := range g.entries {
		g.entries[i].Case, g.entries[i].Measures = g.name, all
	}
}

// bySource divides the group into one case for each entry of the workload in sc. So an incast is not mixed with the
// traffic around it, and jobs have separate measures. If there are several entries, a last case contains the counters
// of the whole network.
func (g group) bySource(sc scenario.Scenario) ([]group, error) {
	sources, err := sim.Sources(sc)
	if err != nil {
		return nil, err
	}
	var list []group
	for i := range sources {
		own, also := g, []study.Measure(nil)
		if len(sources) == 1 {
			also = counted
		} else {
			own.name += ", " + sources[i].Name
		}
		if sources[i].Job >= 0 {
			own.curves, own.lacks = 0, []study.Measure{withoutEnd}
			own.measure([]string{jobTime}, append(measuredOf(&sources[i]), also...)...)
		} else {
			own.lacks = flowLacks
			own.measure(flowSettling, append(slices.Clone(measured), also...)...)
		}
		for k := range own.entries {
			own.entries[k].Source = &sources[i]
		}
		list = append(list, own)
	}
	if len(sources) > 1 {
		g.curves = 0
		g.measure(nil, counted...)
		list = append(list, g)
	}
	return list, nil
}

// flowSettling lists the measures of flows whose intervals end a case.
var flowSettling = []string{meanFCT, p95}

// measurement contains the measured rows.
type measurement struct {
	groups  []group
	size    sizes
	results *study.Results
	seeds   string // how many
	bars    string // explanation of the intervals, for the end of a footnote
}

// measure runs the groups. It makes interim analyses if z.looks is set and the user has not chosen the number of
// seeds.
func measure(ctx context.Context, j *figure.Job, z sizes, groups []group, free []string) (*measurement, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Free: free}
	for _, g := range groups {
		p.Cells = append(p.Cells, g.entries...)
	}
	looking := z.looks && j.Seeds == 0
	if looking {
		p.Interim = looks(j, groups)
	}
	results, err := p.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	m := &measurement{groups: groups, size: z, results: results, seeds: seedsOf(results, p.Cells),
		bars: "; bars: 95 % intervals over the seeds"}
	switch {
	case looking:
		m.bars = fmt.Sprintf("; bars: 95 %% intervals over %d or %d seeds", looksAfter[1], looksAfter[2])
		j.Setting("seeds", "", "%s; 95 %% intervals over them, corrected for two analyses, after %d and after %d seeds",
			strings.TrimSuffix(m.seeds, " seeds"), looksAfter[1], looksAfter[2])
		j.Setting("end of a case", "", "when the intervals of mean completion time and p95 slowdown exclude 0 for "+
			"each pair of schemes; the error probability of 5 %% is split: the analysis after %d seeds uses %s, and "+
			"the last analysis %s",
			looksAfter[1], number.Share(1-looksLevels[1]), number.Share(1-looksLevels[2]))
	case len(p.Seeds) == 1:
		m.bars = ""
		j.Setting("seeds", "", "one, so there are no intervals (--seeds N)")
	default:
		j.Setting("seeds", "", "%d; 95 %% intervals over them", len(p.Seeds))
	}
	return m, nil
}

// seedsOf describes how many seeds were run.
func seedsOf(r *study.Results, entries []study.Cell) string {
	least, most := math.MaxInt, 0
	for _, e := range entries {
		least, most = min(least, r.Seeds(e)), max(most, r.Seeds(e))
	}
	if least < most {
		return fmt.Sprintf("%d or %d seeds", least, most)
	}
	return figure.Count(most, "seed")
}

// looks returns the interim analyses. They report progress, and end a case when its main ratios are settled.
func looks(j *figure.Job, groups []group) *study.Interim {
	return &study.Interim{
		After: looksAfter, Levels: looksLevels,
		Settled: func(r *study.Results, of string) (bool, error) {
			of = groups[slices.IndexFunc(groups, func(g group) bool { return g.name == of })].runs
			for _, g := range groups { // cases that share runs end at the same time
				if g.runs != of {
					continue
				}
				if settled, err := g.settled(r); !settled {
					return false, err
				}
			}
			return true, nil
		},
		Begin: func(i, _ int, r *study.Results) error {
			if r == nil {
				j.Part(0, len(looksAfter), "", "")
				return nil
			}
			rows, err := r.Rows(order(groups, r))
			if err != nil {
				return err
			}
			text, line, err := soFar(rows)
			j.Part(i, len(looksAfter), text, line)
			return err
		},
	}
}

// settled reports whether an interim analysis after the first one has found a difference between the two schemes of
// every pair.
func (g *group) settled(r *study.Results) (bool, error) {
	if r.Seeds(g.entries[0]) < looksAfter[1] {
		return false, nil
	}
	for _, p := range g.pairs {
		for _, quantity := range g.settling {
			m, err := r.Ratio(study.Cell{Case: g.name, Scheme: p[0], X: math.NaN()}, p[1], quantity)
			if err != nil || len(m) == 0 || !m[0].Differs(1) {
				return false, err
			}
		}
	}
	return true, nil
}

// order returns the order of the cases and schemes in the rows.
func order(groups []group, results *study.Results) func(*study.Rows) {
	return func(r *study.Rows) {
		for _, g := range groups {
			of := func(scheme string) study.Cell {
				return study.Cell{Case: g.name, Scheme: scheme, X: math.NaN()}
			}
			for _, q := range g.lacks {
				some := slices.ContainsFunc(g.entries, func(e study.Cell) bool {
					n, err := results.One(e, q.Name)
					return err == nil && n.Value > 0
				})
				for _, e := range g.entries {
					if some {
						r.Add(measures, e, "", q.Name)
					}
				}
			}
			for _, e := range g.entries {
				if g.curves > 0 {
					r.Add(bySize, e, "", slowdowns.Name)
				}
			}
			for _, p := range g.pairs[:g.curves] {
				r.Add(sizeRatios, of(p[0]), p[1], slowdowns.Name)
			}
			for _, q := range g.measured {
				for _, e := range g.entries {
					r.Add(measures, e, "", q.Name)
				}
			}
			for _, p := range g.pairs {
				for _, q := range g.measured {
					if q.Paired {
						r.Add(ratios, of(p[0]), p[1], q.Name)
					}
				}
			}
		}
	}
}
