package inband

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/int/csig"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// tshark runs tshark with our dissectors on a file and returns the output. If tshark is missing, it skips the test.
func tshark(t *testing.T, file []byte, args ...string) string {
	t.Helper()
	return stock(t, file, append([]string{"-X", "lua_script:../../../../docs/wireshark/pintlab.lua"}, args...)...)
}

// stock runs tshark without our dissectors.
func stock(t *testing.T, file []byte, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("tshark takes a second for each file; needs go test without -short")
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("needs tshark on the PATH (Debian: apt-get install tshark)")
	}
	if version, err := exec.Command("tshark", "--version").Output(); err != nil ||
		!bytes.Contains(version, []byte("with Lua")) {
		t.Skip("needs a tshark with Lua, as Debian has it")
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-r", name}, args...)
	out, err := exec.Command("tshark", args...).CombinedOutput()
	if at := bytes.Index(out, []byte("Lua Error")); err != nil || at >= 0 {
		t.Fatalf("tshark: %v\n%.1000s", err, out[max(0, at-300):])
	}
	return string(out)
}

// shown lists the compared fields. Each field shows a value of the records from some sources.
var shown = []struct {
	field string
	of    func(*Record) *int64
	from  string // sources
}{
	{"int.node", func(r *Record) *int64 { return r.Node }, "int echo report"},
	{"int.egress", func(r *Record) *int64 { return r.Egress }, "int echo"},
	{"int.latency", func(r *Record) *int64 { return r.Latency }, "int report"},
	{"int.queue", func(r *Record) *int64 { return r.Queue }, "int echo report"},
	{"int.egress_time", func(r *Record) *int64 { return r.EgressTime }, "int echo"},
	{"int.utilization", func(r *Record) *int64 { return r.Tx }, "int echo"},
	{"int.sent", func(r *Record) *int64 { return r.Sent }, "int echo"},
	{"hpcc.time", func(r *Record) *int64 { return r.EgressTime }, "hpcc"},
	{"hpcc.queue", func(r *Record) *int64 { return in(r.Queue, 320) }, "hpcc"},
	{"hpcc.sent", func(r *Record) *int64 { return in(r.Sent, 512) }, "hpcc"},
	{"pintlab.switch", func(r *Record) *int64 { return r.Node }, "sketchint"},
	{"pintlab.latency", func(r *Record) *int64 { return r.Latency }, "sketchint"},
	{"pintlab.drops", func(r *Record) *int64 { return r.Drops }, "sketchint"},
}

// in returns the number of whole steps in a value.
func in(v *int64, step int64) *int64 {
	if v == nil {
		return nil
	}
	n := *v / step
	return &n
}

const tree = "topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps, " +
	"fabric_rate: 100Gbps}\nrun: {capture: {enabled: true, nodes: [switches], snap: 512B}}\n"

var shots = map[string]string{
	"INT 2.1, passports, PINT": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: int, format: standard}\n" +
		"monitors: [{kind: int}, {kind: pint}, {kind: int, mode: postcard, collector: 2}]\n",
	"HPCC, sketchlets": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: int}\nmonitors: [{kind: int, collector: 2}, {kind: lightguardian, interval: 5us, " +
		"timeout: 1us, quiet: 1us, poll: 1us}, {kind: sketchint, period: 2ms}]\n",
	"INT-MD": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: md}\n",
	"SketchINT with drops": "workload: [{kind: incast, senders: 5, size: 40KB}]\ntransport: {kind: sack}\n" +
		"cc: {kind: cubic}\ntelemetry: {kind: none}\nnetwork: {port_limit: 20KB, pfc: {enabled: false}}\n" +
		"monitors: [{kind: sketchint, period: 2ms, drops: true}]\n",
	"TCP, passports": "workload: [{kind: incast, senders: 5, size: 20KB}]\ntransport: {kind: sack}\n" +
		"cc: {kind: cubic}\ntelemetry: {kind: none}\nmonitors: [{kind: int, collector: 2}]\n",
	"HPCC in other fields": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: int, precision: wire, time_bits: 22, byte_bits: 21, byte_unit: 512B, " +
		"queue_bits: 18, queue_unit: 320B}\n",
	"reports of monitors": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: swift}\n" +
		"telemetry: {kind: none}\n" + reporting,
}

// reporting lists monitors that report to host 2. They are configured for a run of some 100 µs.
const reporting = "monitors: [{kind: pint, record: collector, collector: 2}, {kind: lightguardian, " +
	"interval: 5us, timeout: 1us, quiet: 1us, poll: 1us, collector: 2}, " +
	"{kind: sketchint, period: 20us, collector: 2, memory: 400B, latency_memory: 2KB, table: 4}]\n"

