package telemetry

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/experiments/sim"
	"pintlab/int/fridge"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// pipeline is the delay in a switch with empty queues. Every latency includes this delay.
const pipeline = 500 * unit.Nanosecond

// question contains the parameters of the questions that a judge asks.
type question struct {
	// Length of the window, which begins with the run. Packets that leave a switch after the window do not count.
	Window unit.Time
	Heavy  int64 // packets that make a flow heavy in the window
}

// judge observes a run as a tap at every switch and as a sink at every host. The run must have only one worker.
type judge struct {
	question
	sim    *sim.Simulation
	system any // system that answers; nil if there is none

	flows    map[uint64]*flow
	named    map[route.FiveTuple]*flow // flows from which a packet has arrived
	switches []*fridge.Tally           // by node: true latencies in ns; nil without packets
	// data packets on each link of their paths, by the number of switches that a packet has passed; 0 is the link of
	// the source
	links   []load
	header  unit.Bytes   // headers of a data packet without telemetry
	reports load         // reports, counted on the first link of each report
	heard   []unit.Bytes // bytes of reports, by the node that receives them
	data    int64        // number of data packets that have arrived at their destination
}

// load is a number of packets, and the sum of the bytes that are counted in them.
type load struct {
	packets int64
	bytes   unit.Bytes
}

// flow is the truth of a flow in the window.
type flow struct {
	telemetry.Flow
	hops  []hop // hops of the path
	known int64 // packets that had arrived when the system first reported the correct path; 0: never
}

// hop is a flow at a switch.
type hop struct {
	packets int64
	latency unit.Time // sum
	first   unit.Time // time at which the first packet left
}

func (h *hop) mean() float64 { return float64(h.latency) / float64(h.packets) }

// packets returns the size of the flow in packets, as counted at its first switch.
func (f *flow) packets() int64 { return f.hops[0].packets }

func newJudge(s *sim.Simulation, q question) *judge {
	nodes := len(s.Graph.Nodes)
	return &judge{
		question: q, sim: s, flows: map[uint64]*flow{}, named: map[route.FiveTuple]*flow{},
		switches: make([]*fridge.Tally, nodes),
		links:    make([]load, s.Routes.MaxHops()+1), header: s.Scenario.Transport.Header,
		heard: make([]unit.Bytes, nodes),
	}
}

// begin selects the system that answers: the first monitor or, without monitors, the telemetry if it adds bytes to
// packets.
func (j *judge) begin() (err error) {
	sc := &j.sim.Scenario
	var system any
	switch {
	case len(sc.Monitors) > 0:
		system = j.sim.Monitor(0)
	case sc.Telemetry.Overhead() > 0:
		system = j.sim.Telemetry()
	}
	s, ok := system.(telemetry.Answerer)
	if !ok {
		return nil
	}
	named := func(n route.FiveTuple) *telemetry.Flow {
		if f := j.named[n]; f != nil {
			return &f.Flow
		}
		return nil
	}
	if j.system, err = s.Answers(telemetry.Window{Until: j.Window, Pipeline: pipeline, FlowOf: named}); err != nil {
		return fmt.Errorf("answers of the telemetry system: %w", err)
	}
	if s, ok := j.system.(telemetry.Paths); ok {
		s.OnPath(j.know)
	}
	return nil
}

// know compares a path that the system reports with the true path. The report is correct if it has exactly the same
// switches, in any order.
func (j *judge) know(key uint64, path []netsim.NodeID) {
	f := j.flows[key]
	if f != nil && f.known == 0 && len(path) == len(f.Path) &&
		slices.Equal(slices.Sorted(slices.Values(path)), slices.Sorted(slices.Values(f.Path))) {
		f.known = max(1, f.Arrived)
	}
}

func (j *judge) Dequeue(h *netsim.Hop) {
	k := h.Packet
	switch k.Kind {
	case netsim.Data:
		j.onLink(h.Number, k)
		if h.Now < j.Window {
			j.note(h)
		}
	case netsim.Mirrored:
		if h.Number == 0 {
			j.reports.packets++
			j.reports.bytes += unit.Bytes(k.Size)
		}
		if _, to := j.sim.Net.PortEnds(h.Port); to == netsim.NodeID(k.Flow) {
			j.heard[to] += unit.Bytes(k.Size)
		}
	}
}

