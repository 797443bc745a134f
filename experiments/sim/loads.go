package sim

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// mostLoad is the share of a link above which a run warns of its load: HPCC leaves 5 % of a link unused,
// and from 100 % on queues grow without limit under any control.
const mostLoad = 0.95

// wireCount counts the bytes on the wire of the flows that pass through.
type wireCount struct {
	workloads.Source
	answers func(packets int64, size unit.Bytes) int64 // packets that receivers return for a flow of size bytes
	segment unit.Bytes                                 // payload of a full packet

	payload, packets, acks float64
}

func (w *wireCount) Next() (workloads.Flow, bool) {
	f, ok := w.Source.Next()
	if ok {
		packets := int64((f.Size + w.segment - 1) / w.segment)
		w.payload += float64(f.Size)
		w.packets += float64(packets)
		w.acks += float64(w.answers(packets, f.Size))
	}
	return f, ok
}

// countWire counts the bytes of a source's flows for the scenario's packets.
func (s *Simulation) countWire(flows workloads.Source) *wireCount {
	t := &s.Scenario.Transport
	w := &wireCount{Source: flows, segment: max(1, t.FullPayload(s.Scenario.Overhead()))}
	w.answers = func(packets int64, _ unit.Bytes) int64 { return t.Acks(packets) }
	if c, ok := s.Scenario.CC.Control().(transport.Receiving); ok {
		of := c.Receivers().Answers
		w.answers = func(packets int64, size unit.Bytes) int64 {
			return of(packets, size+unit.Bytes(packets)*t.Header)
		}
	}
	return w
}

// shares returns the bytes on the wire per byte of payload: of data packets including headers, telemetry and the
// additions of switches and monitors, by the number of switches that they have crossed; and of the packets that
// receivers return, by the number of switches on the path. longest is the number of switches on the longest path. The
// lists have one element if no switch adds bytes.
func (s *Simulation) shares(longest int) (data, back []float64) {
	w, sizes := s.wire, s.sizes()
	source := sizes.Telemetry
	for n := range longest + 1 {
		echoed, all := s.growth(n)
		sizes.Telemetry = source + echoed
		data = append(data, 1+w.packets*float64(sizes.Header+source+all)/max(1, w.payload))
		back = append(back, w.acks*float64(sizes.AckSize())/max(1, w.payload))
	}
	if _, all := s.growth(longest); all == 0 {
		return data[:1], back[:1]
	}
	return data, back
}

// growth returns the bytes that a number of switches add to a data packet: the telemetry of the congestion control,
// which ACKs echo, and all bytes including those of monitors.
func (s *Simulation) growth(switches int) (echoed, all unit.Bytes) {
	if !s.Scenario.CC.Control().Needs().Probes {
		system := s.Scenario.Telemetry.System()
		room := system.Stack(s.Routes.MaxHops(), s.Scenario.Breaks())
		echoed = telemetry.Growth(system, min(switches, room))
	}
	all = echoed
	if switches > 0 && !s.weightless() {
		for _, m := range s.Scenario.Monitors {
			all += m.Monitor().Room(min(switches, s.Routes.MaxHops())).Growth
		}
	}
	return echoed, all
}

// wireLoads returns the loads that sources with a duration are expected to cause on links. It computes them at the
// start of each source and returns the loads with the busiest link. It returns nil if no source has a duration. Traffic
// divides among equally short paths as the balancer divides many flows, before it learns that a path is slow.
func (s *Simulation) wireLoads() (*store.Loads, error) {
	var worst *store.Loads
	var peak unit.Time
	tried := map[unit.Time]bool{}
	for _, first := range s.Scenario.Workload {
		at, _ := first.Traffic().Span()
		if tried[at] {
			continue
		}
		tried[at] = true
		l, err := s.loadsAt(at, false)
		if err != nil {
			return nil, err
		}
		if l != nil && (worst == nil || l.Busiest > worst.Busiest) {
			worst, peak = l, at
		}
	}
	if worst == nil {
		return nil, nil
	}
	worst.Peak = s.steady(peak)
	if worst.Busiest > mostLoad && route.LeavesSlowPaths(s.Scenario.Network.Balancing.Balancer()) {
		l, err := s.loadsAt(peak, true)
		if err != nil {
			return nil, err
		}
		worst.ByRate = min(l.Busiest, worst.Busiest)
	}
	return worst, nil
}

