package diagnose

import (
	"pintlab/int/lightguardian"
	"pintlab/netsim"
)

// Sketches is the View of an analyzer: what has arrived of the sketches that it keeps.
type Sketches struct {
	monitor *lightguardian.Monitor
	from    int
	kept    []*lightguardian.Reconstruction // from that interval on
}

// NewSketches makes the view of a monitor as it is now. The monitor must have a global
// analyzer.
func NewSketches(m *lightguardian.Monitor) *Sketches { return newSketches(m, m.Analyzer()) }

// NewWhole is NewSketches of sketches that are read whole (Monitor.ReadWhole).
func NewWhole(m *lightguardian.Monitor) *Sketches { return newSketches(m, m.Whole()) }

func newSketches(m *lightguardian.Monitor, a *lightguardian.Module) *Sketches {
	s := &Sketches{monitor: m}
	for i := a.Latest(); i >= 0 && a.At(i) != nil; i-- {
		s.from = i
	}
	for i := s.from; i <= a.Latest(); i++ {
		s.kept = append(s.kept, a.At(i))
	}
	return s
}

// Intervals is part of View.
func (s *Sketches) Intervals() (from, to int) { return s.from, s.from + len(s.kept) }

// Row is part of View.
func (s *Sketches) Row(interval int, at netsim.NodeID, flow uint64) Row {
	f := s.kept[interval-s.from].Query(at, flow)
	if !f.Packets.Valid {
		return Row{}
	}
	r := Row{Known: true, Packets: f.Packets.N, Delay: f.Delay}
	if f.Longest.Valid {
		r.Longest = f.Longest.Time
	}
	return r
}

// Strays is part of View.
func (s *Sketches) Strays(v *Victim) []netsim.NodeID {
	return s.monitor.Strays(v.Flow, v.Destination)
}
