package validate

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	inband "pintlab/int"
	"pintlab/p4/interp"
)

// The constants and defaults of int_md.p4.
const (
	intDSCP         = 0x17
	intMTU          = 1500
	intReportMTU    = 1400 // set by configure
	intInstructions = 0xfd00
	intHops         = 8
	intFirstPort    = 5000 // first destination port of the flows that a configured source watches
)

// intRole is the role of a switch in INT.
type intRole uint8

const (
	intTransit intRole = iota
	intSource
	intSink
)

// intTwin is INT-MD by package int, with the clock and the links of a switch.
type intTwin struct {
	role    intRole
	node    inband.Node
	watched []inband.Source // for destination ports from intFirstPort on; the last element is for all other ports
	reports bool            // the sink has a collector
	clock   bool            // the twin sets the clock, so packets need not carry times

	now   uint64 // microseconds
	frame intFrame
	b     []byte
	links [2]window // the links of the packets' port and of the reports' port
	out   []byte
	copy  []byte
	msg   inband.Message
}

func newIntTwin(role intRole) func() (twin, error) {
	return func() (twin, error) {
		t := &intTwin{role: role, node: inband.Node{Mark: inband.Mark{Kind: inband.ByDSCP, DSCP: intDSCP}}}
		return t, t.watch(intInstructions, intHops)
	}
}

func (t *intTwin) watch(ins inband.Instructions, hops uint8) error {
	s := inband.Source{Node: t.node, Instructions: ins, MaxHops: hops}
	t.watched = append(t.watched, s)
	return s.Validate()
}

// configure gives the sink a collector behind a separate link, and the source a list of flows to watch.
func (t *intTwin) configure(p *interp.Pipeline) error {
	t.clock = true
	commands, err := t.commands()
	if err != nil {
		return err
	}
	if t.role == intSink {
		t.reports = true
		commands = append(commands, "mirroring_add 1 9", fmt.Sprintf("table_add links link 9 => 1 %d", intReportMTU))
	}
	return obey(p, commands)
}

// commands returns the commands that make a source watch flows.
func (t *intTwin) commands() ([]string, error) {
	if t.role != intSource {
		return nil, nil
	}
	var list []string
	others := t.watched[0]
	t.watched = nil
	for i := range 64 {
		// Over all flows, every instruction of the specification occurs, and so do enough hops for the shim's
		// length.
		ins, hops := inband.Instructions(i*0x9e37)|inband.NodeID, uint8(i%7)
		if err := t.watch(ins, hops); err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("table_add watch_list begin 0&&&0 0&&&0 0&&&0 0&&&0 %d&&&0xffff => %d %d 1",
			intFirstPort+i, ins, hops))
	}
	t.watched = append(t.watched, others)
	return list, nil
}

func (t *intTwin) time() uint64 { return t.now }

// window counts the bytes of a link in numbered windows, as include/window.p4 does.
type window struct{ number, sum, whole uint32 }

// add counts a packet and returns the bytes of the last whole window.
func (w *window) add(number, size uint32) uint32 {
	switch {
	case number == w.number:
		w.sum = uint32(min(uint64(w.sum)+uint64(size), 1<<32-1))
		return w.whole
	case number == w.number+1:
		w.whole = w.sum
	default:
		w.whole = 0
	}
	w.number, w.sum = number, size
	return w.whole
}

