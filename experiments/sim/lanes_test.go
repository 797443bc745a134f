package sim

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
	"pintlab/pint/routechange"
)

// taken counts the packets of flows by true path.
type taken struct {
	s     *Simulation
	hosts []map[query.FiveTuple]map[string]int // by destination; the key consists of the numbers of the path's switches
}

func (k *taken) Deliver(_ unit.Time, at netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	var path []byte
	ids := k.s.SwitchIDs()
	for i := range stack {
		from, _ := k.s.Net.PortEnds(stack[i].Port)
		path = append(path, byte(ids[from]))
	}
	f := k.s.Net.FiveTuple(p.Flow)
	address := func(n netsim.NodeID) (a [16]byte) {
		a[10], a[11] = 0xff, 0xff
		binary.BigEndian.PutUint32(a[12:], route.HostIP(n))
		return a
	}
	flow := query.FiveTuple{
		Src: address(f.Src), Dst: address(f.Dst), SrcPort: f.SrcPort, DstPort: f.DstPort, Protocol: 17}
	h := &k.hosts[at]
	if *h == nil {
		*h = map[query.FiveTuple]map[string]int{}
	}
	if (*h)[flow] == nil {
		(*h)[flow] = map[string]int{}
	}
	(*h)[flow][string(path)]++
}

// judged counts how well lanes match the paths that packets have taken.
type judged struct {
	flows, paths, lanes int
	mixed               int // lanes with packets of two paths
	decoded             int // paths
	wrong, baseless     int // decoded paths that no packet of the lane took: in all lanes; in lanes of one path
	incomplete          int // lanes that lack the digest of some packet
	alarms              int // contradictions in lanes of one path
}

// judge compares the lanes of a monitor with the true paths of all packets.
func judge(t *testing.T, k *taken) (j judged) {
	t.Helper()
	p := *k.s.Scenario.Monitors[0].Params.(*deploy.Monitor)
	p.Record = "collector"
	e, _, err := p.Collected(k.s.Scenario.Seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range k.s.Graph.Hosts() {
		r := k.s.Monitor(0).(collecting).Collector().Recorder(host)
		if r == nil {
			continue
		}
		n := query.NewInference(r)
		for flow, paths := range k.hosts[host] {
			j.flows++
			j.paths += len(paths)
			byLane := map[query.FlowID][]string{}
			for path := range paths {
				ids := make([]uint64, len(path))
				for i := range ids {
					ids[i] = uint64(path[i])
				}
				id := query.FlowID{Flow: flow, Hops: uint8(len(path)), Lane: e.LaneOf(ids)}
				byLane[id] = append(byLane[id], path)
			}
			ids := n.Lanes("path", flow)
			j.lanes += len(ids)
			if len(ids) != len(byLane) {
				t.Errorf("%v: %d lanes, want %d", flow, len(ids), len(byLane))
			}
			for _, id := range ids {
				j.lane(t, n, e, k, id, byLane[id], paths)
			}
		}
	}
	return j
}

func (j *judged) lane(t *testing.T, n *query.Inference, e *query.Encoder, k *taken, id query.FlowID, of []string,
	packets map[string]int) {
	t.Helper()
	sum := 0
	for _, path := range of {
		sum += packets[path]
	}
	digests, err := n.Digests("path", id)
	if err != nil {
		t.Fatal(err)
	}
	if sum < 80 && digests.Len() != sum {
		j.incomplete++
	}
	if len(of) > 1 {
		j.mixed++
	}
	d, err := coding.NewDecoder(e.Coding("path"), int(id.Hops), k.s.SwitchValues())
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := routechange.NewTracker(e.Coding("path"), int(id.Hops), d)
	if err != nil {
		t.Fatal(err)
	}
	epochs, err := n.Epochs("path", id, tracker)
	if len(of) == 1 && (err != nil || len(epochs) != 1) {
		j.alarms++
	}
	for _, x := range epochs {
		if x.Decoded == 0 {
			continue
		}
		j.decoded++
		var path []byte
		for _, v := range x.Path {
			path = append(path, byte(v))
		}
		if !slices.Contains(of, string(path)) {
			if j.wrong++; len(of) == 1 {
				j.baseless++
			}
		}
	}
}

const lanes = `
topology: {kind: fattree, k: 6}
workload: [{kind: permutation, size: 300KB}]
cc: {kind: dctcp}
telemetry: {kind: none}
monitors: [{kind: pint, path_checksum: 16}]
`

// scattering lists settings with which packets of a flow take several paths.
var scattering = map[string]string{
	"letflow": "network.balancing={kind: letflow, gap: 1us}",
	"spray":   "network.balancing.kind=spray",
	"reps":    "network.balancing.kind=reps",
	"failure": "faults=[{kind: link-down, a: 54, b: 72, at: 10us, until: 60us}, " +
		"{kind: link-down, a: 60, b: 79, at: 5us}]",
}

// scattered runs the scenario with a checksum of the given number of bits and judges the lanes.
func scattered(t *testing.T, how string, bits int) judged {
	t.Helper()
	var k *taken
	watched(t, lanes, Options{Sink: func(s *Simulation) (netsim.Sink, error) {
		k = &taken{s: s, hosts: make([]map[query.FiveTuple]map[string]int, len(s.Graph.Nodes))}
		return k, nil
	}}, scattering[how], fmt.Sprint("monitors.0.path_checksum=", bits), "monitors.0.wire_bytes=4B", "run.workers=2")
	return judge(t, k)
}

// Lanes separate the packets of a flow by path: each lane has all packets of one true path, and its digests decode to
// this path. Only paths with the same checksum share a lane. With 16 bits no two paths have the same checksum (of about
// 4200 pairs of paths of a flow, 0.07 are expected), and no path is wrong. With 4 bits and sprayed packets, two paths
// share one lane in six. At most 3 % of the decoded paths are wrong, all of them in shared lanes.
func TestLanesAreTruePaths(t *testing.T) {
	for how := range scattering {
		for _, bits := range []int{16, 4} {
			j := scattered(t, how, bits)
			if j.paths <= j.flows || j.incomplete+j.alarms+j.baseless > 0 || j.decoded < j.lanes*3/4 ||
				100*j.wrong > 3*j.decoded || bits == 16 && j.mixed+j.wrong > 0 ||
				bits == 4 && how != "failure" && (j.mixed < j.lanes/20 || j.mixed > j.lanes/4) {
				t.Errorf("%s, %d bits: %+v", how, bits, j)
			}
		}
	}
}

// Without a checksum, epochs follow failures (no wrong path) and flowlets (at most 2 % of the decoded paths are wrong).
// If packets are sprayed, few paths are decoded, and at least a quarter of them are wrong.
func TestEpochsAreTruePaths(t *testing.T) {
	for how := range scattering {
		j := scattered(t, how, 0)
		few, most := 1, 0.02
		switch how {
		case "letflow":
			few = 2 * j.flows
		case "spray", "reps":
			most = 1
			if 4*j.wrong < j.decoded || j.decoded > j.flows {
				t.Errorf("%s: %+v, want wrong paths", how, j)
			}
		}
		if j.decoded < few || float64(j.wrong) > most*float64(j.decoded) || j.alarms+j.baseless > 0 {
			t.Errorf("%s: %+v", how, j)
		}
	}
}
