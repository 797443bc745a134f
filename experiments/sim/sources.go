package sim

import (
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Source is an entry of a scenario's workload.
type Source struct {
	Index int    // index in the workload, from 0
	Name  string // kind, with the index if other entries have the same kind
	Job   int    // index among the jobs in jobs.csv; -1 if its flows do not wait for others
	Kinds []Kind // kinds of collectives of the job, in the order of their first use
}

// Kind identifies collectives of a job that can be averaged.
type Kind struct {
	Name  string // such as "data allreduce"
	Ranks int
	Bytes unit.Bytes // size as NCCL defines it
}

// String returns the kind as reports name it.
func (k Kind) String() string {
	return fmt.Sprintf("%s, %s, %v", k.Name, number.Count(k.Ranks, "rank"), k.Bytes)
}

// Sources returns the entries of the scenario's workload. It builds the graph of the network and opens the files of the
// workload, but generates no flows.
func Sources(sc scenario.Scenario) ([]Source, error) {
	w, _, err := parts(sc)
	if err != nil {
		return nil, err
	}
	var list []Source
	jobs := 0
	for i, p := range w.Parts {
		kind := sc.Workload[i].Kind
		s := Source{Index: i, Name: kind, Job: -1}
		for k, other := range sc.Workload {
			if k != i && other.Kind == kind {
				s.Name = fmt.Sprintf("%s %d", kind, i)
			}
		}
		if g, ok := p.Generator.(workloads.Tasks); ok {
			s.Job = jobs
			jobs++
			for _, x := range g.Groups {
				if k := (Kind{x.Name, x.Ranks, x.Bytes}); x.Bytes > 0 && !slices.Contains(s.Kinds, k) {
					s.Kinds = append(s.Kinds, k)
				}
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// FlowSources returns the index of each flow's entry in the workload, by flow number. It generates all flows
// of the scenario.
func FlowSources(sc scenario.Scenario) ([]uint16, error) {
	w, hosts, err := parts(sc)
	if err != nil {
		return nil, err
	}
	flows, err := w.Stream(hosts)
	if err != nil {
		return nil, err
	}
	var list []uint16
	for f, ok := flows.Next(); ok; f, ok = flows.Next() {
		list = append(list, f.Part)
	}
	return list, flows.Err()
}

// parts returns the workload of a scenario and the hosts of its network.
func parts(sc scenario.Scenario) (w workloads.Workload, hosts []workloads.Host, err error) {
	s := &Simulation{Scenario: sc.Clone()}
	if err = s.buildGraph(); err != nil {
		return w, nil, err
	}
	if hosts, err = workloads.HostsOf(s.Graph); err != nil {
		return w, nil, err
	}
	w, err = BuildWorkload(&s.Scenario, hosts)
	return w, hosts, err
}
