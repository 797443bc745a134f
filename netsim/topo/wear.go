package topo

import (
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Wear sets links between switches that are missing or slow from the beginning of a run. Links
// count in the order of the network: first the links of the first leaf or ToR, by the number of the
// switch above, and later the links of aggregation switches.
type Wear struct {
	// Number of missing links between switches, counted from the first leaf or ToR.
	Failed int `yaml:"failed" default:"0" range:">=0 <=65536" omit:"default"`
	// Number of degraded links, counted after the missing ones.
	Degraded int `yaml:"degraded" default:"0" range:">=0 <=65536" omit:"default"`
	// Share of its rate that a degraded link keeps.
	DegradedShare float64 `yaml:"degraded_share" default:"0.25" range:">=0.001 <1" omit:"default"`
}

// Check reports a share that has no effect because no link is degraded.
func (w *Wear) Check(c *schema.Checker, at string) { checkShare(c, at, w.Degraded, w.DegradedShare) }

// checkShare reports a share other than the default if no link is degraded.
func checkShare(c *schema.Checker, at string, degraded int, share float64) {
	c.FailForIf(degraded == 0 && share != schema.Default[Wear]().DegradedShare, at+"degraded", at+"degraded_share",
		"has no effect with "+at+"degraded = 0")
}

// slower returns the rate of a degraded link.
func slower(r unit.Rate, share float64) unit.Rate { return max(1, unit.Rate(float64(r)*share)) }

// on removes and degrades links between switches of a graph.
func (w Wear) on(g *Graph) (*Graph, error) {
	if w.Failed+w.Degraded == 0 {
		return g, nil
	}
	n := 0
	links := g.Links[:0]
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == Switch && g.Nodes[l.B].Kind == Switch {
			switch n++; {
			case n <= w.Failed:
				continue
			case n <= w.Failed+w.Degraded:
				l.Rate = slower(l.Rate, w.DegradedShare)
			}
		}
		links = append(links, l)
	}
	if g.Links = links; n < w.Failed+w.Degraded {
		return nil, fmt.Errorf("topology.failed = %d and topology.degraded = %d, want at most the %s between switches "+
			"together", w.Failed, w.Degraded, number.Count(n, "link"))
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("topology.failed = %d: %w", w.Failed, err)
	}
	return g, nil
}

// uplink returns the rate of each of several uplinks of a switch. If oversubscribed is 0, it returns given. Otherwise
// the sum of the uplinks times oversubscribed equals hosts, the rate at which the hosts of the switch can send.
func uplink(given, hosts unit.Rate, links int, oversubscribed float64) unit.Rate {
	if oversubscribed == 0 {
		return given
	}
	return unit.Rate(min(float64(hosts)/(float64(links)*oversubscribed), 2*float64(unit.MaxRate)))
}

// uplink checks the result of the function uplink.
func (v *violations) uplink(r unit.Rate, oversubscribed float64) {
	v.addIf(oversubscribed != 0 && (r <= 0 || r > unit.MaxRate),
		"topology.oversubscription = %v: makes links up of %d bit/s, want > 0 and at most %v",
		oversubscribed, int64(r), unit.MaxRate)
}
