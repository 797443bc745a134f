package lightguardian

import (
	"cmp"
	"math"

	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// layout describes the switches for the reconstruction.
type layout struct {
	shape    sumax.Shape
	ids      uint32 // number of sketchlets
	seeds    []uint64
	nodes    []netsim.NodeID // by device
	layers   []string        // by device
	devices  []int32         // by node; -1 for a host
	interval unit.Time
	clock    unit.Time
}

func newLayout(p *Params, g *topo.Graph, salt uint64) *layout {
	l := &layout{
		shape: p.shape(), nodes: g.Switches(), devices: make([]int32, len(g.Nodes)),
		interval: p.Interval, clock: p.Clock,
	}
	l.ids = uint32(l.shape.Sketchlets())
	for i := range l.devices {
		l.devices[i] = -1
	}
	for i, node := range l.nodes {
		l.seeds = append(l.seeds, seedOf(salt, i))
		l.layers = append(l.layers, cmp.Or(g.Nodes[node].LayerName(), "other"))
		l.devices[node] = int32(i)
	}
	return l
}

// ticks converts a time to ticks of the switches' clock.
func (l *layout) ticks(t unit.Time) uint32 {
	if l.clock == unit.Nanosecond { // a division by a constant takes a tenth of the time
		return uint32(t / unit.Nanosecond)
	}
	return uint32(t / l.clock)
}

// levels lists shares of a switch's sketchlets. The module records when each share has arrived.
var levels = [...]float64{0.5, 0.9, 0.99, 1}

// Reconstruction holds the sketchlets of one interval that have arrived.
type Reconstruction struct {
	Interval int // the sketches recorded from Interval·T to (Interval+1)·T

	layout  *layout
	columns map[uint64][sumax.Cells]uint32 // by device and ID
	devices []progress
}

// progress describes how much of a device's sketch has arrived.
type progress struct {
	columns int                    // number of different columns that have arrived
	delays  int                    // number of these columns in the delay part
	reached [len(levels)]unit.Time // when each of levels was reached; 0: not yet
}

func newReconstruction(l *layout) *Reconstruction {
	return &Reconstruction{layout: l, columns: map[uint64][sumax.Cells]uint32{},
		devices: make([]progress, len(l.nodes))}
}

// reset empties r for an interval.
func (r *Reconstruction) reset(interval int) {
	r.Interval = interval
	clear(r.columns)
	clear(r.devices)
}

func columnKey(device uint16, id uint32) uint64 { return uint64(device)<<32 | uint64(id) }

// add records a sketchlet with a known device and ID. It reports whether the sketchlet
// was new.
func (r *Reconstruction) add(x *sumax.Sketchlet, now unit.Time) bool {
	before := len(r.columns)
	key := columnKey(x.Device, x.ID)
	if _, ok := r.columns[key]; ok {
		return false
	}
	r.columns[key] = x.Cells
	p := &r.devices[x.Device]
	p.columns += len(r.columns) - before
	if int(x.ID) < r.layout.shape.DelayArrays*r.layout.shape.DelayBuckets {
		p.delays++
	}
	for i, level := range levels {
		if p.reached[i] == 0 && float64(p.columns) >= level*float64(r.layout.ids) {
			p.reached[i] = now
		}
	}
	return true
}

// Received returns the share of a switch's sketchlets that has arrived: θ of Theorem 6.1.
func (r *Reconstruction) Received(node netsim.NodeID) float64 {
	d := r.layout.devices[node]
	if d < 0 {
		return 0
	}
	return float64(r.devices[d].columns) / float64(r.layout.ids)
}

func (r *Reconstruction) column(device int32) sumax.Column {
	return func(id uint32) ([sumax.Cells]uint32, bool) {
		c, ok := r.columns[columnKey(uint16(device), id)]
		return c, ok
	}
}

// Count is a number that may be unknown.
type Count struct {
	N     uint64
	Valid bool // a bucket of the flow has arrived
}

// Moment is a time or a duration that may be unknown.
type Moment struct {
	Time  unit.Time
	Valid bool
}

// Flow is the answer about a flow from a switch's sketch of an interval, based on the sketchlets that have arrived.
type Flow struct {
	Packets Count               // not below the truth
	Delay   [sumax.Cells]uint64 // packets by their time in the switch; valid if Packets is valid
	Bytes   Count               // bytes of payload, not below the truth; with Params.Bytes
	Longest Moment              // between packets within the interval; 0 after one packet
	Last    Moment              // last arrival, not before the true one; 0: none; with Params.Last
}

// Query looks up a flow in a switch's sketch by its key. For a node that is not a switch, everything is invalid.
func (r *Reconstruction) Query(node netsim.NodeID, flow uint64) (f Flow) {
	d := r.layout.devices[node]
	if d < 0 {
		return f
	}
	at := r.layout.shape.Place(flow, r.layout.seeds[d])
	a := r.layout.shape.Query(&at, r.column(d))
	f.Packets.N, f.Packets.Valid = a.Packets()
	f.Delay = a.Delay
	f.Bytes = Count{a.Bytes, a.BytesValid}
	f.Longest = Moment{unit.Time(a.Longest) * r.layout.clock, a.LongestValid}
	f.Last.Valid = a.LastValid
	if a.LastValid && a.Last != 0 {
		// The clock has wrapped at most once since the interval began (Params.Check).
		begin := unit.Time(r.Interval) * r.layout.interval / r.layout.clock
		f.Last.Time = (begin + unit.Time(a.Last-uint32(begin))) * r.layout.clock
	}
	return f
}

// Tasks returns the results of those local tasks of a switch that concern all its flows. MRAC runs the given number of
// epochs. For a node that is not a switch, the result is empty.
func (r *Reconstruction) Tasks(node netsim.NodeID, epochs int) sumax.Tasks {
	d := r.layout.devices[node]
	if d < 0 {
		return sumax.Tasks{}
	}
	return r.layout.shape.Tasks(r.column(d), epochs)
}

// modular returns the number of an interval in the form that sketchlets contain.
func modular(interval int) uint16 { return uint16(interval % sumax.Intervals) }

// Received counts the sketchlets that a Module has seen, by their outcome.
type Received struct {
	New int64 // recorded

	// Numbers of ignored sketchlets, by reason. A stale sketchlet is of another interval.
	UnknownDevice, UnknownID, Duplicate, Stale, CorruptLengths int64
}

// Module is the reconstruction module of section 6.1: it collects sketchlets and puts
// sketches together, complete or not. It is not safe for concurrent use.
type Module struct {
	Received Received

	layout  *layout
	keep    int
	current *Reconstruction   // nil before the first interval is over
	kept    []*Reconstruction // earlier intervals, the oldest first
	spare   *Reconstruction
}

func newModule(l *layout, keep int) *Module { return &Module{layout: l, keep: keep} }

// begin starts the collection of an interval's sketches.
func (m *Module) begin(interval int) {
	if m.current != nil {
		m.kept = append(m.kept, m.current)
	}
	if len(m.kept) > m.keep {
		m.spare = m.kept[0]
		m.kept = append(m.kept[:0], m.kept[1:]...)
	}
	m.current, m.spare = m.spare, nil
	if m.current == nil {
		m.current = newReconstruction(m.layout)
	}
	m.current.reset(interval)
}

// Latest returns the newest interval whose sketches are being collected, or -1 before the first.
func (m *Module) Latest() int {
	if m.current == nil {
		return -1
	}
	return m.current.Interval
}

// At returns the sketches that an interval recorded, or nil if they are not collected yet or no
// longer kept.
func (m *Module) At(interval int) *Reconstruction {
	if m.current != nil && m.current.Interval == interval {
		return m.current
	}
	for _, r := range m.kept {
		if r.Interval == interval {
			return r
		}
	}
	return nil
}

// datagram records the sketchlets of a datagram without its headers. It ignores a datagram
// whose length is not a multiple of the length of a sketchlet.
func (m *Module) datagram(b []byte, now unit.Time) {
	if len(b)%sumax.SketchletBytes != 0 {
		m.Received.CorruptLengths++
		return
	}
	for ; len(b) > 0; b = b[sumax.SketchletBytes:] {
		x := sumax.ReadSketchlet(b)
		m.take(&x, now)
	}
}

func (m *Module) take(x *sumax.Sketchlet, now unit.Time) {
	switch {
	case int(x.Device) >= len(m.layout.nodes):
		m.Received.UnknownDevice++
	case x.ID >= m.layout.ids:
		m.Received.UnknownID++
	case m.current == nil || x.Interval != modular(m.current.Interval):
		m.Received.Stale++
	case !m.current.add(x, now):
		m.Received.Duplicate++
	default:
		m.Received.New++
	}
}

// expected returns the share of valid answers by Theorem 6.1, 1 − (1 − θ)^d, where θ is the share of
// the delay part of a device that has arrived.
func (r *Reconstruction) expected(device int32) float64 {
	s := &r.layout.shape
	theta := float64(r.devices[device].delays) / float64(s.DelayArrays*s.DelayBuckets)
	return 1 - math.Pow(1-theta, float64(s.DelayArrays))
}
