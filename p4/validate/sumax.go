package validate

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"pintlab/p4/gen"
	"pintlab/p4/interp"
	"pintlab/pint/global"
)

// sumCells are sum cells of SuMax: d arrays of w buckets, each with cells for ranges of an
// attribute.
type sumCells struct {
	buckets [][]uint32 // by array; cell c of bucket i is at i·cells + c
	cells   int
}

func newSumCells(d, w, cells int) sumCells {
	s := sumCells{cells: cells}
	for range d {
		s.buckets = append(s.buckets, make([]uint32, w*cells))
	}
	return s
}

// insert adds alpha to a cell of the flow that is in bucket at[i] of array i: Algorithm 1,
// lines 1 to 8, with cells that stay at their largest value.
func (s *sumCells) insert(at []uint32, cell int, alpha uint32) {
	least := uint64(math.MaxUint32)
	for i, row := range s.buckets {
		a := &row[int(at[i])*s.cells+cell]
		if sum := uint64(*a) + uint64(alpha); sum < least {
			least = sum
			*a = uint32(least)
		} else if uint64(*a) < least {
			*a = uint32(least)
		}
	}
}

// query is the sum of the flow in one cell.
func (s *sumCells) query(at []uint32, cell int) uint32 {
	least := uint32(math.MaxUint32)
	for i, row := range s.buckets {
		least = min(least, row[int(at[i])*s.cells+cell])
	}
	return least
}

// maxCells are the maximum cells of the time between packets, and the times of the last
// ones (section 4.4): d arrays of w buckets.
type maxCells struct{ longest, last [][]uint32 }

func newMaxCells(d, w int) maxCells {
	var m maxCells
	for range d {
		m.longest, m.last = append(m.longest, make([]uint32, w)), append(m.last, make([]uint32, w))
	}
	return m
}

// insert records a packet of the flow that is in bucket at[i] of array i. A time of 0 is
// that of no packet.
func (m *maxCells) insert(at []uint32, now uint32) {
	for i := range m.last {
		last, longest := &m.last[i][at[i]], &m.longest[i][at[i]]
		if *last != 0 {
			*longest = max(*longest, now-*last)
		}
		*last = now
	}
}

// query is the longest time between packets of the flow.
func (m *maxCells) query(at []uint32) uint32 {
	least := uint32(math.MaxUint32)
	for i, row := range m.longest {
		least = min(least, row[at[i]])
	}
	return least
}

// The sketch of section 7.1.2.
const (
	delayArrays    = 2
	delayBuckets   = 1 << 15
	delayCells     = 4
	intervalArrays = 4
	intervalBucket = 1 << 16
	sketchlets     = delayArrays*delayBuckets + intervalBucket
	sketchletBytes = 24
	etherSketchlet = 0x88b6
)

// sumax is one of the two sketches of a switch.
type sumax struct {
	delay    sumCells
	interval maxCells
}

func newSumax() *sumax {
	return &sumax{newSumCells(delayArrays, delayBuckets, delayCells), newMaxCells(intervalArrays, intervalBucket)}
}

// delayCell is the cell of a delay in nanoseconds.
func delayCell(delay uint32) int {
	switch {
	case delay < 100:
		return 0
	case delay < 1_000:
		return 1
	case delay < 10_000:
		return 2
	}
	return 3
}

// sketchlet has the cells of one: a bucket of the delay part, a column of the interval part.
func (s *sumax) sketchlet(id uint32) (cells [4]uint32) {
	if id < delayArrays*delayBuckets {
		at := delayCells * (id % delayBuckets)
		copy(cells[:], s.delay.buckets[id/delayBuckets][at:at+delayCells])
		return cells
	}
	for i := range cells {
		cells[i] = s.interval.longest[i][id-delayArrays*delayBuckets]
	}
	return cells
}

// sumaxTwin is a switch of LightGuardian, with the process in its control plane that swaps
// the sketches.
type sumaxTwin struct {
	family   global.Family
	sketches [2]*sumax
	active   int
	carry    uint32 // threshold of carrying
	carried  []bool

	pipe  *interp.Pipeline // nil: nobody swaps
	until int              // packets until the control plane does something
	swap  int              // and between two swaps: more each time, since clearing takes long
	now   uint64
	s     segment
	tick  [2]uint32 // ingress and egress, if the packet brings them along
	form  sumaxForm
	at    []uint32
	b     []byte
	out   []byte
}

