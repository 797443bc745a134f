package inband

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// BytesSent is the domain-specific instruction of Domain: a hop writes the bytes that its port has sent, modulo 2^32.
// HPCC needs this counter; INT 2.1 only has a utilisation.
const (
	Domain    = 0x504c
	BytesSent = 1 << 15
)

// echoed are the instructions of INT that feeds a congestion control, in addition to BytesSent.
const echoed = NodeID | Level1Interfaces | QueueOccupancy | EgressTime

// Show implements telemetry.Visible: INT in the format of the published HPCC simulator, or INT 2.1. Receivers
// send the INT of both formats back in acknowledgements. INT of format free has no bytes.
func (e echo) Show(f *telemetry.Frame) error {
	answer := f.Packet.Kind == netsim.Ack || f.Packet.Kind == netsim.Nack
	if !answer && f.Packet.Kind != netsim.Data || e.Format == "free" || answer && len(f.Stack) == 0 {
		return nil
	}
	if e.Format == "hpcc" {
		return e.showHPCC(f)
	}
	return ShowEchoed(f, e.net, e.Hops, FieldSpec{})
}

// ShowEchoed adds INT 2.1 with the records of a packet, whose source has made room for the given number of hops. If
// rate has a unit, the records contain rates instead of bytes sent, and the rates become INT's utilisation in this
// unit.
func ShowEchoed(f *telemetry.Frame, net *netsim.Network, room int, rate FieldSpec) error {
	answer := f.Packet.Kind == netsim.Ack || f.Packet.Kind == netsim.Nack
	if !answer && f.Packet.Kind != netsim.Data || answer && len(f.Stack) == 0 {
		return nil
	}
	m := Message{
		Shim: Shim{Type: TypeMD},
		Header: Header{
			HopWords: uint8(echoed.Words() + 1), RemainingHops: uint8(max(0, room-len(f.Stack))),
			Instructions: echoed, Domain: Domain, DomainInstructions: BytesSent,
		},
	}
	values := echoed
	if rate.Unit > 0 {
		values |= TxUtilization
		m.Header.Instructions, m.Header.Domain, m.Header.DomainInstructions = values, 0, 0
	}
	for _, s := range slices.Backward(f.Stack) {
		at, _ := net.PortEnds(s.Port)
		md := Metadata{
			Available: values, NodeID: uint32(at), Ingress1: 0xffff, Egress1: uint16(s.Port),
			QueueOccupancy: uint32(min(s.Queue, 0xffffff)), EgressTime: uint64(s.TS / unit.Nanosecond),
		}
		if rate.Unit > 0 {
			md.TxUtilization = uint32(int64(s.Sent) / rate.Unit)
		} else {
			md.Domain = binary.BigEndian.AppendUint32(nil, uint32(s.Sent))
		}
		m.push(&md)
	}
	b, err := m.Append(nil)
	if answer {
		f.Block(telemetry.BlockEcho, b)
	} else {
		f.INT = append(f.INT, b)
	}
	return err
}

// push adds a hop at the end of the stack.
func (m *Message) push(md *Metadata) {
	n := len(m.Stack)
	m.Stack = append(m.Stack, make([]byte, 4*int(m.Header.HopWords))...)
	md.put(m.Stack[n:], m.Header.Instructions)
}

// hopBits is the size of a hop of HPCC's INT.
const hopBits = 64

// showHPCC adds a stack in the format of the published HPCC simulator: 64 little-endian bits for each hop that
// fits, and then the number of hops. A hop holds, from the lowest bit on, the code of the link rate, the time,
// the bytes sent and the queue. A rate without a code has the last code. If the fields differ from
// Published, their widths and units come first.
func (e echo) showHPCC(f *telemetry.Frame) error {
	s, kind := e.spec(), telemetry.BlockHPCC
	var b []byte
	if p := Published(); s.Time != p.Time || s.Tx != p.Tx || s.Queue != p.Queue {
		kind = telemetry.BlockHPCCAs
		if n := s.RateBits + s.Time.Bits + s.Tx.Bits + s.Queue.Bits; n > hopBits {
			return fmt.Errorf("telemetry.time_bits = %d, byte_bits = %d, queue_bits = %d: "+
				"with the %d bits of the rate they need %d bits, but a hop has %d",
				s.Time.Bits, s.Tx.Bits, s.Queue.Bits, s.RateBits, n, hopBits)
		}
		for _, x := range [...]FieldSpec{s.Time, s.Tx, s.Queue} {
			b = binary.BigEndian.AppendUint64(append(b, uint8(x.Bits)), uint64(x.Unit))
		}
	}
	time, tx, queue := newField(s.Time), newField(s.Tx), newField(s.Queue)
	for i := range max(e.Hops, len(f.Stack)) {
		var w uint64
		if i < len(f.Stack) {
			x, shift := f.Stack[i], s.RateBits
			w = uint64(slices.Index(s.Rates, e.net.PortRate(x.Port)) & (1<<s.RateBits - 1))
			w |= time.code(int64(x.TS)) << shift
			w |= tx.code(int64(x.Sent)) << (shift + s.Time.Bits)
			w |= queue.code(int64(x.Queue)) << (shift + s.Time.Bits + s.Tx.Bits)
		}
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	f.Block(kind, binary.LittleEndian.AppendUint16(b, uint16(len(f.Stack))))
	return nil
}

// fieldsBytes is the size of the description of the fields of HPCC's INT.
const fieldsBytes = 3 * (1 + 8)

// DecodeHPCCAs reads the fields of HPCC's INT and then the hops.
func DecodeHPCCAs(b []byte) ([]Hop, error) {
	if len(b) < fieldsBytes {
		return nil, fmt.Errorf("INT of HPCC of %s, want the %d bytes of its fields",
			number.Count(len(b), "byte"), fieldsBytes)
	}
	s := Published()
	for i, x := range [...]*FieldSpec{&s.Time, &s.Tx, &s.Queue} {
		*x = FieldSpec{Bits: int(b[9*i]), Unit: int64(binary.BigEndian.Uint64(b[9*i+1:]))}
	}
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("INT of HPCC: %w", err)
	}
	return DecodeHPCC(b[fieldsBytes:], s)
}

