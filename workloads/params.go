package workloads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"pintlab/internal/hash"
	"pintlab/internal/input"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// Traffic is a kind of traffic with its parameters: a struct whose tags define its keys in a scenario
// (package netsim/schema). experiments/protocols lists the kinds.
type Traffic interface {
	// Check reports settings that contradict each other. hosts is the number of hosts, or 0 if a topology
	// file determines it; prefix is the prefix of the keys, such as "workload.0.".
	Check(c *schema.Checker, prefix string, hosts int)
	// Span returns the earliest start of a flow and the time during which flows start. Both are 0 if a file
	// or a list determines them.
	Span() (start, duration unit.Time)
	// Offered returns a host's payload rate over its link rate, or 0 if no load is set.
	Offered() float64
	// Class returns the traffic class of the packets, or 0 if a file sets it for each flow.
	Class() int
	// Generator makes its flows.
	Generator(*Setting) (Generator, error)
}

// Setting is the part of a run that generators need.
type Setting struct {
	Hosts []Host
	Seed  uint64
	Name  string // name of the source in the run, such as "workload.0"
	// Busy returns the share of a host's usable link rate that a payload load takes, including headers, telemetry and
	// acknowledgements. The usable rate is what the congestion control allows.
	Busy func(load float64) float64
	// Notes receives notes about what Generator skipped in a file.
	Notes []string
}

// Stream returns the source's random stream with the given name.
func (s *Setting) Stream(name string) *rand.Rand { return hash.Stream(s.Seed, s.Name+"/"+name) }

// Beginning contains the last keys of every kind of generated traffic.
type Beginning struct {
	// Start of the source.
	Start unit.Time `yaml:"start" default:"0s" range:">=0s" draw:"0..30000ns"`
	// Scheduling class of the packets; ports serve the classes in turn.
	Priority int `yaml:"priority" default:"3" range:">=1 <=7" draw:"1..7"`
}

// Span implements Traffic. The duration is 0, also for flows that start one after the other.
func (b *Beginning) Span() (start, duration unit.Time) { return b.Start, 0 }

func (b *Beginning) Class() int { return b.Priority }

// Plain implements those methods of Traffic that kinds without a load and without dependent keys share.
type Plain struct{}

func (Plain) Check(*schema.Checker, string, int) {}

func (Plain) Offered() float64 { return 0 }

// SizeShape holds the parameters of those flow-size distributions that have several.
type SizeShape struct {
	// Smallest flow.
	MinSize unit.Bytes `yaml:"min_size" when:"sizes=$ranged" default:"1KB" range:">=1B <=1000GB" draw:"1KB|100B"`
	// Largest flow.
	MaxSize unit.Bytes `yaml:"max_size" when:"sizes=$ranged" default:"1MB" range:">=1B <=1000GB" draw:"50KB|300KB"`
	// Exponent of the tail of a Pareto distribution.
	Shape float64 `yaml:"shape" when:"sizes=pareto" default:"1.2" range:">=0.01 <=100" draw:"1.1|1.5"`
	// File of lines with a size in bytes and a cumulative share, percent or fraction, interpolated linearly.
	CDF string `yaml:"cdf" when:"sizes=file" file:"yes"`
}

// Group returns the distributions that the tags of traffic abbreviate, or sizes for random scenarios.
func (SizeShape) Group(name string) []string {
	return map[string][]string{
		"laws":   {"websearch", "hadoop", "fixed", "uniform", "pareto", "file", "webserver", "cachefollower"},
		"ranged": {"uniform", "pareto"},
		"drawn":  {"fixed", "uniform", "pareto", "hadoop"},
		"edges":  {"1000B", "1B", "20KB", "999B", "1001B", "60KB", "150KB", "400KB"},
	}[name]
}

