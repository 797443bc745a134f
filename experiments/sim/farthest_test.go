package sim

import (
	"testing"

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
		if kept := len(s.unlike(s.Graph.Hosts())); i == 0 && kept != 36 {
			t.Errorf("%d hosts of 54 alike stay, want two of each switch", kept)
		}
		segment := sc.Transport.FullPayload(sc.Telemetry.Overhead())
		var rtt unit.Time
		var bdp unit.Bytes
		for _, a := range s.Graph.Hosts() {
			for _, b := range s.Graph.Hosts() {
				if a != b {
					forth := s.Routes.Path(nil, a, b, route.FlowKey{})
					r := transport.BaseRTT(s.Net, segment, forth, s.Routes.Path(nil, b, a, route.FlowKey{}))
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
