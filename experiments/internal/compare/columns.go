package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// long is the size above which the goodput of flows is measured.
const long = 10 * unit.MB

// column describes a number that summarises a run or a part of its flows.
type column struct {
	plots.Column
	title   string
	shown   bool    // whether tables and drawings show it
	share   float64 // for percentiles, e.g. 0.99; 0 for other numbers
	least   float64 // smallest possible number
	measure func(name string) study.Measure
	part    string // entry of the workload or class of flows; "" for the whole run
	network bool   // whether the column is about the whole network, not about flows
	count   bool   // whether the column counts flows or jobs; a count has no interval and no changes
}

func visible(name, unit, title string, measure func(name string) study.Measure) column {
	return column{Column: plots.Real(name, unit), title: title, shown: true, measure: measure}
}

func hidden(name, unit, title string, measure func(name string) study.Measure) column {
	c := visible(name, unit, title, measure)
	c.shown = false
	return c
}

func slowdown(share float64) column {
	name := fmt.Sprintf("p%.0f", 100*share)
	c := visible(name+"_slowdown", "", name+" slowdown",
		func(name string) study.Measure { return study.Slowdown(name, share, 0, math.MaxInt64) })
	c.share, c.least = share, 1
	return c
}

func network(name, title string, of func(*store.Summary) float64) column {
	c := hidden(name, "", title, func(name string) study.Measure { return study.Network(name, of) })
	c.network = true
	return c
}

var (
	// flowColumns lists the numbers of all flows of a run. If the workload has several entries, they are also the
	// numbers of the flows of each entry.
	flowColumns = []column{
		visible("mean_fct", "s", "Mean FCT", study.MeanFCT), slowdown(0.50), slowdown(0.95), slowdown(0.99),
	}
	runColumns = slices.Concat(flowColumns, []column{
		visible("goodput_long", "b/s", "Goodput of flows above 10 MB", study.Goodput),
		dropsColumn(),
		network("pauses", "Pause frames", study.Pauses),
		network("packet_hops", "Packet-hops", func(s *store.Summary) float64 { return float64(s.PacketHops) }),
	}, classColumns(0, stats.AnySize))
	jobColumns = []column{
		visible("job_time", "s", "Job completion time", study.JobTime),
		visible("exposed", "s", "Exposed communication", study.JobExposed),
		visible("collective_time", "s", "Collective completion time",
			func(name string) study.Measure { return study.CollectiveTime(name, nil) }),
		visible("bus_bandwidth", "b/s", "Bus bandwidth",
			func(name string) study.Measure { return study.BusBandwidth(name, nil) }),
	}
	// partFlows is the column with the number of flows in a part.
	partFlows = counting(0, stats.AnySize)
	// openColumn is 1 for a job that had not ended, and 0 otherwise. A job that had not ended has no other numbers.
	openColumn = column{Column: plots.Real("open_jobs", ""), title: "Jobs that had not ended", count: true,
		measure: func(name string) study.Measure { return lacking(name, study.JobTime("")) }}
)

// dropsColumn is the only number of the network that tables and drawings show.
func dropsColumn() column {
	c := network("drops", "Packets dropped", study.Drops)
	c.shown = true
	return c
}

func counting(min, below unit.Bytes) column {
	c := hidden("flows", "", "Flows", func(name string) study.Measure { return study.Finished(name, min, below) })
	c.count = true
	return c
}

// classes lists the classes of flows by size. Sizes up to the first border are short, sizes up to the second border
// are medium, and larger sizes are long.
var classes = []string{"short", "medium", "long"}

// defaultSizes lists the default borders of the classes.
var defaultSizes = [2]unit.Bytes{100 * unit.KB, unit.MB}

// classColumns returns percentiles of the completion times of flows whose sizes are in a range.
func classColumns(min, below unit.Bytes) []column {
	var list []column
	for _, p := range []struct {
		share float64
		of    func(stats.Times) float64
	}{
		{0.50, func(t stats.Times) float64 { return t.P50 }},
		{0.95, func(t stats.Times) float64 { return t.P95 }},
		{0.99, func(t stats.Times) float64 { return t.P99 }},
	} {
		name := fmt.Sprintf("p%.0f", 100*p.share)
		c := hidden(name+"_fct", "s", name+" FCT",
			func(name string) study.Measure { return study.FCT(name, min, below, p.of) })
		c.share = p.share
		list = append(list, c)
	}
	return list
}

// byClass returns the columns of each class of flows, named class_p50_fct and so on. They come after all other columns,
// so that older rows, which lack them, can still be drawn.
func byClass(borders [2]unit.Bytes) []column {
	var list []column
	edges := [4]unit.Bytes{0, borders[0] + 1, borders[1] + 1, stats.AnySize}
	for i, class := range classes {
		for _, c := range append(classColumns(edges[i], edges[i+1]), counting(edges[i], edges[i+1])) {
			title := c.title + ", " + class + " flows"
			c = c.of(class)
			c.title = title
			list = append(list, c)
		}
	}
	return list
}

// of returns a column with the same number for a part of the flows.
func (c column) of(part string) column {
	if part != "" {
		c.part, c.Name, c.title = part, part+"_"+c.Name, c.title+", "+part
	}
	return c
}

// base returns the name of a column without its part.
func (c column) base() string { return strings.TrimPrefix(c.Name, c.part+"_") }

// source is an entry of the workload, as the rows name it.
type source struct {
	name  string
	job   bool
	kinds []string // kinds of collectives that the job has in some run
}

// columns returns the columns of an entry. If the workload has a single entry, its numbers cover all flows of the run.
func (s source) columns(several bool) (list []column) {
	if several {
		list = append(slices.Clone(flowColumns), partFlows)
	}
	if s.job {
		list = append(append(list, jobColumns...), openColumn)
	}
	var kinds []column
	if n := len(s.kinds); s.job && 1 < n && n <= maxKinds {
		for _, kind := range s.kinds {
			kinds = append(kinds, kindColumns(kind)...)
		}
	}
	list = append(list, kinds...)
	if several {
		for i := range list {
			list[i] = list[i].of(s.name)
		}
	}
	return list
}

// kindColumns returns the columns of a job's collectives of one kind. They cover collectives of all sizes and numbers
// of ranks.
func kindColumns(kind string) []column {
	of := &sim.Kind{Name: kind}
	time, bus := jobColumns[2], jobColumns[3]
	time.measure = func(name string) study.Measure { return study.CollectiveTime(name, of) }
	bus.measure = func(name string) study.Measure { return study.BusBandwidth(name, of) }
	return []column{time.of(columnName(kind)), bus.of(columnName(kind))}
}

// sourceColumns returns the columns of the entries.
func sourceColumns(sources []source) (list []column) {
	for _, s := range sources {
		list = append(list, s.columns(len(sources) > 1)...)
	}
	return list
}

// storedSources finds the columns of entries and jobs in a table of rows. A column of a setting may have a similar
// name, but it contains text, not numbers, so the two cannot be confused.
func storedSources(t *plots.Table) []column {
	var list []column
	for _, stored := range t.Columns() {
		jobs := append(slices.Clone(jobColumns), openColumn)
		for _, c := range slices.Concat(flowColumns, []column{partFlows}, jobs) {
			part, ok := strings.CutSuffix(stored.Name, "_"+c.Name)
			job := slices.ContainsFunc(jobs, func(j column) bool { return j.Name == stored.Name })
			switch {
			case stored.Kind != plots.Float:
			case ok && !slices.Contains(classes, part):
				list = append(list, c.of(part))
			case stored.Name == c.Name && job:
				list = append(list, c)
			}
		}
	}
	return list
}
