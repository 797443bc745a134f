package inband

import (
	"bytes"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// frameOf returns the frame that a system makes for a packet of the given kind with a stack.
func frameOf(t *testing.T, v telemetry.Visible, kind netsim.Kind, stack []netsim.PortSample) *telemetry.Frame {
	t.Helper()
	f := &telemetry.Frame{
		Sight: &netsim.Sight{Packet: &netsim.Packet{Kind: kind, Hop: 1, Hops: uint8(len(stack))}, Stack: stack}}
	if err := v.Show(f); err != nil {
		t.Fatal(err)
	}
	return f
}

func networkOf(t *testing.T, g *topo.Graph) *netsim.Network {
	t.Helper()
	c := netsim.Default()
	c.MaxPacket = 1500
	n, err := netsim.New(g, 1, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Two hops, at links of 100 Gb/s and 1 Gb/s, are written in the format of the published simulator. 7000 ns, 1024 B and
// 640 B have the codes 7000, 2 and 2. Times of 2^24 ns wrap around, and 1 Gb/s has no code.
func TestHPCCByHand(t *testing.T) {
	g := pair()
	g.Links[0].Rate = 100 * unit.Gbps
	n := networkOf(t, g)
	f := frameOf(t, echo{n, &Params{Format: "hpcc", Hops: 3}}, netsim.Data, []netsim.PortSample{
		{TS: 7 * unit.Microsecond, Sent: 1535, Queue: 640, Port: 1},
		{TS: 1<<24*unit.Nanosecond + 5*unit.Nanosecond, Port: 3},
	})
	want := []byte{1 << 4, 26, 0xc2, 0xda, 0, 0x10, 0, 0, 1, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0}
	if !bytes.Equal(f.Blocks, want) {
		t.Errorf("% x\nwant % x", f.Blocks, want)
	}
}

// Fields of other widths and units are described before the hops: 16 bits in steps of 8 ns, 30 bits in steps of 64 B,
// and 15 bits in steps of 80 B. Fields of more than 61 bits do not fit.
func TestHPCCInOtherFields(t *testing.T) {
	g := pair()
	g.Links[0].Rate = 100 * unit.Gbps
	p := Params{Format: "hpcc", Hops: 1, Precision: "wire", TimeBits: 16, TimeUnit: 8 * unit.Nanosecond, ByteBits: 30,
		ByteUnit: 64, QueueBits: 15, QueueUnit: 80}
	stack := []netsim.PortSample{{TS: (1<<19 + 803) * unit.Nanosecond, Sent: 5000, Queue: 1000, Port: 1}}
	e := echo{networkOf(t, g), &p}
	f := frameOf(t, e, netsim.Data, stack)
	if kind, size := telemetry.BlockKind(f.Blocks[0]>>4), int(f.Blocks[1]); kind != telemetry.BlockHPCCAs ||
		size != 27+8+2 {
		t.Fatalf("a block of kind %d and %d bytes", kind, size)
	}
	hops, err := DecodeHPCCAs(f.Blocks[2:])
	want := Hop{Rate: 100 * unit.Gbps, Time: 800 * unit.Nanosecond, Tx: 4992, Queue: 960}
	if err != nil || len(hops) != 1 || hops[0] != want {
		t.Errorf("%+v, %v; want %+v", hops, err, want)
	}
	p.QueueBits++
	err = e.Show(&telemetry.Frame{Sight: f.Sight})
	if !errtest.Says(err,
		"telemetry.time_bits = 16, byte_bits = 30, queue_bits = 16: with the 3 bits of the rate they need 65 bits, "+
			"but a hop has 64") {
		t.Error(err)
	}
	for _, bad := range [][]byte{nil, make([]byte, 40), bytes.Repeat([]byte{0xff}, 60)} {
		if _, err := DecodeHPCCAs(bad); err == nil {
			t.Errorf("% x is read", bad)
		}
	}
}

// INT 2.1 has the newest hop first. A receiver sends this INT back as a block.
func TestStandardByHand(t *testing.T) {
	n := networkOf(t, pair())
	stack := []netsim.PortSample{{TS: 5 * unit.Microsecond, Sent: 1 << 32, Queue: 9, Port: 1},
		{TS: 6 * unit.Microsecond, Sent: 70, Queue: 1 << 30, Port: 3}}
	e := echo{n, &Params{Format: "standard", Hops: 5}}
	f := frameOf(t, e, netsim.Data, stack)
	if len(f.INT) != 1 || f.Blocks != nil {
		t.Fatalf("%+v", f)
	}
	var m Message
	rest, err := m.Decode(f.INT[0])
	if err != nil || len(rest) > 0 {
		t.Fatal(rest, err)
	}
	hops, err := m.Hops(0)
	if err != nil || hops != 2 || m.Header.RemainingHops != 3 {
		t.Fatal(hops, err, m.Header)
	}
	for i, want := range []Metadata{
		{NodeID: 2, Egress1: 3, QueueOccupancy: 0xffffff, EgressTime: 6000, Domain: []byte{0, 0, 0, 70}},
		{NodeID: 2, Egress1: 1, QueueOccupancy: 9, EgressTime: 5000, Domain: []byte{0, 0, 0, 0}},
	} {
		var md Metadata
		if err := m.Hop(i, hops, &md); err != nil {
			t.Fatal(err)
		}
		want.Available, want.Ingress1 = echoed, 0xffff
		if md.NodeID != want.NodeID || md.Egress1 != want.Egress1 || md.QueueOccupancy != want.QueueOccupancy ||
			md.EgressTime != want.EgressTime || !bytes.Equal(md.Domain, want.Domain) {
			t.Errorf("hop %d: %+v, want %+v", i, md, want)
		}
	}
	back := frameOf(t, e, netsim.Ack, stack)
	if len(back.INT) != 0 || !bytes.Equal(back.Blocks[2:], f.INT[0]) {
		t.Errorf("an ACK has %+v", back)
	}
	if free := frameOf(t, echo{n, &Params{Format: "free"}}, netsim.Data, stack); free.INT != nil || free.Blocks != nil {
		t.Errorf("INT without bytes: %+v", free)
	}
}

// A group header and a report agree with the specification's example, in which a switch adds its queue to the packet's
// INT.
func TestReportByHand(t *testing.T) {
	g := ReportGroup{Hardware: 5, Sequence: 3<<20 | 1<<22, NodeID: 0x01020304}
	r := Report{
		Type: ReportINT, Inner: InnerIPv4, Tracked: true, Bits: QueueOccupancy | ChecksumComplement,
		Metadata:  Metadata{Available: QueueOccupancy, Queue: 1, QueueOccupancy: 0x203, Domain: []byte{9, 9, 9, 9}},
		DropQueue: 7, DropReason: 8, Contents: []byte{0x45, 0, 0, 0},
	}
	b, err := r.Append(g.Append(nil))
	want := []byte{
		0x21, 0x70, 0, 0, 1, 2, 3, 4,
		0x14, 6, 3, 0x20, 0x10, 1, 0, 0, 0, 0, 0, 0,
		1, 0, 2, 3, 7, 8, 0, 0, 9, 9, 9, 9, 0x45, 0, 0, 0,
	}
	if err != nil || !bytes.Equal(b, want) {
		t.Errorf("% x, %v\nwant % x", b, err, want)
	}
}
