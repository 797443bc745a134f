package packets

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// list is a Source of packets in memory.
type list struct{ left []Packet }

func (l *list) Next(p *Packet) bool {
	if len(l.left) == 0 {
		return false
	}
	*p, l.left = l.left[0], l.left[1:]
	return true
}

func (l *list) Err() error { return nil }

func collect(t *testing.T, s Source) []Packet {
	t.Helper()
	var all []Packet
	var p Packet
	for s.Next(&p) {
		p.Data = slices.Clone(p.Data)
		all = append(all, p)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// some returns packets of every kind that a capture distinguishes.
func some() []Packet {
	return []Packet{
		{Time: 0, Tuple: MakeTuple(0x0a000001, 0x0a000002, 1000, 80, TCP), Size: 1500, Payload: 1460, Seq: 7, Ack: 9,
			Flags: SYN | ACK, Data: []byte("GET /")},
		{Time: 3 * unit.Microsecond, Tuple: MakeTuple(0x0a000002, 0x08080808, 5353, 53, UDP), Size: 60, Payload: 32,
			Data: []byte{0xab, 0xcd, 1}},
		{Time: 5 * unit.Second, Tuple: MakeTuple(0xffffffff, 1, 0, 0, ICMP), Size: 84},
		{Time: 5 * unit.Second, Tuple: MakeTuple(1, 2, 65535, 1, SCTP), Size: 84},
	}
}

func pcapOf(t testing.TB, packets []Packet) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := WritePcap(&b, &list{packets})
	if err != nil || int(n) != len(packets) {
		t.Fatal(n, err)
	}
	return b.Bytes()
}

func TestPcapRoundTrip(t *testing.T) {
	want := some()
	file := pcapOf(t, want)
	for _, zipped := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "trace.pcap")
		data := file
		if zipped {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(file)
			z.Close()
			data = b.Bytes()
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, collect(t, r)); diff != "" {
			t.Errorf("gzip %t (-want +got):\n%s", zipped, diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	want := some()
	for i := range want {
		want[i] = Packet{Time: want[i].Time, Tuple: want[i].Tuple}
	}
	var b bytes.Buffer
	if n, err := WriteRecords(&b, &list{want}); err != nil || n != 4 || b.Len() != 4*21 {
		t.Fatal(n, err, b.Len())
	}
	r, err := NewReader(bytes.NewReader(b.Bytes()), "caida.dat")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, collect(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r, _ = NewReader(bytes.NewReader(b.Bytes()[:3*21+5]), "caida.dat")
	var p Packet
	for r.Next(&p) {
	}
	if diff := cmp.Diff(&Truncation{Packets: 3, Byte: 3 * 21}, r.Truncation()); diff != "" || r.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", r.Err(), diff)
	}
	const want1 = "the file is truncated: it ends within the record at byte 21, after 1 packet"
	if got := (&Truncation{Packets: 1, Byte: 21}).Error(); got != want1 {
		t.Errorf("%s, want %s", got, want1)
	}
	r, _ = NewReader(bytes.NewReader(b.Bytes()[:5]), "caida.dat")
	const want0 = "caida.dat: packet 1: the file is truncated: it ends within the record at byte 0, after 0 packets"
	if r.Next(&p) || fmt.Sprint(r.Err()) != want0 || r.Truncation() != nil {
		t.Errorf("%v, want %s", r.Err(), want0)
	}
}

// The test reads a packet of 10.0.0.1:1 > 10.0.0.2:2 UDP in every framing that the reader supports.
func TestLinkTypes(t *testing.T) {
	tuple := MakeTuple(0x0a000001, 0x0a000002, 1, 2, UDP)
	inner := Packet{Tuple: tuple}
	ip := inner.append(nil)
	be := func(words ...uint16) (b []byte) {
		for _, w := range words {
			b = binary.BigEndian.AppendUint16(b, w)
		}
		return b
	}
	mac := make([]byte, 12)
	for _, c := range []struct {
		link  layers.LinkType
		front []byte
		want  Skipped
	}{
		{layers.LinkTypeEthernet, append(mac, be(0x0800)...), Skipped{}},
		{layers.LinkTypeEthernet, append(mac, be(0x8100, 5, 0x0800)...), Skipped{}},
		{layers.LinkTypeEthernet, append(mac, be(0x88a8, 5, 0x8100, 6, 0x0800)...), Skipped{}},
		{layers.LinkTypeEthernet, append(mac, be(0x8847, 1, 0x0040, 2, 0x0140)...), Skipped{}},
		{layers.LinkTypeEthernet, append(mac, be(0x8864, 0x1100, 1, 30, 0x0021)...), Skipped{}},
		{layers.LinkTypeEthernet, append(mac, be(0x86dd)...), Skipped{}}, // the version counts
		{layers.LinkTypeEthernet, append(mac, be(0x0806)...), Skipped{NotIP: 1}},
		{layers.LinkTypeEthernet, mac[:11:11], Skipped{NotIP: 1}},
		{layers.LinkTypeRaw, nil, Skipped{}},
		{linkRawBSD, nil, Skipped{}},
		{linkRawOpenBSD, nil, Skipped{}},
		{layers.LinkTypeIPv4, nil, Skipped{}},
		{layers.LinkTypeNull, []byte{2, 0, 0, 0}, Skipped{}},
		{layers.LinkTypeLoop, []byte{0, 0, 0, 2}, Skipped{}},
		{layers.LinkTypePPP, be(0x0021), Skipped{}},
		{layers.LinkTypePPP, []byte{0x21}, Skipped{}},
		{layers.LinkTypePPP, be(0xff03, 0x0021), Skipped{}},
		{layers.LinkTypePPP_HDLC, be(0xff03, 0x0029), Skipped{NotIP: 1}},
		{layers.LinkTypeC_HDLC, be(0x0f00, 0x0800), Skipped{}},
		{layers.LinkTypeLinuxSLL, append(make([]byte, 14), be(0x0800)...), Skipped{}},
		{layers.LinkTypeLinuxSLL2, append(be(0x0800), make([]byte, 18)...), Skipped{}},
		{layers.LinkTypeLinuxSLL2, slices.Concat(be(0x8100), make([]byte, 18), be(5, 0x0800)), Skipped{}},
		{layers.LinkTypeLinuxSLL2, slices.Concat(be(0x88a8), make([]byte, 18), be(5, 0x8100, 6, 0x0800)), Skipped{}},
		{layers.LinkTypeLinuxSLL2, slices.Concat(be(0x8100), make([]byte, 18), be(5, 0x0806)), Skipped{NotIP: 1}},
		{layers.LinkTypeLinuxSLL2, append(be(0x0806), make([]byte, 18)...), Skipped{NotIP: 1}},
	} {
		var b bytes.Buffer
		w := pcapgo.NewWriter(&b)
		w.WriteFileHeader(65535, c.link)
		frame := append(slices.Clone(c.front), ip...)
		w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(frame), Length: len(frame)},
			frame)
		r, err := NewReader(&b, "x.pcap")
		if err != nil {
			t.Errorf("%v % x: %v", c.link, c.front, err)
			continue
		}
		got := collect(t, r)
		if r.Skipped() != c.want || len(got)+c.want.Total() != 1 {
			t.Errorf("%v % x: %d packets, skipped %+v, want %+v", c.link, c.front, len(got), r.Skipped(), c.want)
		}
		if len(got) == 1 && got[0].Tuple != tuple {
			t.Errorf("%v % x: %v", c.link, c.front, got[0].Tuple)
		}
	}
}