// onLink counts the bytes that a data packet carries in addition to payload and headers.
func (j *judge) onLink(passed int, k *netsim.Packet) {
	if passed < len(j.links) {
		l := &j.links[passed]
		l.packets++
		l.bytes += unit.Bytes(k.Size) - unit.Bytes(k.Payload) - j.header
	}
}

func (j *judge) note(h *netsim.Hop) {
	key := h.FlowKey()
	f := j.flows[key]
	if f == nil {
		f = &flow{Flow: telemetry.Flow{Key: key}}
		j.flows[key] = f
	}
	at := f.at(h.Switch, h.Number)
	latency := h.Now - h.Packet.At + pipeline
	if at.packets == 0 {
		at.first = h.Now
	}
	at.packets++
	at.latency += latency
	t := j.switches[h.Switch]
	if t == nil {
		t = fridge.NewLatencies()
		j.switches[h.Switch] = t
	}
	t.Add(0, uint64(latency/unit.Nanosecond), 1)
	if s, ok := j.system.(telemetry.Stamped); ok {
		s.Stamp(key, h)
	}
}

// at returns the entry of a flow at a switch, and adds it if necessary. It first looks at the position of the hop in
// the path, where the entry usually is.
func (f *flow) at(node netsim.NodeID, number int) *hop {
	if number < len(f.Path) && f.Path[number] == node {
		return &f.hops[number]
	}
	if i := slices.Index(f.Path, node); i >= 0 {
		return &f.hops[i]
	}
	f.Path, f.hops = append(f.Path, node), append(f.hops, hop{})
	return &f.hops[len(f.hops)-1]
}

func (j *judge) Deliver(now unit.Time, _ netsim.NodeID, p *netsim.Packet, _ []netsim.PortSample) {
	j.onLink(int(p.Hop), p)
	j.data++
	if now >= j.Window {
		return
	}
	if f := j.flows[j.sim.Net.FlowKey(p.Flow)]; f != nil {
		if f.Arrived == 0 {
			f.Since, f.Tuple = now, j.sim.Net.FiveTuple(p.Flow)
			j.named[f.Tuple] = f
		}
		f.Arrived++
	}
}

func (j *judge) sorted() []*flow {
	return slices.SortedFunc(maps.Values(j.flows), func(a, b *flow) int { return cmp.Compare(a.Key, b.Key) })
}

// linkCosts contains the costs of a system on the links.
type linkCosts struct {
	// Mean telemetry in a data packet on each link of its path. Link0 is the link of the source. A number is NaN if
	// no path is so long.
	Link0 float64 `col:"link 0" unit:"B"`
	Link1 float64 `col:"link 1" unit:"B"`
	Link2 float64 `col:"link 2" unit:"B"`
	Link3 float64 `col:"link 3" unit:"B"`
	Link4 float64 `col:"link 4" unit:"B"`
	Link5 float64 `col:"link 5" unit:"B"`
	Mean  float64 `col:"in band" unit:"B"` // mean over all links that data packets pass
	// Number of packets to collectors, and number of their bytes, divided by the number of data packets that arrive.
	Reports     float64 `col:"reports"`
	ReportBytes float64 `col:"report bytes" unit:"B"`
	Collector   float64 `col:"collector"` // share of the link's rate that reports take at the busiest collector
}

// costs returns the costs of the system in a run that ended at `end`.
func (j *judge) costs(end unit.Time) linkCosts {
	var c linkCosts
	links := []*float64{&c.Link0, &c.Link1, &c.Link2, &c.Link3, &c.Link4, &c.Link5}
	var all load
	for i, to := range links {
		*to = math.NaN()
		if i < len(j.links) && j.links[i].packets > 0 {
			*to = float64(j.links[i].bytes) / float64(j.links[i].packets)
		}
	}
	for _, l := range j.links {
		all.packets += l.packets
		all.bytes += l.bytes
	}
	c.Mean = float64(all.bytes) / float64(all.packets)
	c.Reports = float64(j.reports.packets) / float64(j.data)
	c.ReportBytes = float64(j.reports.bytes) / float64(j.data)
	for node, heard := range j.heard {
		if heard > 0 {
			rate := j.sim.Net.PortRate(j.sim.Net.Home(netsim.NodeID(node)))
			c.Collector = max(c.Collector, 8*float64(heard)/end.Seconds()/float64(rate))
		}
	}
	return c
}
