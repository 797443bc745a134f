package inband

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// According to PINT §2, there are 8 B of header and 4 B for each value of a hop. Three values of five hops take 68 B.
// Only passports add these bytes to packets; a postcard contains one hop.
func TestRoom(t *testing.T) {
	p := Monitor{Mode: "passport", Values: 3, ReportHeader: 67}
	if got, want := p.Room(5), (telemetry.Room{Growth: 68, Cargo: 22 + 5*12, Report: 67 + 68}); got != want {
		t.Errorf("passport: %+v, want %+v", got, want)
	}
	p.Mode = "postcard"
	if got, want := p.Room(5), (telemetry.Room{Cargo: 22 + 12, Report: 67 + 8 + 12}); got != want {
		t.Errorf("postcard: %+v, want %+v", got, want)
	}
}

// pair returns two hosts at one switch, node 2.
func pair() *topo.Graph {
	g := &topo.Graph{Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch}}}
	for h := range topo.NodeID(2) {
		g.Links = append(g.Links, topo.Link{A: h, B: 2, Rate: unit.Gbps, Delay: unit.Microsecond})
	}
	return g
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		collector, hops int
		want            string
	}{
		{2, 3, "collector = 2: … host, 0 to 1"},
		{0, 255, "kind = int: the network has paths of 255 hops, want fewer than 255"},
	} {
		p := &Monitor{Mode: "passport", Values: 3, Share: 1, Collector: c.collector}
		_, err := p.Watch(&telemetry.Place{Site: telemetry.Site{Graph: pair(), MaxHops: c.hops}})
		if !errtest.Says(err, c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// records returns the room of a packet that contains the given records: switch, latency in ns, queue in bytes.
func records(list ...[3]uint32) []byte {
	room := append([]byte{byte(len(list)), 7}, make([]byte, roomHeader-2)...) // flow 7
	for _, r := range list {
		for _, x := range r {
			room = binary.LittleEndian.AppendUint32(room, x)
		}
	}
	return room
}

// Two packets cross switch 2, one with a latency of 1000 ns and a queue of 50 B, and one with 3000 ns and 20 B. One
// report is lost. 1250 B in 20 µs are half of the capacity of a link of 1 Gb/s.
func TestTables(t *testing.T) {
	cfg := netsim.Default()
	cfg.MaxPacket = 1000
	n, err := netsim.New(pair(), 1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := &monitor{
		params: Monitor{Collector: 1}, collector: 1, at: &telemetry.Place{Site: telemetry.Site{Net: n}},
		sources: make([]source, 3), hops: make([]hop, 3),
	}
	m.sources[2] = source{packets: 3, number: 3, bytes: 300}
	m.sources[2].arrived.Hear(0)
	m.sources[2].arrived.Hear(2)
	m.received.reports, m.received.bytes = 2, 1250
	var heard []string
	m.listen = func(now unit.Time, flow uint64, list []hopRecord) {
		heard = append(heard, fmt.Sprint(now, " ", flow, " ", list))
	}
	m.take(5*unit.Microsecond, records([3]uint32{2, 1000, 50}))
	m.take(6*unit.Microsecond, records([3]uint32{2, 3000, 20}))
	if want := []string{"5us 7 [{2 1us 50B}]", "6us 7 [{2 3us 20B}]"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	want := map[string]string{
		"collector": "1 2 1250 0.5",
		"sources":   "2 3 0 3 300 2 1",
		"hops":      "2 2 2e-06 3e-06 50",
	}
	for _, x := range m.tables(20 * unit.Microsecond) {
		if len(x.Rows) != 1 || strings.Join(x.Rows[0], " ") != want[x.Name] || len(x.Rows[0]) != len(x.Head) {
			t.Errorf("%s: %v, want %s", x.Name, x.Rows, want[x.Name])
		}
	}
	note := "1 of 3 reports did not reach the collector; the others used 0.5 of the rate of its link: " +
		"watch a smaller share"
	if got := m.notes(); !slices.Equal(got, []string{note}) {
		t.Errorf("%v, want %s", got, note)
	}
	m.sources[2].arrived.Hear(1)
	if got := m.notes(); got != nil {
		t.Errorf("%v although all have come", got)
	}
}