// A capture that ends anywhere but between two packets has all packets before its end, and the reader reports where it
// ends. Without a complete packet it is an error.
func TestTruncated(t *testing.T) {
	var ng bytes.Buffer
	w, _ := pcapgo.NewNgWriter(&ng, layers.LinkTypeRaw)
	starts := map[string][]int{}
	pcap := pcapOf(t, some())
	at := 24
	for _, p := range some() {
		starts["pcap"] = append(starts["pcap"], at)
		data := p.append(nil)
		at += 16 + len(data)
		w.Flush()
		starts["pcapng"] = append(starts["pcapng"], ng.Len())
		w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(data), Length: len(data)},
			data)
	}
	w.Flush()
	for name, file := range map[string][]byte{"pcap": pcap, "pcapng": ng.Bytes()} {
		for n := range len(file) {
			got, cut, err := until(bytes.NewReader(file[:n]), "cut."+name)
			whole := len(starts[name]) - 1 // complete packets
			for whole >= 0 && starts[name][whole] > n {
				whole--
			}
			var want *Truncation
			if whole > 0 && starts[name][whole] < n {
				want = &Truncation{Packets: int64(whole), Byte: int64(starts[name][whole])}
			}
			// The blocks of a pcapng file before the first packet make a valid, empty file.
			empty := whole == 0 && starts[name][0] < n || whole < 0 && !(name == "pcapng" && err == nil)
			if got != max(whole, 0) || cmp.Diff(want, cut) != "" || (err != nil) != empty {
				t.Errorf("%s cut to %d bytes: %d packets, %+v, %v; want %d, %+v", name, n, got, cut, err, whole, want)
			}
		}
	}
}

