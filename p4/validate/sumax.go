package validate

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"

	"pintlab/int/sketch/sumax"
	"pintlab/p4"
	"pintlab/p4/interp"
	"pintlab/pint/global"
)

const etherSketchlet = 0x88b6

// sumaxTwin is a LightGuardian switch with the control plane that swaps the sketches.
type sumaxTwin struct {
	family   global.Family
	shape    sumax.Shape
	sketches [2]*sumax.Parts
	active   int
	carry    uint32 // a packet gets a sketchlet if its random number is below this
	carried  []bool

	pipe  *interp.Pipeline // nil: the sketches are not swapped
	until int              // packets until the control plane acts
	swap  int              // packets between two swaps; doubles at each swap, because clearing takes long
	now   uint64
	s     segment
	tick  [2]uint32 // ingress and egress, if the packet carries them
	form  sumaxForm
	at    sumax.Place
	b     []byte
	out   []byte
}

// sumaxForm is the form of the headers before IP.
type sumaxForm struct{ observed, tag, carries, plain bool }

func newSumaxTwin() (twin, error) {
	t := &sumaxTwin{family: global.CRC(p4.Seed), shape: sumax.Prototype(), carry: 1 << 32 / p4.Carry}
	for i := range t.sketches {
		var err error
		if t.sketches[i], err = sumax.NewParts(t.shape); err != nil {
			return nil, err
		}
	}
	t.carried = make([]bool, t.shape.Sketchlets())
	return t, nil
}

// configure fills the idle sketch, so that the first sketchlets are not empty.
func (t *sumaxTwin) configure(p *interp.Pipeline) error {
	t.pipe, t.until, t.swap = p, 1000, 2000
	for name, cells := range t.registersOf(1) {
		r, err := p.Register(name)
		if err != nil {
			return err
		}
		for i := range r.Size {
			v := uint64(i+1) * 0x9e3779b97f4a7c15
			if cells.high == nil {
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

// operate is the control plane. It stops packets from carrying sketchlets for a while, and then swaps the sketches.
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
	t.active, t.carry, t.until = 1-t.active, 1<<32/p4.Carry, t.swap
	t.swap *= 2
	t.sketches[t.active].Reset()
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

// decide sets the active sketch and the share of packets that carry sketchlets.
func (t *sumaxTwin) decide() error {
	_, err := t.pipe.Command(fmt.Sprintf("table_set_default intervals interval 1 %d %d", t.active, t.carry))
	return err
}

// cells describes the cells of a register. A cell contains the number at low. If high is not nil, the upper half of
// the cell contains the number at high.
type cells struct {
	n         int
	high, low func(i int) *uint32
}

func (c cells) set(i int, v uint64) {
	*c.low(i) = uint32(v)
	if c.high != nil {
		*c.high(i) = uint32(v >> 32)
	}
}

func (c cells) get(i int) uint64 {
	v := uint64(*c.low(i))
	if c.high != nil {
		v |= uint64(*c.high(i)) << 32
	}
	return v
}

// registersOf returns the registers of a sketch by control-plane name.
func (t *sumaxTwin) registersOf(sketch int) map[string]cells {
	s := t.sketches[sketch]
	name := "sketch_" + strconv.Itoa(sketch) + "."
	m := map[string]cells{}
	for i := range t.shape.DelayArrays {
		array := name + "delay_" + strconv.Itoa(i)
		buckets := s.Delay[i*t.shape.DelayBuckets:][:t.shape.DelayBuckets]
		for first, half := range map[int]string{0: ".front.pair", 2: ".back.pair"} {
			m[array+half] = cells{len(buckets),
				func(k int) *uint32 { return &buckets[k][first] }, func(k int) *uint32 { return &buckets[k][first+1] }}
		}
	}
	for i := range sumax.Cells {
		gaps := s.Gaps[i*t.shape.IntervalBuckets:][:t.shape.IntervalBuckets]
		array := name + "interval_" + strconv.Itoa(i)
		m[array+".last"] = cells{n: len(gaps), low: func(k int) *uint32 { return &gaps[k].Last }}
		m[array+".maxima"] = cells{n: len(gaps), low: func(k int) *uint32 { return &gaps[k].Longest }}
	}
	return m
}

func (t *sumaxTwin) registers() map[string][]uint64 {
	all := map[string][]uint64{"carried": make([]uint64, len(t.carried))}
	for i, c := range t.carried {
		if c {
			all["carried"][i] = 1
		}
	}
	for sketch := range t.sketches {
		for name, cells := range t.registersOf(sketch) {
			values := make([]uint64, cells.n)
			for i := range values {
				values[i] = cells.get(i)
			}
			all[name] = values
		}
	}
	return all
}

func (t *sumaxTwin) time() uint64 { return t.now }

// draw makes packets of flows of very different sizes. Most packets have room for a sketchlet.
func (t *sumaxTwin) draw(r *rand.Rand) []byte {
	t.now += 1 + r.Uint64N(1<<r.UintN(12))
	t.s = segment{Src: 0x0a000000 + r.Uint32N(1<<r.UintN(16)), Dst: 0x0a010000, SrcPort: uint16(r.UintN(4)),
		DstPort: 80, Seq: r.Uint32()}
	at := uint32(t.now * 1000)
	t.tick = [2]uint32{at, at + uint32(r.Uint64()>>(32+r.UintN(32)))}
	t.form = sumaxForm{observed: r.UintN(4) > 0 || t.pipe == nil, tag: r.UintN(8) > 0, carries: r.UintN(8) == 0,
		plain: r.UintN(16) == 0}
	return t.build()
}

// build writes the frame.
func (t *sumaxTwin) build() []byte {
	frame := t.s.append(nil)
	if t.form.plain {
		frame[23] = 1 // ICMP
	}
	b := append(t.b[:0], frame[:12]...)
	if t.form.observed {
		b = (&packet{SwitchID: 7, Ingress: t.tick[0], Egress: t.tick[1]}).appendObserved(b)
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
		for i := range sumax.SketchletBytes {
			b = append(b, byte(i*37))
		}
	}
	t.b = append(b, frame[14:]...)
	return t.b
}

func (t *sumaxTwin) domain() int { return 16_384 }

// value returns packets with every delay up to 16.4 µs.
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
	hash := func(array, bits int) uint32 {
		return global.Digest(t.family.Hash(global.FlowTable, uint8(array), addresses, ports<<8|6), bits)
	}
	for i := range t.shape.DelayArrays {
		t.at.Delay[i] = hash(i, 15)
	}
	for i := range t.at.Interval {
		t.at.Interval[i] = hash(t.shape.DelayArrays+i, 16)
	}
	t.sketches[t.active].Record(&t.at, delay, arrived, 0)

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
	idle := uint16(1 - t.active) // the program sends a single bit as the interval
	carries := sumax.Sketchlet{Device: 1, Interval: idle, ID: id, Cells: t.sketches[idle].Column(id)}
	t.out = carries.AppendTo(t.out)
	t.out = append(t.out, t.b[tag+4:]...)
	return t.out
}
