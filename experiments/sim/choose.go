package sim

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// Choices returns the values of the scenario's settings that are auto. It builds the network, and the
// flows only if hosts differ.
func Choices(ctx context.Context, sc scenario.Scenario) ([]schema.Settled, error) {
	if len(schema.Autos(&sc)) == 0 {
		return nil, nil
	}
	s := &Simulation{Scenario: sc.Clone(), stop: ctx.Err}
	if err := s.buildGraph(); err != nil {
		return nil, err
	}
	if slow, fast := s.hostRates(); slow < fast {
		if err := s.buildWorkload(); err != nil {
			return nil, err
		}
	}
	cfg, err := s.configure()
	if err == nil {
		err = s.choose(cfg)
	}
	return s.Choices, err
}

// busyHosts records which hosts send or receive the flows that pass through.
type busyHosts struct {
	workloads.Source
	seen []bool // by node
}

func (b *busyHosts) Next() (workloads.Flow, bool) {
	f, ok := b.Source.Next()
	if ok {
		b.seen[f.Src], b.seen[f.Dst] = true, true
	}
	return f, ok
}

// slowest returns the rate of the slowest link of a host with traffic; 0 without flows.
func (b *busyHosts) slowest(g *topo.Graph) unit.Rate {
	least := unit.Rate(0)
	for _, l := range g.Links {
		if (b.seen[l.A] || b.seen[l.B]) && (least == 0 || l.Rate < least) {
			least = l.Rate
		}
	}
	return least
}

// atHost reports whether a link belongs to a host.
func (s *Simulation) atHost(l topo.Link) bool {
	return s.Graph.Nodes[l.A].Kind == topo.Host || s.Graph.Nodes[l.B].Kind == topo.Host
}

// links returns the links on which auto values may depend. These are all links except the links of hosts that are
// slower than every host with traffic.
func (s *Simulation) links() iter.Seq[topo.Link] {
	return func(yield func(topo.Link) bool) {
		for _, l := range s.Graph.Links {
			if (l.Rate >= s.rules.least || !s.atHost(l)) && !yield(l) {
				return
			}
		}
	}
}

// counting returns the hosts of the links that links returns.
func (s *Simulation) counting() []topo.NodeID {
	counts := make([]bool, len(s.Graph.Nodes))
	for l := range s.links() {
		counts[l.A], counts[l.B] = true, true
	}
	return lists.Keep(s.Graph.Hosts(), func(h topo.NodeID) bool { return counts[h] })
}

// ratesOfHosts returns the rates of hosts' links from least to most, in ascending order, among the links that links
// returns.
func (s *Simulation) ratesOfHosts(least, most unit.Rate) []unit.Rate {
	rates := map[unit.Rate]bool{}
	for l := range s.links() {
		if s.atHost(l) && least <= l.Rate && l.Rate <= most {
			rates[l.Rate] = true
		}
	}
	return slices.Sorted(maps.Keys(rates))
}

// hostRates returns the rates of the slowest and the fastest link of a host, among the links that links returns.
func (s *Simulation) hostRates() (slowest, fastest unit.Rate) {
	for l := range s.links() {
		if s.atHost(l) {
			if slowest == 0 || l.Rate < slowest {
				slowest = l.Rate
			}
			fastest = max(fastest, l.Rate)
		}
	}
	return slowest, fastest
}

// choose sets the scenario's settings that are auto. They depend only on rates, delays, routes and the hosts with
// traffic, and so not on the number of workers. If there are such settings, choose builds a network without marking to
// compute them.
func (s *Simulation) choose(cfg netsim.Config) (err error) {
	sc := &s.Scenario
	if len(schema.Autos(sc)) == 0 {
		return nil
	}
	if s.Net, err = s.network(cfg); err != nil {
		return err
	}
	set, before := s.setting(), sc.Clone()
	s.Choices = s.settle(sc, set, cfg)
	if left := schema.Autos(sc); len(left) > 0 {
		return fmt.Errorf("%s = auto: no rule computes a value for this key; want a value", left[0])
	}
	if set.HostRate < set.FastestHost && s.part == nil {
		s.chooseByHost(before, set, cfg)
	}
	return s.halted
}

