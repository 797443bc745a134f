package sim

import (
	"errors"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/workloads"
)

// WorkloadInfo describes the planned and the actual flows of a run.
type WorkloadInfo struct {
	Plan  workloads.Plan
	Stats *workloads.Stats

	plans []workloads.Plan // of each source
}

// BuildWorkload makes the generators of a scenario for the hosts of a network.
func BuildWorkload(sc *scenario.Scenario, hosts []workloads.Host) (workloads.Workload, error) {
	w := workloads.Workload{Seed: sc.Seed}
	settled := sc.Clone()
	settled.SettleRails()
	for i, src := range settled.Workload {
		at := fmt.Sprintf("workload.%d", i)
		setting := workloads.Setting{Hosts: hosts, Seed: sc.Seed, Name: at, Busy: sc.Busy}
		g, err := src.Traffic().Generator(&setting)
		if err != nil {
			return w, fmt.Errorf("%s.%w", at, err)
		}
		w.Parts = append(w.Parts, workloads.Part{
			Name: fmt.Sprintf("%d-%s", i, src.Kind), Key: at, Priority: uint8(src.Traffic().Class()), Generator: g,
		})
		w.Notes = append(w.Notes, setting.Notes...)
	}
	return w, nil
}

// workload returns the flows of the scenario, or of the part of a larger network.
func (s *Simulation) workload() (workloads.Workload, error) {
	if s.part == nil {
		return BuildWorkload(&s.Scenario, s.hosts)
	}
	return workloads.Workload{Seed: s.Scenario.Seed,
		Parts: []workloads.Part{{Name: "part", Generator: workloads.Trace(s.part.Flows)}}}, nil
}

// buildWorkload generates all flows once for statistics, and then opens them again for the run.
func (s *Simulation) buildWorkload() error {
	hosts, err := workloads.HostsOf(s.Graph)
	if err != nil {
		return err
	}
	s.hosts = hosts
	w, err := s.workload()
	if err != nil {
		return err
	}
	s.cautions = append(s.cautions, w.Notes...)
	survey, err := w.Stream(hosts)
	if err != nil {
		return err
	}
	if s.Workload.plans, err = w.Plans(hosts); err != nil {
		return err
	}
	s.Workload.Plan = workloads.Total(s.Workload.plans)
	sizes, err := transport.ParseSizeClasses(s.Scenario.Transport.SizeClasses)
	if err != nil {
		return err
	}
	busy := &busyHosts{Source: survey, seen: make([]bool, len(s.Graph.Nodes))}
	s.wire = s.countWire(busy)
	seen := &classes{Source: &sorted{s.wire, sizes}, among: -1}
	if s.Scenario.Network.Trimming.Enabled {
		seen.headers = uint8(s.Scenario.Transport.AckClass)
	}
	seen.used[s.Scenario.Transport.AckClass] = s.Scenario.Transport.AckClass > 0
	crowd := &crowd{Source: seen}
	looked := &looked{Source: s.follow(w, crowd), stop: s.stop}
	if s.Workload.Stats, err = workloads.Measure(looked, hosts, s.Workload.Plan.Start,
		s.Workload.Plan.End); err != nil {
		return err
	}
	if seen.among >= 0 {
		return fmt.Errorf("flow %d has priority %d (workload.N.priority), "+
			"which is the class of headers (transport.ack_class); with network.trimming.enabled = true no data may "+
			"use that class",
			seen.among, seen.headers)
	}
	s.rules.used = seen.used
	s.rules.classes, s.together, s.longest = seen.count(), crowd.most, crowd.longest
	stream, err := w.Stream(hosts)
	if err != nil {
		return err
	}
	s.feed = &feed{source: &sorted{stream, sizes}, until: unit.Never, stop: s.stop}
	if err := s.surround(w, crowd.most); err != nil {
		return err
	}
	if s.Scenario.Run.StartTimes == "floor-ns" {
		s.feed.start = ns3.Start
	}
	if !s.surrounded {
		s.rules.least = busy.slowest(s.Graph)
	}
	return nil
}

// stopEvery is the number of generated flows between two calls of stop.
const stopEvery = 1 << 16

// looked is a source of flows that calls stop at intervals. It ends with the error that stop returns.
type looked struct {
	workloads.Source
	stop func() error
	n    int
	err  error
}

func (l *looked) Next() (workloads.Flow, bool) {
	if l.n++; l.n%stopEvery == 0 && l.err == nil {
		l.err = l.stop()
	}
	if l.err != nil {
		return workloads.Flow{}, false
	}
	return l.Source.Next()
}

