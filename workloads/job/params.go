package job

import (
	"fmt"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/tasks"
)

// CollectiveTraffic is a collective operation of some hosts, once or several times.
type CollectiveTraffic struct {
	// Operation of the ranks.
	Operation string `yaml:"operation" default:"allreduce" oneof:"$operations"`
	// Algorithm of an all-reduce.
	Algorithm string `yaml:"algorithm" when:"operation=allreduce" default:"ring" oneof:"ring|halving-doubling|tree"`
	// How a rank of an all-to-all sends: to all others at once, to one at a time while it receives from
	// one, or to a window of them at a time.
	Pattern string `yaml:"pattern" when:"operation=alltoall" default:"pairwise" oneof:"linear|pairwise|windowed"`
	// Messages that a rank sends at once.
	Window int `yaml:"window" when:"pattern=windowed" default:"4" range:">=1 <=65536" draw:"1|2..8"`
	// Bytes of the collective as NCCL counts them: the larger of each rank's input and output.
	Size unit.Bytes `yaml:"size" default:"1MB" range:">=1B <=1000GB" draw:"1KB|20..200KB"`
	// Chunks into which trees and chains split the data to pipeline it.
	Chunks int `yaml:"chunks" when:"operation=$chunked" default:"8" range:">=1 <=4096" draw:"1|2..8"`
	// Hosts that take part.
	Ranks int `yaml:"ranks" default:"8" range:">=2 <=65536" draw:"2..4"`
	// Number of times that the collective runs, one after the other.
	Repeat int `yaml:"repeat" default:"1" range:">=1 <=10000" draw:"1|2"`
	// Computation of each rank before each repetition.
	Compute unit.Time `yaml:"compute" default:"0s" range:">=0s <=1s" draw:"0s|1..20us"`
	// Rank that computes for longer.
	Straggler int `yaml:"straggler" default:"0" range:">=0 <=65535" draw:"0|1"`
	// Additional computation of the straggler.
	Delay unit.Time `yaml:"delay" default:"0s" range:">=0s <=1s" draw:"0s|5us"`
	Placement
}

// Group returns the operations that the tags abbreviate.
func (CollectiveTraffic) Group(name string) []string {
	if name == "chunked" {
		return []string{tasks.AllReduce, tasks.Broadcast, tasks.SendRecv}
	}
	return []string{
		tasks.AllReduce, tasks.AllGather, tasks.ReduceScatter, tasks.AllToAll, tasks.Broadcast, tasks.SendRecv,
	}
}

func (p *CollectiveTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	p.check(c, prefix, "ranks", "", p.Ranks, hosts)
	c.FailIf(p.Straggler >= p.Ranks, prefix+"straggler", fmt.Sprintf("want a rank below %d", p.Ranks))
	c.FailIf(p.Algorithm == tasks.HalvingDoubling && p.Ranks&(p.Ranks-1) != 0, prefix+"ranks",
		"want a power of two for algorithm = halving-doubling")
}

func (p *CollectiveTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	hosts, err := p.on(s, p.Ranks)
	if err != nil {
		return nil, err
	}
	j := newJob(s.Name, "ranks", hosts, p.Start)
	c := tasks.Collective{Operation: p.Operation, Algorithm: p.Algorithm, Size: p.Size, Chunks: p.Chunks,
		Window: p.Window}
	if p.Operation == tasks.AllToAll {
		c.Algorithm = p.Pattern
	}
	for step := range p.Repeat {
		j.step = step
		for rank := range int32(p.Ranks) {
			d := p.Compute
			if int(rank) == p.Straggler {
				d += p.Delay
			}
			j.compute(rank, d)
		}
		if err := j.collective("", c, lists.Indices(int32(p.Ranks))); err != nil {
			return nil, err
		}
	}
	return workloads.Tasks{Graph: j.Graph}, nil
}

// GOALTraffic is a GOAL schedule.
type GOALTraffic struct {
	// A GOAL schedule of LogGOPSim in text form.
	Path string `yaml:"path" file:"yes"`
	// Unit of the schedule's times.
	Tick unit.Time `yaml:"tick" default:"1ns" range:">=1ps <=1s"`
	Placement
}

func (p *GOALTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	f, err := input.Open(p.Path, input.Flows)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	defer f.Close()
	g, err := ReadGOAL(f, p.Path, p.Tick, p.hosts(s))
	return begun(g, err, s.Name, p.Start)
}

// ChakraTraffic is the job of a set of Chakra traces.
type ChakraTraffic struct {
	// The trace of rank 0, NAME.0.et. The files of the other ranks are in the same folder.
	Path string `yaml:"path" file:"yes"`
	// Operations per second of computations that have num_ops but no duration. With 0 such computations
	// are an error.
	OpsRate float64 `yaml:"ops_rate" default:"0" range:">=0 <=1e18"`
	Placement
}

func (p *ChakraTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	g, err := readChakra(p.Path, p.OpsRate, p.hosts(s))
	return begun(g, err, s.Name, p.Start)
}

// hosts returns the placement of a number of ranks as a function.
func (p *Placement) hosts(s *workloads.Setting) func(int) ([]topo.NodeID, error) {
	return func(ranks int) ([]topo.NodeID, error) { return p.on(s, ranks) }
}

// begun returns a graph as a generator, with a name and a start time.
func begun(g *tasks.Graph, err error, name string, at unit.Time) (workloads.Generator, error) {
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	g.Name, g.Start = name, at
	return workloads.Tasks{Graph: g}, nil
}
