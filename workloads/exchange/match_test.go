package exchange

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// list is a source of given packets.
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

// pairs writes what came out as "request at", "response to the request at", in
// microseconds; a response without request is "stray".
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

// Data from 0x…fff0 over the end of the sequence numbers; acknowledgements of two segments
// at once; data that acknowledges data.
func TestTCPData(t *testing.T) {
	trace := list{
		{Time: at(0), Tuple: out, Flags: packets.SYN, Seq: 0xffffffef},
		{Time: at(1), Tuple: out, Flags: packets.ACK, Seq: 0xfffffff0, Ack: 500, Payload: 16},
		{Time: at(2), Tuple: out, Flags: packets.ACK, Seq: 0, Ack: 500, Payload: 100},
		{Time: at(3), Tuple: out, Flags: packets.ACK, Seq: 100, Ack: 500, Payload: 100},
		{Time: at(4), Tuple: back, Flags: packets.ACK, Seq: 500, Ack: 0},                // the first
		{Time: at(5), Tuple: back, Flags: packets.ACK, Seq: 500, Ack: 200, Payload: 20}, // the third, with data
		{Time: at(6), Tuple: out, Flags: packets.ACK, Seq: 200, Ack: 520},               // of that
		{Time: at(7), Tuple: back, Flags: packets.RST | packets.ACK, Seq: 520, Ack: 200},
		{Time: at(8), Tuple: ask, Payload: 30},
		{Time: at(8), Tuple: out, Flags: packets.FIN, Seq: 200, Payload: 7},
		{Time: at(9), Tuple: back, Flags: packets.FIN | packets.ACK, Seq: 520, Ack: 208},
	}
	two := append(list{}, trace...)
	// The first three segments acknowledge byte 500, which nobody sent here.
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

// Karn's rule: the first segment is sent again before its acknowledgement, the second one after it.
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
		segment(99, 0), ack(100, 10), // a whole turn of the sequence numbers later
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
		{Time: at(5), Tuple: out, Flags: packets.SYN | packets.ACK, Ack: 11}, // of another SYN
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
		{Time: at(3), Tuple: ask.Reverse(), Payload: 90, Data: answer},                      // of the first
		{Time: at(4), Tuple: ask.Reverse(), Payload: 90, Data: []byte{0x12, 0x35, 0x81, 0}}, // of none
		{Time: at(5), Tuple: ask, Payload: 30, Data: answer},                                // an answer to port 53
		{Time: at(6), Tuple: out, Flags: packets.SYN},
	}
	if got, want := pairs(Match(&trace, DNS, netip.Prefix{})), "request 1 answers 1 stray"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The same through a capture file.
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
	for _, p := range []Protocol{TCPData, TCPHandshake, DNS} {
		var got Protocol
		if err := got.UnmarshalText([]byte(p.String())); err != nil || got != p {
			t.Errorf("%q reads as %v, %v", p, got, err)
		}
	}
	if err := new(Protocol).UnmarshalText([]byte("udp")); err == nil ||
		!strings.Contains(err.Error(), "accepted: tcp, handshake, dns") {
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
