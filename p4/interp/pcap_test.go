package interp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/errtest"
	"pintlab/workloads/packets"
)

// capture makes a pcap file with packets at the given times in microseconds.
func capture(t *testing.T, packets map[int][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	var times []int
	for us := range packets {
		times = append(times, us)
	}
	slices.Sort(times)
	for _, us := range times {
		data := packets[us]
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(1000, int64(us)*1000), CaptureLength: len(data),
			Length: len(data)}
		if err := w.WritePacket(ci, data); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// uncapture reads the packets of a pcap file back.
func uncapture(t *testing.T, file []byte) (packets [][]byte, times []time.Time) {
	t.Helper()
	r, err := pcapgo.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, ci, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return packets, times
		}
		if err != nil {
			t.Fatal(err)
		}
		packets, times = append(packets, data), append(times, ci.Timestamp)
	}
}

// stdMetadata returns the pipeline of the conformance program std_metadata, which writes the length and the clock into
// a packet and sends it on the next port.
func stdMetadata(t *testing.T) *Pipeline {
	t.Helper()
	prog, _, err := loadArchive(t, "testdata/conformance/std_metadata.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p, err := prog.NewPipeline(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runPcap opens capture files and runs their packets.
func runPcap(p *Pipeline, ctx context.Context, inputs []PcapInput, out PcapWriter) (PcapStats, error) {
	packets, err := OpenPcap(inputs)
	if err != nil {
		return PcapStats{}, err
	}
	return p.RunPcap(ctx, packets, out)
}

// Written files preserve the nanoseconds of any input.
func TestNanoseconds(t *testing.T) {
	var nano bytes.Buffer
	w := pcapgo.NewWriterNanos(&nano)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1000, 123456789)
	if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: 16, Length: 16},
		append([]byte{2}, make([]byte, 15)...)); err != nil {
		t.Fatal(err)
	}
	micro := capture(t, map[int][]byte{10: append([]byte{2}, make([]byte, 15)...)})
	for _, tt := range []struct {
		inputs []PcapInput
		magic  uint32
		last   time.Time
	}{
		{[]PcapInput{{"nano", 0, &nano}, {"micro", 0, bytes.NewReader(micro)}}, 0xa1b23c4d, at},
		{[]PcapInput{{"micro", 0, bytes.NewReader(micro)}}, 0xa1b2c3d4, time.Unix(1000, 10000)},
	} {
		packets, err := OpenPcap(tt.inputs)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w, err := packets.NewFile(&out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stdMetadata(t).RunPcap(t.Context(), packets, w); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(out.Bytes()); got != tt.magic {
			t.Errorf("%s: a file with %#x, want %#x", tt.inputs[0].Name, got, tt.magic)
		}
		if _, times := uncapture(t, out.Bytes()); !times[len(times)-1].Equal(tt.last) {
			t.Errorf("%s: the last packet at %v, want %v", tt.inputs[0].Name, times[len(times)-1], tt.last)
		}
	}
}

// The error for a fraction of more than a second names the packet.
func TestImpossibleTime(t *testing.T) {
	file := capture(t, map[int][]byte{10: append([]byte{2}, make([]byte, 15)...),
		20: append([]byte{2}, make([]byte, 15)...)})
	binary.LittleEndian.PutUint32(file[24+32+4:], 5_000_000)
	_, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"x.pcap", 0, bytes.NewReader(file)}}, portless{})
	want := "x.pcap: packet 2: the part of its time below a second is 5000000 units, want less than 1000000"
	if !errtest.Says(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// portless drops all packets.
type portless struct{}

func (portless) WritePacket(int, time.Time, []byte, int) error { return nil }

// A packet with 20 of its 1500 bytes in the file counts as 1500 bytes, both in packet_length and in the written
// file. A packet test cannot contain such a packet.
func TestRunPcapOfCutPackets(t *testing.T) {
	var in, out bytes.Buffer
	w, err := NewPcapFile(&in)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WritePacket(0, time.Unix(0, 0), append([]byte{2}, make([]byte, 19)...), 1500); err != nil {
		t.Fatal(err)
	}
	if w, err = NewPcapFile(&out); err != nil {
		t.Fatal(err)
	}
	file := in.Bytes()
	stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"cut", 1, bytes.NewReader(file)}}, w)
	if err != nil || stats.In != 1 || stats.Cut != 1 {
		t.Fatalf("%+v, %v", stats, err)
	}
	r, err := pcapgo.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	data, info, err := r.ReadPacketData()
	if err != nil || info.Length != 1500 || len(data) != 20 || binary.BigEndian.Uint32(data[4:]) != 1500 ||
		binary.BigEndian.Uint32(data[12:]) != 1500 {
		t.Errorf("%x of %d bytes, %v; want 20 of 1500 and their length in both controls", data, info.Length, err)
	}
	if _, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"cut", 1, bytes.NewReader(file)}},
		arriving{portless{}}); err == nil || !strings.Contains(err.Error(), "cut: packet 1: 1480 bytes are missing") {
		t.Errorf("a packet test: %v", err)
	}
}