// settle gives the auto settings of a scenario the values that follow from a network.
func (s *Simulation) settle(sc *scenario.Scenario, set *transport.Setting, cfg netsim.Config) []schema.Settled {
	c := &transport.Choices{List: sc.SettleRails()}
	offer := func(prefix string, part any) {
		if p, ok := part.(transport.FromNetwork); ok {
			c.Prefix = prefix
			p.Choose(set, c)
		}
	}
	if t := &sc.Network.Trimming; t.Enabled {
		c.Prefix = "network.trimming."
		transport.ChooseTrimming(t, set, c)
		set.Queue, _ = t.Limits(cfg.MaxPacket)
	}
	if w, ok := sc.CC.Params.(transport.Waiting); ok {
		wait, from := w.Timeout(set)
		c.Prefix = "transport."
		transport.Choose(c, "rto_initial", &sc.Transport.RTOInitial, wait, from,
			transport.AtMost(sc.Transport.RTOMax, "transport.rto_max"))
	}
	offer("transport.", &sc.Transport)
	offer("cc.", sc.CC.Params)
	for i, m := range sc.Monitors {
		offer(fmt.Sprintf("monitors.%d.", i), m.Params)
	}
	if sc.Network.ECN.Enabled {
		c.Prefix = "network.ecn."
		markingOf(sc.CC.Params, set).Choose(&sc.Network.ECN, set, c)
	}
	return c.List
}

// markingOf returns the marking thresholds that the congestion control requests. For a control that reads no
// marks, it returns one bandwidth-delay product, as for the TCPs.
func markingOf(control any, set *transport.Setting) transport.Marking {
	if m, ok := control.(transport.Marker); ok {
		return m.Marking(set)
	}
	return set.MarkBDP(1, "rate x largest base RTT")
}

// chooseByHost chooses the values of the congestion control for flows between hosts that are faster than the slowest
// host, and warns of all other values that come from much slower hosts. before is the scenario without values for auto.
func (s *Simulation) chooseByHost(before scenario.Scenario, set *transport.Setting, cfg netsim.Config) {
	var faster []unit.Rate
	if !s.apart && !before.Published() {
		faster = s.ratesOfHosts(set.HostRate+1, unit.MaxRate)
	}
	slowest, fastest := slices.Clone(s.Choices), slices.Clone(s.Choices)
	s.byHost = map[unit.Rate]transport.Control{}
	for _, rate := range faster {
		sc, hosts := before.Clone(), *set
		hosts.HostRate = rate
		for i, x := range s.settle(&sc, &hosts, cfg) {
			if strings.HasPrefix(x.Key, "cc.") && x.Value != slowest[i].Value {
				fastest[i] = x
				s.byHost[rate] = sc.CC.Control()
				s.Choices[i].From += fmt.Sprintf("; %s for flows between hosts of %v", x.Value, rate)
			}
		}
	}
	if 2*set.HostRate <= set.FastestHost {
		s.warnOfSlow(before, set, cfg, fastest)
	}
}

// warnOfSlow warns of values that slow hosts have changed. It compares with a network without the hosts that have at
// most half the rate of the fastest hosts. chosen contains the values for flows between the fastest hosts.
func (s *Simulation) warnOfSlow(
	before scenario.Scenario, set *transport.Setting, cfg netsim.Config, chosen []schema.Settled,
) {
	rules, half := s.rules, set.FastestHost/2
	omitted := lists.Map(s.ratesOfHosts(0, half), unit.Rate.String) // rates of hosts that the other network lacks
	s.rules.least, s.rules.baseRTT, s.rules.bdp = half+1, 0, 0
	if len(s.counting()) < 2 { // a single host has no base RTT
		s.rules = rules
		return
	}
	without := s.setting()
	without.HostRate = set.FastestHost
	var list []string
	for i, x := range s.settle(&before, without, cfg) {
		if now := chosen[i].Value; x.Value != now {
			list = append(list, fmt.Sprintf("%s = %s instead of %s", x.Key, x.Value, now))
		}
	}
	s.rules = rules
	if list == nil {
		return
	}
	isSlow := func(l topo.Link) bool { return s.atHost(l) && l.Rate == set.HostRate }
	slow := s.Graph.Links[slices.IndexFunc(s.Graph.Links, isSlow)]
	host := slow.A
	if s.Graph.Nodes[host].Kind != topo.Host {
		host = slow.B
	}
	// The warning is the same for all congestion controls, so that a comparison shows it once.
	s.cautions = append(s.cautions, warning("%s has a link of %v, but the fastest host has a link of %v: "+
		"the slow hosts change values of auto for all flows (the notes of a run list them)",
		s.name(host), set.HostRate, set.FastestHost)...)
	s.cautions = append(s.cautions, fmt.Sprintf("if no host had a link of %s, auto would choose %s",
		strings.Join(omitted, " or "), strings.Join(list, ", ")))
}

// factories returns the factories of the controllers for flows between hosts of different rates.
func (s *Simulation) factories(set *transport.Setting) (map[unit.Rate]transport.Factory, error) {
	list := map[unit.Rate]transport.Factory{}
	for rate, control := range s.byHost {
		hosts := *set
		hosts.HostRate, hosts.Warn = rate, nil
		var err error
		if list[rate], err = control.New(&hosts); err != nil {
			return nil, err
		}
	}
	return list, nil
}
