package exchange

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// list is a source of the given packets.
type list []packets.Packet

func (l *list) Next(p *packets.Packet) bool {
	if len(*l) == 0 {
		return false
	}
	*p, *l = (*l)[0], (*l)[1:]
	return true
}

func (*list) Err() error { return nil }

var (
	out  = packets.MakeTuple(0x0a000001, 0x08080808, 4000, 80, packets.TCP)
	back = out.Reverse()
	ask  = packets.MakeTuple(0x0a000001, 0x08080808, 5000, 53, packets.UDP)
)

// pairs formats the events as "request at" and "response to the request at", in microseconds. A response without a
// request is "stray".
func pairs(m *Matcher) string {
	var words []string
	seen := map[uint64]unit.Time{}
	var e Event
	for m.Next(&e) {
		at := (e.Time / unit.Microsecond)
		since, ok := seen[e.ID]
		switch {
		case !e.Response:
			seen[e.ID] = at
			words = append(words, word("request", at))
		case ok:
			words = append(words, word("answers", since))
		default:
			words = append(words, "stray")
		}
	}
	return strings.Join(words, " ")
}

func word(what string, at unit.Time) string {
	return what + " " + string(rune('0'+int(at)))
}

func at(us int) unit.Time { return unit.Time(us) * unit.Microsecond }

// The packets have sequence numbers that wrap around after 0x…fff0, acknowledgements of two segments, and data that
// acknowledges data.
func TestTCPData(t *testing.T) {
	trace := list{
		{Time: at(0), Tuple: out, Flags: packets.SYN, Seq: 0xffffffef},
		{Time: at(1), Tuple: out, Flags: packets.ACK, Seq: 0xfffffff0, Ack: 500, Payload: 16},
		{Time: at(2), Tuple: out, Flags: packets.ACK, Seq: 0, Ack: 500, Payload: 100},
		{Time: at(3), Tuple: out, Flags: packets.ACK, Seq: 100, Ack: 500, Payload: 100},
		{Time: at(4), Tuple: back, Flags: packets.ACK, Seq: 500, Ack: 0},                // the first
		{Time: at(5), Tuple: back, Flags: packets.ACK, Seq: 500, Ack: 200, Payload: 20}, // ACK of the third, with data
		{Time: at(6), Tuple: out, Flags: packets.ACK, Seq: 200, Ack: 520},               // of that
		{Time: at(7), Tuple: back, Flags: packets.RST | packets.ACK, Seq: 520, Ack: 200},
		{Time: at(8), Tuple: ask, Payload: 30},
		{Time: at(8), Tuple: out, Flags: packets.FIN, Seq: 200, Payload: 7},
		{Time: at(9), Tuple: back, Flags: packets.FIN | packets.ACK, Seq: 520, Ack: 208},
	}
	two := append(list{}, trace...)
	// The first three segments acknowledge byte 500, which is not in the trace.
	want := "stray request 1 stray request 2 stray request 3 answers 1 answers 3 request 5 answers 5 request 8 " +
		"answers 8"
	m := Match(&trace, TCPData, netip.Prefix{})
	if got := pairs(m); got != want {
		t.Errorf("both sides: %s\nwant        %s", got, want)
	}
	if m.Packets() != 11 || m.Matched() != 8 {
		t.Errorf("%d of %d packets matched, want 8 of 11", m.Matched(), m.Packets())
	}
	want = "request 1 request 2 request 3 answers 1 answers 3 request 8 answers 8"
	if got := pairs(Match(&two, TCPData, netip.MustParsePrefix("10.0.0.0/8"))); got != want {
		t.Errorf("outgoing: %s\nwant      %s", got, want)
	}
}