// said lists fields of sources without hops. It maps each field to the bytes of the record's content that the field
// shows.
var said = map[string]struct {
	source   string
	from, to int // first byte and the byte after the last; 0 for the end of the content
	number   bool
}{
	"pintlab.number": {"reported digest", 1, 5, true}, "pintlab.hops": {"reported digest", 0, 1, true},
	"pintlab.digest": {"reported digest", 5, 0, false},
	"pintlab.device": {"reported sketchlet", 0, 2, true}, "pintlab.place": {"reported sketchlet", 4, 8, true},
	"sketchint.part": {"reported sketches", 0, 0, false},
}

// tshark shows the same fields of captures that pintlab reads.
func TestWiresharkShowsTheSame(t *testing.T) {
	for name, text := range shots {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := capture(t, tree+text)
			args := []string{"-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", "-e", "_ws.malformed",
				"-e", "frame.comment"}
			for _, x := range shown {
				args = append(args, "-e", x.field)
			}
			extra := slices.Sorted(maps.Keys(said))
			for _, x := range extra {
				args = append(args, "-e", x)
			}
			lines := strings.Split(strings.TrimSuffix(tshark(t, file, args...), "\n"), "\n")
			if strings.HasPrefix(lines[0], "Running as user") {
				lines = lines[1:]
			}
			a, err := Read(bytes.NewReader(file), "f",
				Question{DSCP: 23, ReportPort: 32766, Unit: unit.Nanosecond, Records: 1_000_000}, nil)
			if err != nil || a.Malformed > 0 || int(a.Packets+a.Unsent) != len(lines) {
				t.Fatalf("%v, %d packets, tshark has %d, %v", err, a.Packets+a.Unsent, len(lines), a.Mistakes)
			}
			want := make([][]string, len(lines)) // by packet and field
			for i := range want {
				want[i] = make([]string, len(shown)+len(extra))
			}
			reported := map[int64]bool{}
			for i := range a.Records {
				r := &a.Records[i]
				for k, field := range extra {
					x := said[field]
					if r.Source != x.source {
						continue
					}
					reported[r.Packet] = true
					b, err := hex.DecodeString(r.Content)
					if err != nil {
						t.Fatal(err)
					}
					if b = b[x.from:cmp.Or(x.to, len(b))]; x.number {
						add(&want[r.Packet-1][len(shown)+k], fmt.Sprint(new(big.Int).SetBytes(b)))
					} else {
						add(&want[r.Packet-1][len(shown)+k], hex.EncodeToString(b))
					}
				}
			}
			for from := 0; from < len(a.Records); from += max(1, int(a.Records[from].Of)) {
				for k := range a.Records[from].Of {
					r := &a.Records[from+int(k)]
					if r.Source == "int" || r.Source == "echo" || r.Source == "report" { // the newest hop comes first
						r = &a.Records[from+int(r.Of-1-k)]
					}
					for i, x := range shown {
						v := x.of(r)
						// The value is not in the report but in the header of its group.
						own := r.Source == "report" && r.Node != nil && *r.Node == *r.Reporter && x.field == "int.node"
						if v != nil && slices.Contains(strings.Fields(x.from), r.Source) && !own {
							add(&want[r.Packet-1][i], fmt.Sprint(*v))
						}
					}
				}
			}
			compared := 0
			for i, line := range lines {
				cells := strings.Split(line, "\t")
				if strings.HasPrefix(cells[1], "dropped") {
					continue // pintlab omits these
				}
				for k, x := range shown {
					got := cells[k+2]
					if got != want[i][k] {
						t.Fatalf("packet %d: %s is %q in Wireshark, pintlab reads %q", i+1, x.field, got, want[i][k])
					}
					if got != "" {
						compared++
					}
				}
				for k, field := range extra {
					if got := cells[2+len(shown)+k]; reported[int64(i+1)] && got != want[i][len(shown)+k] {
						t.Fatalf("packet %d: %s is %.80q in Wireshark, pintlab reads %.80q",
							i+1, field, got, want[i][len(shown)+k])
					} else if reported[int64(i+1)] && got != "" {
						compared++
					}
				}
				if cells[0] != "" {
					t.Fatalf("packet %d is malformed", i+1)
				}
			}
			if 2*compared < len(lines) {
				t.Errorf("%d fields of %d packets", compared, len(lines))
			}
		})
	}
}

// add adds a value to a list with commas.
func add(list *string, v string) {
	if *list != "" {
		*list += ","
	}
	*list += v
}

// tshark shows the same tags of CSIG as the codec.
func TestWiresharkShowsCSIG(t *testing.T) {
	for name, format := range map[string]csig.Format{"compact": csig.Compact, "wide": csig.Wide} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := capture(t, tree+
				"workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: csig, tag: "+
				name+"}\n")
			out := tshark(t, file, "-Y", "csig && ip.proto == 17 && pintlab.kind == 0",
				"-T", "fields", "-e", "frame.number", "-e", "csig.signal", "-e", "csig.value", "-e", "csig.locator")
			said := map[string]string{}
			for _, line := range strings.Split(out, "\n") {
				if number, rest, ok := strings.Cut(line, "\t"); ok {
					said[number] = rest
				}
			}
			frames, err := packets.NewFrames(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; ; i++ {
				f, err := frames.Next()
				if err != nil {
					break
				}
				if binary.BigEndian.Uint16(f.Data[12:]) != format.EtherType {
					continue
				}
				bits := uint64(0)
				for _, b := range f.Data[12 : 12+format.Size] {
					bits = bits<<8 | uint64(b)
				}
				tag, ok := format.Decode(bits)
				want := fmt.Sprintf("%d\t%d\t%d", tag.Signal, tag.Value, tag.Locator)
				if got := said[fmt.Sprint(i)]; !ok || got != want {
					t.Fatalf("packet %d: tshark says %q, the codec %q", i, got, want)
				}
				delete(said, fmt.Sprint(i))
			}
			if len(said) > 0 {
				t.Errorf("tshark shows %d tags that are not there", len(said))
			}
		})
	}
}

