package validate

import (
	"encoding/binary"
	"math/rand/v2"

	"pintlab/int/csig"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/fixedpoint"
)

// csigTwin is package csig with the registers of one port.
type csigTwin struct {
	packet
	format  *csig.Format // nil: no tag
	tag     uint64
	link    window
	buckets [2]csig.Buckets // compact, wide
	b, out  []byte
}

func newCSIGTwin() (t twin, err error) {
	c := &csigTwin{}
	for i, tag := range []string{"compact", "wide"} {
		if c.buckets[i], err = p4.CSIG(tag); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// csigLocator is the locator that the default action of the table of ports sets.
const csigLocator = 1

// append writes a frame. The frame has a tag unless format is nil.
func (t *csigTwin) append(b []byte, tag uint64) []byte {
	b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
	b = t.appendObserved(b)
	switch t.format {
	case &csig.Compact:
		b = binary.BigEndian.AppendUint32(b, uint32(tag))
	case &csig.Wide:
		b = binary.BigEndian.AppendUint64(b, tag)
	}
	return append(b, 8, 0, 0x45, 1, 2, 3)
}

// draw makes tags of all signals, with links from idle to overloaded, and delays of every order of magnitude.
func (t *csigTwin) draw(r *rand.Rand) []byte {
	t.Egress += r.Uint32N(1 << (1 + r.UintN(15)))
	t.Ingress = t.Egress - uint32(r.Uint64()>>(32+r.UintN(32)))
	t.Size = 64 + r.Uint32N(1<<r.UintN(17))
	t.SwitchID, t.Queue = r.Uint32(), r.Uint32()
	t.format = []*csig.Format{&csig.Compact, &csig.Wide, nil}[min(r.UintN(9)/4, 2)]
	if t.format != nil {
		t.tag = t.format.Encode(csig.Tag{Signal: csig.Signal(r.UintN(5)), Value: r.Uint32() >> r.UintN(32),
			Locator: r.Uint32()})
	}
	return t.bytes()
}

func (t *csigTwin) bytes() []byte {
	t.b = t.append(t.b[:0], t.tag)
	return t.b
}

func (t *csigTwin) domain() int { return 1 << 14 }

// value returns packets in both formats and with the three signals in turn. Each packet is in a new window. With i,
// the bytes in the window rise in steps of 32 to more than the link can send, and the delay rises in steps of a tick
// to 16 µs.
func (t *csigTwin) value(i int) []byte {
	t.Egress += 1 << 13
	t.Ingress, t.Size = t.Egress-uint32(i), uint32(i>>2)*32
	t.format = []*csig.Format{&csig.Compact, &csig.Wide}[i&1]
	t.tag = t.format.Initial(csig.Signal(i >> 1 % 3))
	return t.bytes()
}

// expect updates the tag. As in the switch, free bytes are counted in whole granules.
func (t *csigTwin) expect() []byte {
	used := unit.Bytes(t.link.add(t.Egress>>13, t.Size))
	tag := t.tag
	if t.format != nil {
		b := &t.buckets[0]
		if t.format == &csig.Wide {
			b = &t.buckets[1]
		}
		all := p4.Rate.In(p4.CSIGWindow)
		free := b.Free(p4.Rate, p4.CSIGWindow, all-max(0, all-used)/p4.CSIGGranule*p4.CSIGGranule)
		switch had, _ := t.format.Decode(tag); had.Signal {
		case csig.ABW, csig.ABWShare:
			tag = t.format.Update(tag, free[had.Signal], csigLocator)
		case csig.Delay:
			tag = t.format.Update(tag, b.Waited(csig.Delay, unit.Time(t.Egress-t.Ingress)*fixedpoint.Tick), csigLocator)
		}
	}
	t.out = t.append(t.out[:0], tag)
	return t.out
}

// registers returns the registers of port 1, through which all packets leave.
func (t *csigTwin) registers() map[string][]uint64 {
	numbers, sums, whole := make([]uint64, portCount), make([]uint64, portCount), make([]uint64, portCount)
	numbers[1], sums[1], whole[1] = uint64(t.link.number), uint64(t.link.sum), uint64(t.link.whole)
	return map[string][]uint64{"windows": numbers, "sums": sums, "whole": whole}
}