// PoissonTraffic is flows from each host to random other hosts at exponential intervals.
type PoissonTraffic struct {
	// Distribution of flow sizes.
	Sizes string `yaml:"sizes" default:"websearch" oneof:"$laws" draw:"$drawn"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"sizes=fixed" default:"1MB" range:">=1B <=1000GB" draw:"3KB|500B"`
	SizeShape
	// Payload rate of a host / rate of its links into the network, without links inside its server. For an
	// incast, the mean over all hosts.
	Load float64 `yaml:"load" default:"0.5" range:">0 <1" draw:"0.1|0.2|0.3"`
	// Flows start in [start, start+duration).
	Duration unit.Time `yaml:"duration" default:"2ms" range:">0s" draw:"5..40us"`
	Beginning
	// Flows already active when the source begins: none, or the number of flows that processor sharing has in the
	// steady state at this load, each with a residual size. These flows are not measured.
	UnderWay string `yaml:"under_way" default:"none" oneof:"none|steady" omit:"default"`
}

// Steady is the value of PoissonTraffic.UnderWay for flows in the steady state.
const Steady = "steady"

func (p *PoissonTraffic) Check(c *schema.Checker, prefix string, _ int) {
	p.refuseSizes(c, prefix)
	refuseSpan(c, prefix, p.Start, p.Duration)
}

func (p *PoissonTraffic) Span() (start, duration unit.Time) { return p.Start, p.Duration }

func (p *PoissonTraffic) Offered() float64 { return p.Load }

func (p *PoissonTraffic) Generator(s *Setting) (Generator, error) {
	sizes, err := p.named(p.Sizes, p.Size)
	g := Poisson{Sizes: sizes, Load: p.Load, Start: p.Start, Duration: p.Duration}
	if p.UnderWay == Steady {
		g.Busy = s.Busy(p.Load)
	}
	return g, err
}

// IncastTraffic is several senders that start flows to one receiver at the same time, once or repeatedly.
type IncastTraffic struct {
	// How often the incast happens: once, at intervals, or at the rate that a load requires.
	Repeat string `yaml:"repeat" default:"once" oneof:"once|interval|load"`
	// Distribution of flow sizes.
	Sizes string `yaml:"sizes" default:"fixed" oneof:"$laws" draw:"$drawn"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"sizes=fixed" default:"500KB" range:">=1B <=1000GB" draw:"$edges"`
	SizeShape
	// Payload rate of a host / rate of its links into the network, without links inside its server. For an
	// incast, the mean over all hosts.
	Load float64 `yaml:"load" when:"repeat=load" default:"0.02" range:">0 <1" draw:"0.02|0.1"`
	// Hosts that send.
	Senders int `yaml:"senders" default:"16" range:">=1" draw:"1..hosts"`
	// Node number of the host that receives, or "random": an incast draws a host for each round.
	Receiver Receiver `yaml:"receiver" default:"random" draw:"random|0"`
	// Time between two rounds of an incast, or between two senders that join.
	Interval unit.Time `yaml:"interval" when:"repeat=interval" default:"1ms" range:">0s" draw:"10..50us"`
	// Gaps between rounds.
	Gaps string `yaml:"gaps" when:"repeat=interval|load" default:"equal" oneof:"equal|exponential"`
	// Flows start in [start, start+duration).
	Duration unit.Time `yaml:"duration" when:"repeat=interval|load" default:"2ms" range:">0s" draw:"60us"`
	Beginning
}

func (p *IncastTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	p.refuseSizes(c, prefix)
	refuseSpan(c, prefix, p.Start, p.Duration)
	refuseHosts(c, prefix, p.Senders, p.Receiver, hosts)
}

func (p *IncastTraffic) Span() (start, duration unit.Time) { return p.Start, p.Duration }

func (p *IncastTraffic) Offered() float64 { return p.Load }

func (p *IncastTraffic) Generator(s *Setting) (Generator, error) {
	sizes, err := p.named(p.Sizes, p.Size)
	g := Incast{FanIn: p.Senders, Sizes: sizes, Start: p.Start, Poisson: p.Gaps == "exponential"}
	switch p.Repeat {
	case "interval":
		g.Every, g.Duration = p.Interval, p.Duration
	case "load":
		g.Load, g.Duration = p.Load, p.Duration
	}
	if p.Receiver != RandomReceiver {
		i, err := HostAt("receiver", s.Hosts, int(p.Receiver))
		if err != nil {
			return nil, err
		}
		g.To = []topo.NodeID{s.Hosts[i].Node}
	}
	return g, err
}

