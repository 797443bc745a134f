package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Words in the lists of Sampling that select everything, all switches, or all hosts.
const (
	All      = "all"
	Switches = "switches"
	Hosts    = "hosts"
)

// Formats of series.
const (
	FormatParquet = "parquet"
	FormatCSV     = "csv"
)

// fewestLooks is the smallest limit of the number of looks, except 0.
const fewestLooks = 16

// Sampling is the recording of time series of ports (series.parquet, series.csv) and of flows (flowseries.parquet,
// flowseries.csv). It has no effect on results. A selection that can match nothing is an error. If a series gets no
// row, the run has a note.
type Sampling struct {
	// Whether anything is sampled.
	Enabled bool `yaml:"enabled" default:"false"`
	// What is sampled.
	Series string `yaml:"series" when:"enabled=true" default:"both" oneof:"ports|flows|both"`
	// Time between looks. The first is at from, the last at the end of the run.
	Period unit.Time `yaml:"period" when:"enabled=true" default:"10us" range:">0s" draw:"10us|1us|77us"`
	// Largest number of looks: an even number of at least 16, or 0 for no limit. If there are more looks, every second
	// look is dropped and the time between looks doubles. Not with rows: changed.
	MaxLooks int `yaml:"max_looks" when:"enabled=true" default:"0" range:">=0" draw:"0|0|16|64"`
	// Looks that are recorded: all, or only changes of a port or flow since its last row.
	Rows string `yaml:"rows" when:"enabled=true" default:"all" oneof:"all|changed"`
	// First look.
	From unit.Time `yaml:"from" when:"enabled=true" default:"0s" range:">=0s" draw:"0s|0s|5us"`
	// Time of the last look.
	To unit.Time `yaml:"to" when:"enabled=true" default:"never" range:">0s" also:"never" draw:"300us|100us"`
	// Ports to sample: 16-3 is the port of node 16 towards node 3; all stands for all ports of the selected nodes.
	Ports []string `yaml:"ports" when:"series=ports|both" default:"all" range:">=1"`
	// Nodes whose ports are sampled: switches, hosts, all, numbers (3) and ranges (16-19).
	Nodes []string `yaml:"nodes" when:"ports=[all]" default:"switches" range:">=1" draw:"[all]|[switches]|[hosts]"`
	// Numbers of flows as in flows.csv: all, or numbers and ranges.
	Flows []string `yaml:"flows" when:"series=flows|both" default:"all" range:">=1" draw:"[all]|[0-3]"`
	// Node numbers of sending hosts: all, or numbers and ranges.
	Src []string `yaml:"src" when:"series=flows|both" default:"all" range:">=1"`
	// Node numbers of receiving hosts: all, or numbers and ranges.
	Dst []string `yaml:"dst" when:"series=flows|both" default:"all" range:">=1"`
	// Number of rows of a series beyond which the run fails.
	MaxRows int `yaml:"max_rows" when:"enabled=true" default:"5000000" range:">=1"`
	// File formats of each series.
	Formats []string `yaml:"formats" when:"enabled=true" default:"parquet, csv" oneof:"$ext" range:">=1" draw:"$exts"`
}

// Group implements schema.Grouped.
func (Sampling) Group(name string) []string { return groups(name) }

// OfPorts reports whether ports are sampled.
func (s *Sampling) OfPorts() bool { return s.Enabled && s.Series != "flows" }

// OfFlows reports whether flows are sampled.
func (s *Sampling) OfFlows() bool { return s.Enabled && s.Series != "ports" }

// Spacing returns the time between the looks of a run that ends at end. This is Period, doubled as often as necessary
// to have at most MaxLooks looks.
func (s *Sampling) Spacing(end unit.Time) unit.Time {
	p := s.Period
	for s.MaxLooks > 0 && (min(end, s.To)-s.From)/p >= unit.Time(s.MaxLooks) {
		p *= 2
	}
	return p
}

// Range contains the whole numbers from First to Last, both included.
type Range struct{ First, Last int32 }

// Has reports whether n is in the range.
func (r Range) Has(n int32) bool { return r.First <= n && n <= r.Last }

// ParseRange parses a number ("3") or a range ("16-19").
func ParseRange(word string) (Range, error) {
	from, to, ok := strings.Cut(word, "-")
	if !ok {
		to = from
	}
	a, errA := strconv.ParseUint(from, 10, 31)
	b, errB := strconv.ParseUint(to, 10, 31)
	if errA != nil || errB != nil || a > b {
		return Range{}, fmt.Errorf("%q: want a number (3) or a range (16-19)", word)
	}
	return Range{int32(a), int32(b)}, nil
}

// ParsePort parses the two ends of a port ("16-3").
func ParsePort(word string) (from, to int32, err error) {
	a, b, _ := strings.Cut(word, "-")
	x, errX := strconv.ParseUint(a, 10, 31)
	y, errY := strconv.ParseUint(b, 10, 31)
	if errX != nil || errY != nil {
		return 0, 0, fmt.Errorf("%q: want the numbers of two nodes, such as 16-3 for the port of node 16 towards "+
			"node 3", word)
	}
	return int32(x), int32(y), nil
}

func (r *Run) checkSampling(c *schema.Checker) {
	s := &r.Sampling
	if !s.Enabled {
		return
	}
	c.FailIf(s.To <= s.From, "run.sampling.to", fmt.Sprintf("want after from = %v", s.From))
	c.FailIf(s.From >= r.Until, "run.sampling.from", fmt.Sprintf("has no effect: the run ends earlier, at run.until "+
		"= %v", r.Until))
	if s.MaxLooks > 0 {
		c.FailIf(s.MaxLooks < fewestLooks || s.MaxLooks%2 != 0, "run.sampling.max_looks",
			fmt.Sprintf("want 0, or an even number of at least %d", fewestLooks))
		c.FailForIf(s.Rows != "all", "run.sampling.max_looks", "run.sampling.rows",
			"want all with max_looks, which drops rows: with changed, a row also represents later samples")
	}
	checkList(c, "run.sampling.ports", s.Ports, func(w string) error { _, _, err := ParsePort(w); return err }, All)
	checkList(c, "run.sampling.nodes", s.Nodes, isRange, Switches, Hosts, All)
	checkList(c, "run.sampling.flows", s.Flows, isRange, All)
	checkList(c, "run.sampling.src", s.Src, isRange, All)
	checkList(c, "run.sampling.dst", s.Dst, isRange, All)
	checkList(c, "run.sampling.formats", s.Formats, func(string) error { return nil })
	c.FailIf(len(s.Formats) == 0, "run.sampling.formats", "want at least one (accepted: parquet, csv)")
}