// arriving is a writer that also receives the packets that arrive.
type arriving struct{ PcapWriter }

func (arriving) Arrive(int, []byte) error { return nil }

// Packets of two files are processed in order of time, and packets of equal times in the order of the files. The
// clock starts with the first packet.
func TestRunPcap(t *testing.T) {
	packet := func(op byte, extra int) []byte { return append([]byte{op}, make([]byte, 15+extra)...) }
	a := capture(t, map[int][]byte{10: packet(2, 0), 30: packet(3, 1)})
	b := capture(t, map[int][]byte{10: packet(4, 2), 20: packet(5, 3)})
	var out bytes.Buffer
	w, err := NewPcapFile(&out)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := runPcap(stdMetadata(t), t.Context(),
		[]PcapInput{{"a", 1, bytes.NewReader(a)}, {"b", 7, bytes.NewReader(b)}}, w)
	if err != nil || stats.In != 4 || stats.Out != 4 || stats.Failed != 0 || stats.Cut != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	packets, times := uncapture(t, out.Bytes())
	// op is byte 0. length is bytes 4-7, clock is bytes 8-11, and port, the egress port, is byte 3.
	want := []struct{ op, length, clock, port byte }{{2, 16, 0, 2}, {4, 18, 0, 8}, {5, 19, 10, 8}, {3, 17, 20, 2}}
	for i, q := range want {
		p := packets[i]
		if p[0] != q.op || p[7] != q.length || p[11] != q.clock || p[3] != q.port {
			t.Errorf("packet %d: %x, want %+v", i, p, q)
		}
	}
	if times[3].Sub(times[0]) != 20*time.Microsecond {
		t.Errorf("times %v", times)
	}
}

