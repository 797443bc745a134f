package guard

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// tomography diagnoses by PINT. Switches keep nothing of a flow, and a packet that is lost brings
// no digest, so what packets do not say comes from comparing flows:
//
//   - The digests of a flow whose packets passed other switches than expected, or the same one
//     twice, give that path: an abnormal path, or a loop that let packets out again.
//   - Losses are those packets that were sent and have not arrived. The culprit is the
//     place on the path of the victim of whose flows the largest share lost packets, among flows that were under way
//     with the victim and have ended: a link, a switch (all that pass it), or a forwarding entry (those
//     that pass it to the same host).
//   - A flow that is late, which is slow, has gaps, or is sent again although nothing was lost, asks the latency
//     quantiles of its hops: the culprit is the port at which most flows have a p95 that is slow by LightGuardian's
//     measure (10 µs). Without one it is the link most of whose flows are late: jitter on a
//     wire, which no switch sees. Single flows are late in any network, so both want a majority.
//
// The paths of flows are the expected ones, as in LightGuardian. A victim is diagnosed when it
// ends, by what has ended until then.
type tomography struct {
	p             *patient
	w             *deploy.Watching
	path, latency int // queries; -1 for none
	switches      []netsim.NodeID
	values        []uint64
	decoders      map[int]coding.Decoder
	past          []*evidence
	asked, known  int
}

// evidence is a flow that has ended.
type evidence struct {
	start, end unit.Time
	nodes      []netsim.NodeID // from the source to the destination
	sent, lost uint64
	late       bool   // it suffers without loss
	slow       []bool // hops where its p95 is slow
}

// leastShare is the share of the flows of a place that must suffer for it to be a culprit, with one
// more flow that does not: a victim alone has half.
const leastShare = 1. / 3

// slowHop is the p95 at a hop that is slow, the bound of LightGuardian's slowest cell (§7.1.2).
const slowHop = 10 * unit.Microsecond

func newTomography(p *patient) (*tomography, error) {
	i := monitor(&p.s.Scenario, "pint")
	t := &tomography{p: p, w: p.s.Monitor(i).(*deploy.Watching), path: -1, latency: -1, switches: p.s.Graph.Switches(), decoders: map[int]coding.Decoder{}}
	for q, x := range t.w.Encoder().Plan().Queries {
		switch {
		case x.Value == query.SwitchID && x.Aggregation == query.Path:
			t.path = q
		case x.Value == query.HopLatency && x.Aggregation == query.Quantiles:
			t.latency = q
		}
	}
	if t.path < 0 || t.latency < 0 {
		return nil, fmt.Errorf("monitors.%d: the plan has no query of paths of switches, or none of latency quantiles, which the diagnosis needs", i)
	}
	for i := range t.switches {
		t.values = append(t.values, uint64(i))
	}
	return t, nil
}

// share is how many of the quantiles and paths that were asked for were known.
func (t *tomography) share() float64 { return float64(t.known) / float64(max(1, t.asked)) }

// inference is what the destination of a flow has recorded; nil if nothing.
func (t *tomography) inference(x *record) *module.Inference {
	r := t.w.Collector().Recorder(x.victim.Destination)
	if r == nil {
		return nil
	}
	return module.NewInference(r)
}

// passed are the switches, hop by hop, that packets of a flow over paths of a length have passed; nil if
// digests do not tell.
func (t *tomography) passed(n *module.Inference, id module.FlowID) []netsim.NodeID {
	d := t.decoders[int(id.Hops)]
	if d == nil {
		var err error
		if d, err = coding.NewDecoder(t.w.Encoder().Coding(t.path), int(id.Hops), t.values); err != nil {
			panic(err) // the plan has been compiled for paths of that length
		}
		t.decoders[int(id.Hops)] = d
	}
	d.Reset()
	t.asked++
	values, known, err := n.Path(t.path, id, d)
	if err != nil || slices.Contains(known, false) {
		return nil
	}
	t.known++
	path := make([]netsim.NodeID, len(values))
	for h, v := range values {
		path[h] = t.switches[v]
	}
	return path
}

// other is a path that packets of a flow have taken instead of the expected one; nil without one.
func (t *tomography) other(x *record) []netsim.NodeID {
	n := t.inference(x)
	if n == nil {
		return nil
	}
	for hops := 1; hops <= t.w.Encoder().Plan().Hops; hops++ {
		id := module.FlowID{Flow: t.w.Flow(x.name), Hops: uint8(hops)}
		if _, err := n.Digests(t.path, id); errors.Is(err, module.ErrNoFlow) {
			continue
		}
		if path := t.passed(n, id); path != nil && !slices.Equal(path, x.victim.Path) {
			return path
		}
	}
	return nil
}