// steady returns the time for which the sources that are active at a time remain the same, such as "0s to 1ms". It
// returns "" if all sources with a duration begin and end together.
func (s *Simulation) steady(at unit.Time) string {
	until, first, last := unit.Never, unit.Never, unit.Time(0)
	for _, src := range s.Scenario.Workload {
		start, duration := src.Traffic().Span()
		if duration == 0 {
			continue
		}
		end := start + min(duration, unit.Never-start)
		first, last = min(first, start), max(last, end)
		for _, border := range []unit.Time{start, end} {
			if border > at {
				until = min(until, border)
			}
		}
	}
	if at == first && until == last {
		return ""
	}
	return fmt.Sprintf("%v to %v", at, until)
}

// demand is traffic between hosts in bit/s of payload: host a sends from[a] * to[b] to any other host b.
type demand struct {
	rate     float64 // rate of all hosts
	from, to []float64
}

// loadsAt returns the loads of the sources that are active at a time. byRate is explained at pathsAt.
func (s *Simulation) loadsAt(at unit.Time, byRate bool) (*store.Loads, error) {
	n := s.Net.Ports()
	into := make([]float64, len(s.hosts)) // payload to each host in bit/s
	all, total := lists.Sum(s.hosts, func(h workloads.Host) float64 { return float64(h.Rate) }), 0.0
	w, err := BuildWorkload(&s.Scenario, s.hosts)
	if err != nil {
		return nil, err
	}
	paths, err := s.pathsAt(at, byRate)
	if err != nil {
		return nil, err
	}
	sent, back := s.shares(paths.routes.MaxHops())
	data, acks := newLoad(n, sent, false), newLoad(n, back, true)
	for i, src := range s.Scenario.Workload {
		start, duration := src.Traffic().Span()
		if duration == 0 || start > at || at-start >= duration {
			continue
		}
		list, err := s.demands(w, i, all)
		if err != nil {
			return nil, err
		}
		for d := range list {
			total += d.rate
			for h := range into {
				into[h] += d.to[h] * (d.rate - d.from[h])
			}
			if err := paths.spread(data, acks, d.from, d.to); err != nil {
				return nil, err
			}
		}
	}
	if total == 0 {
		return nil, nil
	}
	reports := s.reportLoads(paths, data.payload, into)
	l := &store.Loads{Payload: total / all, Wire: total / all * data.size[0]}
	var link netsim.PortID
	received := 0.0
	for p := range netsim.PortID(n) {
		// Ignore differences between links that are due to rounding.
		x := (data.on(p) + acks.on(p) + reports[p]) / float64(s.Net.PortRate(p))
		if x > l.Busiest*(1+1e-9) {
			link, l.Busiest = p, x
		}
		if _, to := s.Net.PortEnds(p); s.Graph.Nodes[to].Kind == topo.Host {
			received += data.on(p)
		}
	}
	if data.wire != nil {
		l.Received = received / all
	}
	l.Link = s.between(link)
	return l, nil
}

// demands returns the traffic of a source of the workload, or nothing if the source has no load. all is the
// rate of all hosts together.
func (s *Simulation) demands(w workloads.Workload, source int, all float64) (iter.Seq[demand], error) {
	n, src := len(s.hosts), s.Scenario.Workload[source]
	d := demand{src.Traffic().Offered() * all, make([]float64, n), make([]float64, n)}
	sent := func(int) float64 { return d.rate / float64(n) } // payload that a host sends
	receiver := -1
	switch p := src.Params.(type) {
	case *workloads.PoissonTraffic:
		sent = func(h int) float64 { return d.rate * float64(s.hosts[h].Rate) / all }
	case *workloads.RackTraffic:
		return s.rackDemands(w.Parts[source].Generator.(workloads.Racks)), nil
	case *workloads.IncastTraffic:
		if p.Receiver != workloads.RandomReceiver {
			receiver = int(p.Receiver)
		}
		if d.rate == 0 { // events at intervals
			plan, err := workloads.Workload{Seed: w.Seed, Parts: w.Parts[source : source+1]}.Plan(s.hosts)
			if err != nil {
				return nil, err
			}
			d.rate = float64(p.Senders) * plan.MeanSize() * 8 / p.Interval.Seconds()
		}
	default:
		return func(func(demand) bool) {}, nil
	}
	for h := range n {
		d.from[h], d.to[h] = sent(h), 1/float64(n-1)
		if receiver >= 0 { // all hosts except the receiver send
			d.from[h], d.to[h] = d.rate/float64(n-1), 0
		}
	}
	if receiver >= 0 {
		d.to[receiver] = 1
	}
	return func(yield func(demand) bool) { yield(d) }, nil
}

