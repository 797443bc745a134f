package transport_test

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// The sizes of PINT's settings: 1048 B and an ACK of 60 B; 42 B of INT on both, 1090 and 88
// B; a TCP segment of 1460 B in 1514 B, with an ACK of 60 B.
func TestPacketSizes(t *testing.T) {
	rdma := cctest.RDMA()
	with := rdma
	with.Telemetry, with.Echo = 42, true
	padded, longer := rdma, with // a field of 2 B fits in the padding of a short ACK
	padded.AckField, longer.AckField = 2, 2
	tcp := cctest.TCP()
	for _, tt := range []struct {
		c         transport.Config
		data, ack unit.Bytes
	}{{rdma, 1048, 60}, {with, 1090, 88}, {tcp, 1514, 60}, {padded, 1048, 60}, {longer, 1090, 90}} {
		if d, a := tt.c.PacketSize(tt.c.Segment), tt.c.AckSize(); d != tt.data || a != tt.ack {
			t.Errorf("packets of %d and ACKs of %d bytes, want %d and %d", d, a, tt.data, tt.ack)
		}
	}
	with.Echo = false
	if a := with.AckSize(); a != 60 {
		t.Errorf("ACK without echo of %d bytes, want 60", a)
	}
}

func init() {
	transport.Recoveries = [...]transport.Recovery{recovery.GoBackN, recovery.NewReno, recovery.Reno, recovery.Tahoe}
}

func TestConfigValidate(t *testing.T) {
	for _, tt := range []struct {
		edit func(*transport.Config)
		want string
	}{
		{func(c *transport.Config) { c.Recovery = recovery.IRN + 1 }, "recovery = 7, want GoBackN, NewReno, Reno, Tahoe, SACK, RACK or IRN"},
		{func(c *transport.Config) { c.Segment = 0 }, "segment = 0 bytes, … >= 1: headers … telemetry … room … payload"},
		{func(c *transport.Config) { c.Header = -1 }, "header sizes … negative"},
		{func(c *transport.Config) { c.Segment = 65_500 }, "packets … 65554 … ACKs … 60 bytes, … 65535"},
		{func(c *transport.Config) { c.AckHeader, c.AckMin = 0, 0 }, "ACKs of 0 bytes, want >= 1"},
		{func(c *transport.Config) { c.AckEvery = 0 }, "ACK every 0 packets, want >= 1"},
		{func(c *transport.Config) { c.DelayedAck = -1 }, "delays … negative"},
		{func(c *transport.Config) { c.DupThreshold = 0 }, "duplicate threshold = 0, want >= 1"},
		{func(c *transport.Config) { c.RTOMax = c.RTOInitial - 1 }, "retransmission timeouts min 1ms, initial 1ms, max 999999.999ns: want 0 or 0 < min <= initial <= max"},
		{func(c *transport.Config) { c.RTOMin = 0 }, "TCP and IRN need a retransmission timer"},
		{func(c *transport.Config) { c.FlightCap = 1 }, "0 packets … low timeout, cap … 1 bytes: … >= 0, … 0 … IRN"},
		{func(c *transport.Config) { c.Marks = transport.EchoChange }, "echo of marks = 1, want EchoAny, EchoChange with delayed ACKs, or EchoLatch"},
		{func(c *transport.Config) { c.Recovery, c.Marks = recovery.GoBackN, transport.EchoLatch }, "echo of marks = 2, want EchoLatch only with TCP"},
		{func(c *transport.Config) { c.Recovery = nil }, "no recovery"},
		{func(c *transport.Config) { c.MaxTimeouts = -1 }, "max timeouts = -1, want >= 0"},
		{func(c *transport.Config) { c.AckEvery, c.MaxTimeouts = -3, -1 }, "ACK every -3 packets, want >= 1\nmax timeouts = -1, want >= 0"},
	} {
		c := cctest.TCP()
		tt.edit(&c)
		if err := c.Validate(); !errtest.Says(err, "transport: bad config: "+tt.want) {
			t.Errorf("got  %v\nwant transport: bad config: %s", err, tt.want)
		}
	}
	for _, c := range []transport.Config{cctest.RDMA(), cctest.TCP()} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// A network that cannot carry the packets of a transport is found before the first one.
func TestPacketsMustFitTheNetwork(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(2), netsimtest.Options{Config: func(c *netsim.Config) { c.MaxPacket = 1047 }})
	_, err := transport.New(n.Engine, n.Routes, cctest.RDMA(), 0, cctest.Fixed(1000, unit.Gbps), &cctest.List{}, nil)
	if want := "transport: packets … ACKs … to 1048 bytes, … network carries 1047"; !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
