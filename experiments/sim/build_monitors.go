package sim

import (
	"fmt"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// reportQueue is the limit of a queue of reports at a port, in bytes. Only the reports that the host or switch has made
// itself count.
const reportQueue = unit.MB

// monitors are the monitors of a run.
type monitors struct {
	room    telemetry.Room // sum over all monitors; Report is the maximum
	rooms   []telemetry.Room
	watches []*telemetry.Watch
	ticks   []unit.Time // time of each monitor's next call; Never if the monitor has no period

	// Number of events, and time of the last event, before the latest calls of monitors.
	events int64
	before unit.Time
}

// makeRoom computes the room that monitors need on packets.
func (s *Simulation) makeRoom() error {
	for i, m := range s.Scenario.Monitors {
		r := m.Monitor().Room(s.Routes.MaxHops())
		if min(r.AtSource, r.Growth, unit.Bytes(r.Cargo), r.Report) < 0 {
			return fmt.Errorf("monitors.%d: %s: Room returns %+v, want no negative number", i, m.Kind, r)
		}
		if s.weightless() {
			r = telemetry.Room{Cargo: r.Cargo}
		}
		s.monitors.rooms = append(s.monitors.rooms, r)
		all := &s.monitors.room
		all.AtSource += r.AtSource
		all.Growth += r.Growth
		all.Cargo += r.Cargo
		all.Report = max(all.Report, r.Report)
	}
	return nil
}

func (s *Simulation) watch(taps []netsim.Tap) ([]netsim.Tap, error) {
	cargo := 0
	for i, m := range s.Scenario.Monitors {
		room := s.monitors.rooms[i]
		p := &telemetry.Place{
			Site: *s.site(), Number: uint8(i), Cargo: [2]int{cargo, cargo + room.Cargo},
			Class:  uint8(s.Scenario.ReportClass()),
			Report: func(from netsim.NodeID, r *netsim.Report) bool { return s.Engine.Report(from, r) },
		}
		cargo += room.Cargo
		w, err := m.Monitor().Watch(p)
		if err != nil {
			return nil, fmt.Errorf("monitors.%d.%w", i, err)
		}
		if w == nil || w.Watcher == nil {
			return nil, fmt.Errorf("monitors.%d: %s: Watch returns no watcher", i, m.Kind)
		}
		if s.weightless() {
			w.Watcher = weightless{watcher: w.Watcher}
			if w.Tap != nil {
				w.Tap = weightless{tap: w.Tap}
			}
		}
		if w.Tap != nil {
			taps = append(taps, w.Tap)
		}
		s.monitors.watches = append(s.monitors.watches, w)
		tick := unit.Never
		if w.Tick != nil {
			tick = w.Period
		}
		s.monitors.ticks = append(s.monitors.ticks, tick)
	}
	return taps, nil
}

// weightless reports whether monitors cost the traffic nothing.
func (s *Simulation) weightless() bool { return s.Scenario.Run.MonitorCost == "none" }

// weightless wraps a monitor's tap or watcher so that its bytes on packets do not count.
type weightless struct {
	tap     netsim.Tap
	watcher netsim.Watcher
}

func (w weightless) Dequeue(h *netsim.Hop) {
	size := h.Packet.Size
	w.tap.Dequeue(h)
	h.Packet.Size = size
}

func (w weightless) Discard(h *netsim.Hop) {
	if d, ok := w.tap.(netsim.Discards); ok {
		d.Discard(h)
	}
}

func (w weightless) Arrive(a *netsim.Arrival) {
	size := a.Packet.Size
	w.watcher.Arrive(a)
	a.Packet.Size = size
}

func (w weightless) Collect(a *netsim.Arrival) { w.watcher.Collect(a) }

func (m *monitors) watchers() []netsim.Watcher {
	return lists.Map(m.watches, func(w *telemetry.Watch) netsim.Watcher { return w.Watcher })
}

// next returns the time of the next call of a monitor.
func (m *monitors) next() unit.Time {
	at := unit.Never
	for _, t := range m.ticks {
		at = min(at, t)
	}
	return at
}

func (s *Simulation) tick(now unit.Time) {
	if s.monitors.next() > now {
		return
	}
	s.before = s.lastEvent()
	s.Engine.Advance(now)
	s.events = s.Engine.Counters().Events
	for i, w := range s.monitors.watches {
		if s.monitors.ticks[i] <= now {
			w.Tick(now)
			s.monitors.ticks[i] += w.Period
		}
	}
}

// lastEvent returns the time of the last event. The clock may be later because of calls of monitors.
func (s *Simulation) lastEvent() unit.Time {
	if s.events > 0 && s.Engine.Counters().Events == s.events {
		return s.before
	}
	return s.Engine.Now()
}

// reportRoute returns the next port of a report, according to the present routes.
func (s *Simulation) reportRoute(at, to netsim.NodeID, key uint64) (netsim.PortID, bool) {
	k := route.FiveTuple{Src: netsim.NodeID(key >> 8), Dst: to, SrcPort: uint16(key & 0xff)}
	return s.routesNow.Pick(at, to, k)
}

// Monitor returns a monitor in the form that its own package defines (telemetry.Watch.System). i is the position of the
// monitor in the scenario.
func (s *Simulation) Monitor(i int) any { return s.monitors.watches[i].System }

// MonitorResult contains the tables of a monitor.
type MonitorResult struct {
	Kind   string
	Tables []telemetry.Table
}

// monitorResults returns the tables and notes of the monitors.
func (s *Simulation) monitorResults(end unit.Time) (results []MonitorResult, notes []string) {
	for i, w := range s.monitors.watches {
		kind := s.Scenario.Monitors[i].Kind
		m := MonitorResult{Kind: kind}
		if w.Tables != nil {
			m.Tables = w.Tables(end)
		}
		results = append(results, m)
		if w.Notes == nil {
			continue
		}
		for _, n := range w.Notes() {
			n, warns := strings.CutPrefix(n, Warning)
			n = fmt.Sprintf("monitors.%d (%s): %s", i, kind, n)
			if warns {
				n = Warning + n
			}
			notes = append(notes, n)
		}
	}
	if c := s.Engine.Counters(); c.Reports > 0 {
		notes = append(notes, fmt.Sprintf("monitors sent %s; %d of them found no room or no path",
			number.Count(c.Reports, "report"), c.ReportsLost))
	}
	return results, notes
}
