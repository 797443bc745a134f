package scenario

import (
	"fmt"

	"pintlab/netsim/unit"
)

// The kinds of congestion control.
const (
	Reno    = "reno"
	HPCC    = "hpcc"
	FixedCC = "fixed"
)

// The forms of HPCC.
const (
	WindowForm = "window"
	RateForm   = "rate"
)

// CC is the congestion control of every flow.
//
//	reno   slow start and congestion avoidance of RFC 5681
//	hpcc   HPCC, Algorithm 1; its utilisation comes from telemetry int or pint
//	fixed  a constant window and rate, to see the network alone
type CC struct {
	// Algorithm.
	Kind string `yaml:"kind" default:"hpcc" oneof:"reno|hpcc|fixed"`
	// Full packets before the first ACK.
	InitialWindow int `yaml:"initial_window" when:"kind=reno" default:"10" range:">=1 <=10000"`
	// What is updated: the window (paper) or the rate (published simulator).
	Form string `yaml:"form" when:"kind=hpcc" default:"window" oneof:"window|rate"`
	// η, target utilisation.
	Eta float64 `yaml:"eta" when:"kind=hpcc" default:"0.95" range:">0 <=1"`
	// maxStage, additive steps before a multiplicative one.
	MaxStage int `yaml:"max_stage" when:"kind=hpcc" default:"0" range:">=0 <=1000"`
	// Where T comes from: t, the largest base RTT of the network, or the flow's own.
	RTT string `yaml:"rtt" when:"kind=hpcc" default:"given" oneof:"given|max|path"`
	// T, base round-trip time.
	T unit.Time `yaml:"t" when:"rtt=given" default:"13us" range:">0s <=1s"`
	// W_AI, additive increase of the window.
	WAI unit.Bytes `yaml:"w_ai" when:"form=window" default:"80B" range:">=0B"`
	// Additive increase of the rate.
	RateAI unit.Rate `yaml:"rate_ai" when:"form=rate" default:"50Mbps" range:">=0bps"`
	// Smallest rate; the largest is the NIC's.
	MinRate unit.Rate `yaml:"min_rate" when:"form=rate" default:"1Gbps" range:">0bps"`
	// Bytes in flight, or "none".
	Window Limit `yaml:"window" when:"kind=fixed" default:"none" range:">0B"`
	// Pacing rate.
	Rate unit.Rate `yaml:"rate" when:"kind=fixed" default:"100Gbps" range:">0bps"`
}

func (s Scenario) checkCC(c *checker) {
	switch s.CC.Kind {
	case Reno:
		if s.Transport.Kind == GoBackN {
			c.failFor("cc.kind", "transport.kind", "want newreno, reno or tahoe with cc.kind = reno")
		}
		if s.Transport.Pacing {
			c.failFor("cc.kind", "transport.pacing", "has no effect with cc.kind = reno, which sets no rate (accepted: false)")
		}
	case HPCC:
		if s.Transport.Kind != GoBackN {
			c.failFor("cc.kind", "transport.kind", "want gobackn with cc.kind = hpcc")
		}
		if k := s.Telemetry.Kind; k != INT && k != PINT {
			c.failFor("cc.kind", "telemetry.kind", "want int or pint with cc.kind = hpcc, which lives on it")
		}
	case FixedCC:
		if !s.Transport.Pacing {
			c.failFor("cc.kind", "transport.pacing", "want true with cc.kind = fixed, or its rate has no effect")
		}
	}
	// The queries of a plan have readers of their own: the hosts record them.
	if s.CC.Kind != HPCC && (s.Telemetry.Kind == INT || s.Telemetry.Plan == PlanHPCC) {
		c.failFor("cc.kind", "telemetry.kind", fmt.Sprintf("has no reader with cc.kind = %s (accepted: none, bytes; for the same overhead: bytes with telemetry.bytes = %v)", s.CC.Kind, s.Telemetry.Overhead()))
	}
}