// until counts the packets of a file up to its end.
func until(file io.Reader, name string) (n int, cut *Truncation, err error) {
	r, err := NewReader(file, name)
	if err != nil {
		return 0, nil, err
	}
	var p Packet
	for r.Next(&p) {
		n++
	}
	return n, r.Truncation(), r.Err()
}

// If a compressed file is truncated, the packets before its end are read. If its content is wrong, it is an error.
func TestTruncatedGzip(t *testing.T) {
	plain := pcapOf(t, some())
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(plain[:len(plain)-60]) //nolint:errcheck // a wrong file fails the test
	z.Flush()                      //nolint:errcheck // the same
	begun := b.Len()
	z.Write(plain[len(plain)-60:]) //nolint:errcheck // the same
	z.Close()                      //nolint:errcheck // the same
	n, cut, err := until(bytes.NewReader(b.Bytes()[:begun]), "x.pcap.gz")
	if err != nil || n == 0 || cut == nil || cut.Packets != int64(n) || cut.Byte > int64(len(plain)-60) {
		t.Errorf("%d packets, %+v, %v", n, cut, err)
	}
	wrong := bytes.Clone(b.Bytes())
	wrong[len(wrong)-6] ^= 1 // the checksum
	if _, cut, err := until(bytes.NewReader(wrong), "x.pcap.gz"); !errors.Is(err, gzip.ErrChecksum) || cut != nil {
		t.Errorf("%+v, %v", cut, err)
	}
}

// A capture with wrong lengths is an error, although its last record is too short for its content.
func TestCorrupt(t *testing.T) {
	var ng bytes.Buffer
	w, _ := pcapgo.NewNgWriter(&ng, layers.LinkTypeRaw)
	var last int
	for _, p := range some() {
		w.Flush()
		last = ng.Len()
		data := p.append(nil)
		w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(data), Length: len(data)},
			data)
	}
	w.Flush()
	file := ng.Bytes()
	binary.LittleEndian.PutUint32(file[last+20:], 1000) // the captured length; the block is shorter
	binary.LittleEndian.PutUint32(file[last+24:], 1000)
	n, cut, err := until(bytes.NewReader(file), "x.pcapng")
	if n != len(some())-1 || cut != nil ||
		!errtest.Says(err, "x.pcapng: packet 4: the last block is shorter than its content") {
		t.Errorf("%d packets, %+v, %v", n, cut, err)
	}
	pcap := pcapOf(t, some())
	binary.LittleEndian.PutUint32(pcap[24+8:], 1<<30)
	if _, cut, err := until(bytes.NewReader(pcap), "x.pcap"); err == nil || cut != nil {
		t.Errorf("%+v, %v", cut, err)
	}
}

func TestErrors(t *testing.T) {
	header := func(link layers.LinkType) string {
		var b bytes.Buffer
		pcapgo.NewWriter(&b).WriteFileHeader(65535, link)
		return b.String()
	}
	for _, c := range []struct{ file, want string }{
		{"", "x: the file is shorter than the header of a capture"},
		{"\xd4\xc3\xb2\xa1", "x: the file is truncated: it ends within the header of the capture"},
		{"PK\x03\x04", "x: not a trace: it begins with 50 4b 03 04; want a pcap or pcapng file, or records in a " +
			"file whose name ends in .dat"},
		{header(layers.LinkTypeIEEE802_11),
			"x: link type 105 (802.11): want Ethernet, raw IP, BSD loopback, PPP, Cisco HDLC or Linux cooked"},
		{header(200), "x: link type 200 (UnknownLinkType): want Ethernet, raw IP, BSD loopback, PPP, Cisco HDLC or " +
			"Linux cooked"},
	} {
		_, err := NewReader(strings.NewReader(c.file), "x")
		if fmt.Sprint(err) != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.file, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.pcap")); err == nil {
		t.Error("no error for a file that does not exist")
	}
}

