package rtt

import (
	"encoding/binary"
	"fmt"
	"math"

	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// link is the link of a host to its switch.
type link struct {
	at    netsim.NodeID // -1 for a node that is not a host, or has no link
	up    netsim.PortID // port of the host; up^1 is the switch's port to it
	delay unit.Time
}

// tap is the system at every switch. A meter is owned by the engine that runs its switch.
type tap struct {
	params Params
	net    *netsim.Network
	links  []link   // by node
	meters []*meter // by node; nil for nodes that measure nothing
}

// meter is the state of one switch.
type meter struct {
	fridge    *fridge.Fridge[uint32] // ticks of 1 ns
	estimates []estimate

	weight float64 // sum of the correction factors of the samples: the ACKs that they stand for

	// Counters of ACKs. answered counts ACKs with an estimate. Times are sums in ns. True times are those that the
	// senders measure.
	acks, answered                             int64
	estimated, measured, unanswered, deviation float64
}

// estimate is a mean over the present and the previous period.
type estimate struct {
	period      int64
	now, before sum
}

type sum struct{ delay, weight float64 }

// turn begins a new period if the time for it has come.
func (e *estimate) turn(period int64) {
	if period == e.period {
		return
	}
	e.before = sum{}
	if period == e.period+1 {
		e.before = e.now
	}
	e.period, e.now = period, sum{}
}

func (e *estimate) add(delay uint32, weight float64) {
	e.now.delay += float64(float64(delay) * weight)
	e.now.weight += weight
}

// mean returns the estimate in ns. It returns 0 without samples, or if a weight is beyond float64.
func (e *estimate) mean() float64 {
	m := (e.before.delay + e.now.delay) / (e.before.weight + e.now.weight)
	if !(m > 0 && m <= math.MaxUint32) { // NaN without samples
		return 0
	}
	return m
}

func (t *tap) Dequeue(h *netsim.Hop) {
	m := t.meters[h.Switch]
	if m == nil {
		return
	}
	switch k := h.Packet; k.Kind {
	case netsim.Data:
		l := &t.links[t.net.FiveTuple(k.Flow).Src]
		if h.Number == 0 && l.at == h.Switch {
			left := k.At - l.delay - t.net.TxTime(l.up, unit.Bytes(k.Size)) // time of the first bit, at the host
			m.fridge.Request(h.Key(), uint32(left/unit.Nanosecond))
		}
	case netsim.Ack, netsim.Nack:
		name := t.net.FiveTuple(k.Flow)
		l := &t.links[name.Src]
		if l.at == h.Switch && h.Port == l.up^1 {
			there := h.Now + t.net.TxTime(h.Port, unit.Bytes(k.Size)) + t.net.PortDelay(h.Port) // last bit
			back := uint32(there / unit.Nanosecond)
			place, period := t.slot(h, name.Dst, len(m.estimates)), int64(h.Now/t.params.Period)
			mean := m.answer(place, period, h.Key(), back, t.params.Corrected)
			m.count(mean, float64(back-k.Sent))
			k.Digest = encode(mean, t.params.Unit)
		}
	}
}

// Show implements telemetry.Visible: acknowledgements have a field for the estimate.
func (t *tap) Show(f *telemetry.Frame) error {
	if k := f.Packet.Kind; k == netsim.Ack || k == netsim.Nack {
		f.Block(telemetry.BlockRTT, binary.BigEndian.AppendUint16(nil, uint16(f.Packet.Digest)))
	}
	return nil
}

// answer records the response to a request. It returns an estimate in ns, or 0 if there is none.
func (m *meter) answer(place int, period int64, id uint64, back uint32, corrected bool) float64 {
	e := &m.estimates[place]
	e.turn(period)
	if s, ok := m.fridge.Response(id, back); ok {
		m.weight += s.Factor
		weight := 1.0
		if corrected {
			weight = s.Factor
		}
		e.add(s.Delay, weight)
	}
	return e.mean()
}

// count counts an ACK with its estimate and the round trip that the sender measures, both in ns.
func (m *meter) count(mean, measured float64) {
	m.acks++
	if mean == 0 {
		m.unanswered += measured
		return
	}
	m.answered++
	m.estimated += mean
	m.measured += measured
	m.deviation += math.Abs(mean-measured) / measured
}

// encode returns the field for an estimate in ns.
func encode(mean float64, step unit.Time) uint64 {
	if mean == 0 {
		return 0
	}
	return uint64(min(largest, max(1, math.Round(mean*float64(unit.Nanosecond)/float64(step)))))
}

// slot returns the index of the estimate for a packet.
func (t *tap) slot(h *netsim.Hop, to netsim.NodeID, estimates int) int {
	switch t.params.Of {
	case "destination":
		return int(to) % estimates
	case "flow":
		return int(hash.Mix64(h.FlowKey()) % uint64(estimates))
	}
	return 0
}

// complete is a share of the ACKs. If the samples represent a larger share, chance explains the difference from all
// ACKs.
const complete = 0.9

func (t *tap) notes() []string {
	var packets, samples uint64
	var acks, answered int64
	switches, lossy := 0, 0
	for _, m := range t.meters {
		if m == nil || m.acks == 0 {
			continue
		}
		s := m.fridge.Stats()
		packets, samples = packets+s.Requests, samples+s.Samples
		acks, answered = acks+m.acks, answered+m.answered
		if switches++; m.weight < complete*float64(m.acks) {
			lossy++
		}
	}
	notes := []string{fmt.Sprintf("fridges took %s from %s; %d of %s received an estimate",
		number.Count(samples, "sample"), number.Count(packets, "data packet"), answered,
		number.Count(acks, "acknowledgement"))}
	if 2*lossy > switches {
		notes = append(notes, fmt.Sprintf("at %d of %s the samples represent less than %s of the acknowledgements: "+
			"long round trips leave no samples, so estimates may be too short; a smaller telemetry.probability or "+
			"more telemetry.entries keeps packets longer", lossy, number.Count(switches, "switch"),
			number.Share(complete)))
	}
	return notes
}

// tables returns the counters and estimates of each switch, compared with the round trips that senders measure.
func (t *tap) tables() []telemetry.Table {
	list := telemetry.NewTable("switches", "node packets entered evicted samples estimated_acks acks with_estimate "+
		"estimate_mean_s true_mean_s without_estimate_true_mean_s error_mean")
	for id, m := range t.meters {
		if m == nil {
			continue
		}
		s := m.fridge.Stats()
		answered, unanswered := float64(m.answered), float64(m.acks-m.answered)
		// Means are NaN without samples.
		list.Add(id, s.Requests, s.Entered, s.Evicted, s.Samples, m.weight, m.acks, m.answered,
			m.estimated/answered/1e9, m.measured/answered/1e9, m.unanswered/unanswered/1e9, m.deviation/answered)
	}
	return []telemetry.Table{list}
}
