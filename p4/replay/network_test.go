package replay

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pintlab/p4"
	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
)

// program loads a program from a file or from package src.
func program(name string, defines []string) (*interp.Program, error) {
	o := interp.Options{Defines: defines}
	if strings.HasSuffix(name, ".p4") {
		return interp.Load(name, o)
	}
	return interp.LoadFS(p4.Sources(), name+".p4", o)
}

// files makes a folder with files.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// stamped is a packet and its time stamp.
type stamped struct {
	at      time.Duration
	data    []byte
	missing int // bytes behind data
}

var start = time.Unix(1_700_000_000, 0)

func writePcap(t *testing.T, file string, packets []stamped) {
	t.Helper()
	var b bytes.Buffer
	w, err := interp.NewPcapFile(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packets {
		if err := w.WritePacket(0, start.Add(p.at), p.data, len(p.data)+p.missing); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readPcap(t *testing.T, file string) (list []stamped) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := interp.OpenPcap([]interp.PcapInput{{Name: file, R: f}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, ok, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return list
		}
		list = append(list, stamped{p.At.Sub(start), bytes.Clone(p.Data), p.Missing})
	}
}

// stampProgram writes the queue's metadata at egress into the packet.
const stampProgram = `#include <core.p4>
#include <v1model.p4>
header stamp_t { bit<16> enq; bit<16> deq; bit<32> wait; bit<32> enqueued; bit<32> arrived; bit<32> left; }
struct headers { stamp_t s; }
struct meta_t { }
parser P(packet_in p, out headers h, inout meta_t m, inout standard_metadata_t sm) {
  state start { p.extract(h.s); transition accept; }
}
control V(inout headers h, inout meta_t m) { apply { } }
control I(inout headers h, inout meta_t m, inout standard_metadata_t sm) {
    counter(4, CounterType.packets_and_bytes) seen;
    apply { sm.egress_spec = 1; seen.count(2); }
}
control E(inout headers h, inout meta_t m, inout standard_metadata_t sm) {
    register<bit<32>>(8) depths;
    apply {
        h.s.enq = (bit<16>) sm.enq_qdepth;
        h.s.deq = (bit<16>) sm.deq_qdepth;
        h.s.wait = sm.deq_timedelta;
        h.s.enqueued = sm.enq_timestamp;
        h.s.arrived = sm.ingress_global_timestamp[31:0];
        h.s.left = sm.egress_global_timestamp[31:0];
        depths.write((bit<32>) sm.deq_qdepth, h.s.wait);
    }
}
control C(inout headers h, inout meta_t m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`

// Three packets of 100 bytes arrive at intervals of 10 µs. The port has 8 Mbit/s, so each packet takes 100 µs on the
// link. The first packet leaves at once. The second leaves at 100 µs, with the third behind it, and the third leaves
// at 200 µs. Clocks begin at one second; the clock of this switch is 5 ms ahead. The result is the same if the file
// contains only 40 bytes of each packet.
func TestQueue(t *testing.T) {
	for _, c := range []struct {
		cell string
		deq  uint16 // queue depth when the second packet leaves
		kept int    // bytes of a packet in the file
	}{{"0B", 1, 100}, {"40B", 3, 100}, {"0B", 1, 40}, {"40B", 3, 40}} {
		dir := files(t, map[string]string{"stamp.p4": stampProgram, "after.txt": "counter_read seen 2\n", "net.yaml": `
cell: ` + c.cell + `
rate: 8Mbps
switches:
  - {name: s, program: stamp.p4, offset: 5ms, after: [after.txt]}
inputs:
  - {at: "s:0", file: in.pcap}
outputs:
  - {from: "s:1", file: out.pcap}
`})
		var in []stamped
		for i := range 3 {
			in = append(in, stamped{time.Duration(i) * 10 * time.Microsecond,
				bytes.Repeat([]byte{byte(i)}, c.kept), 100 - c.kept})
		}
		writePcap(t, filepath.Join(dir, "in.pcap"), in)
		d, err := loadDescription(filepath.Join(dir, "net.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		n, err := newNetwork(d, program, Console{Seed: 1, Out: &said})
		if err != nil {
			t.Fatal(err)
		}
		stats, err := n.run(t.Context(), nowhere{})
		if err != nil || stats.In != 3 || stats.Out != 3 || stats.Hops != 3 || stats.Failed != 0 {
			t.Fatalf("%+v, %v", stats, err)
		}
		const second = 1_005_000
		want := []struct {
			enq, deq                      uint16
			wait, enqueued, arrived, left uint32
		}{{0, 0, 0, 0, 0, 0}, {0, c.deq, 90, 10, 10, 100}, {c.deq, 0, 180, 20, 20, 200}}
		for i, p := range readPcap(t, filepath.Join(dir, "out.pcap")) {
			w := want[i]
			b := binary.BigEndian.AppendUint16(nil, w.enq)
			b = binary.BigEndian.AppendUint16(b, w.deq)
			b = binary.BigEndian.AppendUint32(b, w.wait)
			for _, v := range []uint32{w.enqueued, w.arrived, w.left} {
				b = binary.BigEndian.AppendUint32(b, second+v)
			}
			if !bytes.Equal(p.data[:20], b) || !bytes.Equal(p.data[20:], in[i].data[20:]) || p.missing != 100-c.kept {
				t.Errorf("cells of %s, packet %d: %x and %d bytes missing, want %x and %d",
					c.cell, i, p.data[:20], p.missing, b, 100-c.kept)
			}
			if at := time.Duration(i+1) * 100 * time.Microsecond; p.at != at {
				t.Errorf("packet %d leaves after %v, want %v", i, p.at, at)
			}
		}
		if got, want := said.String(), "seen[2]= (3 packets, 300 bytes)\n"; got != want {
			t.Errorf("commands after the packets say %q, want %q", got, want)
		}
		var state bytes.Buffer
		if err := n.dump(&state); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("[s]\ncounter I.seen[2] = 3 packets, 300 bytes\nregister E.depths[0] = 180\n"+
			"register E.depths[%d] = 90\n", c.deq); state.String() != want {
			t.Errorf("state:\n%s\nwant:\n%s", &state, want)
		}
	}
}

// nowhere returns an error for every packet, because each port with packets should have a file.
type nowhere struct{}

func (nowhere) WritePacket(port int, _ time.Time, _ []byte, _ int) error {
	return fmt.Errorf("a packet leaves by port %d", port)
}

// chain is a chain of switches with PINT's path tracing, between a host at port 1 of the first switch and a host at
// port 2 of the last. Port 3 of the last switch leads to a collector.
func chain(t *testing.T, switches int) string {
	t.Helper()
	texts := map[string]string{}
	var y strings.Builder
	y.WriteString("switches:\n")
	for i := 1; i <= switches; i++ {
		fmt.Fprintf(&y, "  - {name: s%d, program: pint_path, commands: [s%d.txt], offset: %dus}\n", i, i, 17*i)
		c := fmt.Sprintf("table_set_default identity me %d\ntable_add forward to_port 10.1.0.0/16 => 2\n", 10+i)
		if i == 1 {
			c += "table_add sources begin 1 =>\n"
		}
		if i == switches {
			c += "table_add sinks end 2 => 5\nmirroring_add 5 3\n"
		}
		texts[fmt.Sprintf("s%d.txt", i)] = c
	}
	y.WriteString("links:\n")
	for i := 1; i < switches; i++ {
		fmt.Fprintf(&y, "  - {from: \"s%d:2\", to: \"s%d:1\", rate: 1Gbps, delay: 2us}\n", i, i+1)
	}
	fmt.Fprintf(&y, "inputs:\n  - {at: \"s1:1\", file: in.pcap}\noutputs:\n"+
		"  - {from: \"s%d:2\", file: host.pcap}\n  - {from: \"s%d:3\", file: reports.pcap}\n", switches, switches)
	texts["net.yaml"] = y.String()
	return files(t, texts)
}

func tcp(n int) []byte {
	b := []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 50, byte(n >> 8), byte(n), 0x40, 0, 64, 6,
		0, 0, 10, 0, 0, 1, 10, 1, 0, 1}
	return append(b, 0x9c, 0x40, 0, 80, 0, 0, byte(n>>8), byte(n), 0, 0, 0, 1, 0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0,
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
}

// Packets cross a chain of five switches. The host gets the packets without the tag and with a TTL that is smaller
// by five. They arrive after five transmission times at 1 Gbit/s and four delays. The collector gets a report of
// each packet.
func TestChain(t *testing.T) {
	dir := chain(t, 5)
	var in []stamped
	for i := range 50 {
		in = append(in, stamped{time.Duration(i) * 10 * time.Microsecond, tcp(i), 0})
	}
	writePcap(t, filepath.Join(dir, "in.pcap"), in)
	d, err := loadDescription(filepath.Join(dir, "net.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNetwork(d, program, Console{})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := n.run(t.Context(), nowhere{})
	if err != nil || stats.In != 50 || stats.Out != 100 || stats.Hops != 250 {
		t.Fatalf("%+v, %v", stats, err)
	}
	host, reports := readPcap(t, filepath.Join(dir, "host.pcap")), readPcap(t, filepath.Join(dir, "reports.pcap"))
	if len(host) != 50 || len(reports) != 50 {
		t.Fatalf("%d packets for the host, %d reports", len(host), len(reports))
	}
	digests := map[byte]bool{}
	for i, p := range host {
		want := tcp(i)
		want[22] = 59
		binary.BigEndian.PutUint16(want[24:], binary.BigEndian.Uint16(p.data[24:]))
		if !bytes.Equal(p.data, want) {
			t.Errorf("packet %d: %x, want %x", i, p.data, want)
		}
		// A packet of 64 bytes and a tag of 4 bytes crosses 1 Gbit/s four times. Then 64 bytes cross 100 Gbit/s.
		took := 4*(68*8*time.Nanosecond+2*time.Microsecond) + 5
		if d := p.at - in[i].at; d/time.Microsecond != took/time.Microsecond {
			t.Errorf("packet %d takes %v, want %v", i, d, took)
		}
		r := reports[i].data
		if len(r) != 64 || binary.BigEndian.Uint16(r[12:]) != 0x88b5 || !bytes.Equal(r[16:26], p.data[12:22]) {
			t.Errorf("report %d: %x", i, r)
		}
		digests[r[15]] = true
	}
	if len(digests) < 20 {
		t.Errorf("%d different digests of 50 packets", len(digests))
	}
}

// Programs of PINT compute in nanoseconds, whatever the unit of the clock is. Clocks begin at one second, or 10^9 ns.
// The second packet leaves 2 µs after the first, when the clock shows 1000 002 000 ns. A packet has 64 B and a tag of
// 4 B, or 68·32 = 2176 units of V. After both, V is 2·2176 - 2176·2000/13000 = 4017; the product of 335 is right to
// 2.1 %, or 7.
func TestTicksAreNanoseconds(t *testing.T) {
	for clock, defines := range map[string]string{"us": "", "ns": "TICK_SHIFT=0"} {
		dir := files(t, map[string]string{
			"s.txt": "table_add forward to_port 10.1.0.0/16 => 2\ntable_add sources begin 1 =>\n",
			"after.txt": "register_read PintEgress.load_of_port.interval.last_tick 2\n" +
				"register_read PintEgress.load_of_port.utilization 2\n",
			"net.yaml": "clock: " + clock + "\nswitches:\n" +
				"  - {name: s, program: hpcc_util, commands: [s.txt], after: [after.txt], defines: [" + defines +
				"]}\n" +
				"inputs:\n  - {at: \"s:1\", file: in.pcap}\noutputs:\n  - {from: \"s:2\", file: out.pcap}\n",
		})
		writePcap(t, filepath.Join(dir, "in.pcap"), []stamped{{0, tcp(1), 0}, {2 * time.Microsecond, tcp(2), 0}})
		d, err := loadDescription(filepath.Join(dir, "net.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var replies bytes.Buffer
		n, err := newNetwork(d, program, Console{Out: &replies, Quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.run(t.Context(), nowhere{}); err != nil {
			t.Fatal(err)
		}
		var tick, load int
		lines := strings.Fields(strings.ReplaceAll(replies.String(), "=", "= "))
		if len(lines) != 4 {
			t.Fatalf("replies: %q", &replies)
		}
		if _, err := fmt.Sscan(lines[1]+" "+lines[3], &tick, &load); err != nil {
			t.Fatalf("%q: %v", &replies, err)
		}
		if tick != 1_000_002_000 || load < 4017-7 || load > 4017+7 {
			t.Errorf("clock %s: the second packet leaves at %d ns, V is %d; want 1000002000 and 4017±7",
				clock, tick, load)
		}
	}
}

func TestErrors(t *testing.T) {
	const sw = "switches:\n  - {name: s, program: pint_path}\n"
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"swiches: []", "swiches"},
		{"clock: ms\n" + sw, "clock"},
		{sw + "links:\n  - {from: \"s:1\", to: \"t:1\"}\n", `net.yaml:4:23: links.0.to: "t:1": there is no switch "t"`},
		{sw + "links:\n  - {from: \"s:1\", to: \"s:511\"}\n", `want switch:port, ports from 0 to 510`},
		{sw + "links:\n  - {from: \"s:1\", to: \"s:2\"}\n  - {from: \"s:2\", to: \"s:3\"}\n",
			"links.1.from: \"s:2\": the port has a link"},
		{sw + "  - {name: s, program: pint_path}\n", "switches.1.name: \"s\": another switch has this name"},
		{sw + "  - {name: \"a\\e[31m\", program: pint_path}\n",
			`switches.1.name: "a\x1b[31m": want a name without control characters`},
		{"switches:\n  - {name: s, program: none}\n", "switch s: "},
		{"switches:\n  - {name: s, program: pint_path, commands: [none.txt]}\n",
			`net.yaml:2:46: switches.0.commands.0: "none.txt": no such file`},
		{"switches:\n  - {name: s, program: pint_path, after: [none.txt]}\n",
			`switches.0.after.0: "none.txt": no such file`},
		{sw + "inputs:\n  - {at: \"s:0\", file: none.pcap}\n", "none.pcap"},
		{sw + "outputs:\n  - {from: \"s:0\", file: a.pcap}\n  - {from: \"s:0\", file: b.pcap}\n",
			"the port has another output"},
		{sw + "outputs:\n  - {from: \"s:0\", file: a.pcap}\n  - {from: \"s:1\", file: ./a.pcap}\n", "outputs.1.file: "},
		{sw + "inputs:\n  - {at: \"s:0\", file: in.pcap}\noutputs:\n  - {from: \"s:1\", file: in.pcap}\n",
			"in.pcap is the file that an input of "},
		{sw + "links:\n  - {from: \"s:1\", to: \"s:2\"}\noutputs:\n  - {from: \"s:1\", file: a.pcap}\n",
			"outputs.0.from: \"s:1\": the port has a link"},
	} {
		const empty = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00"
		dir := files(t, map[string]string{"net.yaml": c.text, "in.pcap": empty})
		name := filepath.Join(dir, "net.yaml")
		_, err := (&Files{Dump: "-"}).RunNetwork(t.Context(), name, Console{Out: io.Discard, Log: io.Discard})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}

// Switches share the memory for registers and counters.
func TestStateIsLimited(t *testing.T) {
	const left = 10_000
	n := &network{words: exec.MaxState - left}
	_, err := n.node(member{Name: "s", Program: "towersketch"}, program, 1)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("words of 8 bytes, want at most %d", left)) {
		t.Error(err)
	}
	n = new(network)
	if _, err := n.node(member{Name: "s", Program: "towersketch"}, program, 1); err != nil || n.words <= left {
		t.Errorf("%d words, %v", n.words, err)
	}
}

// A packet that loops or is recirculated forever is an error of this packet, and the run ends.
func TestEndlessPackets(t *testing.T) {
	head, tail, _ := strings.Cut(stampProgram, "control I(")
	_, tail, _ = strings.Cut(tail, "control C(")
	for _, c := range []struct{ egress, want string }{
		{"", "the packet has passed 256 switches, so it probably circulates in a loop"},
		{"recirculate_preserving_field_list(0);", "the switch does not finish with the packet"},
	} {
		text := head + "control I(inout headers h, inout meta_t m, inout standard_metadata_t sm) { apply { " +
			"sm.egress_spec = 1; } }\n" +
			"control E(inout headers h, inout meta_t m, inout standard_metadata_t sm) { apply { " + c.egress +
			" } }\ncontrol C(" + tail
		dir := files(t, map[string]string{"round.p4": text, "net.yaml": `
switches:
  - {name: a, program: round.p4}
  - {name: b, program: round.p4}
links:
  - {from: "a:1", to: "b:1"}
inputs:
  - {at: "a:0", file: in.pcap}
`})
		writePcap(t, filepath.Join(dir, "in.pcap"), []stamped{{0, make([]byte, 60), 0}})
		d, err := loadDescription(filepath.Join(dir, "net.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := newNetwork(d, program, Console{})
		if err != nil {
			t.Fatal(err)
		}
		stats, err := n.run(t.Context(), nowhere{})
		if err != nil || stats.Failed != 1 || !strings.Contains(fmt.Sprint(stats.Errors), c.want) {
			t.Errorf("%+v, %v; want %s", stats, err, c.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	dir := chain(t, 2)
	writePcap(t, filepath.Join(dir, "in.pcap"), []stamped{{0, tcp(1), 0}})
	d, err := loadDescription(filepath.Join(dir, "net.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNetwork(d, program, Console{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.run(ctx, nowhere{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// BenchmarkSwitch is the cost of a packet through one switch and its queue.
func BenchmarkSwitch(b *testing.B) {
	prog, err := program("pint_path", nil)
	if err != nil {
		b.Fatal(err)
	}
	d := &description{Clock: "us", Rate: 100_000_000_000, Switches: []member{{Name: "s"}}}
	n, err := newNetwork(d, func(string, []string) (*interp.Program, error) { return prog, nil }, Console{})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []string{"table_add forward to_port 10.1.0.0/16 => 2", "table_add sources begin 1 =>"} {
		if _, err := n.nodes[0].pipe.Command(c); err != nil {
			b.Fatal(err)
		}
	}
	n.out = &leaving{}
	data := tcp(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := n.arrive(end{0, 1}, data, 0, way{}); err != nil {
			b.Fatal(err)
		}
		n.now += 1_000_000
		n.events = n.events[:0]
		n.port(end{0, 2}).busy = false
	}
}
