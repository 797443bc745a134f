package rtt

import (
	"fmt"
	"math"
	"strconv"

	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Monitor holds the keys of a monitor that measures the distribution of TCP's round trips at switches, each with its
// own fridge (package fridge).
//
// A segment is a request when it leaves a switch towards its receiver. The response is the acknowledgement with the
// number of the byte after the segment, when this acknowledgement leaves the same switch on the way back. The monitor
// measures the part of the round trip behind the switch: queues and links to the receiver, the receiver, and the way
// back with the queue in the switch itself. An acknowledgement that covers several segments answers the last one only.
// For a retransmitted segment, the last transmission counts. With equal-cost paths, the acknowledgements of a flow may
// return through other switches: a switch in the middle of the network then sees segments but not their
// acknowledgements.
//
// Choose the size and the entry probability so that M/p is about the number of segments that pass in the longest round
// trip of interest. If M/p is far smaller, long round trips leave no samples, and the estimate and its interval do not
// include them (pintlab fridge tune).
//
// The monitor adds nothing to packets and sends no reports: its results are read at the end of the run.
//
// With Exact it also matches every segment exactly (no switch has the memory for this), and the tables compare the
// estimate with the exact distribution.
type Monitor struct {
	// Node number of the switch that measures; -1 for every switch.
	Switch int `yaml:"switch" default:"-1" range:">=-1"`
	// M: requests that the fridge of a switch holds.
	Entries int `yaml:"entries" default:"4096" range:">=2 <=16777216" draw:"64|2"`
	// p: probability with which a segment enters. Hashes of 32 bits decide.
	Probability float64 `yaml:"probability" default:"1" range:">=1e-9 <=1" draw:"1|0.1"`
	// Whether all segments are also matched exactly, for the true distribution.
	Exact bool `yaml:"exact" default:"true"`
}

// Room returns none.
func (*Monitor) Room(int) telemetry.Room { return telemetry.Room{} }

// Check has nothing to check beyond the ranges of the keys.
func (*Monitor) Check(*schema.Checker, string) {}

// Watch puts fridges at the switches.
func (p *Monitor) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	switches := at.Graph.Switches()
	if p.Switch >= 0 {
		only, err := at.Switch("switch", p.Switch)
		if err != nil {
			return nil, fmt.Errorf("%w; or -1 for every switch", err)
		}
		switches = []netsim.NodeID{only}
	}
	pattern, err := p.meter()
	if err != nil {
		return nil, err
	}
	var memory fridge.Memory[uint64]
	m := &monitor{meters: make([]*segmentMeter, len(at.Graph.Nodes))}
	for _, id := range switches {
		m.meters[id] = pattern.like(&memory, hash.Combine(hash.Combine(hash.String("int/rtt"), at.Seed), uint64(id)))
	}
	return &telemetry.Watch{Tap: m, Watcher: m, Tables: m.tables, Notes: m.notes, System: m}, nil
}

// segmentMeter is the fridge of a switch.
type segmentMeter struct {
	fridge  *fridge.Fridge[uint64]
	tally   *fridge.Tally
	exact   *fridge.Tally        // nil unless all segments are matched
	waiting map[uint64]unit.Time // segments without acknowledgement
	pairs   int64
	pending passage // the last packet, which the fridge records when the next one passes
}

// passage is a packet that has passed a switch. It is recorded when the next packet
// passes. Until then, its place in the fridge, which is rarely in the cache, can be
// prefetched.
type passage struct {
	kind netsim.Kind
	set  bool
	spot fridge.Spot
	at   unit.Time
}

// pass handles a packet that passes the switch.
func (x *segmentMeter) pass(kind netsim.Kind, id uint64, at unit.Time) {
	spot := x.fridge.Find(id)
	x.fridge.Prefetch(spot)
	x.catchUp()
	x.pending = passage{kind, true, spot, at}
}

// catchUp records the last packet in the fridge.
func (x *segmentMeter) catchUp() {
	b := &x.pending
	if !b.set {
		return
	}
	b.set = false
	if b.kind == netsim.Data {
		x.fridge.RequestAt(b.spot, uint64(b.at))
	} else if s, ok := x.fridge.ResponseAt(b.spot, uint64(b.at)); ok {
		x.tally.Add(0, s.Delay, s.Factor)
	}
}

func (p *Monitor) meter() (*segmentMeter, error) {
	f, err := fridge.New[uint64](fridge.Config{Parts: []fridge.Part{{Entries: p.Entries, Probability: p.Probability}}})
	if err != nil {
		return nil, err
	}
	t, err := fridge.NewTally(1, fridge.DefaultWidth)
	x := &segmentMeter{fridge: f, tally: t}
	if p.Exact {
		x.exact = t
	}
	return x, err
}

