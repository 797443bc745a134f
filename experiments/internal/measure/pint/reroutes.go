package pint

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// PathSystem is a system that reports the paths of flows.
type PathSystem struct {
	System string  `json:"system" col:"system"`
	Bytes  float64 `json:"bytes" col:"on a packet" unit:"B"` // at most
	// Paths that the system has reported. A report counts again if the system has reported another path or seen a
	// contradiction since.
	Paths int `json:"paths" col:"paths reported"`
	Wrong int `json:"wrong" col:"wrong"` // of these reports: the flow had never taken the path
	Flows int `json:"wrong_flows" col:"flows with wrong ones"`
	// Changes that the system has reported although there was no change.
	Alarms int `json:"false_alarms" col:"false alarms"`
}

// Rerouting summarises how a system reports changes of a given number of switches in paths of a given length. Means are
// 0 if there are no such changes.
type Rerouting struct {
	System  string `json:"system" col:"system"`
	Hops    int    `json:"hops" col:"hops"`
	Changed int    `json:"changed" col:"changed"` // number of switches
	Changes int    `json:"changes" col:"changes"`
	// changes whose old path the system knew; the fields below are about these changes
	Known   int     `json:"known" col:"old path known"`
	Noticed int     `json:"noticed" col:"noticed"`
	Mean    float64 `json:"mean" col:"mean" unit:"packets"` // until it is noticed
	P99     int     `json:"p99" col:"p99" unit:"packets"`
	Time    float64 `json:"time_us" col:"time" unit:"us"` // mean, from the first packet on the new path
	Learnt  int     `json:"learnt" col:"new path known"`
	After   float64 `json:"known_after" col:"after" unit:"packets"` // from the change, mean
}

// truth contains the paths that the packets of a flow have taken.
type truth struct {
	path    []uint64 // switch IDs on the path of the last packet
	paths   [][]uint64
	packets int
	now     unit.Time // when the last packet arrived
}

// took reports whether a packet has taken the path.
func (t *truth) took(path []uint64) bool {
	return slices.ContainsFunc(t.paths, func(p []uint64) bool { return slices.Equal(p, path) })
}

// change is a packet of a flow that took another path than the previous packet.
type change struct {
	hops    int // switches on the path, both before and after
	changed int // switches that have changed; 0: the length has changed, and the change does not count
	first   int // number of the packet
	since   unit.Time
	known   bool      // the system knew the old path
	packets int       // packets from the change until the system noticed it; 0: never noticed
	after   unit.Time // likewise
	learnt  int       // packets from the change until the system knew the new path; 0: never known
}

// reported contains the reports of a system about a flow.
type reported struct {
	path     []uint64 // the last path that the system reported
	known    bool     // nothing has contradicted it
	changes  []change
	open     bool // the last change has not been noticed
	learning bool // the path after the last change has not been reported

	paths, wrong, alarms int
}

// moves begins a change with the current packet, for all systems.
func (f *flow) moves(c change) {
	if f.path == nil { // the first packet
		return
	}
	c.first, c.since = f.packets, f.now
	for i := range f.reported {
		t := &f.reported[i]
		c.known = t.known && slices.Equal(t.path, f.path)
		t.changes = append(t.changes, c)
		t.open, t.learning = true, true
	}
}

// contradicted records the report that a path has changed. If the path has not changed since the last such report, this
// is a false alarm.
func (t *reported) contradicted(of *truth) {
	t.known = false
	if !t.open {
		t.alarms++
		return
	}
	t.open = false
	c := &t.changes[len(t.changes)-1]
	c.packets, c.after = of.packets-c.first+1, of.now-c.since
}

