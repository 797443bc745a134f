package telemetry

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Datapath describes how an interface of a switch converts the serial bits of the wire into words
// and back: Width bytes in every clock Cycle.
type Datapath struct {
	Width unit.Bytes // > 0
	Cycle unit.Time  // > 0
}

// DatapathAt returns the datapath of an interface. PINT §2 states 64 bits in 6.4 ns at 10 Gb/s and 64 B in 3 ns at 100
// Gb/s. These two do not scale with the rate: the second moves 171 Gb/s. For 400 Gb/s, which PINT §2 does not state, we
// assume words of 128 B, because interfaces of that rate have such words, and a cycle of 2.56 ns, in which the line
// sends 128 B. Other rates are an error.
func DatapathAt(rate unit.Rate) (Datapath, error) {
	switch rate {
	case 10 * unit.Gbps:
		return Datapath{Width: 8, Cycle: 6400 * unit.Picosecond}, nil
	case 100 * unit.Gbps:
		return Datapath{Width: 64, Cycle: 3 * unit.Nanosecond}, nil
	case 400 * unit.Gbps:
		return Datapath{Width: 128, Cycle: 2560 * unit.Picosecond}, nil
	}
	return Datapath{}, fmt.Errorf("telemetry: no clock cycle is known for an interface of %v (known: 10Gbps, "+
		"100Gbps, 400Gbps)", rate)
}

// HopDelay returns the time that telemetry of the given size adds to a packet's way through a switch: one cycle for
// every word or part of a word, on the way in and on the way out. This is the model of PINT §2. The time of the bytes
// on the wire is not included.
func (d Datapath) HopDelay(added unit.Bytes) unit.Time {
	words := (added + d.Width - 1) / d.Width
	return 2 * unit.Time(words) * d.Cycle
}

// GoodputLoss returns PINT §2's estimate of the goodput that long flows lose when the telemetry on
// every packet of the given size grows from before to after. Goodput is proportional to the
// residual capacity, 1 - load·(1 + overhead). load is the offered load without telemetry, as a
// fraction of the link rate. From 48 B to 108 B on 1500 B at 70 % the loss is 10.1 %.
//
// It is an error if load is outside [0, 1), a size is not positive, an overhead is negative, or
// telemetry of size before already fills the link. If telemetry of size after fills the link, the
// loss is 1.
func GoodputLoss(load float64, packet, before, after unit.Bytes) (float64, error) {
	if !(load >= 0 && load < 1) || packet <= 0 || before < 0 || after < 0 {
		return 0, fmt.Errorf("telemetry: goodput at load %v with %v and then %v of telemetry on %v: want 0 <= load "+
			"< 1 and sizes that are not negative", load, before, after, packet)
	}
	residual := func(added unit.Bytes) float64 {
		return 1 - float64(load*(1+float64(added)/float64(packet)))
	}
	from, to := residual(before), residual(after)
	if from <= 0 {
		return 0, fmt.Errorf("telemetry: goodput at load %v: %v of telemetry on packets of %v already use the whole "+
			"capacity",
			load, before, packet)
	}
	return 1 - max(to, 0)/from, nil
}