// A capture with a short snap length still contains some fields.
func TestCutPackets(t *testing.T) {
	p := some()[0]
	whole := p.append(nil)
	for n := range len(whole) {
		var got Packet
		v, _ := got.parse(whole[:n], true, 1500, nil)
		switch {
		case n < 24:
			if v != cut {
				t.Errorf("%d bytes: verdict %d", n, v)
			}
		case v != 0:
			t.Errorf("%d bytes: verdict %d", n, v)
		case got.Tuple != p.Tuple || got.Size != 1500 || (got.Flags == p.Flags) != (n >= 34) ||
			(got.Seq == p.Seq) != (n >= 32) || (got.Payload == p.Payload) != (n >= 34):
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
}

func TestHeadersThatContradictThemselves(t *testing.T) {
	p := some()[0]
	good := p.append(nil)
	for _, c := range []struct {
		name string
		at   int
		to   byte
		want verdict
	}{
		{"IP header of 16 bytes", 0, 0x44, bad},
		{"version 5", 0, 0x55, foreign},
		{"total length 23", 3, 23, bad},
		// The ports precede the wrong field of the header, so they are valid.
		{"TCP header of 0 bytes", 32, 0, whole},
		{"TCP header of 16 bytes", 32, 4 << 4, whole},
		{"TCP header of 60 bytes, but only 2 bytes are left in the packet8", 3, 28, whole},
		{"UDP header in 4 bytes", 3, 24, whole},
		{"fragment", 7, 1, part},
		{"good", 0, 0x45, whole},
	} {
		b := slices.Clone(good)
		b[c.at] = c.to
		tuple := p.Tuple
		if c.at == 3 { // the low byte of the total length
			b[2], b[32] = 0, 15<<4
		}
		if strings.HasPrefix(c.name, "UDP") {
			b[9], tuple[12] = UDP, UDP
		}
		var got Packet
		if v, _ := got.parse(b, true, len(b), &addresses{}); v != c.want {
			t.Errorf("%s: verdict %d, want %d", c.name, v, c.want)
		}
		if broken := c.at == 3 || c.at == 32; broken && c.want == whole &&
			(got.Tuple != tuple || got.Payload != 0 || got.Data != nil) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.name == "fragment" && (got.Tuple.SrcPort() != 0 || got.Tuple.Protocol() != TCP) {
			t.Errorf("fragment: %v", got.Tuple)
		}
	}
}

// Fragments belong to the flow of their datagram, even if the fragments of two datagrams are mixed. Fragments without a
// first fragment are skipped and counted. A protocol without ports does not need the first fragment.
func TestFragments(t *testing.T) {
	p := some()[0]
	piece := func(id, offset uint16, protocol, port byte) []byte {
		b := slices.Clone(p.append(nil))
		binary.BigEndian.PutUint16(b[4:], id)
		binary.BigEndian.PutUint16(b[6:], offset)
		b[9], b[21] = protocol, port
		return b
	}
	const more = 0x2000
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	w.WriteFileHeader(65535, layers.LinkTypeRaw)
	var want []Tuple
	for _, f := range []struct {
		bytes []byte
		port  int // source port of its first fragment, 0 without ports; -1 if it is skipped
	}{
		{piece(7, 20, UDP, 9), -1}, // before the first
		{piece(7, more, UDP, 1), 1},
		{piece(8, more, UDP, 2), 2},
		{piece(7, more|20, UDP, 9), 1},
		{piece(8, 20, UDP, 9), 2},
		{piece(8, 20, TCP, 9), -1}, // another protocol
		{piece(9, 20, UDP, 9), -1},
		{piece(7, 40, UDP, 9), 1},
		{piece(7, more, UDP, 3), 3}, // the identification is used again
		{piece(7, 20, UDP, 9), 3},
		{piece(5, 20, 1, 9), 0}, // ICMP
		{piece(6, 0, UDP, 4), 4},
		{piece(6, 20, UDP, 9), -1}, // the datagram was complete
	} {
		w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(f.bytes),
			Length: len(f.bytes)}, f.bytes)
		if f.port >= 0 {
			tuple := p.Tuple
			if tuple[12] = f.bytes[9]; f.port == 0 {
				clear(tuple[8:12])
			} else {
				tuple[9] = byte(f.port)
			}
			want = append(want, tuple)
		}
	}
	r, err := NewReader(&file, "x.pcap")
	if err != nil {
		t.Fatal(err)
	}
	var got []Tuple
	for p := (Packet{}); r.Next(&p); {
		got = append(got, p.Tuple)
	}
	if r.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n got %v\nwant %v", r.Err(), got, want)
	}
	if s := r.Skipped(); s != (Skipped{Fragments: 4}) || s.Total() != 4 {
		t.Errorf("skipped %v", s)
	}
	var f fragments
	for id := range 3 * maxFragmented {
		f.first(&Packet{}, fragment{id: uint32(id), more: true})
	}
	if len(f.ports) > maxFragmented || len(f.order) > maxFragmented {
		t.Errorf("%d datagrams are kept, want at most %d", len(f.ports), maxFragmented)
	}
}

