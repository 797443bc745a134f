package inband

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

// unhex reads hexadecimal digits. It ignores blanks and comments after a #.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInstructionWords(t *testing.T) {
	for _, tt := range []struct {
		ins  Instructions
		want int
		text string
	}{
		{0, 0, "none"},
		{0x9000, 2, "node-id+queue-occupancy"},
		{0x8000, 1, "node-id"},
		{0x4000, 1, "level1-interfaces"},
		{0x2000, 1, "hop-latency"},
		{0x0800, 2, "ingress-time"},
		{0x0400, 2, "egress-time"},
		{0x0200, 2, "level2-interfaces"},
		{0x0100, 1, "tx-utilization"},
		{0x0080, 1, "buffer-occupancy"},
		{0x0040, 1, "reserved-9"},
		{0x0001, 1, "checksum-complement"},
		{0xffff, 19,
			"node-id+level1-interfaces+hop-latency+queue-occupancy+ingress-time+egress-time+level2-interfaces+" +
				"tx-utilization+buffer-occupancy+reserved-9+reserved-10+reserved-11+reserved-12+reserved-13+" +
				"reserved-14+checksum-complement"},
	} {
		if got := tt.ins.Words(); got != tt.want {
			t.Errorf("%#04x has %d words, want %d", uint16(tt.ins), got, tt.want)
		}
		if got := tt.ins.String(); got != tt.text {
			t.Errorf("%#04x is %q, want %q", uint16(tt.ins), got, tt.text)
		}
	}
	if NodeID != 0x8000 || QueueOccupancy != 0x1000 || BufferOccupancy != 0x0080 {
		t.Error("an instruction has the wrong bit")
	}
}

// The example of the specification has three switches. Each hop writes its node ID and its queue occupancy, and up to
// eight hops may write. Two hops have written when the packet reaches the sink.
const specExample = `
	10 07 00 28   # MD, NPT 0, 7 words; DSCP 10 in the top bits of the last byte
	20 00 02 06   # version 2, HopML 2, 6 hops remain
	90 00 00 00   # node ID and queue occupancy; no domain
	00 00 00 00
	00 00 00 02   # second switch
	05 00 0b b8   #   queue 5, 3000
	00 00 00 01   # first switch
	00 00 03 e8   #   queue 0, 1000
`

func TestMessageBySpecExample(t *testing.T) {
	b := unhex(t, specExample)
	var m Message
	rest, err := m.Decode(append(bytes.Clone(b), "payload"...))
	if err != nil || string(rest) != "payload" {
		t.Fatalf("rest %q, %v", rest, err)
	}
	want := Message{
		Shim:   Shim{Type: TypeMD, NextProtocol: OriginalDSCP, Length: 7, Original: 10 << 2},
		Header: Header{HopWords: 2, RemainingHops: 6, Instructions: NodeID | QueueOccupancy},
		Stack:  b[16:],
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("decoded (-want +got):\n%s", d)
	}
	hops, err := m.Hops(0)
	if err != nil || hops != 2 {
		t.Fatalf("%d hops, %v; want 2", hops, err)
	}
	for i, want := range []Metadata{
		{Available: NodeID | QueueOccupancy, NodeID: 2, Queue: 5, QueueOccupancy: 3000},
		{Available: NodeID | QueueOccupancy, NodeID: 1, Queue: 0, QueueOccupancy: 1000},
	} {
		var got Metadata
		if err := m.Hop(i, hops, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("hop %d (-want +got):\n%s", i, d)
		}
	}
	if back, err := m.Append(nil); err != nil || !bytes.Equal(back, b) {
		t.Errorf("encoded again: %x, %v; want %x", back, err, b)
	}
}