// Karn's rule: the first segment is retransmitted before its acknowledgement, and the second segment after its
// acknowledgement.
func TestOnce(t *testing.T) {
	segment := func(us int, seq uint32) packets.Packet {
		return packets.Packet{Time: at(us), Tuple: out, Seq: seq, Payload: 10}
	}
	ack := func(us int, number uint32) packets.Packet {
		return packets.Packet{Time: at(us), Tuple: back, Flags: packets.ACK, Ack: number}
	}
	trace := list{
		segment(0, 0), segment(1, 0), ack(2, 10), ack(3, 10),
		segment(4, 10), ack(5, 20), segment(6, 10), ack(7, 20),
		segment(99, 0), ack(100, 10), // after the sequence numbers have wrapped around
	}
	o := NewOnce(Match(&trace, TCPData, netip.Prefix{}), at(50))
	var got []Event
	for e := (Event{}); o.Next(&e); {
		got = append(got, e)
	}
	one, two := identify(out, 10), identify(out, 20)
	want := []Event{{at(0), one, false}, {at(4), two, false}, {at(5), two, true}, {at(99), one, false},
		{at(100), one, true}}
	if diff := cmp.Diff(want, got); diff != "" || o.Requests != 2 || o.Responses != 3 || o.Err() != nil {
		t.Errorf("%d requests and %d responses left out: %s", o.Requests, o.Responses, diff)
	}
}

func TestHandshake(t *testing.T) {
	trace := list{
		{Time: at(1), Tuple: out, Flags: packets.SYN, Seq: 0xffffffff},
		{Time: at(2), Tuple: back, Flags: packets.SYN | packets.ACK, Seq: 7, Ack: 0},
		{Time: at(3), Tuple: out, Flags: packets.ACK, Seq: 0, Ack: 8},
		{Time: at(4), Tuple: back, Flags: packets.SYN, Seq: 9},
		{Time: at(5), Tuple: out, Flags: packets.SYN | packets.ACK, Ack: 11}, // acknowledges another SYN
		{Time: at(6), Tuple: out, Flags: packets.SYN | packets.RST, Seq: 1},
		{Time: at(7), Tuple: ask, Payload: 30},
		{Time: at(8), Tuple: out, Flags: packets.SYN, Seq: 50, Payload: 9},
		{Time: at(9), Tuple: back, Flags: packets.SYN | packets.ACK, Ack: 60},
	}
	two := append(list{}, trace...)
	if got, want := pairs(Match(&trace, TCPHandshake, netip.Prefix{})),
		"request 1 answers 1 request 4 stray request 8 answers 8"; got != want {
		t.Errorf("both sides: %s\nwant        %s", got, want)
	}
	if got, want := pairs(Match(&two, TCPHandshake, netip.MustParsePrefix("8.8.8.8/32"))),
		"request 4 stray"; got != want {
		t.Errorf("incoming: %s\nwant      %s", got, want)
	}
}