func (l *looked) Err() error { return errors.Join(l.err, l.Source.Err()) }

// sorted assigns flows the traffic classes of their sizes.
type sorted struct {
	workloads.Source
	sizes []transport.SizeClass
}

func (s *sorted) Next() (workloads.Flow, bool) {
	f, ok := s.Source.Next()
	for _, x := range s.sizes {
		if ok && f.Size <= x.Size {
			f.Priority = x.Class
			break
		}
	}
	return f, ok
}

// classes records the traffic classes of the flows that pass through.
type classes struct {
	workloads.Source
	used    [8]bool
	headers uint8 // class of trimmed packets; 0 for none
	among   int32 // first flow in that class; less than 0 if there is none
}

func (c *classes) Next() (workloads.Flow, bool) {
	f, ok := c.Source.Next()
	if ok {
		c.used[f.Priority&7] = true
		if f.Priority == c.headers && c.headers > 0 && c.among < 0 {
			c.among = f.ID
		}
	}
	return f, ok
}

// count returns the number of classes in use.
func (c *classes) count() int {
	return lists.Count(c.used[:], func(used bool) bool { return used })
}

// surround adds unmeasured flows that keep the network at its load.
func (s *Simulation) surround(w workloads.Workload, together int64) error {
	run := &s.Scenario.Run
	for _, p := range w.Parts {
		if g, ok := p.Generator.(workloads.Poisson); ok && g.Busy > 0 {
			s.surrounded = true
			// the mean number of active flows
			s.together = max(together, int64(float64(len(s.hosts))*g.Busy/(1-g.Busy)))
		}
	}
	if s.surrounded = s.surrounded || run.KeepLoad > 0; !s.surrounded {
		return nil
	}
	if s.Workload.Stats.Flows > workloads.FirstUnmeasured {
		return fmt.Errorf("%d flows, want at most %d in addition to the unmeasured flows",
			s.Workload.Stats.Flows, workloads.FirstUnmeasured)
	}
	around, err := w.Unmeasured(s.hosts, run.KeepLoad > 0)
	if err != nil {
		return err
	}
	s.feed.source = &merged{measured: s.feed.source, around: around}
	return nil
}

// merged merges the measured flows of a workload with the unmeasured ones around them.
type merged struct {
	measured workloads.Source
	around   *workloads.Stream
	next     [2]workloads.Flow // next flow of around and of measured
	have     [2]bool
	opened   bool
}

// Next implements workloads.Source. At equal starts the unmeasured flow comes first.
func (m *merged) Next() (workloads.Flow, bool) {
	if !m.opened {
		m.opened = true
		m.next[0], m.have[0] = m.around.Next()
		m.next[1], m.have[1] = m.measured.Next()
	}
	if m.have[0] && (!m.have[1] || m.next[0].Start <= m.next[1].Start) {
		f := m.next[0]
		f.ID += workloads.FirstUnmeasured
		m.next[0], m.have[0] = m.around.Next()
		return f, true
	}
	f, ok := m.next[1], m.have[1]
	m.next[1], m.have[1] = m.measured.Next()
	return f, ok
}

func (m *merged) Err() error { return errors.Join(m.measured.Err(), m.around.Err()) }

// feed passes the flows of a workload to the transport.
type feed struct {
	source workloads.Source
	until  unit.Time                 // flows that start later are omitted
	start  func(unit.Time) unit.Time // maps start times; nil keeps them
	stop   func() error              // returns an error if the run must end
}

// Stopped implements transport.Stopper. Concurrent engines call it.
func (f *feed) Stopped() bool { return f.stop() != nil }

func (f *feed) Next(out *transport.Flow) bool {
	w, ok := f.source.Next()
	for ok && w.Task > 0 { // the flow starts when another one has finished
		w, ok = f.source.Next()
	}
	if !ok || w.Start > f.until {
		return false
	}
	*out = transportFlow(&w)
	if f.start != nil {
		out.Start = f.start(w.Start)
	}
	return true
}

// transportFlow converts a flow to the transport's type.
func transportFlow(w *workloads.Flow) transport.Flow {
	return transport.Flow{
		Number: w.ID, Src: w.Src, Dst: w.Dst, SrcPort: w.SrcPort, DstPort: w.DstPort,
		Class: w.Priority, Size: w.Size, Start: w.Start,
	}
}