// Every field has a distinct value.
func TestHopWithEveryInstruction(t *testing.T) {
	b := unhex(t, `
		01020304            # node ID
		1112 1314           # level-1 ingress, egress
		21222324            # hop latency
		31 323334           # queue, occupancy
		41424344 45464748   # ingress time
		51525354 55565758   # egress time
		61626364 65666768   # level-2 ingress, egress
		71727374            # TX utilisation
		81 828384           # buffer, occupancy
		91929394 a1a2a3a4 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 # reserved 9 to 14
		f1f2f3f4 f5f6f7f8   # two domain-specific words
		00001234            # checksum complement
	`)
	want := Metadata{
		Available: 0xffff, NodeID: 0x01020304, Ingress1: 0x1112, Egress1: 0x1314, HopLatency: 0x21222324,
		Queue: 0x31, QueueOccupancy: 0x323334, IngressTime: 0x4142434445464748, EgressTime: 0x5152535455565758,
		Ingress2: 0x61626364, Egress2: 0x65666768, TxUtilization: 0x71727374, Buffer: 0x81, BufferOccupancy: 0x828384,
		Reserved: [6]uint32{0x91929394, 0xa1a2a3a4, 0xb1b2b3b4, 0xc1c2c3c4, 0xd1d2d3d4, 0xe1e2e3e4},
		Domain:   b[18*4 : 20*4], ChecksumComplement: 0x1234,
	}
	var got Metadata
	if err := got.Decode(b, 0xffff); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("decoded (-want +got):\n%s", d)
	}
	back := make([]byte, len(b))
	got.put(back, 0xffff)
	if !bytes.Equal(back, b) {
		t.Errorf("encoded again:\n%x, want\n%x", back, b)
	}
	// A value that is not available is all ones, also in 8 bytes.
	got = Metadata{Available: NodeID, NodeID: 7}
	back = back[:5*4]
	got.put(back, NodeID|IngressTime|ChecksumComplement)
	if want := unhex(t, "00000007 ffffffff ffffffff ffffffff ffffffff"); !bytes.Equal(back, want) {
		t.Errorf("%x, want %x", back, want)
	}
	if err := got.Decode(back, NodeID|IngressTime|ChecksumComplement); err != nil || got.Available != NodeID {
		t.Errorf("available: %v, %v; want node-id", got.Available, err)
	}
}

// The flags, the reserved bits and the three uses of the last shim field are preserved.
func TestHeaderFields(t *testing.T) {
	for _, tt := range []struct {
		bytes string
		shim  Shim
		head  Header
	}{
		{"17 03 12 b7  2f ff ff ff  00 00 12 34  56 78 9a bc",
			Shim{Type: 1, NextProtocol: 1, Reserved: 3, Length: 3, Original: 0x12b7},
			Header{Discard: true, HopsExceeded: true, MTUExceeded: true, Reserved: 0xfff,
				HopWords: 31, RemainingHops: 255,
				Domain: 0x1234, DomainInstructions: 0x5678, DomainFlags: 0x9abc}},
		{"18 03 00 06  28 00 01 01  80 00 00 00  00 00 00 00",
			Shim{Type: 1, NextProtocol: 2, Length: 3, Original: 6},
			Header{Discard: true, HopWords: 1, RemainingHops: 1, Instructions: NodeID}},
		{"10 03 00 00  24 00 00 00  00 00 00 00  00 00 00 00", Shim{Type: 1, Length: 3}, Header{HopsExceeded: true}},
		{"10 03 00 00  22 00 00 00  00 00 00 00  00 00 00 00", Shim{Type: 1, Length: 3}, Header{MTUExceeded: true}},
	} {
		b := unhex(t, tt.bytes)
		var m Message
		if _, err := m.Decode(b); err != nil {
			t.Errorf("%s: %v", tt.bytes, err)
		}
		if d := cmp.Diff(Message{Shim: tt.shim, Header: tt.head, Stack: []byte{}}, m); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.bytes, d)
		}
		if back, err := m.Append(nil); err != nil || !bytes.Equal(back, b) {
			t.Errorf("%s encoded again: %x, %v", tt.bytes, back, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ bytes, want string }{
		{"", "INT shim of 0 bytes, want 4"},
		{"00 03 00 00", "INT type 0, want 1 to 3"},
		{"40 03 00 00", "INT type 4, want 1 to 3"},
		{"1c 03 00 00", "INT next protocol type 3, want 0 to 2"},
		{"20 03 00 00", "INT type 2, want MD (1)"},
		{"30 03 00 00", "INT type 3, want MD (1)"},
		{"10 02 00 00 20 00 00 00 00 00 00 00", "INT … 2 words, … 3"},
		{"10 03 00 00 20 00 00 00 00 00 00 00", "INT … 16 bytes, … 12"},
		{"10 03 00 00 10 00 02 06 90 00 00 00 00 00 00 00", "INT version 1, want 2"},
		{"10 03 00 00 20 00 01 06 90 00 00 00 00 00 00 00",
			"INT hops … 1 word … short … node-id+queue-occupancy, … 2"},
	} {
		var m Message
		if _, err := m.Decode(unhex(t, tt.bytes)); !errtest.Says(err, tt.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.bytes, err, tt.want)
		}
	}
}

