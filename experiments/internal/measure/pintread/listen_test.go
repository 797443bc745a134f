package pintread

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/layers"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/workloads/packets"
)

// heard sends datagrams to a collector on this machine before the collector listens. It returns the collector's answer.
func heard(t *testing.T, n Network, datagrams ...[]byte) *Answer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	to, err := net.Dial("udp", conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	for _, b := range datagrams {
		if _, err := to.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Listen(t.Context(), conn, n, question(), Until{Packets: int64(len(datagrams))})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The reports that a run exports by UDP lead to the same answers as the capture of its collector's link. (The buffer of
// a socket has room for 80 reports.)
func TestDatagramsSayWhatTheCaptureSays(t *testing.T) {
	text := []byte(`
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 4}
workload: [{kind: incast, senders: 4, size: 20KB}]
monitors: [{kind: pint, record: collector, collector: 1}]
run: {capture: {enabled: true, ports: [16-1]}}
`)
	sc, err := scenario.Parse(text, "test")
	if err != nil {
		t.Fatal(err)
	}
	var sent [][]byte
	r, err := sim.Run(t.Context(), sc, sim.Options{Report: func(b []byte) { sent = append(sent, bytes.Clone(b)) }})
	if err != nil {
		t.Fatal(err)
	}
	n, err := ofRun(&r.Scenario, r.Flows)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.Capture.Write(&file); err != nil {
		t.Fatal(err)
	}
	want, err := Read(&file, "f", n, question())
	if err != nil || want.Digests != int64(len(sent)) || len(sent) > 100 {
		t.Fatalf("%d reports, %v", len(sent), err)
	}
	bad := [][]byte{[]byte("hello"), {}, sent[0][:20], tag(61, 6, 0, make([]byte, 20))}
	got := heard(t, n, append(sent, bad...)...)
	twice := heard(t, n, sent[0], sent[0], sent[1])
	if twice.Copies != 1 || twice.Malformed != 0 || twice.Digests != 2 {
		t.Errorf("%+v, want 1 copy of 2 reports", twice)
	}
	if got.Malformed != int64(len(bad)) || got.Packets != int64(len(sent)+len(bad)) {
		t.Errorf("%d of %d datagrams are malformed, want %d", got.Malformed, got.Packets, len(bad))
	}
	got.File, got.Packets, got.Malformed = want.File, want.Packets, 0
	if diff := cmp.Diff(want, got, missing); diff != "" {
		t.Error(diff)
	}
}

// If the switches use another coding scheme, most paths and route changes are invented, and the text says that they are
// wrong. With the scheme of the switches, each flow has one path.
func TestAnotherScheme(t *testing.T) {
	spec := query.CombinedByHand()
	spec.Queries[0].Hashes = 1
	plan, err := query.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	with := func(s coding.Scheme) Network {
		e, err := query.NewEncoder(plan, query.Options{Seed: 1, CRC: true, Scheme: s})
		if err != nil {
			t.Fatal(err)
		}
		return Network{Encoder: e, Switches: map[uint64]string{11: "11", 22: "22", 33: "33"}}
	}
	scheme := coding.Interleaved(0.95, 0.6)
	switches := with(scheme)
	var frames [][]byte
	for i := range 60 {
		frame := tag(61, 6, 0, []byte{0x11, 0x22, 0, 80, 0, 0, 0, byte(i), 0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0, 0})
		list, err := tagged(&packets.Frame{Link: layers.LinkTypeEthernet, Data: frame})
		if err != nil {
			t.Fatal(err)
		}
		digest := uint64(0)
		for hop, id := range []uint64{11, 22, 33} {
			o := query.Observation{SwitchID: id, HopLatency: unit.Microsecond}
			digest = switches.Encoder.Encode(list[0].packet.ID, hop+1, digest, &o)
		}
		binary.BigEndian.PutUint16(frame[14:], uint16(digest))
		frames = append(frames, frame)
	}
	const doubt = "contradict the path of their flow so far"
	for _, tt := range []struct {
		scheme coding.Scheme
		wrong  bool
	}{{scheme, false}, {coding.Scheme{}, true}} {
		a := heard(t, with(tt.scheme), frames...)
		text, err := a.Text()
		if err != nil || strings.Contains(text, doubt) != tt.wrong || (len(a.Paths) > 1) != tt.wrong ||
			(a.Contradictions > 0) != tt.wrong {
			t.Errorf("wrong scheme %v: %d contradictions, %v\n%s", tt.wrong, a.Contradictions, err, text)
		}
	}
}

// Datagrams of switches contain the frame that a sink clones. When its context ends, the collector stops and answers.
func TestClonesByUDP(t *testing.T) {
	plan, err := query.Compile(query.CombinedByHand())
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.NewEncoder(plan, query.Options{Seed: 1, CRC: true})
	if err != nil {
		t.Fatal(err)
	}
	n := Network{Encoder: e, Switches: map[uint64]string{1: "1", 2: "2"}}
	a := heard(t, n, tag(61, 6, 0, make([]byte, 20)), tag(61, 6, 0, nil)[:20], []byte("x"))
	if a.Digests+a.Wrong != 1 || a.Malformed != 2 {
		t.Errorf("%+v", a)
	}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err = Listen(ctx, conn, n, question(), Until{}); err != nil || a.Packets != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Listen(t.Context(), conn, n, Question{Memory: unit.KB / 10}, Until{Time: 1}); err == nil {
		t.Error("no memory is accepted")
	}
}
