package transport

import (
	"pintlab/internal/schema"
	"pintlab/netsim/unit"
)

// FromNetwork is a Control, or any other part of a scenario, with keys that may be left to the
// network (default:"auto"). A value that the scenario gives stays.
type FromNetwork interface {
	// Choose gives each of these keys that has an effect its value, by Choose.
	Choose(*Setting, *Choices)
}

// Choices collects the choices of a run. Prefix is that of the keys, such as "cc.".
type Choices struct {
	Prefix string
	List   []schema.Settled
}

// Choose gives a key its value if the scenario leaves it to the network, and notes from what.
func Choose[T schema.Number](c *Choices, key string, at *T, value T, from string) {
	if x, ok := schema.Settle(at, value, c.Prefix+key, from); ok {
		c.List = append(c.List, x)
	}
}

// Marker is a Control that says where switches should mark for it.
type Marker interface {
	// Marking is where they do if the scenario leaves it to the network.
	Marking(*Setting) Marking
}

// Marking is the queue of a port at the rate of a host at which packets are marked (see
// experiments/scenario.ECN).
type Marking struct {
	Min, Max unit.Bytes
	PMax     float64
	From     string
}

// MarkFrom marks every packet from one length of the queue on.
func MarkFrom(at unit.Bytes, from string) Marking {
	return Marking{Min: at, Max: at, PMax: 1, From: from}
}

// fewPackets is the shortest queue at which window flows are marked: they send their first
// window of ten packets (RFC 6928) in one burst.
const fewPackets = 10

// BDPs is a share of the largest bandwidth-delay product of the network for a threshold of
// marking: 1/n of it, and at least ten packets, because a window grows and shrinks by packets.
func (s *Setting) BDPs(n unit.Bytes) unit.Bytes {
	rtt, _ := s.Farthest()
	return max(s.HostRate.In(rtt)/n, fewPackets*s.Packet)
}

// PerRTT is the rate of one full packet of payload in the largest base RTT.
func (s *Setting) PerRTT() unit.Rate {
	rtt, _ := s.Farthest()
	return max(1, unit.Rate(float64(s.Payload)*8*float64(unit.Second)/float64(rtt)))
}

// Least is a share of a host's rate for the smallest rate of a control: 1/n of it, but not more
// than the slowest link has.
func (s *Setting) Least(n unit.Rate) unit.Rate { return max(1, min(s.HostRate/n, s.Slowest)) }
