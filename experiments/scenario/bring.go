package scenario

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/netsim/telemetry"
	"pintlab/transport"
)

// bring returns assignments for settings that the congestion control of s needs and that s does not have. They are
// settings of the transport, the switches and the telemetry. If the user sets a key together with the control, in the
// text that chooses the control or by an assignment, the key keeps its value; kept reports which keys do. If the
// control has everything that it needs, bring returns no assignments.
func bring(s *Scenario, given func(key string) (assigned, written bool)) (list []string, kept func(key string) bool) {
	chosen, _ := given("cc.kind")
	kept = func(key string) bool {
		assigned, written := given(key)
		return assigned || written && !chosen
	}
	add := func(key, value string) {
		if !kept(key) {
			list = append(list, key+"="+value)
		}
	}
	needs, t, n := s.CC.Control().Needs(), &s.Transport, &s.Network
	kind := t.Kind
	var brings []string
	if r, ok := s.CC.Control().(transport.Receiving); ok {
		brings = r.Receivers().Brings
	}
	switch _, pulled := s.CC.Control().(transport.Receiving); {
	case pulled:
		kind = s.CC.Kind
	case needs.Loss == transport.TCPLoss && !t.TCP():
		kind = transport.NewReno
	case needs.Loss == transport.RDMALoss && t.TCP(), t.Pulled():
		kind = transport.GoBackN
	}
	if kept("transport.kind") {
		kind = t.Kind
	}
	if kind != t.Kind {
		add("transport.kind", kind)
		if t.Sizing == transport.SegmentPayload && t.TCP() != s.ofKind(kind).TCP() { // keep the size of packets
			add("transport.segment", transport.SegmentPayload)
			add("transport.payload", fmt.Sprint(t.Payload))
		}
		if n.PFC.Enabled && needs.Loss == transport.TCPLoss {
			add("network.pfc.enabled", "false") // with PFC there are no losses, but the control depends on losses
		}
	}
	if kind == t.Kind {
		switch {
		case needs.Pacing == transport.Unpaced && t.Pacing:
			add("transport.pacing", "false")
		case needs.Pacing == transport.Paced && !t.Pacing:
			add("transport.pacing", "true")
		}
	} else if needs.Pacing == transport.Paced && !s.ofKind(kind).Pacing {
		add("transport.pacing", "true")
	}
	if needs.Marking && !n.ECN.Enabled {
		add("network.ecn.enabled", "true")
	}
	switch trims := s.trims(kind); {
	case trims && !n.Trimming.Enabled && !kept("network.trimming.enabled"):
		for _, need := range n.TrimmingNeeds() {
			key, value, _ := strings.Cut(need, "=")
			add("network."+key, value)
		}
		if strict := slices.Contains(brings, "network.scheduling.kind=strict"); !strict &&
			n.Scheduling.Kind != "wrr" && n.Scheduling.Kind != "strict" {
			add("network.scheduling.kind", "wrr")
			add("network.scheduling.weights", "[7=10]")
		}
		for _, b := range brings {
			key, value, _ := strings.Cut(b, "=")
			add(key, value)
		}
	case !trims && n.Trimming.Enabled:
		add("network.trimming.enabled", "false")
	}
	switch b := n.Balancing; {
	// The queries of the plan are about a single path.
	case needs.Balancing != "" && !b.reorders() && kind != transport.GoBackN && !s.Telemetry.System().Recorded():
		add("network.balancing.kind", needs.Balancing)
	case b.reorders() && (kind == transport.GoBackN ||
		!needs.AnyPath && common(needs.Feedback, []telemetry.Quantity{telemetry.PerHop})):
		add("network.balancing.kind", s.Protocols().Balancers.Default)
	}
	for _, a := range s.reads() {
		add(a[0], a[1])
	}
	return list, kept
}

// ofKind returns the defaults of the given kind of transport.
func (s *Scenario) ofKind(kind string) transport.Params {
	if slices.Contains(s.Protocols().ReceiverDriven(pulled), kind) {
		kind = transport.Pulled
	}
	return transport.Default("kind=" + kind)
}

// reads returns the telemetry settings that the congestion control needs, if it cannot read the current telemetry
// system. The list is empty if the control can read it, or if the control reads no telemetry.
func (s *Scenario) reads() [][2]string {
	needs, system := s.CC.Control().Needs(), s.Telemetry.System()
	switch {
	case common(needs.Feedback, system.Gives()):
		return nil
	case len(needs.Feedback) == 0 && len(system.Gives()) > 0 && !system.Recorded():
		return [][2]string{{"telemetry.kind", protocols.NoTelemetry}}
	case len(needs.Feedback) == 0:
		return nil
	}
	if key, value := otherwise(system, needs.Feedback); key != "" {
		return [][2]string{{"telemetry." + key, value}}
	}
	if k := s.giver(needs.Feedback); k != "" {
		return [][2]string{{"telemetry.kind", k}}
	}
	return nil
}
