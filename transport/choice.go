package transport

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// FromNetwork is a Control, or another part of a scenario, with keys whose values may follow from
// the network (default:"auto"). A value in the scenario takes precedence.
type FromNetwork interface {
	// Choose calls the function Choose for each of these keys that has an effect.
	Choose(*Setting, *Choices)
}

// Choices collects the values chosen in a run. Prefix is the prefix of the keys, such as "cc.".
type Choices struct {
	Prefix string
	List   []schema.Settled
}

// clip is a bound on a chosen value.
type clip[T schema.Number] struct {
	bound T
	most  bool
	what  string
}

// AtLeast returns a lower bound. what describes the bound in the rule.
func AtLeast[T schema.Number](bound T, what string) clip[T] { return clip[T]{bound, false, what} }

// AtMost returns an upper bound. what describes the bound in the rule.
func AtMost[T schema.Number](bound T, what string) clip[T] { return clip[T]{bound, true, what} }

// Choose sets a key unless the scenario sets it. It records the rule and the clips that changed the
// value. Clips apply in order.
func Choose[T schema.Number](c *Choices, key string, at *T, value T, from string, clips ...clip[T]) {
	for _, k := range clips {
		switch {
		case !k.most && value < k.bound:
			value, from = k.bound, from+", at least "+k.what
		case k.most && value > k.bound:
			value, from = k.bound, from+", at most "+k.what
		}
	}
	if x, ok := schema.Settle(at, value, c.Prefix+key, from); ok {
		c.List = append(c.List, x)
	}
}

// Marker is a Control with queue lengths at which switches should mark its packets.
type Marker interface {
	// Marking returns the thresholds that apply if the scenario sets none.
	Marking(*Setting) Marking
}

// Marking holds the marking thresholds of a port that is as fast as a host's port (see
// netsim.ECN).
type Marking struct {
	Min, Max unit.Bytes
	PMax     float64
	From     string
}

// Choose sets the thresholds that are auto.
func (m Marking) Choose(e *netsim.ECN, s *Setting, c *Choices) {
	at := func(b unit.Bytes) unit.Bytes {
		return unit.Bytes(float64(b) * (float64(e.AtRate) / float64(s.HostRate)))
	}
	least, most := at(m.Min), at(m.Max)
	fromMin, fromMax := m.From, m.From
	// If only one threshold is given, the other follows from it: a step stays a step, and a ramp keeps its ratio. A
	// ramp from 0 has no ratio, so its upper threshold is the default of the control.
	switch times := max(1, float64(m.Max)/float64(max(1, m.Min))); {
	case !schema.IsAuto(e.KMax):
		least, fromMin = unit.Bytes(float64(e.KMax)/times), follows("kmax", "1/", times, m.From)
	case !schema.IsAuto(e.KMin) && (e.KMin > 0 || times == 1):
		most, fromMax = unit.Bytes(float64(e.KMin)*times), follows("kmin", "", times, m.From)
	}
	Choose(c, "kmin", &e.KMin, least, fromMin)
	Choose(c, "kmax", &e.KMax, most, fromMax)
	Choose(c, "pmax", &e.PMax, m.PMax, m.From)
}

// follows returns the rule by which one threshold is derived from the other.
func follows(key, word string, times float64, from string) string {
	if times == 1 {
		return "as network.ecn." + key + ", a step"
	}
	return fmt.Sprintf("%s%g network.ecn.%s, as in %s", word, times, key, from)
}

// ChooseTrimming sets the queue lengths of switches that trim packets.
func ChooseTrimming(t *netsim.Trimming, s *Setting, c *Choices) {
	packets, times := int(s.BDPPackets()), "largest bandwidth-delay product"
	if t.Action == "drop" {
		packets, times = 5*packets, "5 times the largest bandwidth-delay product"
	}
	Choose(c, "queue", &t.Queue, min(packets, 10000), times)
	Choose(c, "header_queue", &t.HeaderQueue, 2*t.Queue, "twice queue")
}

// markFrom returns a rule that marks every packet above one queue length.
func markFrom(at unit.Bytes, from string) Marking {
	return Marking{Min: at, Max: at, PMax: 1, From: from}
}

// fewPackets is the smallest marking threshold for controls with a window, in packets: they send
// their first window of ten packets (RFC 6928) in one burst.
const fewPackets = 10

// MarkBDP returns a marking threshold of 1/n of the largest bandwidth-delay product of the network.
// It is at least ten packets at the slowest link, because a window changes by whole packets.
func (s *Setting) MarkBDP(n unit.Bytes, from string) Marking {
	rtt, _ := s.Farthest()
	few, where := fewPackets*s.Packet, ""
	if s.Slowest < s.HostRate {
		few, where = unit.Bytes(float64(few)*(float64(s.HostRate)/float64(s.Slowest))), " at the slowest link"
	}
	return markFrom(max(s.HostRate.In(rtt)/n, few), fmt.Sprintf("%s, at least %d packets%s", from, fewPackets, where))
}

// BDPPackets returns the largest bandwidth-delay product of the network in packets, rounded up. The
// product uses the rate of the slowest host.
func (s *Setting) BDPPackets() unit.Bytes {
	rtt, _ := s.Farthest()
	return max(1, (s.HostRate.In(rtt)+s.Packet-1)/s.Packet)
}

// PerRTT returns the rate of one full payload per largest base RTT.
func (s *Setting) PerRTT() unit.Rate {
	rtt, _ := s.Farthest()
	return unit.Rate(float64(s.Payload) * 8 * float64(unit.Second) / float64(rtt))
}

// Host describes HostRate in a rule.
func (s *Setting) Host() string {
	if s.HostRate < s.FastestHost {
		return "slowest host rate"
	}
	return "host rate"
}

// AHost describes a host with HostRate in a rule.
func (s *Setting) AHost() string {
	if s.HostRate < s.FastestHost {
		return "the slowest host"
	}
	return "a host"
}

// OneBit returns the lower bound of chosen rates.
func (s *Setting) OneBit() clip[unit.Rate] { return AtLeast(unit.BitPerSecond, "1 bit/s") }

// ChooseLeast chooses min_rate, the smallest rate of a control: 1/n of the rate of the slowest
// host, or of the slowest link if that is slower.
func (s *Setting) ChooseLeast(c *Choices, at *unit.Rate, n unit.Rate, source string) {
	of := s.Host()
	if s.Slowest < s.HostRate {
		of = "slowest link rate"
	}
	Choose(c, "min_rate", at, min(s.HostRate, s.Slowest)/n, fmt.Sprintf("1/%d of the %s%s", int64(n), of, source),
		s.OneBit())
}
