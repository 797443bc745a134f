package scenario

import (
	"fmt"
	"slices"

	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

// The kinds of fault. Routes follow a broken link and, unless it is silent, a failed switch
// at once; nobody notices the others but by what becomes of packets.
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

// Fault is something that breaks at one time and is repaired at another. What several
// faults of the kinds link-down, host-pause, host-failure and switch-failure have broken
// works again when the last of them is over; others of one thing must not overlap.
type Fault struct {
	// What breaks: a link, with new routes at once; a host, which sends nothing; a link that
	// loses every packet, or a switch's forwarding entry that does, and nobody notices; two
	// switches that send packets to each other; a link that loses packets at random, or that
	// is two parallel links of which one is slower; a forwarding entry that points to a
	// longer way; a host, which neither sends nor receives; a whole switch.
	Kind string `yaml:"kind" required:"yes" oneof:"link-down|host-pause|blackhole|blackhole-entry|loop|drop|jitter|wrong-path|host-failure|switch-failure"`
	// Node at one end of the link.
	A int `yaml:"a" when:"kind=link-down|blackhole|loop|drop|jitter" required:"yes" range:">=0"`
	// Node at the other end.
	B int `yaml:"b" when:"kind=link-down|blackhole|loop|drop|jitter" required:"yes" range:">=0"`
	// Node number of the host that sends nothing.
	Host int `yaml:"host" when:"kind=host-pause|host-failure" required:"yes" range:">=0"`
	// Node number of the switch.
	Switch int `yaml:"switch" when:"kind=blackhole-entry|wrong-path|switch-failure" required:"yes" range:">=0"`
	// Node number of the host whose packets are forwarded wrong; -1 for those of all hosts, in a loop for those
	// that cross the link in either direction. A wrong path needs one host.
	Dst int `yaml:"dst" when:"kind=blackhole-entry|loop|wrong-path" default:"-1" range:">=-1"`
	// Node number of the switch that the wrong entry points to. What comes back from there
	// takes the right way.
	Next int `yaml:"next" when:"kind=wrong-path" required:"yes" range:">=0"`
	// Share of the flows that are hit, by a hash of the flow.
	Share float64 `yaml:"share" when:"kind=blackhole-entry|loop|wrong-path" default:"1" range:">0 <=1"`
	// A packet in the loop is dropped after this many switches.
	TTL int `yaml:"ttl" when:"kind=loop" default:"64" range:">=1 <=192"`
	// Probability that the link loses a packet.
	Probability float64 `yaml:"probability" when:"kind=drop" required:"yes" range:">0 <=1"`
	// Rate of the slow link, at most that of the link.
	Rate unit.Rate `yaml:"rate" when:"kind=jitter" required:"yes" range:">0bps"`
	// Delay of the slow link on top of that of the link.
	Delay unit.Time `yaml:"delay" when:"kind=jitter" default:"0s" range:">=0s <=1s"`
	// Share of the packets that take the slow link, by a hash of the packet.
	Spread float64 `yaml:"spread" when:"kind=jitter" default:"0.5" range:">0 <=1"`
	// Routes go around the switch at once; false: nobody notices.
	Reroute bool `yaml:"reroute" when:"kind=switch-failure" default:"true"`
	// When it breaks.
	At unit.Time `yaml:"at" required:"yes" range:">=0s"`
	// When it is repaired.
	Until unit.Time `yaml:"until" default:"never" range:">0s" also:"never"`
}

// Breaks reports whether packets may take longer paths than the shortest.
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

// Place returns where a fault is, in words and as the number of a node.
func (f Fault) Place() (where string, node int32) {
	switch {
	case f.link():
		return fmt.Sprintf("%d-%d", f.A, f.B), int32(f.A)
	case f.Kind == HostPause || f.Kind == HostFailure:
		return fmt.Sprintf("host %d", f.Host), int32(f.Host)
	}
	return fmt.Sprintf("switch %d", f.Switch), int32(f.Switch)
}

// link reports whether a fault is one of a link.
func (f Fault) link() bool {
	switch f.Kind {
	case LinkDown, Blackhole, Loop, RandomDrop, Jitter:
		return true
	}
	return false
}

// clash returns what two faults of which only one can hold have in common; "" for nothing.
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
		c.FailIf(s.Published() && f.Kind != LinkDown && f.Kind != HostPause, at+"kind", "the published simulator, of profile = ns3-artifact, knows link-down and host-pause only")
		c.FailIf(f.Until <= f.At, at+"until", fmt.Sprintf("want after at = %v", f.At))
		c.FailIf(f.link() && f.A == f.B, at+"b", "want another node than a")
		c.FailIf(f.Kind == WrongPath && f.Dst < 0, at+"dst", "a wrong path needs one host, for a longer way is one to somewhere")
		hosts := s.Topology.Generator().Count()
		c.FailIf(hosts > 0 && (f.Kind == HostPause || f.Kind == HostFailure) && f.Host >= hosts, at+"host", fmt.Sprintf("want a host below %d", hosts))
		c.FailIf(hosts > 0 && f.misforward() != nil && f.Dst >= hosts, at+"dst", fmt.Sprintf("want a host below %d", hosts))
		for j, g := range s.Faults[:i] {
			if what := f.clash(g); what != "" {
				c.Fail(at+"at", fmt.Sprintf("overlaps faults.%d, from %v to %v: %s", j, g.At, g.Until, what))
			}
		}
	}
}
