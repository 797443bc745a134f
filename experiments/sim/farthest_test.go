package sim

import (
	"fmt"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// The largest base RTT and bandwidth-delay product of the hosts that differ are those of all
// pairs, also where hosts at one switch have links of different rates and delays.
func TestFarthestLooksAtEveryKindOfPair(t *testing.T) {
	sc := parse(t, planned, "topology={kind: fattree, k: 6}") // three hosts at a switch
	s, err := Build(sc, Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for l := range s.Graph.Links {
			x := &s.Graph.Links[l]
			if h := s.Graph.Nodes[x.A].Layer + s.Graph.Nodes[x.B].Layer; h == 1 && i > 0 { // of a host
				x.Rate, x.Delay = unit.Rate(1+l%2)*100*unit.Gbps, unit.Time(1+l%(i+1))*unit.Microsecond
			}
		}
		if err := s.buildNetwork(); err != nil {
			t.Fatal(err)
		}
		if kept, _ := s.unlike(s.Graph.Hosts()); i == 0 && len(kept) != 36 {
			t.Errorf("%d hosts of 54 alike stay, want two of each switch", len(kept))
		}
		sizes := s.sizes()
		var rtt unit.Time
		var bdp unit.Bytes
		for _, a := range s.Graph.Hosts() {
			for _, b := range s.Graph.Hosts() {
				if a != b {
					forth := s.Routes.Path(nil, a, b, route.FlowKey{})
					r := transport.BaseRTT(s.Net, &sizes, forth, s.Routes.Path(nil, b, a, route.FlowKey{}))
					rtt, bdp = max(rtt, r), max(bdp, transport.PathRate(s.Net, forth).In(r))
				}
			}
		}
		s.rules.baseRTT, s.rules.bdp = 0, 0
		if gotRTT, gotBDP := s.farthest(); gotRTT != rtt || gotBDP != bdp {
			t.Errorf("links %d: base RTT %v and %d bytes, of all pairs %v and %d", i, gotRTT, gotBDP, rtt, bdp)
		}
	}
}

// The base RTT is how long a full packet and its ACK take in the empty network, whatever is small or large in it: a flow
// of one full packet between the farthest hosts takes just that.
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
		sc, err := scenario.Default().With(append([]string{"topology={kind: dumbbell, left: 1, right: 1}", "workload=[{kind: list, flows: [{src: 0, dst: 1, size: 1B}]}]"}, set...)...)
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