// Without our dissectors, tshark shows the IOAM of both trace options without an error, and with our values. With our
// dissectors, tshark shows IFA.
func TestWiresharkShowsIOAMAndIFA(t *testing.T) {
	const node = "ipv6.opt.ioam.trace.node."
	ioam := []string{node + "id", node + "eif", node + "tsf", node + "qdepth", node + "undefined"}
	ifa := []string{"ifa.device", "ifa.egress", "ifa.ns", "ifa.queue", "ifa.sent"}
	for keys, fields := range map[string][]string{
		"ioam": ioam, "ifa, reserved: ttl, protocol: 253": ifa,
		"ioam, trace: preallocated, speed: true, timestamp: posix, queue_unit: 80B, tx_bit: 21": ioam,
	} {
		file, _ := capture(t, tree+"workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\n"+
			"telemetry: {kind: "+keys+"}\n")
		args := []string{"-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", "-e", "_ws.expert.message"}
		for _, field := range fields {
			args = append(args, "-e", field)
		}
		show, source := stock, "ioam"
		form := func(i int, v int64) string { return fmt.Sprintf("0x%0*x", []int{6, 4, 8, 8, 8}[i], v) }
		if fields[0] == ifa[0] {
			show, source, form = tshark, "ifa", func(_ int, v int64) string { return fmt.Sprint(v) }
		}
		out := strings.Split(show(t, file, args...), "\n")
		out = slices.DeleteFunc(out, func(s string) bool { return strings.HasPrefix(s, "Running as user") })
		a, err := Read(bytes.NewReader(file), "f", Question{Unit: unit.Nanosecond, Records: 1_000_000, IFA: 253}, nil)
		if err != nil || a.Malformed > 0 {
			t.Fatal(err, a.Mistakes)
		}
		want := map[int64][5]string{} // by packet
		for _, r := range slices.Backward(a.Records) {
			if r.Source != source {
				continue
			}
			cells := want[r.Packet]
			for i, v := range []*int64{r.Node, r.Egress, r.EgressTime, r.Queue, r.Sent} {
				add(&cells[i], form(i, *v))
			}
			want[r.Packet] = cells
		}
		for number, cells := range want {
			if got := strings.Split(out[number-1], "\t"); got[0] != "" || !slices.Equal(got[1:], cells[:]) {
				t.Fatalf("packet %d: tshark shows %q, pintlab reads %q", number, got, cells)
			}
		}
		if len(want) < 160 {
			t.Errorf("%s: %d packets with records", keys, len(want))
		}
	}
}

// The dissectors must not fail on packets that end at any byte, or packets in which any byte was changed.
func TestWiresharkOnHostilePackets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	w := pcapgo.NewWriterNanos(&out)
	if err := w.WriteFileHeader(1<<16, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(b),
			Length: len(b)}, b); err != nil {
			t.Fatal(err)
		}
	}
	shots := map[string]string{"csig": "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: csig, tag: wide}\n",
		"INT": shots["INT 2.1, passports, PINT"], "HPCC": shots["HPCC, sketchlets"],
		"fields": shots["HPCC in other fields"], "reports": shots["reports of monitors"],
		"drops": shots["SketchINT with drops"],
		"IFA":   "workload: [{kind: incast, senders: 5, size: 20KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: ifa}\n"}
	for _, name := range []string{"csig", "INT", "HPCC", "fields", "reports", "drops", "IFA"} {
		file, _ := capture(t, tree+shots[name])
		frames, err := packets.NewFrames(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			f, err := frames.Next()
			if err != nil {
				break
			}
			b := bytes.Clone(f.Data[:min(len(f.Data), 300)])
			if i%13 != 0 {
				continue
			}
			put(b[:14+rng.IntN(len(b)-14)])
			for range 4 { // behind Ethernet and IPv4
				c := bytes.Clone(b)
				c[34+rng.IntN(min(len(c)-34, 120))] = byte(rng.Uint32())
				put(c)
			}
		}
	}
	tshark(t, out.Bytes(), "-V")
	if found := tshark(t, out.Bytes(), "-Y", "int.malformed"); strings.Count(found, "\n") < 20 {
		t.Errorf("the packets are not hostile:\n%s", found)
	}
}