// reports records the report of a path. If the path differs from the last reported one, the report also shows a change,
// unless a contradiction has already shown this change.
func (t *reported) reports(of *truth, path []uint64) {
	same := slices.Equal(t.path, path)
	if t.known && same {
		return
	}
	if t.path != nil && !same && (t.known || t.open) {
		t.contradicted(of)
	}
	if t.paths++; !of.took(path) {
		t.wrong++
	}
	t.path, t.known = append(t.path[:0], path...), true
	if t.learning && slices.Equal(path, of.path) {
		c := &t.changes[len(t.changes)-1]
		c.learnt, t.learning = of.packets-c.first+1, false
	}
}

// counted returns the changes that kept the length of the path.
func (t *reported) counted() []change {
	return lists.Keep(t.changes, func(c change) bool { return c.changed > 0 })
}

// listen follows the monitors that follow paths.
func (s *routes) listen(of *sim.Simulation) error {
	for i, m := range of.Scenario.Monitors {
		monitor, ok := of.Monitor(i).(telemetry.Follower)
		if !ok {
			continue
		}
		if of.Scenario.Run.Workers > 1 {
			return fmt.Errorf("run.workers = %d: want 1 with monitors that follow paths", of.Scenario.Run.Workers)
		}
		if s.flows == nil {
			s.flows = map[uint64]*flow{}
		}
		at, room := len(s.systems), m.Monitor().Room(of.Routes.MaxHops())
		s.systems = append(s.systems, PathSystem{System: fmt.Sprintf("%d, %s", i, m.Kind),
			Bytes: float64(room.AtSource + room.Growth)})
		if err := monitor.Follow(func(now unit.Time, key uint64, switches []netsim.NodeID) {
			f := s.flows[key]
			if f == nil { // none of its packets has counted
				return
			}
			f.now = now
			if len(switches) == 0 {
				f.reported[at].contradicted(&f.truth)
				return
			}
			f.reported[at].reports(&f.truth, lists.Map(switches, func(n netsim.NodeID) uint64 { return s.ids[n] }))
		}); err != nil {
			return fmt.Errorf("monitors.%d: %w", i, err)
		}
	}
	return nil
}

// ofSystems adds up what systems have reported about flows.
func ofSystems(systems []PathSystem, flows []*flow) ([]PathSystem, []Rerouting) {
	type group struct{ hops, changed int }
	var rows []Rerouting
	for i := range systems {
		x, groups := &systems[i], map[group][]change{}
		for _, f := range flows {
			t := &f.reported[i]
			x.Paths, x.Wrong, x.Alarms = x.Paths+t.paths, x.Wrong+t.wrong, x.Alarms+t.alarms
			if t.wrong > 0 {
				x.Flows++
			}
			for _, c := range t.counted() {
				g := group{c.hops, c.changed}
				groups[g] = append(groups[g], c)
			}
		}
		for g, changes := range groups {
			rows = append(rows, reroutingOf(changes, Rerouting{System: x.System, Hops: g.hops, Changed: g.changed}))
		}
	}
	slices.SortStableFunc(rows, func(a, b Rerouting) int {
		at := func(r Rerouting) int {
			return slices.IndexFunc(systems, func(x PathSystem) bool { return x.System == r.System })
		}
		return cmp.Or(cmp.Compare(a.Hops, b.Hops), cmp.Compare(a.Changed, b.Changed), cmp.Compare(at(a), at(b)))
	})
	return columns.Rounded(systems), columns.Rounded(rows)
}

// reroutingOf completes a row that summarises some changes.
func reroutingOf(changes []change, r Rerouting) Rerouting {
	var until, after Distribution
	time := 0.0
	for _, c := range changes {
		if r.Changes++; !c.known {
			continue
		}
		r.Known++
		if c.packets > 0 {
			until.Add(c.packets)
			time += 1e6 * c.after.Seconds()
		}
		if c.learnt > 0 {
			after.Add(c.learnt)
		}
	}
	r.Noticed, r.Learnt = until.Runs(), after.Runs()
	if r.Noticed > 0 {
		r.Mean, r.P99, r.Time = until.Mean(), until.Quantile(0.99), time/float64(r.Noticed)
	}
	if r.Learnt > 0 {
		r.After = after.Mean()
	}
	return r
}
