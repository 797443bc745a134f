package inband

import (
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// After a detour of the first packet, the answer still covers all later packets on the path.
func TestEchoAfterDetour(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch}}}
	for h := range topo.NodeID(2) {
		g.Links = append(g.Links, topo.Link{A: h, B: 2, Rate: unit.Gbps, Delay: unit.Microsecond})
	}
	cfg := netsim.Default()
	cfg.MaxPacket = 1000
	n, err := netsim.New(g, 1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	k, err := echo{net: n}.Evidence(telemetry.Scale{Slow: 10 * unit.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	x := &telemetry.Flow{Key: 7, Tuple: route.FiveTuple{Dst: 1}, Path: []netsim.NodeID{2}}
	read := func(stack ...netsim.PortSample) { k.(telemetry.Reader).Read(1, 7, stack) }
	slow := netsim.PortSample{Queue: 1250} // 10 us at 1 Gb/s
	read(netsim.PortSample{}, netsim.PortSample{}, netsim.PortSample{})
	if f := k.Facts(x); f.Slow != nil || f.Known != 0 {
		t.Errorf("a detour alone: %+v", f)
	}
	read(slow)
	if f := k.Facts(x); !slices.Equal(f.Slow, []bool{true}) || f.Known != 1 {
		t.Errorf("then a packet that was slow on the path: %+v", f)
	}
}
