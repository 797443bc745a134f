package inband

import (
	"errors"
	"math"
	"slices"

	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// reports answers questions with the reports of the watched packets. A passport contains the path of a packet that has
// arrived. A switch sends a postcard at once, so the last postcard shows where a packet ended. If a switch reports many
// more packets than the flow has sent, the switch is in a loop. The size of a flow is estimated from its reports and
// the share of packets that is watched.
type reports struct {
	params   *Monitor
	window   telemetry.Window
	scale    telemetry.Scale
	flows    map[uint64]*reported
	switches []*fridge.Tally // by node: latencies in ns; nil: none
	known    func(flow uint64, switches []netsim.NodeID)
	nodes    []netsim.NodeID // nodes of the current flow
}

// reported holds the reports about a flow.
type reported struct {
	hops  []reportedHop
	paths [][]netsim.NodeID // different paths that passports contained
	since unit.Time         // time of the last report
}

type reportedHop struct {
	node netsim.NodeID
	telemetry.Slowness
	latency unit.Time // sum of the latencies, including the pipeline
	since   unit.Time // time of the first report
}

func (m *monitor) Answers(w telemetry.Window) (any, error) {
	return m.reports(w, telemetry.Scale{Slow: unit.Never}), nil
}

func (m *monitor) Evidence(s telemetry.Scale) (telemetry.Evidence, error) {
	return m.reports(telemetry.Window{Until: unit.Never}, s), nil
}

func (m *monitor) reports(w telemetry.Window, s telemetry.Scale) *reports {
	r := &reports{
		params: &m.params, window: w, scale: s,
		flows: map[uint64]*reported{}, switches: make([]*fridge.Tally, len(m.hops)),
	}
	m.listen = r.take
	return r
}

// Follow implements telemetry.Follower: each passport that had room for all switches shows the path of its packet.
func (m *monitor) Follow(known func(now unit.Time, flow uint64, switches []netsim.NodeID)) error {
	if !m.passport {
		return errors.New("mode = postcard: reports of single switches do not show a path (accepted: passport)")
	}
	var path []netsim.NodeID
	m.listen = func(now unit.Time, flow uint64, records []hopRecord) {
		if m.full {
			return
		}
		path = path[:0]
		for _, c := range records {
			path = append(path, c.Node)
		}
		known(now, flow, path)
	}
	return nil
}

func (r *reports) OnPath(known func(flow uint64, switches []netsim.NodeID)) { r.known = known }

func (r *reports) take(now unit.Time, flow uint64, records []hopRecord) {
	if now >= r.window.Until {
		return
	}
	x := r.flows[flow]
	if x == nil {
		x = &reported{}
		r.flows[flow] = x
	}
	x.since = now
	for _, c := range records {
		h := x.at(c.Node)
		if h.Packets == 0 {
			h.since = now
		}
		h.Add(c.Latency >= r.scale.Slow)
		h.latency += c.Latency + r.window.Pipeline
		if r.switches[c.Node] == nil {
			r.switches[c.Node] = fridge.NewLatencies()
		}
		r.switches[c.Node].Add(0, uint64((c.Latency+r.window.Pipeline)/unit.Nanosecond), 1)
	}
	if r.known != nil {
		r.nodes = r.nodes[:0]
		for i := range x.hops {
			r.nodes = append(r.nodes, x.hops[i].node)
		}
		r.known(flow, r.nodes)
	}
	same := func(path []netsim.NodeID) bool {
		return slices.EqualFunc(path, records, func(n netsim.NodeID, c hopRecord) bool { return n == c.Node })
	}
	if r.postcards() || slices.ContainsFunc(x.paths, same) {
		return
	}
	path := lists.Map(records, func(c hopRecord) netsim.NodeID { return c.Node })
	x.paths = append(x.paths, path)
}

func (r *reports) postcards() bool { return r.params.Mode == "postcard" }

func (x *reported) at(node netsim.NodeID) *reportedHop {
	i := slices.IndexFunc(x.hops, func(h reportedHop) bool { return h.node == node })
	if i < 0 {
		i = len(x.hops)
		x.hops = append(x.hops, reportedHop{node: node})
	}
	return &x.hops[i]
}

func (r *reports) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	x := r.flows[f.Key]
	if x == nil {
		return 0, 0, false
	}
	h := x.at(f.Path[hop])
	return float64(h.latency) / float64(h.Packets), h.since, h.Packets > 0
}

// Packets estimates the number of packets of the flow from the switch that reported most of them.
func (r *reports) Packets(f *telemetry.Flow) (float64, bool) {
	x := r.flows[f.Key]
	if x == nil {
		return 0, false
	}
	return float64(x.most()) / r.params.Share, true
}

// most returns the largest number of packets that a switch has reported.
func (x *reported) most() int {
	most := 0
	for _, h := range x.hops {
		most = max(most, h.Packets)
	}
	return most
}

func (r *reports) Delays(at netsim.NodeID, _ []*telemetry.Flow) (said, truth telemetry.Distribution) {
	if r.switches[at] == nil {
		return nil, nil
	}
	return r.switches[at].Distribution(), nil
}

func (r *reports) Facts(v *telemetry.Flow) telemetry.Facts {
	f := telemetry.Facts{Stopped: -1, Asked: 1}
	x := r.flows[v.Key]
	if x == nil {
		return f
	}
	f.Known, f.Since, f.Slow = 1, x.since, make([]bool, len(v.Path))
	for i, at := range v.Path {
		f.Slow[i] = x.at(at).Late()
	}
	for _, p := range x.paths {
		if !slices.Equal(p, v.Path) {
			f.Other = p
		}
	}
	if r.postcards() {
		r.ends(&f, x, v)
	}
	return f
}

// ends uses the postcards to find out where packets stopped, left their path or looped.
func (r *reports) ends(f *telemetry.Facts, x *reported, v *telemetry.Flow) {
	most := x.most()
	round := float64(most) > r.scale.Loop*math.Ceil(max(1, r.params.Share*float64(v.Sent)))
	for _, h := range x.hops {
		if round && 2*h.Packets > most { // switches in the loop report about equally often
			f.Loop = append(f.Loop, h.node)
		}
		if h.Packets > 0 && !slices.Contains(v.Path, h.node) {
			f.OffPath = append(f.OffPath, h.node)
		}
	}
	slices.Sort(f.Loop)
	slices.Sort(f.OffPath)
	if len(f.Loop) >= len(v.Path) {
		f.Loop = nil // not a loop: packets were retransmitted
	}
	// Reports can also be lost. A packet that a later switch has reported has passed the switches
	// before it.
	for i := range len(v.Path) - 1 {
		most := 0
		for _, at := range v.Path[i+1:] {
			most = max(most, x.at(at).Packets)
		}
		if x.at(v.Path[i]).Packets > most {
			f.Stopped = i
			return
		}
	}
}

func (*Monitor) Locating() (settings string, counts bool) { return "", false }
