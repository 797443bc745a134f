package dlint

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// sink is the state of the last switch of a path for the flows that end behind it.
type sink struct {
	flows  map[uint64]*traced
	list   []*traced // in the order of their first packets
	notice           // of all flows
}

// notice chooses what a sink reports about a flow.
type notice struct {
	wanted bool // somebody follows the flows
	byID   bool // one ID is enough to show that a path has changed; otherwise a whole path is needed
}

// traced is a flow at its sink.
type traced struct {
	tuple    route.FiveTuple
	key      uint64
	open     []slot // values of a path that have arrived
	whole    bool   // PLINT: open contains a value of every hop
	path     []netsim.NodeID
	after    int64 // packets that had arrived when the first path was known; 0: none
	changed  int64 // packets that had arrived when the latest different path was known; 0: none
	packets  int64
	arrived  int64     // packets at the host; counted only for Follow and Answers
	paths    int64     // that have been completed
	changes  int64     // completed paths that differ from the previous path
	since    unit.Time // when path was completed first
	switches map[netsim.NodeID]*seen
	notice
	doubt   bool // an ID contradicts path
	pending []news
}

// news is what a packet has shown at the last switch: a path or, if path is nil, only that the known path has changed.
// The news is reported when the packet reaches its host.
type news struct {
	packets int64 // number of the flow's packets, including this one
	path    []netsim.NodeID
}

// seen counts the samples of a switch that have arrived, and sums up their latencies.
type seen struct {
	samples int64
	latency unit.Time // sum
	since   unit.Time
}

// of returns the flow with a key. net provides the flow's name.
func (k *sink) of(key uint64, flow int32, net *netsim.Network) *traced {
	x := k.flows[key]
	if x == nil {
		x = &traced{tuple: net.FiveTuple(flow), key: key, notice: k.notice, switches: map[netsim.NodeID]*seen{}}
		k.flows[key], k.list = x, append(k.list, x)
	}
	return x
}

// node returns the switch with an ID.
func (v value) node() netsim.NodeID { return netsim.NodeID(v - 1) }

// take reads the values of a packet of DLINT or CLINT at the switch own.
func (x *traced) take(now unit.Time, h header, own value) {
	for _, s := range h {
		switch {
		case s.value == first:
			x.open = x.open[:0]
		case s.id():
			x.learn(now, s)
			if at := len(x.open); x.path != nil && (at >= len(x.path) || x.path[at] != s.node()) {
				x.contradict()
			}
			if x.open = append(x.open, s); s.value == own {
				x.complete(now)
			}
		}
	}
}

// takePairs reads the pairs of a packet of PLINT that has passed hops switches.
func (x *traced) takePairs(now unit.Time, h header, hops uint8) {
	if len(x.open) != int(hops) { // the first packet, or another path
		if x.open != nil {
			x.contradict()
		}
		x.open, x.whole = make([]slot, hops), false
	}
	for _, s := range h {
		x.learn(now, s)
		at := &x.open[s.hop-1]
		if at.value != 0 && at.value != s.value {
			x.contradict()
			clear(x.open)
			x.whole = false
		}
		*at = s
	}
	if !x.whole && !slices.ContainsFunc(x.open, func(s slot) bool { return s.value == 0 }) {
		x.whole = true
		x.complete(now)
	}
}

// contradict handles an ID that is not the expected one at its place in the path.
func (x *traced) contradict() {
	if x.byID && !x.doubt {
		x.doubt = true
		x.report(nil)
	}
}

// report stores news until the present packet reaches its host.
func (x *traced) report(path []netsim.NodeID) {
	if x.wanted {
		x.pending = append(x.pending, news{x.packets, slices.Clone(path)})
	}
}

// learn adds the latency of a switch.
func (x *traced) learn(now unit.Time, s slot) {
	at := x.switches[s.node()]
	if at == nil {
		at = &seen{since: now}
		x.switches[s.node()] = at
	}
	at.samples++
	at.latency += unit.Time(s.latency) * unit.Nanosecond
}