// PermutationTraffic is one flow from each host to another host. Each host also receives one flow.
type PermutationTraffic struct {
	Plain
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" default:"10MB" range:">=1B <=1000GB" draw:"1000B|1B|20KB|999B|1001B|60KB|150KB|400KB"`
	Beginning
}

func (p *PermutationTraffic) Generator(*Setting) (Generator, error) {
	return Permutation{Sizes: Fixed(p.Size), Start: p.Start}, nil
}

// AllToAllTraffic is a flow from each host to every other host.
type AllToAllTraffic struct {
	Plain
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" default:"1MB" range:">=1B <=1000GB" draw:"1000B|1B|2500B|20KB"`
	Beginning
}

func (p *AllToAllTraffic) Generator(*Setting) (Generator, error) {
	return AllToAll{Sizes: Fixed(p.Size), Start: p.Start}, nil
}

// StaircaseTraffic is several senders with one receiver. The senders join one after the other.
type StaircaseTraffic struct {
	Plain
	// How the flows of a staircase end: each flow when it has sent size, or one after the other in the order in which
	// they joined.
	Stairs string `yaml:"stairs" default:"up-down" oneof:"up|up-down"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"stairs=up" default:"1MB" range:">=1B <=1000GB" draw:"1000B|1B|20KB|60KB|150KB"`
	// Hosts that send.
	Senders int `yaml:"senders" default:"4" range:">=1" draw:"1..hosts"`
	// Node number of the host that receives, or "random": an incast draws a host for each round.
	Receiver Receiver `yaml:"receiver" default:"random" draw:"random|0"`
	// Time between two rounds of an incast, or between two senders that join.
	Interval unit.Time `yaml:"interval" default:"1ms" range:">0s" draw:"1..20us"`
	// Payload rate that the flows of a staircase share.
	SharedRate unit.Rate `yaml:"shared_rate" when:"stairs=up-down" default:"90Gbps" range:">0bps" draw:"1Gbps|10Gbps"`
	Beginning
}

func (p *StaircaseTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	refuseHosts(c, prefix, p.Senders, p.Receiver, hosts)
	if p.SharedRate == 0 {
		return
	}
	if rule := sharing(p.SharedRate, p.Interval, p.Senders); rule != "" {
		c.FailFor(prefix+"interval", prefix+"shared_rate", rule+" (interval, senders)")
	}
}

// Generator picks the hosts: the given or a random receiver, and as senders the hosts that follow the receiver.
func (p *StaircaseTraffic) Generator(s *Setting) (Generator, error) {
	n := len(s.Hosts)
	if p.Senders >= n {
		return nil, fmt.Errorf("senders = %d, want fewer than the %d hosts", p.Senders, n)
	}
	var to int
	if p.Receiver == RandomReceiver {
		to = s.Stream("receiver").IntN(n)
	} else {
		var err error
		if to, err = HostAt("receiver", s.Hosts, int(p.Receiver)); err != nil {
			return nil, err
		}
	}
	g := Staircase{To: s.Hosts[to].Node, Start: p.Start, Step: p.Interval}
	for k := range p.Senders {
		g.From = append(g.From, s.Hosts[(to+1+k)%n].Node)
	}
	if p.Stairs == "up" {
		g.Size = p.Size
	} else {
		g.Rate = p.SharedRate
	}
	return g, nil
}

// ListTraffic is a list of flows in the scenario.
type ListTraffic struct {
	Plain
	// The flows.
	Flows []ListedFlow `yaml:"flows" range:">=1"`
	// Scheduling class of the packets; ports serve the classes in turn.
	Priority int `yaml:"priority" default:"3" range:">=1 <=7"`
}

// ListedFlow is one flow of a list.
type ListedFlow struct {
	// Node number of the sending host. Hosts have the lowest numbers in every topology but a file.
	Src int `yaml:"src" required:"yes" range:">=0"`
	// Node number of the receiving host.
	Dst int `yaml:"dst" required:"yes" range:">=0"`
	// Payload.
	Size unit.Bytes `yaml:"size" required:"yes" range:">=1B <=1000GB"`
	// Start of the flow, not before the start of the previous flow in the list. If the key after lists flows: time from
	// the end of the last of them to the start of this flow.
	Start unit.Time `yaml:"start" default:"0s" range:">=0s"`
	// Flows of the list, counted from 0, that finish before this flow starts. A flow finishes when its sender has the
	// ACK of its last byte.
	After []string `yaml:"after" default:"none" omit:"default"`
}