// strays are the switches on that path that are not expected.
func (t *tomography) strays(x *record) []netsim.NodeID {
	var list []netsim.NodeID
	for _, at := range t.other(x) {
		if !slices.Contains(x.victim.Path, at) && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// locate names the culprit of a victim. Victims come in the order of their ends, and flows without a
// symptom come through note.
func (t *tomography) locate(x *record) (diagnose.Finding, bool) {
	if f, ok := t.astray(x); ok {
		return f, true
	}
	e := t.past[len(t.past)-1]
	if e.lost > 0 {
		return t.loss(e)
	}
	if !e.late {
		return diagnose.Finding{}, false // what was lost is acknowledgements
	}
	// Behind node 0, the source, hop i is the port from node i+1 to the next.
	slow := func(o *evidence, i int) bool { return i > 0 && o.slow[i-1] }
	if best, at := t.links(e, slow); at >= 0 {
		return t.finding(diagnose.Slow, e, at, best), true
	}
	late := func(o *evidence, _ int) bool { return o.late }
	if best, at := t.links(e, late); at >= 0 {
		return t.finding(diagnose.Jitter, e, at+1, best), true
	}
	return diagnose.Finding{}, false
}

// note takes in a flow that has ended.
func (t *tomography) note(x *record) {
	v := &x.victim
	nodes := append(append([]netsim.NodeID{v.Source}, v.Path...), v.Destination)
	e := &evidence{start: x.start, end: x.end, nodes: nodes, sent: v.Sent, slow: t.slowHops(x)}
	if v.Sent > v.Received {
		e.lost = v.Sent - v.Received
	}
	e.late = v.Symptom != "" && e.lost == 0
	t.past = append(t.past, e)
}

// astray: packets have passed switches that are not expected, or only expected ones, and one twice.
func (t *tomography) astray(x *record) (diagnose.Finding, bool) {
	path := t.other(x)
	var twice []netsim.NodeID
	for i, at := range path {
		if slices.Contains(path[:i], at) && !slices.Contains(twice, at) {
			twice = append(twice, at)
		}
	}
	for i, at := range path {
		if !slices.Contains(x.victim.Path, at) {
			f := diagnose.Finding{Rule: diagnose.Abnormal, Switches: []netsim.NodeID{at}, Last: -1, P: float64(len(path)), L: float64(len(x.victim.Path)), Interval: -1}
			if i > 0 {
				f.Last = path[i-1]
			}
			return f, true
		}
	}
	if len(twice) > 0 {
		return diagnose.Finding{Rule: diagnose.Loop, Switches: twice, Last: -1, P: float64(len(path)), L: float64(len(x.victim.Path)), Interval: -1}, true
	}
	return diagnose.Finding{}, false
}

// slowHops are the hops of a flow where its p95 is slow.
func (t *tomography) slowHops(x *record) []bool {
	slow := make([]bool, len(x.victim.Path))
	n := t.inference(x)
	if n == nil {
		return slow
	}
	for hop := range slow {
		t.asked++
		e, err := n.Quantile(t.latency, module.FlowID{Flow: t.w.Flow(x.name), Hops: uint8(len(slow))}, hop+1, 0.95, 0.1)
		if err != nil {
			continue
		}
		t.known++
		slow[hop] = e.Value >= float64(slowHop)
	}
	return slow
}

// votes are the flows of a place that suffer, and all.
type votes struct{ bad, all int }

func (v votes) score() float64 { return float64(v.bad) / float64(v.all+1) }

// together are the flows that were under way with a victim and have ended, itself included.
func (t *tomography) together(e *evidence, use func(*evidence)) {
	for _, o := range t.past {
		if o.start < e.end && o.end > e.start || o == e {
			use(o)
		}
	}
}

// loss: the link, the switch or the forwarding entry of which the largest share of flows loses packets.
func (t *tomography) loss(e *evidence) (diagnose.Finding, bool) {
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
	better := func(v votes, node int) {
		if v.score() > best.score() {
			best, at = v, node
		}
	}
	for i, v := range links {
		better(v, i+1)
	}
	for i := 1; i < n-1; i++ {
		better(nodes[i], i)
		better(entries[i], i)
	}
	if best.score() < leastShare {
		return diagnose.Finding{}, false
	}
	rule := diagnose.Drops
	if 2*e.lost > e.sent {
		rule = diagnose.Blackhole
	}
	return t.finding(rule, e, at, best), true
}

// links is the link of the victim, by the node before it, that most flows find bad, of those that the
// victim does; -1 if there is none with a majority of two flows or more.
func (t *tomography) links(e *evidence, bad func(o *evidence, i int) bool) (best votes, at int) {
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

// finding names a node of the path, after the one before it.
func (t *tomography) finding(r diagnose.Rule, e *evidence, at int, v votes) diagnose.Finding {
	return diagnose.Finding{Rule: r, Switches: []netsim.NodeID{e.nodes[at]}, Last: e.nodes[at-1], P: float64(v.bad), L: float64(v.all), Interval: -1}
}
