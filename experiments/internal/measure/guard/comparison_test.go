package guard

import (
	"slices"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

func nodes(n ...netsim.NodeID) []netsim.NodeID { return n }

// victim is a flow from host 0 to host 6 over switches 1 to 5.
func victim(sent int64) *record {
	return &record{Flow: telemetry.Flow{Key: 7, Tuple: route.FiveTuple{Dst: 6}, Path: nodes(1, 2, 3, 4, 5), Sent: sent}}
}

// Two flows lose packets, and two do not. Without postcards, the culprit is the only link that both losing flows share
// and no other flow uses. If a packet was seen at switch 3, it was not lost before switch 3.
func TestLoss(t *testing.T) {
	at := &comparison{knows: nothing{}}
	flow := func(lost uint64, path ...netsim.NodeID) *evidence {
		e := &evidence{start: 0, end: 10, nodes: path, sent: 20, lost: lost}
		at.past = append(at.past, e)
		return e
	}
	flow(0, 10, 1, 2, 13)
	flow(0, 11, 3, 4, 5, 6)
	flow(2, 12, 2, 3, 14)
	e := flow(2, 0, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		stopped int
		want    diagnose.Finding
	}{
		{0, diagnose.Finding{Rule: diagnose.Drops, Switches: nodes(3), Last: 2}},
		{3, diagnose.Finding{Rule: diagnose.Drops, Switches: nodes(4), Last: 3}},
	} {
		f, ok := at.loss(e, c.stopped)
		if !ok || f.Rule != c.want.Rule || !slices.Equal(f.Switches, c.want.Switches) || f.Last != c.want.Last {
			t.Errorf("stopped %d: %+v, %v; want %+v", c.stopped, f, ok, c.want)
		}
	}
}

// wrongWay is a fat tree of 16 hosts in which a forwarding entry points to a longer path.
const wrongWay = `topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: fixed, size: 20KB, load: 0.4, duration: 1ms}]
cc: {kind: hpcc}
telemetry: {kind: int, hops: 9}
monitors: [{kind: int, mode: postcard}, {kind: pint, hops: 9, flows: false}, {kind: int}]
run: {monitor_cost: none}
faults: [{kind: wrong-path, switch: 24, next: 16, dst: 2, at: 200us}]
`

// Only telemetry of packets shows that packets take another path. Hosts without telemetry miss all victims of this
// fault. Records of all packets find the victims, and so does PINT. All systems are evaluated on the same victims.
func TestUnnoticed(t *testing.T) {
	sc, err := scenario.Parse([]byte(wrongWay), "test")
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Scenario: sc, Thresholds: diagnose.Default(), Inflation: 10, Interval: unit.Millisecond,
		Unnoticed: true}
	list, err := Compare(t.Context(), q,
		[]System{First(Hosts), First("int"), First("pint"), {"int", 2}, First(Telemetry)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		if a.Afflicted != list[0].Afflicted || a.Afflicted < 5 {
			t.Errorf("%d, %s: %d victims, want the %d of all systems and at least 5",
				i, a.View, a.Afflicted, list[0].Afflicted)
		}
		switch knows := a.View == "int" || a.View == "pint"; {
		case knows && a.Recall < 0.8:
			t.Errorf("%d, %s: recall %v, want 0.8 or more", i, a.View, a.Recall)
		case !knows && a.Recall > 0:
			t.Errorf("%d, %s: recall %v of what nobody told it", i, a.View, a.Recall)
		}
	}
}

// The view of the hosts' telemetry reads no monitor, so selecting a monitor for this view is an error.
func TestViewWithoutMonitor(t *testing.T) {
	sc, err := scenario.Parse([]byte(wrongWay), "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []View{Telemetry, Hosts, Exact} {
		if _, err := watched(sc, System{View: v}); err == nil {
			t.Errorf("%s reads monitor 0", v)
		}
		if _, err := watched(sc, First(v)); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