// sumaxForm is what is in front of the IP header.
type sumaxForm struct{ observed, tag, carries, plain bool }

func newSumaxTwin() (twin, error) {
	return &sumaxTwin{
		family: global.CRC(gen.Seed), sketches: [2]*sumax{newSumax(), newSumax()}, carry: 1 << 32 / gen.Carry,
		carried: make([]bool, sketchlets), at: make([]uint32, delayArrays+intervalArrays),
	}, nil
}

// configure fills the idle sketch, so that sketchlets say something from the beginning.
func (t *sumaxTwin) configure(p *interp.Pipeline) error {
	t.pipe, t.until, t.swap = p, 1000, 2000
	for name, cells := range t.registersOf(1) {
		r, err := p.Register(name)
		if err != nil {
			return err
		}
		for i := range r.Size {
			v := uint64(i+1) * 0x9e3779b97f4a7c15
			if cells.first == nil {
				v &= 1<<32 - 1
			}
			if err := r.Write(i, new(big.Int).SetUint64(v)); err != nil {
				return err
			}
			cells.set(i, v)
		}
	}
	return nil
}

// operate is the control plane: it forbids carrying for a while, and then swaps.
func (t *sumaxTwin) operate() error {
	if t.pipe == nil {
		return nil
	}
	if t.until--; t.until > 0 {
		return nil
	}
	if t.carry > 0 {
		t.carry, t.until = 0, 100
		return t.decide()
	}
	t.active, t.carry, t.until = 1-t.active, 1<<32/gen.Carry, t.swap
	t.swap *= 2
	t.sketches[t.active] = newSumax()
	clear(t.carried)
	for name := range t.registersOf(t.active) {
		if _, err := t.pipe.Command("register_reset " + name); err != nil {
			return err
		}
	}
	if _, err := t.pipe.Command("register_reset carried"); err != nil {
		return err
	}
	return t.decide()
}

// decide tells the program which sketch is active and how much is carried.
func (t *sumaxTwin) decide() error {
	_, err := t.pipe.Command("table_set_default intervals interval 1 " + strconv.Itoa(t.active) + " " + strconv.Itoa(int(t.carry)))
	return err
}

// cellPair is two cells that share a register, by the first and the second of all pairs, or
// the cells of a register alone: then there is no first one.
type cellPair struct {
	first, second []uint32
	step          int
}

func (c cellPair) set(i int, v uint64) {
	if c.first != nil {
		c.first[i*c.step] = uint32(v >> 32)
	}
	c.second[i*c.step] = uint32(v)
}

func (c cellPair) get(i int) uint64 {
	v := uint64(c.second[i*c.step])
	if c.first != nil {
		v |= uint64(c.first[i*c.step]) << 32
	}
	return v
}

// registersOf are the registers of a sketch by control-plane name.
func (t *sumaxTwin) registersOf(sketch int) map[string]cellPair {
	s := t.sketches[sketch]
	name := "sketch_" + strconv.Itoa(sketch) + "."
	m := map[string]cellPair{}
	for i, row := range s.delay.buckets {
		array := name + "delay_" + strconv.Itoa(i)
		m[array+".front.pair"] = cellPair{row, row[1:], delayCells}
		m[array+".back.pair"] = cellPair{row[2:], row[3:], delayCells}
	}
	for i := range s.interval.last {
		m[name+"interval_"+strconv.Itoa(i)+".last"] = cellPair{nil, s.interval.last[i], 1}
		m[name+"interval_"+strconv.Itoa(i)+".maxima"] = cellPair{nil, s.interval.longest[i], 1}
	}
	return m
}

func (t *sumaxTwin) registers() map[string][]uint64 {
	all := map[string][]uint64{"carried": make([]uint64, sketchlets)}
	for i, c := range t.carried {
		if c {
			all["carried"][i] = 1
		}
	}
	for sketch := range t.sketches {
		for name, cells := range t.registersOf(sketch) {
			size := delayBuckets
			if cells.step == 1 {
				size = intervalBucket
			}
			values := make([]uint64, size)
			for i := range values {
				values[i] = cells.get(i)
			}
			all[name] = values
		}
	}
	return all
}

