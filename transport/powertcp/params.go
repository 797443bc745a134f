package powertcp

import (
	"errors"
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Params are the keys of PowerTCP in a scenario.
type Params struct {
	// Source of the power: telemetry (Algorithm 1), or round-trip times (Algorithm 2, θ-PowerTCP).
	Power string `yaml:"power" default:"telemetry" oneof:"telemetry|theta"`
	// γ, weight of a new window; 0.9 in the PowerTCP paper (§3.3).
	Gamma float64 `yaml:"gamma" default:"0.9" range:">0 <=1" draw:"0.9|1|0.1"`
	// N, expected number of flows of a NIC; β is the NIC's rate times τ, divided by N (§3.3).
	Flows int `yaml:"flows" default:"10" range:">=1 <=100000" draw:"1..60"`
	// Source of τ: the largest base RTT of the network, the key t, or the flow's path.
	RTT string `yaml:"rtt" default:"max" oneof:"max|given|path"`
	// τ, base round-trip time; auto: the largest of the network.
	T unit.Time `yaml:"t" when:"rtt=given" default:"auto" range:">0s <=1s" draw:"1..40us"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "t", &p.T, rtt, "the largest base RTT")
}

func (p *Params) Otherwise(q telemetry.Quantity) (key, value string) {
	if q == telemetry.PerHop || q == telemetry.Power {
		return "power", "telemetry"
	}
	return "", ""
}

// Needs requires RDMA-like loss recovery. Unless power comes from round-trip times, it also
// requires feedback about the power of the path.
func (p *Params) Needs() transport.Needs {
	n := transport.Needs{Loss: transport.RDMALoss}
	if p.Power == "telemetry" {
		n.Feedback = []telemetry.Quantity{telemetry.PerHop, telemetry.Power}
	}
	return n
}

// Horizon returns τ, the time over which switches average the power.
func (p *Params) Horizon(s *transport.Setting) (unit.Time, error) {
	switch p.RTT {
	case "max":
		rtt, _ := s.Farthest()
		return rtt, nil
	case "path":
		return 0, errors.New("cc.rtt = path: telemetry.kind = pint needs one RTT for all paths, because a switch " +
			"does not know the RTT of each path (accepted: max, given)")
	}
	return p.T, nil
}

// New makes the controllers of a run. Γ comes from the digest if the telemetry has one, otherwise
// from its records per hop.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	c := config{gamma: p.Gamma, flows: float64(p.Flows), perRTT: p.Power == "theta"}
	switch p.RTT {
	case "max":
		c.tau, _ = s.Farthest()
	case "given":
		c.tau = p.T
	}
	gauge := func() gauge { return &hopGauge{rates: s.PortRate, fields: s.Feedback.Fields} }
	switch {
	case c.perRTT:
		gauge = newThetaGauge
	case s.Feedback.Digest != nil:
		d, err := s.Feedback.Digest(telemetry.Power)
		if err != nil {
			return nil, fmt.Errorf("cc.kind = powertcp: %w", err)
		}
		gauge = newDigestGauge(d)
	}
	return func() transport.Controller { return &sender{cfg: c, gauge: gauge()} }, nil
}
