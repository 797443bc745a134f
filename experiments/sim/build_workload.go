package sim

import (
	"fmt"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/rng"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/workloads"
)

// WorkloadInfo describes the flows of a run: what was asked for and what came out.
type WorkloadInfo struct {
	Plan  workloads.Plan
	Stats *workloads.Stats
}

// BuildWorkload makes the generators of a scenario for the hosts of a graph.
func BuildWorkload(sc *scenario.Scenario, hosts []workloads.Host) (workloads.Workload, error) {
	w := workloads.Workload{Seed: sc.Seed}
	for i := range sc.Workload {
		src := &sc.Workload[i]
		at := fmt.Sprintf("workload.%d", i)
		g, err := generator(src, hosts, sc.Seed, at)
		if err != nil {
			return w, fmt.Errorf("%s: %w", at, err)
		}
		w.Parts = append(w.Parts, workloads.Part{
			Name: fmt.Sprintf("%d-%s", i, src.Kind), Priority: uint8(src.Priority), Generator: g,
		})
	}
	return w, nil
}

// generator is the line to add for another kind of traffic.
func generator(src *scenario.Source, hosts []workloads.Host, seed uint64, at string) (workloads.Generator, error) {
	switch src.Kind {
	case scenario.Poisson:
		sizes, err := flowSizes(src)
		return workloads.Poisson{Sizes: sizes, Load: src.Load, Start: src.Start, Duration: src.Duration}, err
	case scenario.Incast:
		sizes, err := flowSizes(src)
		g := workloads.Incast{FanIn: src.Senders, Sizes: sizes, Start: src.Start, Poisson: src.Gaps == "exponential"}
		switch src.Repeat {
		case "interval":
			g.Every, g.Duration = src.Interval, src.Duration
		case "load":
			g.Load, g.Duration = src.Load, src.Duration
		}
		if src.Receiver != scenario.RandomHost {
			if int(src.Receiver) >= len(hosts) {
				return nil, fmt.Errorf("receiver = %d, want a host below %d", src.Receiver, len(hosts))
			}
			g.To = []topo.NodeID{hosts[src.Receiver].Node}
		}
		return g, err
	case scenario.Permutation:
		return workloads.Permutation{Sizes: workloads.Fixed(src.Size), Start: src.Start}, nil
	case scenario.AllToAll:
		return workloads.AllToAll{Sizes: workloads.Fixed(src.Size), Start: src.Start}, nil
	case scenario.Staircase:
		return staircase(src, hosts, seed, at)
	case scenario.FlowList:
		var t workloads.Trace
		for j, f := range src.List {
			if f.Src >= len(hosts) || f.Dst >= len(hosts) {
				return nil, fmt.Errorf("flows.%d: want hosts below %d", j, len(hosts))
			}
			t = append(t, workloads.Flow{
				ID: int32(j), Src: hosts[f.Src].Node, Dst: hosts[f.Dst].Node, Size: f.Size, Start: f.Start,
				DstPort: workloads.BackgroundPort, Priority: uint8(src.Priority),
			})
		}
		return t, nil
	case scenario.FlowFile:
		return flowFile(src.Path, hosts)
	}
	return nil, fmt.Errorf("kind = %q is not built", src.Kind)
}

func flowSizes(src *scenario.Source) (workloads.Sizes, error) {
	switch src.Sizes {
	case scenario.WebSearch:
		return workloads.WebSearch(), nil
	case scenario.Hadoop:
		return workloads.Hadoop(), nil
	case scenario.FixedSize:
		return workloads.Fixed(src.Size), nil
	case scenario.Uniform:
		return workloads.Uniform{Min: src.MinSize, Max: src.MaxSize}, nil
	case scenario.Pareto:
		return workloads.NewPareto(src.Shape, src.MinSize, src.MaxSize)
	case scenario.SizeFile:
		f, err := input.Open(src.CDF, input.Document)
		if err != nil {
			return nil, fmt.Errorf("cdf: %w", err)
		}
		defer f.Close()
		return workloads.ReadCDF(f, src.CDF)
	}
	return nil, fmt.Errorf("sizes = %q is not built", src.Sizes)
}

