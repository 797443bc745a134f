package chamelemon

import (
	"math"
	"slices"
	"sort"

	"pintlab/int/sketch/mrac"
)

// part is a part of an encoder.
type part uint8

const (
	light     part = iota // LL: flows with few packets
	heavyLoss             // HL: candidates of heavy losses
	heavy                 // HH: heavy hitters, only at ingress
	parts
)

// setting contains what the controller sets for an epoch.
type setting struct {
	ill       bool
	widths    [parts]int // number of buckets in an array
	low, high uint64     // T_l and T_h
	share     float64    // share of the flows below T_l that is encoded
}

// Number of flows for each bucket of an array. A part with less than leastLoad can shrink, and a part with more than
// mostLoad must grow. From 2.45 on, decoding fails.
const (
	leastLoad = 1.8
	mostLoad  = 2.1
	load      = (leastLoad + mostLoad) / 2
)

// controller divides a memory of known size.
type controller struct{ buckets int }

// egress returns the number of buckets in an array at egress.
func (c controller) egress() int { return c.buckets * 3 / 4 }

// start returns the setting of the first epochs. All flows are heavy hitters. Of 4096 buckets, LL has 0, HL 512 and HH
// 3584.
func (c controller) start() setting { return c.healthy(0) }

// healthy returns the widths in the healthy state for the given number of victims.
func (c controller) healthy(victims float64) setting {
	s := setting{}
	s.widths[heavyLoss] = min(max(c.buckets/8, room(victims)), c.egress())
	s.widths[heavy] = c.buckets - s.widths[heavyLoss]
	return s
}

// room returns the number of buckets in an array for the given number of flows.
func room(flows float64) int { return int(min(math.Ceil(flows/load), math.MaxInt32)) }

// view contains what the controller has read about an epoch.
type view struct {
	failed [parts]bool // a part could not be decoded
	// Number of flows in each part, decoded or estimated by linear counting. For HH, these are the flows at the switch
	// with the most heavy hitters. For LL and HL, they are the flows with losses.
	flows [parts]float64
	// In the ill state, victims are the flows that were decoded in LL and HL, with their sizes. A part that could not
	// be decoded has no victims.
	victims []victim
	// sizes returns the sizes of all flows at the switch with the most heavy hitters.
	sizes func() []mrac.Point
}

// victim is a flow that lost packets.
type victim struct {
	size    uint64
	sampled bool // decoded in LL, where each flow represents several
}

// next returns the next setting. v was read from an epoch with the present setting s.
func (c controller) next(s setting, v *view) setting {
	switch {
	case v.failed[heavy]: // so HL has failed as well
		s.high = max(s.high+1, v.threshold(s.widths[heavy]))
		return s
	case s.ill:
		return c.whenIll(s, v)
	}
	victims, width := v.flows[heavyLoss], s.widths[heavyLoss]
	switch {
	case v.failed[heavyLoss] && (victims > mostLoad*float64(c.egress()) || width == c.egress()):
		return c.becomeIll(s, v)
	case v.failed[heavyLoss]:
		// HL grows even if linear counting finds that HL has room.
		victims = max(victims, load*float64(width+1))
		fallthrough
	case victims < leastLoad*float64(width):
		s.widths = c.healthy(victims).widths
	}
	s.tune(v)
	return s
}

// becomeIll returns the first setting of the ill state. Of 4096 buckets, LL has 512, HL 2560 and HH 1024.
func (c controller) becomeIll(s setting, v *view) setting {
	unit := c.buckets / 8
	s.ill, s.widths = true, [parts]int{unit, 5 * unit, 2 * unit}
	s.tune(v)
	s.low = s.high
	s.share = min(1, load*float64(unit)/v.flows[heavyLoss])
	return s
}

// whenIll returns the setting that follows a setting of the ill state. The caller has checked that all heavy hitters
// were decoded.
func (c controller) whenIll(s setting, v *view) setting {
	width := func(p part) float64 { return float64(s.widths[p]) }
	share := s.share
	if v.failed[light] {
		s.share *= min(load*width(light)/v.flows[light], load/(load+1)) // LL has failed, so the share must fall
	}
	if v.failed[heavyLoss] {
		s.low = v.raised(s.low, load*width(heavyLoss), share)
		s.high = max(s.high, s.low)
	}
	if v.failed[light] || v.failed[heavyLoss] {
		return s
	}
	victims := v.flows[heavyLoss]
	if share > 0 {
		victims += v.flows[light] / share
	}
	if victims < mostLoad*float64(c.egress()) {
		s.ill, s.widths, s.low, s.share = false, c.healthy(victims).widths, 0, 0
		s.tune(v)
		return s
	}
	s.tune(v)
	if v.flows[heavyLoss] < leastLoad*width(heavyLoss) {
		s.low = v.above(0, load*width(heavyLoss), share)
	}
	s.low = min(s.low, s.high)
	if v.flows[light] < leastLoad*width(light) {
		s.share = min(1, share*load*width(light)/max(v.flows[light], 1))
	}
	return s
}

// tune computes T_h again if HH is too full, or if HH has room but does not contain all flows.
func (s *setting) tune(v *view) {
	w := float64(s.widths[heavy])
	if v.flows[heavy] > mostLoad*w || v.flows[heavy] < leastLoad*w && s.high > 1 {
		s.high = v.threshold(s.widths[heavy])
	}
}

// threshold returns the smallest T_h at which HH can be decoded with this width.
func (v *view) threshold(width int) uint64 {
	points := v.sizes()
	sum := 0.0
	for _, p := range slices.Backward(points) {
		if sum += p.Flows; sum > mostLoad*float64(width) {
			return p.Size + 1
		}
	}
	return 1
}

// largest is the largest size that the classifier counts.
const largest = 1<<16 - 1

// raised returns a T_l above low at which HL has at most the given number of victims.
func (v *view) raised(low uint64, most, share float64) uint64 {
	if len(v.victims) == 0 || share == 0 {
		low = uint64(float64(max(low, 1)) * max(1, v.flows[heavyLoss]/most))
		return min(low+1, largest)
	}
	return v.above(low+1, most, share)
}

// above returns the smallest T_l that is not below least and leaves at most the given number of victims with T_l
// packets or more. It uses bisection. A victim of LL represents 1/share flows.
func (v *view) above(least uint64, most, share float64) uint64 {
	return least + uint64(sort.Search(int(max(largest, least)-least), func(i int) bool {
		n := 0.0
		for _, x := range v.victims {
			switch {
			case x.size < least+uint64(i):
			case x.sampled:
				n += 1 / share
			default:
				n++
			}
		}
		return n <= most
	}))
}
