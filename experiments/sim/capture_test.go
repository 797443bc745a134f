package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
)

// capturedFile runs a scenario and returns its file of packets.
func capturedFile(t *testing.T, text string, set ...string) ([]byte, *Result) {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	if sc, err = sc.With(set...); err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Capture.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), r
}

// frame is a packet of a file.
type frame struct {
	info     gopacket.CaptureInfo
	data     []byte
	comments []string
}

func framesOf(t *testing.T, file []byte) (frames []frame, names []string) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame{info, data, options.Comments})
	}
	for i := range r.NInterfaces() {
		x, err := r.Interface(i)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, x.Name)
	}
	return frames, names
}

const (
	captureTree = "topology: {kind: fattree, k: 4}\n"
	captureAll  = "run: {capture: {enabled: true, snap: 65535B}}\n"
)

// The file does not depend on the number of workers, and capturing changes no record. The checksums of all headers are
// right, and each port has as many packets as its counter reports.
func TestCaptureDoesNotDependOnWorkers(t *testing.T) {
	for name, text := range map[string]string{
		"int and monitors": "workload: [{kind: poisson, sizes: websearch, load: 0.4, duration: 20us}, " +
			"{kind: incast, senders: 8, size: 20KB}]\ncc: {kind: hpcc}\ntelemetry: {kind: int, format: standard}\n" +
			"monitors: [{kind: int}, {kind: pint}, {kind: int, mode: postcard, share: 0.2}, " +
			"{kind: lightguardian, interval: 20us, timeout: 5us, quiet: 5us}, {kind: sketchint, period: 2ms}]\n",
		"pint": "workload: [{kind: incast, senders: 8, size: 50KB}]\ncc: {kind: hpcc}\n" +
			"telemetry: {kind: pint}\nnetwork: {buffer: 300KB}\n",
		"tcp with losses": "workload: [{kind: incast, senders: 12, size: 60KB}]\ntransport: {kind: sack}\n" +
			"cc: {kind: cubic, ecn: true}\ntelemetry: {kind: bytes}\n" +
			"network: {port_limit: 20KB, pfc: {enabled: false}, ecn: {enabled: true, kmin: 5KB, kmax: 15KB}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := captureTree + text + captureAll
			one, r := capturedFile(t, text)
			if many, _ := capturedFile(t, text, "run.workers=3"); !bytes.Equal(one, many) {
				t.Error("three workers write another file")
			}
			if capturedRecords(t, text) != capturedRecords(t, text, "run.capture.enabled=false") {
				t.Error("capturing changes records")
			}
			frames, names := framesOf(t, one)
			if want := 2 * len(mustBuild(t, r.Scenario).Graph.Links); len(names) != want {
				t.Errorf("%d interfaces, want %d", len(names), want)
			}
			sent, count := int64(0), map[string]int64{}
			for i, f := range frames {
				p := gopacket.NewPacket(f.data, layers.LayerTypeEthernet, gopacket.NoCopy)
				if l, ok := p.TransportLayer().(interface {
					SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
				}); ok {
					if err := l.SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
						t.Fatal(err)
					}
				}
				if err, bad := p.VerifyChecksums(); err != nil || len(bad) > 0 {
					t.Fatalf("packet %d: %v, %v\n%v", i+1, err, bad, p)
				}
				if i > 0 && f.info.Timestamp.Before(frames[i-1].info.Timestamp) {
					t.Fatalf("packet %d is not in the order of time", i+1)
				}
				sent++
				for _, c := range f.comments {
					what, _, _ := strings.Cut(c, ":")
					count[what]++
					if what == "dropped" {
						sent--
					}
				}
			}
			if sent != r.Counters.PacketHops || count["marked"] != int64(r.Summary.Marks) ||
				count["dropped"] != r.Counters.Dropped {
				t.Errorf("%d packets were sent and %v, of %d packet-hops, %d marks, %d drops", sent, count,
					r.Counters.PacketHops, r.Summary.Marks, r.Counters.Dropped)
			}
			if name == "tcp with losses" && (count["marked"] == 0 || count["dropped"] == 0) {
				t.Errorf("%v: the case does not show what it should", count)
			}
		})
	}
}

