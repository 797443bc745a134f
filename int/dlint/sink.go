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
	flows map[uint64]*traced
	list  []*traced // in the order of their first packets
}

// traced is a flow at its sink.
type traced struct {
	tuple    route.FiveTuple
	key      uint64
	open     []slot // what has come of a path
	whole    bool   // PLINT: all of it
	path     []netsim.NodeID
	after    int64 // packets that had come when the first path was known; 0: none
	changed  int64 // packets that had come when the latest other path was known; 0: none
	packets  int64
	arrived  int64     // packets at the host, if somebody asks
	paths    int64     // that have been completed
	changes  int64     // that differ from the one before
	since    unit.Time // when path was completed first
	switches map[netsim.NodeID]*seen
}

// seen counts the samples of a switch that have arrived, with the sum of their latencies.
type seen struct {
	samples int64
	latency unit.Time // sum
	since   unit.Time
}

// of returns a flow with this key, whose name net knows.
func (k *sink) of(key uint64, flow int32, net *netsim.Network) *traced {
	x := k.flows[key]
	if x == nil {
		x = &traced{tuple: net.FiveTuple(flow), key: key, switches: map[netsim.NodeID]*seen{}}
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
			if x.open = append(x.open, s); s.value == own {
				x.complete(now)
			}
		}
	}
}

// takePairs reads the pairs of a packet of PLINT that has passed hops switches.
func (x *traced) takePairs(now unit.Time, h header, hops uint8) {
	if len(x.open) != int(hops) { // the first packet, or another path
		x.open, x.whole = make([]slot, hops), false
	}
	for _, s := range h {
		x.learn(now, s)
		at := &x.open[s.hop-1]
		if at.value != 0 && at.value != s.value {
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

// complete stores the path that has been received. PLINT's pairs stay, DLINT's next cycle begins.
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
	if x.open[0].hop == 0 {
		x.open = x.open[:0]
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

// arrived counts a packet at its host and reports the path of its flow, from the packet on with which the last switch
// knew it. Packets that are still on the link to the host do not count.
func (a *answers) arrived(at *netsim.Arrival) {
	_, last := a.at.Net.PortEnds(a.at.Net.Home(at.Host))
	x := a.nodes[last].sink.flows[at.FlowKey()]
	if x == nil {
		return
	}
	x.arrived++
	if at.Now < a.window.Until && a.known != nil && x.path != nil && x.arrived >= max(x.after, x.changed) {
		a.known(x.key, x.path)
	}
}

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

// Evidence implements telemetry.Locator: it knows another path than the expected one.
func (m *monitor) Evidence(telemetry.Scale) (telemetry.Evidence, error) { return evidence{m}, nil }

type evidence struct{ *monitor }

// Facts returns the last path of a flow if it is another one.
func (e evidence) Facts(f *telemetry.Flow) telemetry.Facts {
	facts := telemetry.Facts{Stopped: -1, Asked: 1}
	if x := e.nodes[f.Path[len(f.Path)-1]].sink.flows[f.Key]; x != nil && x.path != nil {
		if facts.Known = 1; !slices.Equal(x.path, f.Path) {
			facts.Other, facts.Since = x.path, x.since
		}
	}
	return facts
}