// rackDemands returns the traffic of each rack.
func (s *Simulation) rackDemands(racks workloads.Racks) iter.Seq[demand] {
	return func(yield func(demand) bool) {
		for from, to := range racks.Demands(s.hosts) {
			d := demand{from: from, to: to}
			for _, x := range from {
				d.rate += x
			}
			if !yield(d) {
				return
			}
		}
	}
}

// reportLoads returns the reports of monitors on each port. payload is the payload on each port, and into the
// payload to each host. All are in bit/s.
func (s *Simulation) reportLoads(w *paths, payload, into []float64) []float64 {
	reports := newLoad(len(payload), []float64{1}, false)
	hosts := s.Graph.Hosts()
	passed, arrived := make([]float64, len(s.Graph.Nodes)), 0.0 // payload through each switch
	through := 0.0
	for p, x := range payload {
		if _, at := s.Net.PortEnds(netsim.PortID(p)); s.Graph.Nodes[at].Kind == topo.Switch {
			passed[at] += x
			through += x
		}
	}
	for _, x := range into {
		arrived += x
	}
	packets := s.wire.packets / max(1, s.wire.payload) // packets per byte of payload
	for i, watch := range s.monitors.watches {
		r := watch.Reports
		if r == nil || s.monitors.rooms[i].Report == 0 {
			continue
		}
		clear(w.at)
		for h, x := range into {
			w.at[hosts[h]] += x * packets * (r.PerArrival + r.PerHop*through/arrived)
		}
		for n, x := range passed {
			w.at[n] += x * packets * r.PerSwitch
		}
		for _, n := range r.From {
			w.at[n] += 8 * r.PerSecond
		}
		w.at[r.To] = 0 // a node sends nothing to itself
		w.deliver(reports, []int{slices.Index(hosts, r.To)}, []float64{1}, w.allHosts, anywhere)
	}
	return reports.payload
}

// reported returns a phrase for the monitors' reports if the loads of a run include them.
func (s *Simulation) reported() string {
	for i, r := range s.monitors.rooms {
		if r.Report > 0 && s.monitors.watches[i].Reports != nil {
			return " and reports of monitors"
		}
	}
	return ""
}

// unloaded returns a phrase for what the loads of a run omit, or "".
func (s *Simulation) unloaded() string {
	var out []string
	for i, r := range s.monitors.rooms {
		if r.Report > 0 && s.monitors.watches[i].Reports == nil {
			out = append(out, "reports of "+s.Scenario.Monitors[i].Kind)
			break
		}
	}
	for i, f := range s.Scenario.Faults {
		if f.At > 0 || len(s.faults.effects[i].down) == 0 {
			out = append(out, "faults other than links that are down from 0 s on")
			break
		}
	}
	return strings.Join(out, " and ")
}

// loadNotes returns notes on the loads of a run and what they omit, and a warning if a link cannot carry
// its load.
func loadNotes(l *store.Loads, with, without string) []string {
	if l == nil {
		return nil
	}
	peak := ""
	if l.Peak != "" {
		peak = " at its peak, in " + l.Peak
	}
	wire := number.Share(l.Wire)
	if l.Received > 0 {
		wire += fmt.Sprintf(" where hosts send and %s where they receive, because switches add telemetry",
			number.Share(l.Received))
	}
	n := []string{
		fmt.Sprintf("offered load%s: payload takes %s of the capacity of the host links; payload, headers and "+
			"telemetry together take %s; the busiest link (%s) is offered %s, including ACKs%s",
			peak, number.Share(l.Payload), wire, l.Link, number.Share(l.Busiest), with)}
	if without != "" {
		n[0] += "; " + without + " are not counted"
	}
	offered := fmt.Sprintf("%s is offered %s of its capacity, with headers, telemetry and ACKs%s; ",
		strings.Replace(l.Link, " to ", " → ", 1), number.Share(l.Busiest), with)
	least := l.Busiest
	if l.ByRate > 0 {
		least = l.ByRate
	}
	switch {
	case least > 1:
		n = append(n, Overload+offered+"queues grow as long as flows arrive, so completion times grow with the "+
			"duration")
	case least > mostLoad:
		n = append(n, fmt.Sprintf("%s%scompletion times depend on the duration (want at most %s)",
			Warning, offered, number.Share(mostLoad)))
	case l.Busiest > mostLoad:
		n = append(n, fmt.Sprintf("%s%sthis applies while traffic divides evenly among equally short paths; the "+
			"balancer moves traffic away from slow paths, and with shares in proportion to the rates of the paths, "+
			"the busiest link is offered %s", Warning, offered, number.Share(l.ByRate)))
	}
	return n
}