// after returns the flows that f waits for, in a list of n flows. f itself is flow j of the list.
func (f *ListedFlow) after(j, n int) (list []int32, err error) {
	if len(f.After) == 0 || len(f.After) == 1 && f.After[0] == "none" {
		return nil, nil
	}
	for _, word := range f.After {
		i, err := strconv.ParseUint(word, 10, 31)
		if err != nil || int(i) >= n {
			return nil, fmt.Errorf("%q is not a flow of this list (accepted: none, or numbers from 0 to %d)", word, n-1)
		}
		if int(i) == j {
			return nil, fmt.Errorf("flow %d waits for itself", j)
		}
		list = append(list, int32(i))
	}
	return list, nil
}

func (p *ListTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	before := unit.Time(0)
	for j, f := range p.Flows {
		at := fmt.Sprintf("%sflows.%d.", prefix, j)
		c.FailIf(hosts > 0 && f.Src >= hosts, at+"src", fmt.Sprintf("want a host below %d", hosts))
		c.FailIf(hosts > 0 && f.Dst >= hosts, at+"dst", fmt.Sprintf("want a host below %d", hosts))
		c.FailIf(f.Src == f.Dst, at+"dst", "want a host other than src")
		after, err := f.after(j, len(p.Flows))
		if err != nil {
			c.Fail(at+"after", err.Error())
		}
		if len(after) > 0 {
			continue
		}
		c.FailForIf(j > 0 && f.Start < before, fmt.Sprintf("%sflows.%d.start", prefix, j-1), at+"start",
			fmt.Sprintf("want at least start = %v of the flow before it", before))
		before = f.Start
	}
}

func (p *ListTraffic) Span() (start, duration unit.Time) {
	if len(p.Flows) == 0 {
		return 0, 0
	}
	first := unit.Never
	for j, f := range p.Flows {
		if after, _ := f.after(j, len(p.Flows)); len(after) == 0 {
			first = min(first, f.Start)
		}
	}
	if first == unit.Never {
		return 0, 0
	}
	return first, 0
}

func (p *ListTraffic) Class() int { return p.Priority }

func (p *ListTraffic) Generator(s *Setting) (Generator, error) {
	var t Trace
	g := tasks.New(s.Name, nodes(s.Hosts))
	g.List = "flows"
	waits := false
	for j, f := range p.Flows {
		src, errSrc := HostAt(fmt.Sprintf("flows.%d.src", j), s.Hosts, f.Src)
		dst, errDst := HostAt(fmt.Sprintf("flows.%d.dst", j), s.Hosts, f.Dst)
		if err := errors.Join(errSrc, errDst); err != nil {
			return nil, err
		}
		t = append(t, Flow{
			ID: int32(j), Src: topo.NodeID(f.Src), Dst: topo.NodeID(f.Dst), Size: f.Size, Start: f.Start,
			DstPort: BackgroundPort, Priority: uint8(p.Priority),
		})
		g.Add(tasks.Task{Kind: tasks.Send, Rank: int32(src), Peer: int32(dst), Size: f.Size, Time: f.Start})
		after, err := f.after(j, len(p.Flows))
		if err != nil {
			return nil, fmt.Errorf("flows.%d.after: %w", j, err)
		}
		for _, i := range after {
			waits = true
			g.Wait(int32(j), i, tasks.Done)
		}
	}
	if !waits {
		return t, nil
	}
	if _, err := tasks.Ideal(g); err != nil {
		return nil, err
	}
	return Tasks{Graph: g}, nil
}

// FileTraffic is a flow.txt of the HPCC simulators, or a connection matrix of htsim.
type FileTraffic struct {
	// A flow.txt of the HPCC simulators, or a connection matrix of htsim (name ends in .cm).
	Path string `yaml:"path" file:"yes"`
	// Unit of the start times in a connection matrix: picoseconds for older programs of htsim, microseconds
	// for the Ultra Ethernet program.
	StartUnit string `yaml:"start_unit" default:"ps" oneof:"ps|us" omit:"default"`
}

