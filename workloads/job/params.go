package job

import (
	"fmt"

	"pintlab/internal/input"
	"pintlab/internal/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/chakra"
	"pintlab/workloads/goal"
	"pintlab/workloads/tasks"
)

// CollectiveTraffic is a collective of some hosts, once or several times.
type CollectiveTraffic struct {
	// What the ranks do.
	Operation string `yaml:"operation" default:"allreduce" oneof:"allreduce|allgather|reducescatter|alltoall|broadcast|sendrecv"`
	// How an all-reduce is done.
	Algorithm string `yaml:"algorithm" when:"operation=allreduce" default:"ring" oneof:"ring|halving-doubling|tree"`
	// To whom a rank of an all-to-all sends at a time: to all, to one while it receives from one, or to some.
	Pattern string `yaml:"pattern" when:"operation=alltoall" default:"pairwise" oneof:"linear|pairwise|windowed"`
	// Messages that a rank sends at a time.
	Window int `yaml:"window" when:"pattern=windowed" default:"4" range:">=1 <=65536" draw:"1|2..8"`
	// Bytes of the collective, as NCCL counts them: what each rank has at first or in the end, whichever is more.
	Size unit.Bytes `yaml:"size" default:"1MB" range:">=1B <=1000GB" draw:"1KB|20KB..200KB"`
	// Pieces that follow each other on trees and chains.
	Chunks int `yaml:"chunks" when:"operation=allreduce|broadcast|sendrecv" default:"8" range:">=1 <=4096" draw:"1|2..8"`
	// Hosts that take part.
	Ranks int `yaml:"ranks" default:"8" range:">=2 <=65536" draw:"2..4"`
	// How often, one after the other.
	Repeat int `yaml:"repeat" default:"1" range:">=1 <=10000" draw:"1|2"`
	// Computation of each rank before each of them.
	Compute unit.Time `yaml:"compute" default:"0s" range:">=0s <=1s" draw:"0s|1us..20us"`
	// Rank that computes for longer.
	Straggler int `yaml:"straggler" default:"0" range:">=0 <=65535" draw:"0|1"`
	// For how much longer.
	Delay unit.Time `yaml:"delay" default:"0s" range:">=0s <=1s" draw:"0s|5us"`
	Placement
}

func (p *CollectiveTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	p.check(c, prefix, "ranks", "ranks", p.Ranks, hosts)
	c.FailIf(p.Straggler >= p.Ranks, prefix+"straggler", fmt.Sprintf("want a rank below %d", p.Ranks))
	c.FailIf(p.Algorithm == tasks.HalvingDoubling && p.Ranks&(p.Ranks-1) != 0, prefix+"ranks", "want a power of two for algorithm = halving-doubling")
}

func (p *CollectiveTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	hosts, err := p.on(s, p.Ranks)
	if err != nil {
		return nil, err
	}
	j := newJob(s.Name, hosts, p.Start)
	c := tasks.Collective{Operation: p.Operation, Algorithm: p.Algorithm, Size: p.Size, Chunks: p.Chunks, Window: p.Window}
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
		if err := j.collective("", c, every(p.Ranks)); err != nil {
			return nil, err
		}
	}
	return j.end()
}

// GOALTraffic is a GOAL schedule.
type GOALTraffic struct {
	// A schedule of LogGOPSim, as text.
	Path string `yaml:"path" file:"yes"`
	// What a time of 1 in it means.
	Tick unit.Time `yaml:"tick" default:"1ns" range:">=1ps <=1s"`
	Placement
}

func (p *GOALTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	f, err := input.Open(p.Path, input.Flows)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	defer f.Close()
	g, err := goal.Read(f, p.Path, p.Tick, p.hosts(s))
	return begun(g, err, s.Name, p.Start)
}

// ChakraTraffic is the Chakra traces of all ranks of a job.
type ChakraTraffic struct {
	// The trace of rank 0, NAME.0.et. Those of the other ranks are beside it.
	Path string `yaml:"path" file:"yes"`
	Placement
}

func (p *ChakraTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	g, err := chakra.Read(p.Path, p.hosts(s))
	return begun(g, err, s.Name, p.Start)
}

// hosts returns where this many ranks are.
func (p *Placement) hosts(s *workloads.Setting) func(int) ([]topo.NodeID, error) {
	return func(ranks int) ([]topo.NodeID, error) { return p.on(s, ranks) }
}

// begun returns a graph that begins at a time.
func begun(g *tasks.Graph, err error, name string, at unit.Time) (workloads.Generator, error) {
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	g.Name, g.Start = name, at
	return workloads.Tasks{Graph: g}, nil
}