// capturedRecords returns the records of a run.
func capturedRecords(t *testing.T, text string, set ...string) string {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	if sc, err = sc.With(set...); err != nil {
		t.Fatal(err)
	}
	s, c := files(t, sc)
	return s + fmt.Sprint(c)
}

func mustBuild(t *testing.T, sc scenario.Scenario) *Simulation {
	t.Helper()
	s, err := Build(sc, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The option of ACKs contains the SACK blocks of the simulation; the first block may report duplicate data (RFC 2883).
// Frames have the sizes that the simulation counts.
func TestCaptureShowsSACK(t *testing.T) {
	file, _ := capturedFile(t,
		captureTree+"workload: [{kind: incast, senders: 12, size: 60KB}]\ntransport: {kind: sack}\n"+
			"cc: {kind: cubic}\ntelemetry: {kind: none}\nnetwork: {port_limit: 20KB, pfc: {enabled: false}}\n"+
			captureAll)
	frames, _ := framesOf(t, file)
	blocks, several := 0, 0
	for i, f := range frames {
		p := gopacket.NewPacket(f.data, layers.LayerTypeEthernet, gopacket.NoCopy)
		ip, tcp := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4), p.Layer(layers.LayerTypeTCP).(*layers.TCP)
		if len(tcp.Payload) == 0 && f.info.Length != max(60, 14+int(ip.Length)) {
			t.Fatalf("packet %d: an ACK of %d bytes in a frame of %d", i+1, ip.Length, f.info.Length)
		}
		for _, o := range tcp.Options {
			if o.OptionType != layers.TCPOptionKindSACK {
				continue
			}
			if several++; len(o.OptionData) == 8 {
				several--
			}
			for b := o.OptionData; len(b) > 0; b = b[8:] {
				from, to := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
				if blocks++; from >= to || to > 60_000 || from < tcp.Ack && len(b) < len(o.OptionData) {
					t.Fatalf("packet %d: block %d to %d of an ACK of %d", i+1, from, to, tcp.Ack)
				}
			}
		}
	}
	if blocks == 0 || several == 0 {
		t.Errorf("%d blocks, %d ACKs with several: the case does not show what it should", blocks, several)
	}
}

// The payload of a trimmed packet counts at the port that cuts it off, and the header counts at the port that sends it.
// In a star this is the same port, once for each payload. Requests for credit have no payload and are not trimmed.
func TestCaptureShowsTrimming(t *testing.T) {
	for _, cc := range []string{"{kind: ndp}", "{kind: uet, control: rccc}\nnetwork: {link_error_rate: 0.02}"} {
		file, r := capturedFile(t,
			"topology: {kind: star, hosts: 9}\nworkload: [{kind: incast, senders: 8, size: 60KB}]\n"+
				"telemetry: {kind: none}\ncc: "+cc+"\n"+captureAll)
		count := map[string]int64{}
		frames, _ := framesOf(t, file)
		for _, f := range frames {
			for _, c := range f.comments {
				count[c]++
			}
		}
		if n := count[commentTexts[1]]; n == 0 || n != r.Counters.Trimmed || count[commentTexts[2]] != n {
			t.Errorf("%s: %v, of %d trimmed payloads", cc, count, r.Counters.Trimmed)
		}
	}
}

// A ring keeps the newest packets, a window and a flow select packets, and snap keeps the beginning of each packet.
func TestCaptureKeeps(t *testing.T) {
	const text = captureTree + "workload: [{kind: incast, senders: 8, size: 50KB}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: pint}\n" + captureAll
	all, _ := capturedFile(t, text, "run.capture.snap=100B")
	whole, _ := framesOf(t, all)
	same := func(what string, file []byte, want []frame) {
		t.Helper()
		got, _ := framesOf(t, file)
		if len(got) == 0 || len(got) != len(want) {
			t.Errorf("%s: %d packets, want %d", what, len(got), len(want))
			return
		}
		for i := range got {
			if !bytes.Equal(got[i].data, want[i].data) || !got[i].info.Timestamp.Equal(want[i].info.Timestamp) {
				t.Errorf("%s: packet %d is another one", what, i+1)
				return
			}
		}
	}
	small, r := capturedFile(t, text, "run.capture.snap=100B", "run.capture.ring=100KB", "run.workers=2")
	kept, _ := framesOf(t, small)
	same("ring", small, whole[len(whole)-len(kept):])
	if size := int64(len(small)); r.Capture.evicted == 0 || len(kept) < 100_000/140 || size > 110_000 {
		t.Errorf("%d packets in %d bytes, %d left out", len(kept), size, r.Capture.evicted)
	}
	var within []frame
	for _, f := range whole {
		if ns := f.info.Timestamp.UnixNano(); ns >= 3000 && ns < 4000 || ns >= 9000 && ns < 9500 {
			within = append(within, f)
		}
		if len(f.data) > 100 || f.info.Length < len(f.data) {
			t.Fatalf("%d of %d bytes", len(f.data), f.info.Length)
		}
	}
	times, _ := capturedFile(t, text, "run.capture.snap=100B", "run.capture.times=[3us-4us, 9us-9500ns]")
	same("times", times, within)
	one, _ := capturedFile(t, text, "run.capture.flows=[2]", "run.capture.nodes=[hosts]")
	ends := map[string]int{}
	frames, _ := framesOf(t, one)
	for _, f := range frames {
		p := gopacket.NewPacket(f.data, layers.LayerTypeEthernet, gopacket.NoCopy)
		ends[p.NetworkLayer().NetworkFlow().String()]++
	}
	if len(ends) != 2 {
		t.Errorf("packets of one flow are between %v", maps.Keys(ends))
	}
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"run.capture.ports=[0-1]": "run.capture.ports: 0-1: no link … host 0 (h0) … 16",
		"run.capture.nodes=[99]":  "run.capture.nodes: 99: the nodes of this network are 0 to 35",
		"run.capture.flows=[8]":   "run.capture.flows: 8: the flows of this workload are 0 to 7",
		"run={drain: false, capture: {enabled: true, times: [0s-1us, 90ms-100ms]}}": "run.capture.times: " +
			"90ms-100ms has no effect: the run ends at 0s",
		"telemetry={kind: int, precision: wire, time_bits: 40}": "run.capture: telemetry.time_bits = 40 … a hop has 64",
	} {
		bad, err := sc.With(set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), bad, Options{}); !errtest.Says(err, want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// A capture without packets is kept, and a note describes what would have been captured.
func TestCaptureOfNothing(t *testing.T) {
	const text = captureTree + "workload: [{kind: list, flows: [{src: 0, dst: 15, size: 500B}]}]\n" + captureAll
	file, r := capturedFile(t, text, "run.capture.times=[90ms-100ms]", "run.capture.nodes=[hosts]")
	if frames, _ := framesOf(t, file); len(frames) > 0 {
		t.Errorf("%d packets", len(frames))
	}
	const want = Warning +
		"capture.pcapng has no packets: none matched ports = [all], nodes = [hosts], flows = [all] and times = " +
		"[90ms-100ms] (run.capture)"
	if !slices.Contains(r.Notes, want) {
		t.Errorf("notes %q, want %q", r.Notes, want)
	}
}

// The only packet of a flow shows its telemetry, although the sender does not read the telemetry.
func TestCaptureShowsTelemetryOfShortFlows(t *testing.T) {
	const flow = "workload: [{kind: list, flows: [{src: 0, dst: 15, size: 500B}]}]\ncc: {kind: hpcc}\n" +
		"telemetry: {kind: int}\n"
	file, _ := capturedFile(t, captureTree+flow+captureAll)
	frames, _ := framesOf(t, file)
	most := 0
	for _, f := range frames {
		p := gopacket.NewPacket(f.data, layers.LayerTypeEthernet, gopacket.NoCopy)
		set := 0
		for _, b := range p.TransportLayer().LayerPayload() {
			if b != 0 {
				set++
			}
		}
		most = max(most, set)
	}
	if most < 5 {
		t.Errorf("at most %d bytes of a packet's telemetry are set after five hops", most)
	}
}