// expect returns the packet in the form in which it leaves. It also stores the report for copies.
func (t *intTwin) expect() []byte {
	f := &t.frame
	t.copy = nil
	md := inband.Metadata{
		Available: inband.NodeID | inband.Level1Interfaces | inband.IngressTime,
		NodeID:    1, Egress1: 1, IngressTime: t.now, EgressTime: t.now,
	}
	number, size := uint32(t.now>>10), uint32(len(t.b))
	if f.observed {
		md.NodeID, md.HopLatency, md.QueueOccupancy = f.SwitchID, f.Egress-f.Ingress, f.Queue&0xffffff
		md.IngressTime, md.EgressTime = uint64(f.Ingress), uint64(f.Egress)
		number, size = f.Egress>>20, f.Size
	}
	head, inner, rest, ok := f.split(t.b)
	in := slices.Clone(inner)
	var taken inband.Action
	if ok && t.role == intSink {
		// The sink reports first, because a clone runs through egress before the packet does.
		var err error
		in, taken, err = t.node.Sink(in, &t.msg)
		if err == nil && taken == inband.Removed && t.reports {
			t.links[1].add(number, size)
			report, _, err := t.node.Transit(slices.Clone(inner), &md, intReportMTU)
			if err != nil {
				return nil // a transit hop refuses what the sink accepts; nil then differs from the program's packet
			}
			t.copy = slices.Concat(head, report, rest)
		}
	}
	md.TxUtilization = t.links[0].add(number, size)
	md.Available |= inband.HopLatency | inband.QueueOccupancy | inband.EgressTime | inband.TxUtilization
	if ok && t.role != intSink {
		in = t.hop(in, &md)
	}
	if taken == inband.Removed && t.msg.Header.Discard {
		return nil
	}
	t.out = append(append(append(t.out[:0], head...), in...), rest...)
	return t.out
}

// hop returns an IP packet in the form in which it leaves a source or transit hop. If the hop refuses the packet, it
// does not change the packet.
func (t *intTwin) hop(in []byte, md *inband.Metadata) []byte {
	out, outcome, _ := t.node.Transit(in, md, intMTU)
	if t.role != intSource || outcome != inband.Absent {
		return out
	}
	s := &t.watched[len(t.watched)-1]
	if i := int(t.frame.dst) - intFirstPort; i >= 0 && i < len(t.watched)-1 {
		s = &t.watched[i]
	}
	out, _, _ = s.Insert(in, md, intMTU)
	return out
}

func (t *intTwin) copies() [][]byte {
	if t.copy == nil {
		return nil
	}
	return [][]byte{t.copy}
}

// intFrame is a frame with an IPv4 packet, which may carry INT.
type intFrame struct {
	packet             // times and queue of the packet, if observed
	observed           bool
	udp                bool
	tos                uint8
	fragment           uint16
	dst                uint16 // port
	ipOptions, options int    // words
	checksum           uint16 // checksum of TCP or UDP
	shim               inband.Shim
	head               inband.Header
	carries            bool
	behind             int // bytes after shim and header: the stack and the payload
	padding            int // bytes after the IP packet
}

// append writes the frame. The stack and the payload are bytes of a pattern.
func (f *intFrame) append(b []byte) []byte {
	b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
	if f.observed {
		b = f.appendObserved(b)
	}
	b = append(b, 8, 0)
	ip := len(b)
	b = append(b, 0x45+byte(f.ipOptions), f.tos, 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, f.fragment)
	b = append(b, 64, 6, 0x12, 0x34, 10, 0, 0, 1, 10, 0, 1, 1)
	b = f.fill(b, 4*f.ipOptions)
	l4 := len(b)
	b = append(b, 0x04, 0xd2)
	b = binary.BigEndian.AppendUint16(b, f.dst)
	if f.udp {
		b[ip+9] = 17
		b = append(b, 0, 0)
		b = binary.BigEndian.AppendUint16(b, f.checksum)
	} else {
		b = append(b, 1, 2, 3, 4, 5, 6, 7, 8, 0x50+byte(f.options)<<4, 0x10, 0xff, 0xff)
		b = binary.BigEndian.AppendUint16(b, f.checksum)
		b = f.fill(append(b, 0, 0), 4*f.options)
	}
	if f.carries {
		s, h := &f.shim, &f.head
		b = append(b, s.Type<<4|s.NextProtocol<<2|s.Reserved, s.Length)
		b = binary.BigEndian.AppendUint16(b, s.Original)
		w := uint32(inband.Version)<<28 | uint32(h.Reserved)<<13 | uint32(h.HopWords)<<8 | uint32(h.RemainingHops)
		for i, flag := range []bool{h.Discard, h.HopsExceeded, h.MTUExceeded} {
			if flag {
				w |= 1 << (27 - i)
			}
		}
		b = binary.BigEndian.AppendUint32(b, w)
		for _, v := range []uint16{uint16(h.Instructions), h.Domain, h.DomainInstructions, h.DomainFlags} {
			b = binary.BigEndian.AppendUint16(b, v)
		}
	}
	b = f.fill(b, f.behind)
	binary.BigEndian.PutUint16(b[ip+2:], uint16(len(b)-ip))
	if f.udp {
		binary.BigEndian.PutUint16(b[l4+4:], uint16(len(b)-l4))
	}
	return f.fill(b, f.padding)
}

