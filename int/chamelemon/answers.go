package chamelemon

import (
	"maps"

	"pintlab/int/sketch/tower"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// answers contains the sizes of flows in the epochs of a window. The controller copies these sizes when it reads an
// epoch.
type answers struct {
	*Monitor
	window telemetry.Window
	kept   [][]sizes // by switch and epoch
}

// sizes contains a switch's sketch of flow sizes and its heavy flows, for one epoch.
type sizes struct {
	all   *tower.Sketch
	heavy map[uint64]int64 // packets from T_h on
	high  uint64
}

// Answers implements telemetry.Answerer. ChameleMon answers questions about the sizes of flows.
func (m *Monitor) Answers(w telemetry.Window) (any, error) {
	m.asked = &answers{m, w, make([][]sizes, len(m.edges))}
	return m.asked, nil
}

// keep copies the flow sizes at all switches into a, if the epoch ends within the window.
func (a *answers) keep(epoch int) {
	if unit.Time(epoch+1)*a.params.Epoch > a.window.Until {
		return
	}
	for i := range a.edges {
		x := a.edges[i].copies[epoch&1]
		if x == nil {
			continue
		}
		all, err := tower.New(a.params.classifier(a.salt))
		if err != nil {
			panic(err) // Watch has validated the shape
		}
		copy(all.Counters(), x.sizes.Counters())
		s := sizes{all: all, high: a.settings[epoch&1].high}
		if flows, ok := x.in[heavy].Decode(); ok {
			s.heavy = maps.Clone(flows)
		}
		a.kept[i] = append(a.kept[i], s)
	}
}

// Packets returns the number of packets of a flow at its first switch. For a decoded flow, this is the number of
// decoded packets plus the packets before T_h. For other flows, it is the estimate of the classifier.
func (a *answers) Packets(f *telemetry.Flow) (n float64, ok bool) {
	key := a.short(f.Key)
	for _, s := range a.kept[f.Path[0]] {
		if heavy := s.heavy[key]; heavy > 0 {
			n += float64(heavy) + float64(max(s.high, 1)-1)
		} else {
			all, _ := s.all.Estimate(key)
			n += float64(all)
		}
	}
	return n, n > 0
}

// Evidence implements telemetry.Locator. The evidence contains the flows that lost packets and the number of lost
// packets, but not the place of the losses.
func (m *Monitor) Evidence(telemetry.Scale) (telemetry.Evidence, error) { return evidence{m}, nil }

type evidence struct{ *Monitor }

// Facts returns the losses of a flow in those epochs of its life that have been decoded.
func (e evidence) Facts(f *telemetry.Flow) telemetry.Facts {
	last := int(f.End / e.params.Epoch)
	x := telemetry.Facts{Stopped: -1, Since: unit.Time(last+2) * e.params.Epoch}
	for i := int(f.Start / e.params.Epoch); i <= last; i++ {
		if x.Asked++; i < len(e.decoded) && e.decoded[i] {
			x.Known++
		}
	}
	lost := e.lost[e.short(f.Key)]
	x.Lost = &lost
	return x
}
