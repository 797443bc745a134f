package scenario

import (
	"fmt"
	"slices"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Kinds of fault. If a link breaks, routes change at once. If a switch fails, routes also change at once, unless the
// failure is silent. All other faults are silent: only their effect on packets reveals them.
const (
	LinkDown       = "link-down"
	HostPause      = "host-pause"
	Blackhole      = "blackhole"
	BlackholeEntry = "blackhole-entry"
	Loop           = "loop"
	RandomDrop     = "drop"
	Jitter         = "jitter"
	WrongPath      = "wrong-path"
	HostFailure    = "host-failure"
	SwitchFailure  = "switch-failure"
)

// Fault is a failure that lasts from one time to another. If several faults of the kinds link-down, host-pause,
// host-failure and switch-failure overlap at one place, this place works again after the last fault. Other overlapping
// faults at one place are an error. Flows under way that lose their last path wait for a repair; a flow that starts
// without a path fails at once (outcome unreachable).
type Fault struct {
	// What fails: a link, with new routes at once; a host, which stops sending; silently a link or a
	// switch's forwarding entry, which loses every packet; two switches, which send packets to each other;
	// a link, which loses packets at random; a link, which becomes two parallel links with different
	// delays; a forwarding entry, which points to a longer path; a host, which neither sends nor receives;
	// a whole switch.
	Kind string `yaml:"kind" required:"yes" oneof:"$faults"`
	// Node at one end of the link.
	A int `yaml:"a" when:"kind=link-down|blackhole|loop|drop|jitter" required:"yes" range:">=0"`
	// Node at the other end.
	B int `yaml:"b" when:"kind=link-down|blackhole|loop|drop|jitter" required:"yes" range:">=0"`
	// Node number of the failed host.
	Host int `yaml:"host" when:"kind=host-pause|host-failure" required:"yes" range:">=0"`
	// Node number of the switch.
	Switch int `yaml:"switch" when:"kind=blackhole-entry|wrong-path|switch-failure" required:"yes" range:">=0"`
	// Node number of the host whose packets are forwarded wrongly. -1: packets to all hosts or, in a loop,
	// those that cross the link in either direction. A wrong path needs one host.
	Dst int `yaml:"dst" when:"kind=blackhole-entry|loop|wrong-path" default:"-1" range:">=-1"`
	// Node number of the switch to which the wrong entry points. Packets that return from there take the
	// right path.
	Next int `yaml:"next" when:"kind=wrong-path" required:"yes" range:">=0"`
	// Share of the flows that are affected, chosen by a hash of the flow.
	Share float64 `yaml:"share" when:"kind=blackhole-entry|loop|wrong-path" default:"1" range:">0 <=1"`
	// Number of switches after which a packet in the loop is dropped.
	TTL int `yaml:"ttl" when:"kind=loop" default:"64" range:">=1 <=192"`
	// Probability that the link loses a packet.
	Probability float64 `yaml:"probability" when:"kind=drop" required:"yes" range:">0 <=1"`
	// Rate of the slow link, at most the rate of the link.
	Rate unit.Rate `yaml:"rate" when:"kind=jitter" required:"yes" range:">0bps"`
	// Additional delay of the slow link.
	Delay unit.Time `yaml:"delay" when:"kind=jitter" default:"0s" range:">=0s <=1s"`
	// Share of the packets on the slow link, chosen by a hash of the packet.
	Spread float64 `yaml:"spread" when:"kind=jitter" default:"0.5" range:">0 <=1"`
	// Whether routes avoid the switch at once; false: the failure is silent.
	Reroute bool `yaml:"reroute" when:"kind=switch-failure" default:"true"`
	// Start of the fault.
	At unit.Time `yaml:"at" required:"yes" range:">=0s"`
	// End of the fault.
	Until unit.Time `yaml:"until" default:"never" range:">0s" also:"never"`
}

// Group implements schema.Grouped.
func (Fault) Group(name string) []string { return groups(name) }

// Breaks reports whether packets may take longer paths than the shortest ones.
func (s Scenario) Breaks() bool {
	return slices.ContainsFunc(s.Faults, func(f Fault) bool {
		switch f.Kind {
		case LinkDown, Loop, WrongPath:
			return true
		case SwitchFailure:
			return f.Reroute
		}
		return false
	})
}

// Place returns a text that describes the place of a fault, and the number of a node at this place.
func (f Fault) Place() (where string, node int32) {
	switch {
	case f.link():
		return fmt.Sprintf("%d-%d", f.A, f.B), int32(f.A)
	case f.Kind == HostPause || f.Kind == HostFailure:
		return fmt.Sprintf("host %d", f.Host), int32(f.Host)
	}
	return fmt.Sprintf("switch %d", f.Switch), int32(f.Switch)
}

// link reports whether the fault affects a link.
func (f Fault) link() bool {
	switch f.Kind {
	case LinkDown, Blackhole, Loop, RandomDrop, Jitter:
		return true
	}
	return false
}

// clash returns what two faults have in common if they must not overlap but do. Otherwise it returns "".
func (f Fault) clash(g Fault) string {
	if f.At >= g.Until || g.At >= f.Until {
		return ""
	}
	if f.Kind == g.Kind && (f.Kind == Blackhole || f.Kind == RandomDrop || f.Kind == Jitter) {
		if f.A == g.A && f.B == g.B || f.A == g.B && f.B == g.A {
			return fmt.Sprintf("%s of the link between %d and %d", f.Kind, f.A, f.B)
		}
		return ""
	}
	if f.Dst != g.Dst && f.Dst >= 0 && g.Dst >= 0 {
		return ""
	}
	for _, at := range f.misforward() {
		if slices.Contains(g.misforward(), at) {
			return fmt.Sprintf("wrong forwarding of the same destination at switch %d", at)
		}
	}
	return ""
}

// misforward returns the switches whose forwarding entries a fault changes.
func (f Fault) misforward() []int {
	switch f.Kind {
	case BlackholeEntry, WrongPath:
		return []int{f.Switch}
	case Loop:
		return []int{f.A, f.B}
	}
	return nil
}

func (s Scenario) checkFaults(c *schema.Checker) {
	for i, f := range s.Faults {
		at := fmt.Sprintf("faults.%d.", i)
		c.FailIf(s.Published() && f.Kind != LinkDown && f.Kind != HostPause, at+"kind",
			"the published simulator (profile = ns3-artifact) supports link-down and host-pause only")
		c.FailIf(f.Until <= f.At, at+"until", fmt.Sprintf("want after at = %v", f.At))
		c.FailIf(f.link() && f.A == f.B, at+"b", "want another node than a")
		c.FailIf(f.Kind == WrongPath && f.Dst < 0, at+"dst",
			"want one host: whether a path is longer than necessary depends on its destination")
		hosts := s.Topology.Generator().Count()
		c.FailIf(hosts > 0 && (f.Kind == HostPause || f.Kind == HostFailure) && f.Host >= hosts, at+"host",
			fmt.Sprintf("want a host below %d", hosts))
		c.FailIf(hosts > 0 && f.misforward() != nil && f.Dst >= hosts, at+"dst",
			fmt.Sprintf("want a host below %d", hosts))
		for j, g := range s.Faults[:i] {
			if what := f.clash(g); what != "" {
				c.Fail(at+"at", fmt.Sprintf("overlaps faults.%d, from %v to %v: %s", j, g.At, g.Until, what))
			}
		}
	}
}