func (f *intFrame) fill(b []byte, n int) []byte {
	for range n {
		b = append(b, byte(len(b)*31)^byte(f.ID))
	}
	return b
}

// split splits a frame at the beginning and end of its IPv4 packet. ok is false if there is no IPv4 packet.
func (f *intFrame) split(b []byte) (head, inner, rest []byte, ok bool) {
	at := 14
	f.observed = len(b) >= 36 && binary.BigEndian.Uint16(b[12:]) == etherTypePINT
	if f.observed {
		at = 36
		for i, v := range []*uint32{&f.SwitchID, &f.Ingress, &f.Egress, &f.Queue, &f.Size} {
			*v = binary.BigEndian.Uint32(b[14+4*i:])
		}
	}
	if len(b) < at+20 || binary.BigEndian.Uint16(b[at-2:]) != 0x0800 || b[at]>>4 != 4 {
		return b, nil, nil, false
	}
	end := at + int(binary.BigEndian.Uint16(b[at+2:]))
	if end < at+20 || end > len(b) {
		return b, nil, nil, false
	}
	return b[:at], b[at:end], b[end:], true
}

// draw makes INT packets of every size up to the MTU and beyond. Most of them are valid, and some are not.
func (t *intTwin) draw(r *rand.Rand) []byte {
	t.now += r.Uint64N(1 << r.UintN(14))
	f := intFrame{
		observed: r.UintN(2) == 0 || !t.clock, udp: r.UintN(2) == 0, tos: uint8(r.Uint32()),
		checksum: uint16(r.Uint32()), dst: uint16(intFirstPort - 10 + r.UintN(80)),
		ipOptions: max(r.IntN(40)-29, 0), options: max(r.IntN(30)-19, 0),
		padding: max(r.IntN(40)-20, 0), behind: r.IntN(64),
	}
	f.packet = packet{
		SwitchID: r.Uint32(), Ingress: r.Uint32(), Queue: uint32(r.Uint64() >> (32 + r.UintN(32))),
		Size: 64 + r.Uint32N(9000), ID: r.Uint64(),
	}
	f.Egress = f.Ingress + uint32(r.Uint64()>>(32+r.UintN(32)))
	switch r.UintN(16) {
	case 0:
		f.fragment = uint16(r.Uint32()) // also "do not fragment" alone
	case 1:
		f.checksum = 0
	case 2:
		f.checksum = 0xffff
	case 3, 4, 5:
		f.behind = 1300 + r.IntN(300)
	}
	if r.UintN(8) > 0 != (t.role == intSource) {
		t.mark(r, &f)
	}
	t.frame = f
	t.b = t.frame.append(t.b[:0])
	if r.UintN(8) == 0 { // damage the frame
		from := 12 // do not damage times in front of the IP packet
		if !t.clock {
			from = 36
		}
		if r.UintN(2) == 0 {
			t.b = t.b[:from+r.IntN(len(t.b)+1-from)]
		} else {
			at := from + r.IntN(min(len(t.b), 110)-from)
			t.b[at] ^= 1 << r.UintN(8)
		}
		t.frame.observed = false
		t.frame.split(t.b)
		t.readPort()
	}
	return t.b
}