// complete stores the path that has been received. The pairs of PLINT remain; with DLINT, the next cycle begins.
func (x *traced) complete(now unit.Time) {
	same := len(x.path) == len(x.open)
	for i := range x.open {
		same = same && x.path[i] == x.open[i].node()
	}
	if x.paths++; !same {
		if x.path != nil {
			x.changes, x.changed = x.changes+1, x.packets
		} else {
			x.after = x.packets
		}
		x.path, x.since = x.path[:0], now
		for _, s := range x.open {
			x.path = append(x.path, s.node())
		}
	}
	if !same || x.doubt {
		x.doubt = false
		x.report(x.path)
	}
	if x.open[0].hop == 0 {
		x.open = x.open[:0]
	}
}

// Follow implements telemetry.Follower. Packets that are still on the link to the host do not count.
func (m *monitor) Follow(known func(now unit.Time, flow uint64, switches []netsim.NodeID)) error {
	m.known = known
	for i := range m.nodes {
		m.nodes[i].sink.wanted = true
	}
	return nil
}

// arrived counts a packet at its host. It reports the news that this packet and earlier ones have shown, and passes the
// known path to answers.
func (m *monitor) arrived(at *netsim.Arrival) {
	_, last := m.at.Net.PortEnds(m.at.Net.Home(at.Host))
	x := m.nodes[last].sink.flows[at.FlowKey()]
	if x == nil {
		return
	}
	x.arrived++
	for len(x.pending) > 0 && x.pending[0].packets <= x.arrived {
		m.known(at.Now, x.key, x.pending[0].path)
		x.pending = x.pending[1:]
	}
	if a := m.answer; a != nil && a.known != nil && at.Now < a.window.Until && x.path != nil &&
		x.arrived >= max(x.after, x.changed) {
		a.known(x.key, x.path)
	}
}

// answers are the monitor's answers about a window.
type answers struct {
	*monitor
	window telemetry.Window
	known  func(flow uint64, switches []netsim.NodeID)
}

// Answers implements telemetry.Answerer.
func (m *monitor) Answers(w telemetry.Window) (any, error) {
	a := &answers{monitor: m, window: w}
	m.answer = a
	if !m.params.latency {
		return onlyPaths{a}, nil
	}
	return a, nil
}

// onlyPaths answers without latencies.
type onlyPaths struct{ of *answers }

func (o onlyPaths) OnPath(known func(flow uint64, switches []netsim.NodeID)) { o.of.OnPath(known) }

func (a *answers) OnPath(known func(flow uint64, switches []netsim.NodeID)) { a.known = known }

func (a *answers) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	for i := range a.nodes {
		if x := a.nodes[i].sink.flows[f.Key]; x != nil {
			if s := x.switches[f.Path[hop]]; s != nil && s.since < a.window.Until {
				return float64(s.latency)/float64(s.samples) + float64(a.window.Pipeline), s.since, true
			}
		}
	}
	return 0, 0, false
}

// Locating implements telemetry.Locating.
func (*common) Locating() (settings string, counts bool) { return "", false }

// Evidence implements telemetry.Locator. The evidence is a path that differs from the expected one.
func (m *monitor) Evidence(telemetry.Scale) (telemetry.Evidence, error) { return evidence{m}, nil }

type evidence struct{ *monitor }

// Facts returns the last path of a flow if it differs from the expected one.
func (e evidence) Facts(f *telemetry.Flow) telemetry.Facts {
	facts := telemetry.Facts{Stopped: -1, Asked: 1}
	if x := e.nodes[f.Path[len(f.Path)-1]].sink.flows[f.Key]; x != nil && x.path != nil {
		if facts.Known = 1; !slices.Equal(x.path, f.Path) {
			facts.Other, facts.Since = x.path, x.since
		}
	}
	return facts
}