func TestTuple(t *testing.T) {
	a := MakeTuple(0x0a000001, 0xc0a80102, 1000, 80, TCP)
	if got := a.String(); got != "10.0.0.1:1000 > 192.168.1.2:80 TCP" {
		t.Error(got)
	}
	if got := a.Reverse().String(); got != "192.168.1.2:80 > 10.0.0.1:1000 TCP" {
		t.Error(got)
	}
	if got := MakeTuple(1, 2, 3, 4, 47).String(); got != "0.0.0.1:3 > 0.0.0.2:4 protocol 47" {
		t.Error(got)
	}
	if got := MakeTuple(1, 2, 0, 0, ICMP).String(); got != "0.0.0.1 > 0.0.0.2 ICMP" {
		t.Error(got)
	}
	// Every byte counts.
	for i := range a {
		b := a
		b[i]++
		if a.Key() == b.Key() {
			t.Errorf("byte %d does not reach the key", i)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	var many []Packet
	for range 2000 {
		many = append(many, some()...)
	}
	r, err := NewReader(bytes.NewReader(pcapOf(t, many)), "x")
	if err != nil {
		t.Fatal(err)
	}
	var p Packet
	if n := testing.AllocsPerRun(1000, func() { r.Next(&p) }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}

// Reading any file ends without a panic, and every returned packet is consistent.
func FuzzReader(f *testing.F) {
	f.Add(pcapOf(f, some()), false)
	var ng bytes.Buffer
	w, _ := pcapgo.NewNgWriter(&ng, layers.LinkTypeEthernet)
	inner := some()[1]
	data := append([]byte{12: 8, 13: 0}, inner.append(nil)...)
	w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(data), Length: len(data)}, data)
	w.Flush()
	f.Add(ng.Bytes(), false)
	var rec bytes.Buffer
	WriteRecords(&rec, &list{some()})
	f.Add(rec.Bytes(), true)
	f.Add(captureOf(f, layers.LinkTypeRaw, slices.Collect(maps.Values(ipv6Packets()))...), false)
	f.Fuzz(func(t *testing.T, file []byte, records bool) {
		name := "x"
		if records {
			name = "x.dat"
		}
		r, err := NewReader(bytes.NewReader(file), name)
		if err != nil {
			return
		}
		var p Packet
		n := 0
		for ; r.Next(&p); n++ {
			if p.Payload < 0 || p.Payload > max(p.Size, 0) || len(p.Data) > p.Payload {
				t.Fatalf("%+v", p)
			}
		}
		if n > len(file) {
			t.Fatalf("%d packets from %d bytes", n, len(file))
		}
		if err := r.Err(); err != nil && err == io.EOF {
			t.Fatal("the end of the file is an error")
		}
	})
}

// If a fraction is a second or more, the error names the packet, in both byte orders.
func TestImpossibleTime(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for magic, most := range map[uint32]uint32{0xa1b2c3d4: 1_000_000, 0xa1b23c4d: 1_000_000_000} {
			file := order.AppendUint32(nil, magic)
			file = order.AppendUint16(order.AppendUint16(file, 2), 4)
			for _, x := range []uint32{0, 0, 65536, uint32(layers.LinkTypeEthernet), 1, most - 1, 0, 0, 1, most, 0, 0} {
				file = order.AppendUint32(file, x)
			}
			r, err := NewReader(bytes.NewReader(file), "x.pcap")
			if err != nil {
				t.Fatal(err)
			}
			for r.Next(new(Packet)) {
			}
			if want := fmt.Sprintf("x.pcap: packet 2: the part of its time below a second is %d units, want less "+
				"than %d", most, most); r.Err() == nil || r.Err().Error() != want {
				t.Errorf("%v, want %s", r.Err(), want)
			}
		}
	}
}