// Hops of the stack have 2 words, and the source wrote 3 words more.
func TestHopsWithSourceOnlyWords(t *testing.T) {
	head := Header{HopWords: 2, Instructions: NodeID}
	for _, tt := range []struct {
		words, source, want int
		err                 string
	}{
		{0, 0, 0, ""},
		{0, 3, 0, ""},
		{5, 3, 1, ""}, // only the hop of the source
		{9, 3, 3, ""}, // and two hops
		{4, 3, 2, ""}, // the source had no room, and two later hops have written
		{3, 3, 0, "an INT stack of 3 words, with 2 for each hop and 3 from the source alone, is not a whole " +
			"number of hops"},
		{5, 0, 0, "an INT stack of 5 words, with 2 for each hop and 0 from the source alone, is not a whole " +
			"number of hops"},
		{4, -1, 0, "an INT stack of 4 words, with 2 for each hop and -1 from the source alone, is not a " +
			"whole number of hops"},
	} {
		m := Message{Header: head, Stack: make([]byte, 4*tt.words)}
		got, err := m.Hops(tt.source)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%d words, %d from the source: %d, %v; want %d, %s",
				tt.words, tt.source, got, err, tt.want, tt.err)
		}
	}
	m := Message{Header: head, Stack: unhex(t, "00000002 00000022  00000001 00000011 aaaaaaaa bbbbbbbb cccccccc")}
	var md Metadata
	if err := m.Hop(0, 2, &md); err != nil || md.NodeID != 2 || len(md.Domain) != 4 {
		t.Errorf("second hop: %+v, %v", md, err)
	}
	if err := m.Hop(1, 2, &md); err != nil || md.NodeID != 1 || len(md.Domain) != 16 {
		t.Errorf("source: %+v, %v", md, err)
	}
	for _, tt := range []struct {
		i, hops int
		want    string
	}{{2, 2, "INT hop 2 of 2"}, {-1, 2, "INT hop -1 of 2"},
		{0, 9, "INT stack of 28 bytes is too short for 9 hops"}} {
		if err := m.Hop(tt.i, tt.hops, &md); !errtest.Says(err, tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestAppendErrors(t *testing.T) {
	ok := Message{Shim: Shim{Type: TypeMD}, Header: Header{HopWords: 1}}
	for _, tt := range []struct {
		edit func(*Message)
		want string
	}{
		{func(m *Message) { m.Shim.Type = 9 },
			"bad INT shim {Type:9 NextProtocol:0 Reserved:0 Length:0 Original:0}"},
		{func(m *Message) { m.Stack = make([]byte, 5) },
			"INT stack of 5 bytes, want a multiple of 4 up to 1008"},
		{func(m *Message) { m.Stack = make([]byte, 1012) },
			"INT stack of 1012 bytes, want a multiple of 4 up to 1008"},
		{func(m *Message) { m.Header.Instructions = IngressTime },
			"INT hops … 1 word … short … ingress-time, … 2"},
		{func(m *Message) { m.Header.HopWords = 32 },
			"bad INT metadata header {Discard:false HopsExceeded:false MTUExceeded:false Reserved:0 " +
				"HopWords:32 RemainingHops:0 Instructions:none Domain:0 DomainInstructions:0 DomainFlags:0}"},
	} {
		m := ok
		tt.edit(&m)
		if b, err := m.Append([]byte("x")); !errtest.Says(err, tt.want) || string(b) != "x" {
			t.Errorf("got  %q, %v\nwant %s", b, err, tt.want)
		}
	}
}

func drawMetadata(t *rapid.T, ins Instructions, domainBytes int) Metadata {
	m := Metadata{Available: ins & Instructions(rapid.Uint16().Draw(t, "available"))}
	b := make([]byte, 4*ins.Words()+domainBytes)
	for i := range b {
		b[i] = rapid.Byte().Draw(t, "byte")
	}
	var values Metadata
	if err := values.Decode(b, ins); err != nil {
		t.Fatal(err)
	}
	values.Available = m.Available & values.Available
	if rapid.Bool().Draw(t, "no domain words") {
		values.Domain = nil
	}
	return values
}

func TestHopDecodeErrors(t *testing.T) {
	var m Metadata
	want := "INT hop of 4 bytes, but node-id+hop-latency needs 8"
	if err := m.Decode(make([]byte, 4), NodeID|HopLatency); !errtest.Says(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
	head := Header{}
	if err := head.Decode(make([]byte, 11)); !errtest.Says(err, "INT metadata header of 11 bytes, want 12") {
		t.Errorf("short header: %v", err)
	}
}

// put and Decode are inverse to each other for every hop, from bytes to values and back.
func TestHopRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ins := Instructions(rapid.Uint16().Draw(t, "instructions"))
		b := rapid.SliceOfN(rapid.Byte(), 4*ins.Words(), 4*ins.Words()).Draw(t, "values")
		b = append(b, make([]byte, 4*rapid.IntRange(0, 3).Draw(t, "domain words"))...)
		for i := range b {
			if i%4 == 0 && rapid.Bool().Draw(t, "all ones") {
				copy(b[i:], "\xff\xff\xff\xff")
			}
		}
		var m Metadata
		if err := m.Decode(b, ins); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, len(b))
		m.put(back, ins)
		if !bytes.Equal(back, b) {
			t.Fatalf("%v: %x encoded again: %x", ins, b, back)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add(unhex(f, specExample))
	f.Add(unhex(f, "17 03 12 b7  2f ff ff ff  00 00 12 34  56 78 9a bc"))
	f.Add(unhex(f, "10 05 00 00  20 00 02 06  08 01 00 00  00 00 00 00  ffffffff ffffffff"))
	f.Add(unhex(f, "30 03 00 00  20 00 00 00  90 00 00 00  00 00 00 00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Message
		rest, err := m.Decode(b)
		if err != nil {
			return
		}
		back, err := m.Append(nil)
		if err != nil || !bytes.Equal(append(back, rest...), b) {
			t.Fatalf("%x encoded again: %x, %v", b, back, err)
		}
		hops, err := m.Hops(0)
		if err != nil {
			return
		}
		var stack []byte
		for i := range hops {
			var md Metadata
			if err := m.Hop(i, hops, &md); err != nil {
				t.Fatal(err)
			}
			hop := make([]byte, 4*m.Header.HopWords)
			md.put(hop, m.Header.Instructions)
			stack = append(stack, hop...)
		}
		if !bytes.Equal(stack, m.Stack) {
			t.Fatalf("stack %x encoded again: %x", m.Stack, stack)
		}
	})
}
