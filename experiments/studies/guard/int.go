package guard

import (
	"math"
	"slices"

	"pintlab/int/mirror"
	"pintlab/int/sketchint"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// tally counts the packets of a flow at a hop, and those that were slow there.
type tally struct{ packets, slow int }

func (t *tally) add(latency unit.Time) {
	if t.packets++; latency >= slowHop {
		t.slow++
	}
}

// late says whether the p95 is slow.
func (t tally) late() bool { return t.slow > 0 && 20*t.slow > t.packets }

// echo is INT in HPCC's format, which destinations read: the queues of the hops of a packet. It does not name
// switches, so that a path is the expected one if it has as many hops.
type echo struct {
	net          *netsim.Network
	flows        []map[way][]tally // by destination
	asked, known int
}

// way is the packets of a flow that have passed so many hops.
type way struct {
	flow uint64
	hops int
}

// listen has ends read INT, too.
func (e *ends) listen() *echo {
	if e.echo == nil {
		e.echo = &echo{net: e.net, flows: make([]map[way][]tally, len(e.out))}
	}
	return e.echo
}

// read takes in the records of a packet.
func (e *echo) read(host netsim.NodeID, flow uint64, stack []netsim.PortSample) {
	if e.flows[host] == nil {
		e.flows[host] = map[way][]tally{}
	}
	w := way{flow, len(stack)}
	hops := e.flows[host][w]
	if hops == nil {
		hops = make([]tally, len(stack))
		e.flows[host][w] = hops
	}
	for i, s := range stack {
		hops[i].add(e.net.PortRate(s.Port).TxTime(unit.Bytes(s.Queue))) // what the queue left behind takes to drain
	}
}

func (e *echo) of(x *record) facts {
	f := facts{stopped: -1}
	e.asked++
	hops := e.flows[x.victim.Destination][way{x.victim.Flow, len(x.victim.Path)}]
	if hops == nil {
		return f
	}
	e.known++
	f.slow = make([]bool, len(hops))
	for i, h := range hops {
		f.slow[i] = h.late()
	}
	return f
}

func (e *echo) share() float64 { return float64(e.known) / float64(max(1, e.asked)) }

// reports is what a collector of INT knows of the packets that are watched. Passports tell the way of a packet that has arrived.
// Postcards come from every switch at once: where they end the packet ended, and a switch that
// reports one again and again is in a loop.
type reports struct {
	postcards    bool
	watched      float64 // share of the packets
	loop         float64 // a switch in a loop reports so many times as many
	flows        map[uint64]*reported
	asked, known int
}

// reported is what has been reported of a flow.
type reported struct {
	hops  []reportedHop
	paths [][]netsim.NodeID // of passports, each once
	since unit.Time         // of the last report
}

type reportedHop struct {
	node netsim.NodeID
	tally
}

func (x *reported) at(node netsim.NodeID) *reportedHop {
	i := slices.IndexFunc(x.hops, func(h reportedHop) bool { return h.node == node })
	if i < 0 {
		i = len(x.hops)
		x.hops = append(x.hops, reportedHop{node: node})
	}
	return &x.hops[i]
}

// count is how many packets a switch has reported.
func (x *reported) count(node netsim.NodeID) int { return x.at(node).packets }

func newReports(p *patient, monitor int) *reports {
	m := p.s.Scenario.Monitors[monitor].Params.(*mirror.Params)
	r := &reports{postcards: m.Mode == "postcard", watched: m.Share, loop: p.q.Thresholds.Loop, flows: map[uint64]*reported{}}
	p.s.Monitor(monitor).(*mirror.Monitor).Listen(r.take)
	return r
}

func (r *reports) take(now unit.Time, flow uint64, records []mirror.Record) {
	x := r.flows[flow]
	if x == nil {
		x = &reported{}
		r.flows[flow] = x
	}
	x.since = now
	for _, c := range records {
		x.at(c.Node).add(c.Latency)
	}
	if r.postcards {
		return
	}
	same := func(path []netsim.NodeID) bool {
		return slices.EqualFunc(path, records, func(n netsim.NodeID, c mirror.Record) bool { return n == c.Node })
	}
	if slices.ContainsFunc(x.paths, same) {
		return
	}
	var path []netsim.NodeID
	for _, c := range records {
		path = append(path, c.Node)
	}
	x.paths = append(x.paths, path)
}

func (r *reports) of(v *record) facts {
	f := facts{stopped: -1}
	r.asked++
	x := r.flows[v.victim.Flow]
	if x == nil {
		return f
	}
	r.known++
	path := v.victim.Path
	f.since, f.slow = x.since, make([]bool, len(path))
	for i, at := range path {
		f.slow[i] = x.at(at).late()
	}
	for _, p := range x.paths {
		if !slices.Equal(p, path) {
			f.other = p
		}
	}
	if r.postcards {
		r.ends(&f, x, v)
	}
	return f
}

// ends says where packets have ended or go round, by the postcards of each switch.
func (r *reports) ends(f *facts, x *reported, v *record) {
	path := v.victim.Path
	most := 0
	for _, h := range x.hops {
		most = max(most, h.packets)
	}
	round := float64(most) > r.loop*math.Ceil(max(1, r.watched*float64(v.victim.Sent)))
	for _, h := range x.hops {
		if round && 2*h.packets > most { // those in the loop report about as often
			f.loop = append(f.loop, h.node)
		}
		if h.packets > 0 && !slices.Contains(path, h.node) {
			f.beside = append(f.beside, h.node)
		}
	}
	slices.Sort(f.loop)
	slices.Sort(f.beside)
	if len(f.loop) >= len(path) {
		f.loop = nil // packets have been sent again
	}
	// Reports are lost, too: what a later switch has reported has passed those before it.
	for i := range len(path) - 1 {
		most := 0
		for _, at := range path[i+1:] {
			most = max(most, x.count(at))
		}
		if x.count(path[i]) > most {
			f.stopped = i
			return
		}
	}
}

func (r *reports) share() float64 { return float64(r.known) / float64(max(1, r.asked)) }

// analyses is what the analyzer of SketchINT knows: the paths of the flows in its tables, and of any flow the mean
// latencies at its switches, period by period.
type analyses struct {
	period       unit.Time
	pipeline     unit.Time
	agents       map[netsim.NodeID][]analysis // in the order in which they came
	asked, known int
}

type analysis struct {
	*sketchint.Analysis
	at    unit.Time
	paths map[uint64][]netsim.NodeID
}

func newAnalyses(p *patient, monitor int) *analyses {
	m := p.s.Scenario.Monitors[monitor].Params.(*sketchint.Params)
	a := &analyses{period: m.Period, pipeline: m.Pipeline, agents: map[netsim.NodeID][]analysis{}}
	p.s.Monitor(monitor).(*sketchint.Monitor).Listen(func(now unit.Time, x *sketchint.Analysis) {
		paths := map[uint64][]netsim.NodeID{}
		x.Heavy(func(flow uint64, path []netsim.NodeID) { paths[flow] = slices.Clone(path) })
		a.agents[x.Agent] = append(a.agents[x.Agent], analysis{x, now, paths})
	})
	return a
}

// of is what its destination's agent has seen of a flow.
func (a *analyses) of(v *record) facts {
	path := v.victim.Path
	f := facts{stopped: -1, slow: make([]bool, len(path))}
	a.asked++
	told := false
	for _, x := range a.agents[v.victim.Destination] {
		if begin := unit.Time(x.Period) * a.period; begin >= v.end || begin+a.period <= v.start {
			continue
		}
		told = true
		if p := x.paths[v.victim.Flow]; p != nil && f.other == nil && !slices.Equal(p, path) {
			f.other, f.since = p, x.at
		}
		for i, at := range path {
			if mean, ok := x.Latency(v.victim.Flow, at); ok && mean-a.pipeline >= slowHop && !f.slow[i] {
				f.slow[i], f.since = true, max(f.since, x.at)
			}
		}
	}
	if told {
		a.known++
	}
	return f
}

func (a *analyses) share() float64 { return float64(a.known) / float64(max(1, a.asked)) }