// readPort reads the destination port again after a bit of the frame has changed.
func (t *intTwin) readPort() {
	if _, in, _, ok := t.frame.split(t.b); ok && len(in) >= 4*int(in[0]&15)+4 {
		t.frame.dst = binary.BigEndian.Uint16(in[4*int(in[0]&15)+2:])
	}
}

// mark adds INT to a frame.
func (t *intTwin) mark(r *rand.Rand, f *intFrame) {
	f.carries, f.tos = true, intDSCP<<2|f.tos&3
	h := inband.Header{
		Discard: r.UintN(8) == 0, HopsExceeded: r.UintN(8) == 0, MTUExceeded: r.UintN(8) == 0,
		Reserved: uint16(r.Uint32N(1 << 12)), RemainingHops: uint8(r.UintN(6)),
		Instructions: inband.Instructions(r.Uint32()), Domain: uint16(r.UintN(2)),
		DomainInstructions: uint16(r.Uint32()), DomainFlags: uint16(r.Uint32()),
	}
	if r.UintN(8) == 0 {
		h.Instructions = 0
	}
	words := h.Instructions.Words()
	h.HopWords = uint8(words + r.IntN(32-words))
	if r.UintN(8) == 0 {
		h.HopWords = uint8(words) // and sometimes fewer words than needed
		if r.UintN(4) == 0 {
			h.HopWords = uint8(r.IntN(words + 1))
		}
	}
	length := inband.HeaderSize/4 + int(h.HopWords)*r.IntN(6)
	if r.UintN(4) == 0 {
		length = r.IntN(256)
	}
	length = min(length, 255)
	f.shim = inband.Shim{Type: inband.TypeMD, Reserved: uint8(r.UintN(4)), Length: uint8(length),
		Original: uint16(r.Uint32())}
	switch r.UintN(32) {
	case 0:
		f.shim.Type = uint8(r.UintN(16))
	case 1:
		f.shim.NextProtocol = uint8(r.UintN(4))
	}
	f.behind += max(4*length-inband.HeaderSize, 0)
	if r.UintN(32) == 0 {
		f.behind = r.IntN(f.behind + 1)
	}
	f.head = h
}

func (t *intTwin) domain() int {
	switch t.role {
	case intSource:
		return 2 * 1600
	case intSink:
		return 2 << 13
	}
	return 2<<13 + 1<<16
}

// value returns packets for a role. For a source, they have every size with and without room for INT in the MTU,
// over TCP and UDP. For the other roles, they have every length with every size of a hop, and every number of
// remaining hops with every size of a hop. For a transit hop, they also have every bitmap of instructions.
func (t *intTwin) value(i int) []byte {
	f := intFrame{dst: 80, checksum: 0x1234, packet: packet{ID: uint64(i)}}
	h := inband.Header{HopWords: 31, RemainingHops: 2}
	words := 3 + 31
	switch {
	case t.role == intSource:
		f.udp, f.behind = i&1 == 1, i>>1
	case i < 1<<13:
		words, h.HopWords, f.udp = i>>5, uint8(i&31), true
	case i < 2<<13:
		h.RemainingHops, h.HopWords = uint8(i>>5), uint8(i&31)
	default:
		h.Instructions = inband.Instructions(i - 2<<13)
	}
	if t.role != intSource {
		f.carries, f.tos, f.head = true, intDSCP<<2, h
		f.shim = inband.Shim{Type: inband.TypeMD, Length: uint8(words), Original: uint16(i & 0xff)}
		f.behind = max(4*words-inband.HeaderSize, 0) + 8
	}
	t.frame = f
	t.b = t.frame.append(t.b[:0])
	return t.b
}
