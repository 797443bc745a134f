package scenario

import (
	"fmt"
	"strconv"

	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

// The kinds of flow source.
const (
	Poisson     = "poisson"
	Incast      = "incast"
	Permutation = "permutation"
	AllToAll    = "alltoall"
	Staircase   = "staircase"
	FlowList    = "list"
	FlowFile    = "file"
)

// The flow-size distributions.
const (
	WebSearch = "websearch"
	Hadoop    = "hadoop"
	FixedSize = "fixed"
	Uniform   = "uniform"
	Pareto    = "pareto"
	SizeFile  = "file"
)

// Source is one origin of flows.
//
//	poisson      each host starts flows to random others at exponential intervals
//	incast       several senders start at once towards one receiver, once or repeatedly
//	permutation  each host sends one flow to another host that receives one flow
//	alltoall     each host sends one flow to every other host
//	staircase    senders to one receiver, joining one after the other
//	list         the flows written in the scenario
//	file         a flow.txt of the HPCC simulators, or a connection matrix (.cm) of htsim
//
// Flows have the destination port 100, those of an incast 200; a file says its own.
type Source struct {
	// Where the flows come from.
	Kind string `yaml:"kind" required:"yes" oneof:"poisson|incast|permutation|alltoall|staircase|list|file"`
	// How often the incast happens: once, at intervals, or as often as makes up a load.
	Repeat string `yaml:"repeat" when:"kind=incast" default:"once" oneof:"once|interval|load"`
	// Which flows of a staircase end: each when it has sent size, or one after the other in
	// the order in which they joined.
	Stairs string `yaml:"stairs" when:"kind=staircase" default:"up-down" oneof:"up|up-down"`
	// Distribution of flow sizes.
	Sizes string `yaml:"sizes" when:"kind=poisson|incast" default:"websearch; kind=incast: fixed" oneof:"websearch|hadoop|fixed|uniform|pareto|file"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"sizes=fixed or kind=permutation|alltoall or stairs=up" default:"1MB; kind=incast: 500KB; kind=permutation: 10MB" range:">=1B <=1000GB"`
	// Smallest flow.
	MinSize unit.Bytes `yaml:"min_size" when:"sizes=uniform|pareto" default:"1KB" range:">=1B <=1000GB"`
	// Largest flow.
	MaxSize unit.Bytes `yaml:"max_size" when:"sizes=uniform|pareto" default:"1MB" range:">=1B <=1000GB"`
	// Exponent of the tail of a Pareto distribution.
	Shape float64 `yaml:"shape" when:"sizes=pareto" default:"1.2" range:">0 <=100"`
	// File of "bytes cumulative-percent" lines, linear in between.
	CDF string `yaml:"cdf" when:"sizes=file" file:"yes"`
	// Payload bits that a host sends / rate of its link. For an incast the mean over all
	// hosts.
	Load float64 `yaml:"load" when:"kind=poisson or repeat=load" default:"0.5; kind=incast: 0.02" range:">0 <1"`
	// Hosts that send.
	Senders int `yaml:"senders" when:"kind=incast|staircase" default:"16; kind=staircase: 4" range:">=1"`
	// Host that receives, or "random": an incast draws one for each round.
	Receiver Host `yaml:"receiver" when:"kind=incast|staircase" default:"random"`
	// Time between two rounds of an incast, or between two senders that join.
	Interval unit.Time `yaml:"interval" when:"kind=staircase or repeat=interval" default:"1ms" range:">0s"`
	// Gaps between rounds.
	Gaps string `yaml:"gaps" when:"repeat=interval|load" default:"equal" oneof:"equal|exponential"`
	// Payload rate that the flows of a staircase are meant to share.
	SharedRate unit.Rate `yaml:"shared_rate" when:"stairs=up-down" default:"90Gbps" range:">0bps"`
	// Flows start in [start, start+duration).
	Duration unit.Time `yaml:"duration" when:"kind=poisson or repeat=interval|load" default:"2ms" range:">0s"`
	// A flow.txt of the HPCC simulators, or a connection matrix of htsim (name ends in .cm).
	Path string `yaml:"path" when:"kind=file" file:"yes"`
	// The flows.
	List []Flow `yaml:"flows" when:"kind=list" range:">=1"`
	// When the source begins.
	Start unit.Time `yaml:"start" when:"kind=poisson|incast|permutation|alltoall|staircase" default:"0s" range:">=0s"`
	// Scheduling class of the packets; ports serve the classes in turn.
	Priority int `yaml:"priority" when:"kind=poisson|incast|permutation|alltoall|staircase|list" default:"3" range:">=1 <=7"`
}

// Flow is one flow of a list.
type Flow struct {
	// Node number of the sending host; hosts come first in every topology that is not a
	// file.
	Src int `yaml:"src" required:"yes" range:">=0"`
	// Node number of the receiving host.
	Dst int `yaml:"dst" required:"yes" range:">=0"`
	// Payload.
	Size unit.Bytes `yaml:"size" required:"yes" range:">=1B <=1000GB"`
	// When it starts.
	Start unit.Time `yaml:"start" default:"0s" range:">=0s"`
}

// Host is a host number from 0, or RandomHost.
type Host int

// RandomHost lets the run's seed choose.
const RandomHost Host = -1

// MarshalText writes the number or "random".
func (h Host) MarshalText() ([]byte, error) {
	if h == RandomHost {
		return []byte("random"), nil
	}
	return strconv.AppendInt(nil, int64(h), 10), nil
}

// UnmarshalText reads a number that is not negative, or "random".
func (h *Host) UnmarshalText(b []byte) error {
	if string(b) == "random" {
		*h = RandomHost
		return nil
	}
	n, err := strconv.ParseUint(string(b), 10, 31)
	if err != nil {
		return fmt.Errorf("want a host number or random")
	}
	*h = Host(n)
	return nil
}

func (s Scenario) checkWorkload(c *schema.Checker) {
	hosts := s.Topology.Generator().Count()
	for i, src := range s.Workload {
		at := fmt.Sprintf("workload.%d.", i)
		if src.MinSize > src.MaxSize {
			c.Fail(at+"min_size", fmt.Sprintf("want at most max_size = %v", src.MaxSize))
		}
		if src.Kind == Poisson {
			if wire := src.Load * s.wireShare(); wire >= 1 {
				c.Fail(at+"load", fmt.Sprintf("impossible: headers and telemetry make it %.3f of the link; want less than %.3f", wire, 1/s.wireShare()))
			}
		}
		if src.Start >= unit.Never-src.Duration {
			c.Fail(at+"duration", "start + duration is beyond the end of time (106 days)")
		}
		if hosts > 0 {
			src.checkHosts(c, at, hosts)
		}
		for j, f := range src.List {
			if f.Src == f.Dst {
				c.Fail(fmt.Sprintf("%sflows.%d.dst", at, j), "want another host than src")
			}
		}
	}
}

func (src Source) checkHosts(c *schema.Checker, at string, hosts int) {
	if (src.Kind == Incast || src.Kind == Staircase) && src.Senders >= hosts {
		c.Fail(at+"senders", fmt.Sprintf("want fewer than the %d hosts", hosts))
	}
	if int(src.Receiver) >= hosts {
		c.Fail(at+"receiver", fmt.Sprintf("want a host below %d", hosts))
	}
	for j, f := range src.List {
		if f.Src >= hosts {
			c.Fail(fmt.Sprintf("%sflows.%d.src", at, j), fmt.Sprintf("want a host below %d", hosts))
		}
		if f.Dst >= hosts {
			c.Fail(fmt.Sprintf("%sflows.%d.dst", at, j), fmt.Sprintf("want a host below %d", hosts))
		}
	}
}

// firstStart is the earliest instant at which a flow of the source can start;
// 0 if only a file knows.
func (src Source) firstStart() unit.Time {
	if src.Kind != FlowList || len(src.List) == 0 {
		return src.Start
	}
	first := unit.Never
	for _, f := range src.List {
		first = min(first, f.Start)
	}
	return first
}
