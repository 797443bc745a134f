package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// It suffices to compare hosts that differ: their largest base RTT and bandwidth-delay product equal the maxima over
// all pairs of hosts and all shortest paths. This also holds if the links of hosts or switches have different rates and
// delays, or if switches take different times.
func TestFarthestLooksAtEveryKindOfPair(t *testing.T) {
	sc := parse(t, planned, "topology={kind: fattree, k: 6}") // three hosts at a switch
	s, err := Build(sc, Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		for l := range s.Graph.Links {
			x := &s.Graph.Links[l]
			if h := s.Graph.Nodes[x.A].Layer + s.Graph.Nodes[x.B].Layer; h == 1 && i > 1 || i > 3 { // of a host, or all
				x.Rate, x.Delay = unit.Rate(1+l%2)*100*unit.Gbps, unit.Time(1+l%i)*unit.Microsecond
			}
		}
		for n := range s.Graph.Nodes {
			x := &s.Graph.Nodes[n]
			if x.Delay = 0; x.Layer == 1 && i == 1 {
				x.Delay = unit.Time(n) * unit.Microsecond
			}
		}
		s.Net = nil
		if err := s.buildNetwork(); err != nil {
			t.Fatal(err)
		}
		if kept, _ := s.unlike(s.Graph.Hosts()); i == 0 && len(kept) != 24 {
			t.Errorf("%d hosts of 54 alike stay, want two of two switches of each pod", len(kept))
		}
		checkFarthest(t, fmt.Sprint("links ", i), s)
	}
}

// checkFarthest compares the result with all pairs of hosts and all shortest paths.
func checkFarthest(t *testing.T, what string, s *Simulation) {
	t.Helper()
	sizes := s.sizes()
	var rtt unit.Time
	var bdp unit.Bytes
	for _, a := range s.Graph.Hosts() {
		for _, b := range s.Graph.Hosts() {
			var longest unit.Time // longest time of an ACK
			for _, path := range every(s.Routes, b, a) {
				longest = max(longest, transport.BaseRTT(s.Net, &sizes, nil, path))
			}
			for _, path := range every(s.Routes, a, b) {
				r := transport.BaseRTT(s.Net, &sizes, path, nil) + longest
				rtt, bdp = max(rtt, r), max(bdp, transport.PathRate(s.Net, path).In(r))
			}
		}
	}
	s.rules.baseRTT, s.rules.bdp = 0, 0
	if gotRTT, gotBDP := s.farthest(); gotRTT != rtt || gotBDP != bdp {
		t.Errorf("%s: base RTT %v and %d bytes, of all pairs %v and %d", what, gotRTT, gotBDP, rtt, bdp)
	}
}

// Switches whose hosts have the same links may still differ: the hosts may have further links, or a switch may have a
// link to another switch (number 0) instead of a host. Then the hosts of both switches must be part of the comparison,
// because the hosts of one switch may be farther away.
func TestFarthestTellsSwitchesApart(t *testing.T) {
	for _, links := range []string{
		"9 5 10\n4 5 6 7 8\n0 4\n1 5\n2 6\n3 8\n0 8\n1 8\n4 7\n5 7\n6 7\n7 8\n",
		"12 6 13\n0 1 2 3 4 5\n1 6\n1 0\n1 4\n2 7\n2 0\n2 4\n3 8\n3 9\n3 4\n4 0\n0 5\n5 10\n5 11\n",
	} {
		lines := strings.Split(strings.TrimSpace(links), "\n")
		path := filepath.Join(t.TempDir(), "topology.txt")
		text := strings.Join(lines[:2], "\n") + "\n" + strings.Join(lines[2:], " 100Gbps 0.001ms 0\n") +
			" 100Gbps 0.001ms 0\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Build(parse(t, planned, "topology={kind: file, path: "+path+"}"), Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFarthest(t, path, s)
	}
}

// every returns all shortest paths from one node to another.
func every(r *route.Table, from, to topo.NodeID) (list [][]route.Port) {
	for _, p := range r.NextHops(from, to) {
		next := p.To(r.Graph())
		if next == to {
			return [][]route.Port{{p}}
		}
		for _, path := range every(r, next, to) {
			list = append(list, append([]route.Port{p}, path...))
		}
	}
	return list
}

// A slow link counts on any of the equally short paths.
func TestFarthestSeesDegradedLinks(t *testing.T) {
	want := unit.Time(0)
	for n := range 4 {
		s, err := Build(
			parse(t, planned,
				"topology={kind: leafspine, leaves: 4, spines: 4, hosts_per_leaf: 4, degraded_share: 0.001}",
				fmt.Sprintf("topology.degraded=%d", n+1)), Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rtt, bdp := s.farthest()
		if want = max(want, rtt); rtt != want || rtt < 90*unit.Microsecond || bdp > 200*unit.KB {
			t.Errorf("%d links at a thousandth of their rate: base RTT %v, with fewer %v, bandwidth-delay product %v",
				n+1, rtt, want, bdp)
		}
	}
}

// The base RTT is the time of a full packet and its ACK in the empty network, for any rates, delays and sizes: a flow
// of one full packet between the farthest hosts takes exactly this time.
func TestBaseRTTIsThatOfAPacketAlone(t *testing.T) {
	for _, set := range [][]string{
		{"telemetry.kind=none", "cc.kind=fixed"},
		{"telemetry.kind=int"},
		{"telemetry.kind=int", "topology.link_delay=0s"},
		{"telemetry.kind=int", "transport.payload=10B", "topology.link_delay=0s"},
		{"telemetry.kind=pint", "topology.bottleneck_rate=1Mbps", "network.processing_delay=3us"},
		{"telemetry.kind=none", "cc.kind=powertcp", "cc.power=theta", "transport.payload=1B"},
		{"telemetry.kind=none", "cc.kind=timely", "monitors=[{kind: rtt}]", "transport.ack_min=500B"},
		{"telemetry.kind=none", "cc.kind=reno", "transport.kind=newreno", "transport.mtu=9000B"},
		{"telemetry.kind=int", "network.serialisation=floor-ns", "topology.host_rate=800Gbps"},
	} {
		sc, err := scenario.Default().With(
			append([]string{"topology={kind: dumbbell, left: 1, right: 1}",
				"workload=[{kind: list, flows: [{src: 0, dst: 1, size: 1B}]}]"}, set...)...)
		if err != nil {
			t.Fatal(err)
		}
		full := sc.Transport.FullPayload(sc.Telemetry.Overhead())
		if sc, err = sc.With(fmt.Sprintf("workload.0.flows.0.size=%dB", full)); err != nil {
			t.Fatal(err)
		}
		var took unit.Time
		s, err := Build(sc, Options{}, func(r *transport.Record) { took = r.FCT })
		if err != nil {
			t.Fatal(err)
		}
		rtt, _ := s.farthest()
		s.Engine.RunSome(unit.Second, 1000)
		if rtt != took {
			t.Errorf("%v: base RTT %v, and a packet and its ACK take %v", set, rtt, took)
		}
	}
}