func TestRunPcapReadsPcapng(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 16)
	if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(5, 0), CaptureLength: 16, Length: 99},
		data); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{b.Bytes(), compressed(t, b.Bytes())} {
		out, err := NewPcapFile(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"in", 0, bytes.NewReader(file)}}, out)
		if err != nil || stats.In != 1 || stats.Out != 1 || stats.Cut != 1 {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

func compressed(t *testing.T, file []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The reader checks the times in the content of a compressed file, and not in its compressed bytes.
func TestRunPcapReadsGzip(t *testing.T) {
	packets, random := map[int][]byte{}, rand.NewChaCha8([32]byte{})
	for i := range 100 {
		packets[i] = make([]byte, 1000)
		random.Read(packets[i]) //nolint:errcheck // it has no errors
	}
	out, err := NewPcapFile(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	file := compressed(t, capture(t, packets))
	stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"in", 0, bytes.NewReader(file)}}, out)
	if err != nil || stats.In != 100 || stats.Out != 100 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// A packet of an interface that is not Ethernet is an error and is not skipped.
func TestRunPcapReadsEveryInterface(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := w.AddInterface(pcapgo.NgInterface{LinkType: layers.LinkTypeRaw, OS: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []int{0, raw} {
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(5, 0), CaptureLength: 16, Length: 16,
			InterfaceIndex: of}, make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	out, err := NewPcapFile(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"in", 0, &b}}, out)
	if !errtest.Says(err, "in: packet 2: link type 101 (Raw): want Ethernet") {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Packets that a port of pintlab had no room for are skipped. If another program wrote the file, packets with the
// same comment are not skipped.
func TestUnsentPackets(t *testing.T) {
	for application, want := range map[string][]int{packets.Application: {1, 4, 5}, "another": {1, 2, 3, 4, 5}} {
		var b bytes.Buffer
		w, err := pcapgo.NewNgWriterInterface(&b, pcapgo.NgInterface{LinkType: layers.LinkTypeEthernet},
			pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: application}})
		if err != nil {
			t.Fatal(err)
		}
		for _, comments := range [][]string{
			nil, {packets.Dropped + "x"}, {packets.Trimmed + "x", "marked: x"},
			{"trimmed: a switch has cut off the payload"}, {"marked: x"},
		} {
			info := gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: 14, Length: 14}
			if err := w.WritePacketWithOptions(info, make([]byte, 14),
				pcapgo.NgPacketOptions{Comments: comments}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		in, err := OpenPcap([]PcapInput{{Name: "x", R: &b}})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for {
			p, ok, err := in.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got = append(got, p.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: packets %v, want %v", application, got, want)
		}
	}
}

func TestRunPcapErrors(t *testing.T) {
	good := capture(t, map[int][]byte{1: make([]byte, 16), 2: make([]byte, 16)})
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "x.pcap: the file is shorter than the header of a capture"},
		{"text", []byte("hello, world, this is not a capture"), "x.pcap: not a trace: it begins with "},
		{"header cut", good[:10], "x.pcap: the file is truncated: it ends within the header of the capture"},
		{"first packet cut", good[:24+16+3], "x.pcap: packet 1: the file is truncated: it ends within the record at " +
			"byte 24, after 0 packets"},
		{"pcapng cut", []byte(packets.PcapngMagic + "\x00\x00"),
			"x.pcap: the file is truncated: it ends within the header of the capture"},
		{"length beyond the file",
			append(slices.Clone(good[:24]),
				"\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"...), "x.pcap: packet 1: "},
	}
	for _, tt := range tests {
		out, err := NewPcapFile(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		_, err = runPcap(stdMetadata(t), t.Context(), []PcapInput{{"x.pcap", 0, bytes.NewReader(tt.file)}}, out)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	// A packet that cannot be processed is counted, and the run continues.
	out, err := NewPcapFile(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{{"x.pcap", 600, bytes.NewReader(good)}}, out)
	if err != nil || stats.In != 2 || stats.Failed != 2 || len(stats.Errors) != 2 ||
		stats.Errors[1].Error() != "x.pcap: packet 2: port 600: expected 0 to 510" {
		t.Errorf("%+v, %v", stats, err)
	}
	failing := errors.New("disk full")
	_, err = runPcap(stdMetadata(t), t.Context(), []PcapInput{{"x.pcap", 0, bytes.NewReader(good)}},
		failingWriter{failing})
	if !errors.Is(err, failing) {
		t.Errorf("error %v", err)
	}
}

// The packets before the end of a truncated file are processed, with those of the other files. Stats list the file.
func TestRunPcapTruncated(t *testing.T) {
	good := capture(t, map[int][]byte{1: make([]byte, 16), 2: make([]byte, 16)})
	for _, end := range []int{len(good) - 3, len(good) - 16, len(good) - 20} {
		out, err := NewPcapFile(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := runPcap(stdMetadata(t), t.Context(), []PcapInput{
			{"cut.pcap", 0, bytes.NewReader(good[:end])}, {"good.pcap", 1, bytes.NewReader(good)},
		}, out)
		want := []packets.Truncation{{File: "cut.pcap", Packets: 1, Byte: 24 + 16 + 16}}
		if diff := cmp.Diff(want, stats.Truncated); err != nil || stats.In != 3 || diff != "" {
			t.Errorf("cut to %d bytes: %+v, %v (-want +got):\n%s", end, stats, err, diff)
		}
	}
}

// An interrupt ends a run between two packets.
func TestRunPcapEndsWithItsContext(t *testing.T) {
	in := capture(t, map[int][]byte{1: make([]byte, 16), 2: make([]byte, 20)})
	ctx, cancel := context.WithCancel(t.Context())
	stats, err := runPcap(stdMetadata(t), ctx, []PcapInput{{"in", 0, bytes.NewReader(in)}}, cancelling{cancel})
	if !errors.Is(err, context.Canceled) || stats.In != 1 {
		t.Errorf("%+v, %v; want one packet and the error of the context", stats, err)
	}
}

// cancelling cancels with the first packet.
type cancelling struct{ cancel func() }

func (w cancelling) WritePacket(int, time.Time, []byte, int) error {
	w.cancel()
	return nil
}

type failingWriter struct{ err error }

func (w failingWriter) WritePacket(int, time.Time, []byte, int) error { return w.err }

func FuzzPcap(f *testing.F) {
	f.Add([]byte(packets.PcapngMagic))
	f.Add([]byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00" +
		"\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x05"))
	prog, _, err := loadArchive(f, "testdata/conformance/std_metadata.txtar")
	if err != nil {
		f.Fatal(err)
	}
	p, err := prog.NewPipeline(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := NewPcapFile(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		//nolint:errcheck // most data is no capture
		stats, _ := runPcap(p, t.Context(), []PcapInput{{"in", 0, bytes.NewReader(data)}}, out)
		for _, err := range stats.Errors {
			if errors.Is(err, ErrInternal) {
				t.Fatal(err)
			}
		}
	})
}