// staircase picks the hosts of a staircase: a random receiver if none is given,
// and as senders the hosts that follow it.
func staircase(src *scenario.Source, hosts []workloads.Host, seed uint64, at string) (workloads.Generator, error) {
	n := len(hosts)
	if src.Senders >= n {
		return nil, fmt.Errorf("senders = %d, want fewer than the %d hosts", src.Senders, n)
	}
	to := int(src.Receiver)
	if src.Receiver == scenario.RandomHost {
		to = rng.New(seed, at+"/receiver").IntN(n)
	}
	if to >= n {
		return nil, fmt.Errorf("receiver = %d, want a host below %d", to, n)
	}
	g := workloads.Staircase{To: hosts[to].Node, Start: src.Start, Step: src.Interval}
	for k := range src.Senders {
		g.From = append(g.From, hosts[(to+1+k)%n].Node)
	}
	if src.Stairs == "up" {
		g.Size = src.Size
	} else {
		g.Rate = src.SharedRate
	}
	return g, nil
}

func flowFile(path string, hosts []workloads.Host) (workloads.Generator, error) {
	f, err := input.Open(path, input.Flows)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	defer f.Close()
	var flows []workloads.Flow
	if strings.HasSuffix(path, ".cm") {
		flows, err = workloads.ReadConnectionMatrix(f, path, hosts)
	} else {
		flows, err = workloads.ReadFlows(f, path, hosts)
	}
	return workloads.Trace(flows), err
}

// buildWorkload goes through the flows once, for what is reported about them, and
// opens them again for the run.
func (s *Simulation) buildWorkload() error {
	hosts, err := workloads.HostsOf(s.Graph)
	if err != nil {
		return err
	}
	s.hosts = hosts
	w, err := BuildWorkload(&s.Scenario, hosts)
	if err != nil {
		return err
	}
	survey, err := w.Stream(hosts)
	if err != nil {
		return err
	}
	if s.Workload.Plan, err = w.Plan(hosts); err != nil {
		return err
	}
	seen := &classes{Source: survey, flow: -1}
	crowd := &crowd{Source: seen}
	if s.Workload.Stats, err = workloads.Measure(crowd, hosts, s.Workload.Plan.Start, s.Workload.Plan.End); err != nil {
		return err
	}
	if seen.flow >= 0 {
		return fmt.Errorf("flow %d has priority 0, which is kept for pause frames (accepted: 1 to 7)", seen.flow)
	}
	s.rules.classes, s.together = seen.count(), crowd.most
	stream, err := w.Stream(hosts)
	if err != nil {
		return err
	}
	s.feed = &feed{source: stream, until: unit.Never}
	if s.Scenario.Run.StartTimes == "floor-ns" {
		s.feed.start = ns3.Start
	}
	return nil
}

// classes notes the traffic classes of the flows that pass.
type classes struct {
	workloads.Source
	used [8]bool
	flow int32 // the first one with priority 0, less than 0 if there is none
}

// Next is part of workloads.Source.
func (c *classes) Next() (workloads.Flow, bool) {
	f, ok := c.Source.Next()
	if ok {
		c.used[f.Priority&7] = true
		if f.Priority == 0 && c.flow < 0 {
			c.flow = f.ID
		}
	}
	return f, ok
}

// count is the number of classes in use.
func (c *classes) count() int {
	n := 0
	for _, used := range c.used {
		if used {
			n++
		}
	}
	return n
}

// feed hands the flows of a workload to the transport.
type feed struct {
	source workloads.Source
	until  unit.Time                 // flows from then on are left out
	start  func(unit.Time) unit.Time // what becomes of start times; nil: they stay
	given  int64
}

// Next is part of transport.Source.
func (f *feed) Next(out *transport.Flow) bool {
	w, ok := f.source.Next()
	if !ok || w.Start > f.until {
		return false
	}
	f.given++
	*out = transport.Flow{
		Number: w.ID, Src: w.Src, Dst: w.Dst, SrcPort: w.SrcPort, DstPort: w.DstPort,
		Class: w.Priority, Size: w.Size, Start: w.Start,
	}
	if f.start != nil {
		out.Start = f.start(w.Start)
	}
	return true
}
