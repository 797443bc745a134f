package lightguardian

import (
	"fmt"

	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// keepWhole is the number of intervals for which complete sketches are kept.
const keepWhole = 1000

// Counters returns the length of an interval of the sketches, and a function that returns a View for the rules of
// diagnose after the run. If whole is set, the View has the complete sketches of the switches; otherwise it has the
// collected sketchlets. A note reports what is missing. Counters must be called before the first packet.
func (m *Monitor) Counters(whole bool) (interval unit.Time, read func() (v diagnose.View, note string), err error) {
	if whole && m.whole == nil {
		m.whole = newModule(m.layout, keepWhole)
	}
	return m.params.Interval, func() (diagnose.View, string) {
		if whole {
			return m.view(m.whole), ""
		}
		v := m.view(m.analyzer)
		switch from, to := v.Intervals(); {
		case to == 0:
			return v, fmt.Sprintf("no sketch has been collected: the run must last longer than "+
				"monitors.%d.interval = %v", m.at.Number, m.params.Interval)
		case from > 0:
			return v, fmt.Sprintf("the first %s of %d %s not kept (monitors.%d.keep = %d): flows that ended in these "+
				"intervals name no culprit", number.Count(from, "interval"), to, number.Plural(from, "is", "are"),
				m.at.Number, m.params.Keep)
		}
		return v, ""
	}, m.global()
}

// view shows the sketches that an analyzer keeps, with the sketchlets that have arrived. It implements diagnose.View.
type view struct {
	monitor *Monitor
	from    int
	kept    []*Reconstruction // reconstructions of successive intervals; the first is interval number `from`
}

func (m *Monitor) view(a *Module) *view {
	v := &view{monitor: m}
	for i := a.Latest(); i >= 0 && a.At(i) != nil; i-- {
		v.from = i
	}
	for i := v.from; i <= a.Latest(); i++ {
		v.kept = append(v.kept, a.At(i))
	}
	return v
}

func (s *view) Intervals() (from, to int) { return s.from, s.from + len(s.kept) }

func (s *view) Row(interval int, at netsim.NodeID, flow uint64) diagnose.Row {
	f := s.kept[interval-s.from].Query(at, flow)
	if !f.Packets.Valid {
		return diagnose.Row{}
	}
	r := diagnose.Row{Known: true, Packets: f.Packets.N, Delay: f.Delay}
	if f.Longest.Valid {
		r.Longest = f.Longest.Time
	}
	return r
}

func (s *view) Strays(v *diagnose.Victim) []netsim.NodeID {
	return s.monitor.Strays(v.Flow, v.Destination)
}

func (*Params) Locating() (settings string, counts bool) { return ", keep: 1000", true }