func TestDNS(t *testing.T) {
	query, answer := []byte{0x12, 0x34, 1, 0}, []byte{0x12, 0x34, 0x81, 0x80}
	trace := list{
		{Time: at(1), Tuple: ask, Payload: 30, Data: query},
		{Time: at(2), Tuple: ask, Payload: 30, Data: query[:3]},                             // cut
		{Time: at(3), Tuple: ask.Reverse(), Payload: 90, Data: answer},                      // answers the first query
		{Time: at(4), Tuple: ask.Reverse(), Payload: 90, Data: []byte{0x12, 0x35, 0x81, 0}}, // of none
		{Time: at(5), Tuple: ask, Payload: 30, Data: answer},                                // an answer to port 53
		{Time: at(6), Tuple: out, Flags: packets.SYN},
	}
	if got, want := pairs(Match(&trace, DNS, netip.Prefix{})), "request 1 answers 1 stray"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The packets are a query of a client, its answer, an answer with another time stamp, a packet between servers, and a
// truncated packet.
func TestNTP(t *testing.T) {
	clock := packets.MakeTuple(0x0a000001, 0x08080808, 5000, 123, packets.UDP)
	packet := func(us int, tuple packets.Tuple, mode byte, stamp, origin byte) packets.Packet {
		d := make([]byte, 48)
		d[0], d[47], d[31] = 4<<3|mode, stamp, origin
		return packets.Packet{Time: at(us), Tuple: tuple, Data: d}
	}
	cut := packet(6, clock, 3, 9, 0)
	cut.Data = cut.Data[:47]
	trace := list{packet(1, clock, 3, 7, 5), packet(2, clock.Reverse(), 4, 9, 7), packet(3, clock.Reverse(), 4, 9, 8),
		packet(4, clock, 1, 7, 0), packet(5, ask, 3, 7, 5), cut}
	if got, want := pairs(Match(&trace, NTP, netip.Prefix{})), "request 1 answers 1 stray"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The first FIN or RST of either side ends the connection that the SYN began.
func TestDuration(t *testing.T) {
	other := packets.MakeTuple(0x08080808, 0x0a000002, 80, 4000, packets.TCP)
	trace := list{
		{Time: at(1), Tuple: out, Flags: packets.SYN},
		{Time: at(2), Tuple: back, Flags: packets.SYN | packets.ACK},
		{Time: at(3), Tuple: other, Flags: packets.SYN},
		{Time: at(4), Tuple: out, Flags: packets.ACK, Payload: 10},
		{Time: at(5), Tuple: back, Flags: packets.FIN | packets.ACK},
		{Time: at(6), Tuple: out, Flags: packets.FIN | packets.ACK},
		{Time: at(7), Tuple: other, Flags: packets.RST},
		{Time: at(8), Tuple: out, Flags: packets.SYN | packets.FIN},
		{Time: at(9), Tuple: ask, Payload: 30},
	}
	two := append(list{}, trace...)
	if got, want := pairs(Match(&trace, TCPDuration, netip.Prefix{})),
		"request 1 request 3 answers 1 answers 1 answers 3"; got != want {
		t.Errorf("both sides: %s\nwant        %s", got, want)
	}
	if got, want := pairs(Match(&two, TCPDuration, netip.MustParsePrefix("10.0.0.0/31"))),
		"request 1 answers 1 answers 1"; got != want {
		t.Errorf("outgoing: %s\nwant      %s", got, want)
	}
}

// The true delays of the connections are known. The test compares the delays of each kind with them, for all flows and
// for subsets.
func TestConnections(t *testing.T) {
	const number = 20_000
	measure := func(kind Protocol, flows string) (delays []unit.Time, others int64) {
		var f Flows
		if err := f.UnmarshalText([]byte(flows)); err != nil {
			t.Fatal(err)
		}
		only, truth := NewOnly(NewConnections(number, 1), f), NewTruth(unit.Never/2)
		m := Match(only, kind, netip.MustParsePrefix("10.0.0.0/8"))
		last := unit.Time(0)
		for e := (Event{}); m.Next(&e); {
			if d, ok := truth.Take(&e); ok {
				delays = append(delays, d)
			}
			if e.Time < last {
				t.Fatalf("%v after %v", e.Time, last)
			}
			last = e.Time
		}
		return delays, only.Others
	}
	normal := func(l LogNormal, times float64) func(unit.Time) float64 {
		mu := math.Log(times*float64(l.Mean)) - l.Sigma*l.Sigma/2
		return func(d unit.Time) float64 { return math.Erfc(-(math.Log(float64(d))-mu)/l.Sigma/math.Sqrt2) / 2 }
	}
	near, far8 := normal(roundTrips, 1), normal(roundTrips, farther)
	for _, kind := range []Protocol{TCPHandshake, TCPData} {
		d, _ := measure(kind, ":443")
		distance(t, d, func(x unit.Time) float64 { return (1-far)*near(x) + far*far8(x) })
		d, others := measure(kind, "198.51.100.0/24")
		distance(t, d, far8)
		if n := float64(len(d)); math.Abs(n-number*answered*far) > 5*math.Sqrt(number*answered*far) || others == 0 {
			t.Errorf("%v: %v pairs of far servers, %d packets of others", kind, n, others)
		}
	}
	all, _ := measure(TCPDuration, ":443")
	if n := float64(len(all)); math.Abs(n-number*answered) > 5*math.Sqrt(number*answered*(1-answered)) {
		t.Errorf("%v connections with an end", n)
	}
	d, _ := measure(TCPDuration, "192.0.2.0/24")
	longer := 0 // connections longer than two round trips, whose durations follow the distribution
	for _, x := range d {
		if x > 4*unit.Second {
			longer++
		}
	}
	if n, share := float64(len(d)), 1-normal(durations, 1)(4*unit.Second); math.Abs(float64(longer)-share*n) >
		5*math.Sqrt(share*n) {
		t.Errorf("%d of %v connections last more than 4 s, want %v", longer, n, share*n)
	}
}

func TestFlows(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8":             "true true",
		"10.0.0.1:4000":          "true false",
		":53":                    "false true",
		"10.0.0.1,8.8.8.8:80":    "true false",
		"8.8.8.8:80,10.0.0.1":    "true false",
		"8.8.8.8:80,10.0.0.1:80": "false false",
		"8.8.8.8,8.8.8.8":        "false false",
	} {
		var f Flows
		if err := f.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var again Flows
		if err := again.UnmarshalText([]byte(f.String())); err != nil || again != f {
			t.Errorf("%s reads as %v, which reads as %v, %v", text, f, again, err)
		}
		for _, flow := range []packets.Tuple{out, back} {
			if got := fmt.Sprint(f.contains(&flow), f.contains(&ask)); got != want {
				t.Errorf("%s: contains %v and %v: %s, want %s", text, flow, ask, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"":             `"": want an IPv4 address or prefix`,
		"10.0.0.0/33":  "want an IPv4 address or prefix",
		"::1":          "want a port from 1 to 65535",
		"10.0.0.1:0":   "want a port from 1 to 65535",
		"10.0.0.1:x":   "want a port from 1 to 65535",
		":1,:2,:3":     "3 ends, want one or two",
		"10.0.0.1:1,,": `"": want an IPv4 address or prefix`,
	} {
		if err := new(Flows).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// A trace written to a capture file and read again gives the same pairs.
func TestCapture(t *testing.T) {
	trace := list{
		{Time: at(0), Tuple: out, Size: 140, Flags: packets.ACK, Seq: 100, Ack: 500, Payload: 100},
		{Time: at(9), Tuple: back, Size: 40, Flags: packets.ACK, Seq: 500, Ack: 200},
	}
	var file bytes.Buffer
	if _, err := packets.WritePcap(&file, &trace); err != nil {
		t.Fatal(err)
	}
	r, err := packets.NewReader(&file, "test.pcap")
	if err != nil {
		t.Fatal(err)
	}
	var got []Event
	m := Match(r, TCPData, netip.MustParsePrefix("10.0.0.0/8"))
	var e Event
	for m.Next(&e) {
		got = append(got, e)
	}
	id := identify(out, 200)
	if diff := cmp.Diff([]Event{{at(0), id, false}, {at(9), id, true}}, got); diff != "" || m.Err() != nil {
		t.Error(diff, m.Err())
	}
}

func TestProtocolText(t *testing.T) {
	for _, p := range []Protocol{TCPData, TCPHandshake, DNS, NTP, TCPDuration} {
		var got Protocol
		if err := got.UnmarshalText([]byte(p.String())); err != nil || got != p {
			t.Errorf("%q reads as %v, %v", p, got, err)
		}
	}
	if err := new(Protocol).UnmarshalText([]byte("udp")); err == nil ||
		!strings.Contains(err.Error(), "accepted: tcp, handshake, dns, ntp, duration") {
		t.Errorf("error %v, want the accepted names", err)
	}
}

func BenchmarkMatch(b *testing.B) {
	p := packets.Packet{Tuple: out, Flags: packets.ACK, Payload: 100}
	m := Match(endless{&p}, TCPData, netip.Prefix{})
	b.ReportAllocs()
	var e Event
	for range b.N {
		m.Next(&e)
	}
}

type endless struct{ p *packets.Packet }

func (s endless) Next(p *packets.Packet) bool { s.p.Seq++; *p = *s.p; return true }
func (endless) Err() error                    { return nil }