func (t *sumaxTwin) time() uint64 { return t.now }

// draw makes packets of flows of very different sizes; most have room for a sketchlet.
func (t *sumaxTwin) draw(r *rand.Rand) []byte {
	t.now += 1 + r.Uint64N(1<<r.UintN(12))
	t.s = segment{Src: 0x0a000000 + r.Uint32N(1<<r.UintN(16)), Dst: 0x0a010000, SrcPort: uint16(r.UintN(4)), DstPort: 80, Seq: r.Uint32()}
	at := uint32(t.now * 1000)
	t.tick = [2]uint32{at, at + uint32(r.Uint64()>>(32+r.UintN(32)))}
	t.form = sumaxForm{observed: r.UintN(4) > 0 || t.pipe == nil, tag: r.UintN(8) > 0, carries: r.UintN(8) == 0, plain: r.UintN(16) == 0}
	return t.build()
}

// build writes the frame.
func (t *sumaxTwin) build() []byte {
	packet := t.s.append(nil)
	if t.form.plain {
		packet[23] = 1 // ICMP
	}
	b := append(t.b[:0], packet[:12]...)
	if t.form.observed {
		b = binary.BigEndian.AppendUint16(b, etherTypePINT)
		for _, v := range []uint32{7, t.tick[0], t.tick[1], 0, 0} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
	}
	if t.form.tag {
		b = binary.BigEndian.AppendUint16(b, etherSketchlet)
		b = append(b, 0x2a, 0x55)
		if t.form.carries {
			b[len(b)-2] |= 0x80
		}
	}
	b = append(b, 8, 0)
	if t.form.tag && t.form.carries {
		for i := range sketchletBytes {
			b = append(b, byte(i*37))
		}
	}
	t.b = append(b, packet[14:]...)
	return t.b
}

func (t *sumaxTwin) domain() int { return 16_384 }

// value has every delay up to 16.4 µs.
func (t *sumaxTwin) value(i int) []byte {
	t.now++
	t.s = segment{Src: uint32(i & 255), Dst: 1, SrcPort: 2, DstPort: 3}
	t.tick = [2]uint32{uint32(t.now), uint32(t.now) + uint32(i)}
	t.form = sumaxForm{observed: true, tag: true}
	return t.build()
}

func (t *sumaxTwin) expect() []byte {
	t.out = append(t.out[:0], t.b...)
	if t.form.plain {
		return t.out
	}
	addresses := uint64(t.s.Src)<<32 | uint64(t.s.Dst)
	ports := uint64(t.s.SrcPort)<<16 | uint64(t.s.DstPort)
	arrived, delay, tag := uint32(t.now), uint32(0), 14
	if t.form.observed {
		arrived, delay, tag = t.tick[0], t.tick[1]-t.tick[0], 36
	}
	for i := range t.at {
		bits := 15
		if i >= delayArrays {
			bits = 16
		}
		t.at[i] = global.Digest(t.family.Hash(global.FlowTable, uint8(i), addresses, ports<<8|6), bits)
	}
	s := t.sketches[t.active]
	s.delay.insert(t.at[:delayArrays], delayCell(delay), 1)
	s.interval.insert(t.at[delayArrays:], arrived)

	dice := func(instance uint8) uint32 {
		return t.family.Hash(global.Report, instance, addresses, ports<<32|uint64(arrived))
	}
	if !t.form.tag || t.form.carries || dice(0) >= t.carry {
		return t.out
	}
	id := global.Digest(dice(1), 17)
	if t.carried[id] {
		id = global.Digest(dice(2), 17)
	} else {
		t.carried[id] = true
	}
	t.out = append(t.out[:0], t.b[:tag+4]...)
	t.out[tag] |= 0x80
	t.out = binary.BigEndian.AppendUint16(t.out, 1)
	t.out = binary.BigEndian.AppendUint16(t.out, uint16(1-t.active)<<15)
	t.out = binary.BigEndian.AppendUint32(t.out, id)
	for _, c := range t.sketches[1-t.active].sketchlet(id) {
		t.out = binary.BigEndian.AppendUint32(t.out, c)
	}
	t.out = append(t.out, t.b[tag+4:]...)
	return t.out
}
