package scenario

import (
	"fmt"
	"math"
	"strconv"

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
type Source struct {
	// Where the flows come from.
	Kind string `yaml:"kind" required:"yes" oneof:"poisson|incast|permutation|alltoall|staircase|list|file"`
	// Distribution of flow sizes.
	Sizes string `yaml:"sizes" when:"kind=poisson" default:"websearch" oneof:"websearch|hadoop|fixed|file"`
	// "bytes cumulative-percent" per line, linear in between.
	CDF string `yaml:"cdf" when:"sizes=file" file:"yes"`
	// Payload bits sent by a host / rate of its link.
	Load float64 `yaml:"load" when:"kind=poisson" default:"0.5" range:">0 <1"`
	// Flows start in [start, start+duration).
	Duration unit.Time `yaml:"duration" when:"kind=poisson" default:"2ms" range:">0s"`
	// How many hosts send.
	Senders int `yaml:"senders" when:"kind=incast|staircase" default:"16; kind=staircase: 4" range:">=1"`
	// Host that receives, or "random".
	Receiver Host `yaml:"receiver" when:"kind=incast|staircase" default:"random"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"sizes=fixed or kind=incast|permutation|alltoall|staircase" default:"1MB; kind=incast: 500KB; kind=permutation: 10MB" range:">=1B <=1000GB"`
	// How often the incast happens.
	Rounds int `yaml:"rounds" when:"kind=incast" default:"1" range:">=1 <=1000000"`
	// Between rounds, or between two senders that join.
	Interval unit.Time `yaml:"interval" when:"kind=incast|staircase" default:"1ms" range:">0s"`
	// flow.txt or .cm.
	Path string `yaml:"path" when:"kind=file" file:"yes"`
	// The flows.
	List []Flow `yaml:"flows" when:"kind=list" range:">=1"`
	// When the source begins.
	Start unit.Time `yaml:"start" when:"kind=poisson|incast|permutation|alltoall|staircase" default:"0s" range:">=0s"`
	// Destination port; analyses tell incast (200) from other flows (100) by it.
	DstPort int `yaml:"dport" when:"kind=poisson|incast|permutation|alltoall|staircase|list" default:"100; kind=incast: 200" range:">=1 <=65535"`
	// Scheduling class of the data packets, below network.classes.
	Priority int `yaml:"priority" when:"kind=poisson|incast|permutation|alltoall|staircase|list" default:"0" range:">=0 <=7"`
}

// Flow is one flow of a list.
type Flow struct {
	// Sending host.
	Src int `yaml:"src" required:"yes" range:">=0"`
	// Receiving host.
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

func (s Scenario) checkWorkload(c *checker) {
	hosts := s.Topology.hostCount()
	for i, src := range s.Workload {
		at := fmt.Sprintf("workload.%d.", i)
		if src.Priority >= s.Network.Classes {
			c.fail(at+"priority", fmt.Sprintf("want less than network.classes = %d", s.Network.Classes))
		}
		if src.Kind == Poisson {
			if wire := src.Load * s.wireShare(); wire >= 1 {
				c.fail(at+"load", fmt.Sprintf("impossible: headers and telemetry make it %.3f of the link; want less than %.3f", wire, 1/s.wireShare()))
			}
			if src.Start > math.MaxInt64-src.Duration {
				c.fail(at+"duration", "start + duration is beyond the end of time (106 days)")
			}
		}
		if hosts > 0 {
			src.checkHosts(c, at, hosts)
		}
		for j, f := range src.List {
			if f.Src == f.Dst {
				c.fail(fmt.Sprintf("%sflows.%d.dst", at, j), "want another host than src")
			}
		}
	}
}

func (src Source) checkHosts(c *checker, at string, hosts int) {
	if (src.Kind == Incast || src.Kind == Staircase) && src.Senders >= hosts {
		c.fail(at+"senders", fmt.Sprintf("want fewer than the %d hosts", hosts))
	}
	if int(src.Receiver) >= hosts {
		c.fail(at+"receiver", fmt.Sprintf("want a host below %d", hosts))
	}
	for j, f := range src.List {
		if f.Src >= hosts {
			c.fail(fmt.Sprintf("%sflows.%d.src", at, j), fmt.Sprintf("want a host below %d", hosts))
		}
		if f.Dst >= hosts {
			c.fail(fmt.Sprintf("%sflows.%d.dst", at, j), fmt.Sprintf("want a host below %d", hosts))
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
