package transport_test

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// PINT's settings: a packet has 1048 B and its ACK 60 B. With 42 B of INT on each, a packet has
// 1090 B and its ACK 88 B. A TCP segment of 1460 B is a packet of 1514 B, and its ACK has 60 B.
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
		{func(c *transport.Config) {
			c.Recovery = recovery.Kind("ire")
		}, `kind: "ire": not known (accepted: gobackn, irn, pulled, newreno, … did you mean "irn"?`},
		{func(c *transport.Config) {
			c.Segment = 0
		}, "segment = 0 bytes, … >= 1: headers … telemetry … room … payload"},
		{func(c *transport.Config) { c.Header = -1 }, "header: -1B: want >= 0B and <= 512B"},
		{func(c *transport.Config) { c.Telemetry = -1 }, "telemetry sizes … negative"},
		{func(c *transport.Config) { c.Segment = 65_500 }, "packets … 65554 … ACKs … 60 bytes, … 65535"},
		{func(c *transport.Config) { c.AckMin = 0 }, "ack_min: 0B: want >= 1B and <= 1500B"},
		{func(c *transport.Config) { c.AckEvery = 0 }, "ack_every: 0: want >= 1 and <= 1000"},
		{func(c *transport.Config) { c.AckDelay = -1 }, "ack_delay: -1ps: want > 0s … or never"},
		{func(c *transport.Config) { c.DupAcks = 0 }, "dup_acks: 0: want >= 1 and <= 100"},
		{func(c *transport.Config) {
			c.RTOMax = c.RTOInitial - 1
		}, "rto_max: 999999.999ns: want at least rto_initial = 1ms"},
		{func(c *transport.Config) {
			schema.Defaults(&c.Params)
			c.Recovery = recovery.GoBackN
		}, "rto_min: auto: want a value … rto_initial: auto"},
		{func(c *transport.Config) { c.Timer = false }, "timer: false: want true with kind = newreno"},
		{func(c *transport.Config) {
			*c = transport.Default("kind=irn").Config(recovery.IRN, 0, 0)
		}, "bdp_fc: true: want a bandwidth-delay product"},
		{func(c *transport.Config) {
			c.MarkEcho = transport.EchoChange
		}, "mark_echo: change: want a time for ack_delay"},
		{func(c *transport.Config) {
			*c = cctest.RDMA()
			c.MarkEcho = transport.EchoLatch
		}, `mark_echo: "latch": want any or change with kind = gobackn`},
		{func(c *transport.Config) { c.Recovery = nil }, "Recovery is missing"},
		{func(c *transport.Config) { c.MaxRetries = -1 }, "max_retries: -1: want >= 0 and <= 1000"},
		{func(c *transport.Config) { c.AckEvery, c.MaxRetries = -3, -1 }, "ack_every: -3: … max_retries: -1: want"},
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

// New refuses a network that cannot carry the packets of the transport.
func TestPacketsMustFitTheNetwork(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(2), netsimtest.Options{Config: func(c *netsim.Config) {
		c.MaxPacket = 1047
	}})
	_, err := transport.New(n.Engine, n.Routes, cctest.RDMA(), 0, cctest.Fixed(1000, unit.Gbps), &cctest.List{}, nil)
	if want := "transport: packets … ACKs … to 1048 bytes, … network carries 1047"; !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