// like returns an empty meter with other hashes.
func (x *segmentMeter) like(m *fridge.Memory[uint64], seed uint64) *segmentMeter {
	y := &segmentMeter{fridge: x.fridge.Like(seed, m), tally: x.tally.Like()}
	if x.exact != nil {
		y.waiting, y.exact = map[uint64]unit.Time{}, x.exact.Like()
	}
	return y
}

// monitor is a tap with a fridge at every switch. Each meter is owned by the engine that runs its
// switch.
type monitor struct{ meters []*segmentMeter }

// Answers implements telemetry.Answerer. It answers questions about distributions of round trips, but not about single
// flows.
func (m *monitor) Answers(telemetry.Window) (any, error) { return m, nil }

// Delays returns the estimated distribution of the round trips behind a switch in ps, over the whole run, and the true
// distribution, which is empty unless all segments are matched.
func (m *monitor) Delays(at netsim.NodeID, _ []*telemetry.Flow) (said, truth telemetry.Distribution) {
	truth = &fridge.Distribution{}
	if x := m.meters[at]; x != nil {
		if said = x.tally.Distribution(); x.exact != nil {
			truth = x.exact.Distribution()
		}
	}
	return said, truth
}

func (m *monitor) Dequeue(h *netsim.Hop) {
	x := m.meters[h.Switch]
	if x == nil {
		return
	}
	switch k := h.Packet; k.Kind {
	case netsim.Data:
		id := hash.Combine(h.FlowKey(), uint64(k.Seq)+uint64(k.Payload))
		x.pass(k.Kind, id, h.Now)
		if x.exact != nil {
			x.waiting[id] = h.Now
		}
	case netsim.Ack:
		id := hash.Combine(h.FlowKey(), uint64(k.Seq))
		x.pass(k.Kind, id, h.Now)
		if since, ok := x.waiting[id]; ok {
			delete(x.waiting, id)
			x.exact.Add(0, uint64(h.Now-since), 1)
			x.pairs++
		}
	}
}

func (*monitor) Arrive(*netsim.Arrival) {}

// Collect implements netsim.Watcher. There are no reports.
func (*monitor) Collect(*netsim.Arrival) {}

// percents are the percentiles of the tables.
var percents = []float64{50, 95, 99}

// tables returns the results of each switch: percentiles and the CDF.
func (m *monitor) tables(unit.Time) []telemetry.Table {
	sums := telemetry.NewTable("percentiles", "node segments acks entered lost samples estimated_pairs pairs")
	for _, p := range percents {
		name := "p" + strconv.FormatFloat(p, 'g', -1, 64)
		sums.Head = append(sums.Head, name+"_s", name+"_low_s", name+"_high_s", name+"_true_s")
	}
	cdf := telemetry.NewTable("cdf", "node share delay_s true_delay_s")
	for id, x := range m.meters {
		if x == nil {
			continue
		}
		x.catchUp()
		stats, d := x.fridge.Stats(), x.tally.Distribution()
		truth, pairs := &fridge.Distribution{}, any("")
		if x.exact != nil {
			truth, pairs = x.exact.Distribution(), x.pairs
		}
		row := []any{
			id, stats.Requests, stats.Responses, stats.Entered, stats.Evicted, stats.Samples, d.Total(), pairs,
		}
		for _, p := range percents {
			low, high := math.NaN(), math.NaN()
			if stats.Samples > 0 {
				low, high = d.Interval(p/100, 1.96) // without a bound if there are too few samples
				if low == 0 {
					low = math.NaN()
				}
			}
			row = append(row, seconds(d.Quantile(p/100)), seconds(low), seconds(high), seconds(truth.Quantile(p/100)))
		}
		sums.Add(row...)
		for i := 1; i < 100; i++ {
			if q := float64(i) / 100; d.Total() > 0 || truth.Total() > 0 {
				cdf.Add(id, q, seconds(d.Quantile(q)), seconds(truth.Quantile(q)))
			}
		}
	}
	return []telemetry.Table{sums, cdf}
}

// notes summarises the results of all switches.
func (m *monitor) notes() []string {
	samples, segments := uint64(0), uint64(0)
	for _, x := range m.meters {
		if x != nil {
			samples, segments = samples+x.fridge.Stats().Samples, segments+x.fridge.Stats().Requests
		}
	}
	return []string{fmt.Sprintf("%s of %s that passed", number.Count(samples, "sample"),
		number.Count(segments, "segment"))}
}

// seconds converts picoseconds to seconds.
func seconds(ps float64) float64 { return ps / float64(unit.Second) }