func (p *FileTraffic) Check(c *schema.Checker, prefix string, _ int) {
	c.FailIf(p.StartUnit != "ps" && !strings.HasSuffix(p.Path, ".cm"), prefix+"start_unit",
		"want ps, because only a connection matrix (.cm) can have another unit")
}

func (*FileTraffic) Offered() float64 { return 0 }

func (*FileTraffic) Span() (start, duration unit.Time) { return 0, 0 }

func (*FileTraffic) Class() int { return 0 }

func (p *FileTraffic) Generator(s *Setting) (Generator, error) {
	f, err := input.Open(p.Path, input.Flows)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	defer f.Close()
	var g Generator
	if strings.HasSuffix(p.Path, ".cm") {
		clock := unit.Picosecond
		if p.StartUnit == "us" {
			clock = unit.Microsecond
		}
		g, err = readTriggers(f, p.Path, s.Hosts, clock)
	} else {
		var flows []Flow
		var note string
		flows, note, err = ReadFlows(f, p.Path, s.Hosts)
		g = Trace(flows)
		if note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	return g, nil
}

// Receiver is the node number of a host, or RandomReceiver.
type Receiver int

// RandomReceiver selects the receiver by the run's seed.
const RandomReceiver Receiver = -1

// MarshalText writes the number or "random".
func (r Receiver) MarshalText() ([]byte, error) {
	if r == RandomReceiver {
		return []byte("random"), nil
	}
	return strconv.AppendInt(nil, int64(r), 10), nil
}

// UnmarshalText reads a number that is not negative, or "random".
func (r *Receiver) UnmarshalText(b []byte) error {
	if string(b) == "random" {
		*r = RandomReceiver
		return nil
	}
	n, err := strconv.ParseUint(string(b), 10, 31)
	if err != nil {
		return errors.New("want a host number or random")
	}
	*r = Receiver(n)
	return nil
}

func (z *SizeShape) refuseSizes(c *schema.Checker, prefix string) {
	c.FailIf(z.MinSize > z.MaxSize, prefix+"min_size", fmt.Sprintf("want at most max_size = %v", z.MaxSize))
}

func refuseSpan(c *schema.Checker, prefix string, start, duration unit.Time) {
	c.FailIf(start >= unit.Never-duration, prefix+"duration", "start + duration is beyond the end of time (106 days)")
}

func refuseHosts(c *schema.Checker, prefix string, senders int, to Receiver, hosts int) {
	if hosts == 0 {
		return // the topology file determines the number of hosts
	}
	c.FailIf(senders >= hosts, prefix+"senders", fmt.Sprintf("want fewer than the %d hosts", hosts))
	c.FailIf(int(to) >= hosts, prefix+"receiver", fmt.Sprintf("want a host below %d", hosts))
}

// named returns the flow sizes of a name; size is the size for "fixed".
func (z *SizeShape) named(name string, size unit.Bytes) (Sizes, error) {
	switch name {
	case "websearch":
		return WebSearch(), nil
	case "hadoop":
		return Hadoop(), nil
	case "webserver", "cachefollower":
		return builtin(name), nil
	case "fixed":
		return Fixed(size), nil
	case "uniform":
		return Uniform{Min: z.MinSize, Max: z.MaxSize}, nil
	case "pareto":
		sizes, err := NewPareto(z.Shape, z.MinSize, z.MaxSize)
		if err != nil {
			return nil, fmt.Errorf("sizes = pareto: %w", err)
		}
		return sizes, nil
	case "file":
		f, err := input.Open(z.CDF, input.Document)
		if err != nil {
			return nil, fmt.Errorf("cdf: %w", err)
		}
		defer f.Close()
		sizes, err := ReadCDF(f, z.CDF)
		if err != nil {
			return nil, fmt.Errorf("cdf: %w", err)
		}
		return sizes, nil
	}
	return nil, fmt.Errorf("sizes = %q is not built", name)
}