// DecodeHPCC reads a stack in the format of the published HPCC simulator, with the fields of s. The oldest hop comes
// first. A rate without a code is 0.
func DecodeHPCC(b []byte, s Spec) ([]Hop, error) {
	if len(b) < 2 || (len(b)-2)%8 != 0 {
		return nil, fmt.Errorf("INT of HPCC of %s, want 2 and 8 a hop", number.Count(len(b), "byte"))
	}
	room, n := len(b)/8, int(binary.LittleEndian.Uint16(b[len(b)-2:]))
	if n > room {
		return nil, fmt.Errorf("INT of HPCC counts %s, but has room for %d", number.Count(n, "hop"), room)
	}
	hops := make([]Hop, n)
	for i := range hops {
		w := binary.LittleEndian.Uint64(b[8*i:])
		next := func(bits int) int64 {
			v := w & (1<<bits - 1)
			w >>= bits
			return int64(v)
		}
		if r := int(next(s.RateBits)); r < len(s.Rates) {
			hops[i].Rate = s.Rates[r]
		}
		hops[i].Time = unit.Time(next(s.Time.Bits) * s.Time.Unit)
		hops[i].Tx = unit.Bytes(next(s.Tx.Bits) * s.Tx.Unit)
		hops[i].Queue = unit.Bytes(next(s.Queue.Bits) * s.Queue.Unit)
	}
	return hops, nil
}

// passports are the instructions of INT that ends at a collector: the three values of a hopRecord.
const passports = NodeID | HopLatency | QueueOccupancy

// Show implements telemetry.Visible: in passport mode, data packets carry INT 2.1 with the records of the hops
// so far. Reports are Telemetry Reports 2.0.
func (m *monitor) Show(f *telemetry.Frame) error {
	k := f.Packet
	if k.Kind == netsim.Mirrored {
		var err error
		f.Report, err = m.report(f)
		return err
	}
	if k.Kind != netsim.Data || k.Hop == 0 || !m.passport {
		return nil
	}
	room := m.at.Part(f.Cargo)
	if room[0] == unwatched {
		return nil
	}
	b, err := m.message(room)
	f.INT = append(f.INT, b)
	return err
}

// message returns the INT of a packet.
func (m *monitor) message(room []byte) ([]byte, error) {
	n := int(room[0])
	msg := Message{
		Shim: Shim{Type: TypeMD},
		Header: Header{
			HopWords: uint8(passports.Words()), RemainingHops: uint8(max(0, m.at.MaxHops-n)), Instructions: passports,
		},
	}
	for i := range n {
		md := metadataOf(room, n-1-i)
		msg.push(&md)
	}
	return msg.Append(nil)
}

// metadataOf returns the record of hop i as INT metadata; hop 0 is the oldest.
func metadataOf(room []byte, i int) Metadata {
	node, latency, queue := record(room, i)
	return Metadata{Available: passports, NodeID: node, HopLatency: latency, QueueOccupancy: min(queue, 0xffffff)}
}

// record returns the values of hop i; hop 0 is the oldest.
func record(room []byte, i int) (node, latency, queue uint32) {
	b := room[roomHeader+recordSize*i:]
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
}

// report returns a report as a Telemetry Report 2.0. In passport mode, the report contains the headers of the
// packet with its INT. In postcard mode, it contains the record of the switch and the headers of the packet.
func (m *monitor) report(f *telemetry.Frame) ([]byte, error) {
	k, room := f.Packet, m.at.Part(f.Cargo)
	g := ReportGroup{Hardware: m.at.Number, Sequence: k.ID, NodeID: uint32(k.ReportSource())}
	r := Report{Type: ReportInner, Inner: InnerIPv4, Tracked: true}
	var message []byte
	var err error
	if m.passport {
		if message, err = m.message(room); err != nil {
			return nil, err
		}
	} else {
		r.Type, r.Bits, r.Metadata = ReportINT, HopLatency|QueueOccupancy, metadataOf(room, 0)
	}
	if r.Contents, err = f.Headers(route.ReadFiveTuple(room[1+8:]), message); err != nil {
		return nil, err
	}
	return r.Append(g.Append(nil))
}
