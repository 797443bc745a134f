package guard

import (
	"slices"

	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// comparison diagnoses a victim by comparing flows, using what a system knows about each flow. Switches may keep no
// state of a flow, and a lost packet carries no digest to the host. Then a place is judged by the flows that cross it:
//
//   - An abnormal path is a path that packets took in place of the expected one. If packets pass the same
//     switch twice, they were in a loop and left it again. Only the system can know either.
//   - Lost packets are packets that were sent and have not arrived, or packets that the system counts as lost. If the
//     system has seen where they ended, the culprit is that place. Otherwise, the culprit is the place on the victim's
//     path with the largest share of flows that lost packets. The flows are those that were under way with the victim
//     and have ended. A place is a link, a switch (all flows that pass it), or a forwarding entry (the flows
//     that pass it to the same host).
//   - A flow is late if it is slow, has gaps, or is sent again although nothing was lost. If the system
//     knows the latencies of its hops, the culprit is the port at which most flows are slow by
//     LightGuardian's measure (10 µs). Otherwise the culprit is the link most of whose flows are late: there is jitter
//     on a wire, which no switch sees. Single flows are late in any network, so both require a majority of the flows.
//
// The paths of flows are the expected ones, as in LightGuardian. A victim is diagnosed when it ends, from the flows
// that have ended by then. The hosts' knowledge is enough for losses and jitter. Systems differ in the knowledge that
// they add.
type comparison struct {
	p        *patient
	knows    telemetry.Evidence
	adjacent func(a, b netsim.NodeID) bool
	past     []*evidence

	asked, known int // number of questions to the system, and number of those that it answered
}

// nothing is the view of a network without telemetry.
type nothing struct{}

func (nothing) Facts(*telemetry.Flow) telemetry.Facts {
	return telemetry.Facts{Stopped: -1, Asked: 1, Known: 1}
}

func (t *comparison) ask(x *record) telemetry.Facts {
	f := t.knows.Facts(&x.Flow)
	t.asked, t.known = t.asked+f.Asked, t.known+f.Known
	return f
}

// strays returns the unexpected switches that packets of a flow have passed.
func strays(x *record) []netsim.NodeID {
	list := slices.Clone(x.facts.OffPath)
	for _, at := range x.facts.Other {
		if !slices.Contains(x.Path, at) && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// evidence describes a flow that has ended.
type evidence struct {
	start, end unit.Time
	nodes      []netsim.NodeID // nodes of the path, from the source to the destination
	sent, lost uint64
	late       bool   // the flow suffers although it has lost no packet
	slow       []bool // for each hop, whether the flow is slow there; nil: at no hop
}

// leastShare is the share of the flows at a place that must suffer so that the place may be a culprit. One flow that
// does not suffer is added to the flows of a place. So if the victim is the only flow there, the share is one half.
const leastShare = 1. / 3

// slowHop is the 95th percentile of latency from which a hop counts as slow. It is the lower bound of LightGuardian's
// slowest cell (§7.1.2).
const slowHop = 10 * unit.Microsecond

// locate returns the culprit of a victim. Victims must be passed in the order of their ends. All flows up to the victim
// must have been passed to note.
func (t *comparison) locate(x *record) (diagnose.Finding, bool) {
	x.known = max(x.End, x.facts.Since)
	if f, ok := t.astray(x); ok {
		return f, true
	}
	e := t.past[len(t.past)-1]
	if e.lost > 0 {
		if x.facts.Stopped < 0 && x.facts.Lost == nil {
			x.known = x.End
		}
		return t.loss(e, x.facts.Stopped+1) // node 0 is the source
	}
	if !e.late {
		return diagnose.Finding{}, false // only acknowledgements were lost
	}
	// Link i is counted from the source, and hop i from the first switch. So the delay of link i is the delay of hop
	// i-1.
	slow := func(o *evidence, i int) bool { return i > 0 && o.slow != nil && o.slow[i-1] }
	if best, at := t.links(e, slow); at >= 0 {
		return t.finding(diagnose.Slow, e, at, best), true
	}
	x.known = x.End
	late := func(o *evidence, _ int) bool { return o.late }
	if best, at := t.links(e, late); at >= 0 {
		return t.finding(diagnose.Jitter, e, at+1, best), true
	}
	return diagnose.Finding{}, false
}

func (t *comparison) note(x *record) {
	v := &x.victim
	nodes := append(append([]netsim.NodeID{v.Source}, v.Path...), v.Destination)
	e := &evidence{start: x.Start, end: x.End, nodes: nodes, sent: v.Sent, slow: x.facts.Slow}
	if n := x.facts.Lost; n != nil {
		e.lost = uint64(max(0, *n))
	} else if v.Sent > v.Received {
		e.lost = v.Sent - v.Received
	}
	e.late = v.Symptom != "" && e.lost == 0
	t.past = append(t.past, e)
}

// lossRule returns the rule whose symptoms the losses of a flow match.
func lossRule(e *evidence) diagnose.Rule {
	if 2*e.lost > e.sent {
		return diagnose.Blackhole
	}
	return diagnose.Drops
}

// offPath is a view of a flow. Its only information is the switches that the flow crossed off its path.
type offPath []netsim.NodeID

func (offPath) Intervals() (from, to int)                   { return 0, 0 }
func (offPath) Row(int, netsim.NodeID, uint64) diagnose.Row { return diagnose.Row{} }
func (b offPath) Strays(*diagnose.Victim) []netsim.NodeID   { return b }

// astray reports packets that have crossed unexpected switches, or an expected switch twice.
func (t *comparison) astray(x *record) (diagnose.Finding, bool) {
	if len(x.facts.Loop) > 0 {
		return diagnose.Finding{Rule: diagnose.Loop, Switches: x.facts.Loop, Last: -1, Interval: -1}, true
	}
	if len(x.facts.OffPath) > 0 {
		v := x.victim
		v.Symptom = diagnose.Strayed
		return diagnose.Locate(&v, offPath(x.facts.OffPath), t.p.q.Thresholds, t.adjacent)
	}
	path := x.facts.Other
	var twice []netsim.NodeID
	for i, at := range path {
		if slices.Contains(path[:i], at) && !slices.Contains(twice, at) {
			twice = append(twice, at)
		}
	}
	for i, at := range path {
		if !slices.Contains(x.victim.Path, at) {
			f := diagnose.Finding{Rule: diagnose.Abnormal, Switches: []netsim.NodeID{at}, Last: -1,
				P: float64(len(path)), L: float64(len(x.victim.Path)), Interval: -1}
			if i > 0 {
				f.Last = path[i-1]
			}
			return f, true
		}
	}
	if len(twice) > 0 {
		return diagnose.Finding{Rule: diagnose.Loop, Switches: twice, Last: -1, P: float64(len(path)),
			L: float64(len(x.victim.Path)), Interval: -1}, true
	}
	return diagnose.Finding{}, false
}

// votes counts the flows of a place that suffer, and all its flows.
type votes struct{ bad, all int }

func (v votes) score() float64 { return float64(v.bad) / float64(v.all+1) }

// together returns the flows that were under way at the same time as a victim and have ended, including the victim.
func (t *comparison) together(e *evidence, use func(*evidence)) {
	for _, o := range t.past {
		if o.start < e.end && o.end > e.start || o == e {
			use(o)
		}
	}
}

// loss finds the link, the switch or the forwarding entry with the largest share of flows that lose packets. stopped is
// the index of the last node that packets have reached, or 0 if it is unknown. The packets were then lost on the link
// after this node, in the next switch, or in the queue of the next switch for its next link.
func (t *comparison) loss(e *evidence, stopped int) (diagnose.Finding, bool) {
	n := len(e.nodes)
	links, nodes, entries := make([]votes, n-1), make([]votes, n), make([]votes, n)
	t.together(e, func(o *evidence) {
		bad := 0
		if o.lost > 0 {
			bad = 1
		}
		for i, at := range o.nodes {
			j := slices.Index(e.nodes, at)
			if j < 0 {
				continue
			}
			nodes[j].all, nodes[j].bad = nodes[j].all+1, nodes[j].bad+bad
			if o.nodes[len(o.nodes)-1] == e.nodes[n-1] {
				entries[j].all, entries[j].bad = entries[j].all+1, entries[j].bad+bad
			}
			if i+1 < len(o.nodes) && j+1 < n && o.nodes[i+1] == e.nodes[j+1] {
				links[j].all, links[j].bad = links[j].all+1, links[j].bad+bad
			}
		}
	})
	best, at := votes{}, -1
	first, last := 1, n-1 // nodes that may be named
	if stopped > 0 {
		first, last = stopped+1, min(stopped+2, n-1)
	}
	better := func(v votes, node int) {
		if first <= node && node <= last && v.score() > best.score() {
			best, at = v, node
		}
	}
	for i, v := range links {
		better(v, i+1)
	}
	for i := 1; i < n-1; i++ {
		if stopped <= 0 || i == first {
			better(nodes[i], i)
			better(entries[i], i)
		}
	}
	switch {
	case best.score() >= leastShare:
	case stopped > 0:
		best, at = links[stopped], first // packets were seen there
	default:
		return diagnose.Finding{}, false
	}
	return t.finding(lossRule(e), e, at, best), true
}

// links returns, among the links that are bad for the victim, the link that is bad for the largest share of flows. The
// result is the index of the node before the link. It is -1 if no link is bad for a majority, and for at least two
// flows.
func (t *comparison) links(e *evidence, bad func(o *evidence, i int) bool) (best votes, at int) {
	links := make([]votes, len(e.nodes)-1)
	t.together(e, func(o *evidence) {
		for i := range len(o.nodes) - 1 {
			j := slices.Index(e.nodes, o.nodes[i])
			if j < 0 || j+1 >= len(e.nodes) || o.nodes[i+1] != e.nodes[j+1] {
				continue
			}
			if links[j].all++; bad(o, i) {
				links[j].bad++
			}
		}
	})
	at = -1
	for i, v := range links {
		if bad(e, i) && v.bad >= 2 && 2*v.bad > v.all && v.score() > best.score() {
			best, at = v, i
		}
	}
	return best, at
}

// finding returns a finding about a node of the path. It also contains the node before it.
func (t *comparison) finding(r diagnose.Rule, e *evidence, at int, v votes) diagnose.Finding {
	return diagnose.Finding{Rule: r, Switches: []netsim.NodeID{e.nodes[at]}, Last: e.nodes[at-1],
		P: float64(v.bad), L: float64(v.all), Interval: -1}
}
