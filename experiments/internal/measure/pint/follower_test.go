package pint

import (
	"slices"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
)

func encoder(t testing.TB, s query.Spec) *query.Encoder {
	t.Helper()
	p, err := query.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.NewEncoder(p, query.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pathAndLatency has no query for load.
func pathAndLatency() query.Spec {
	s := query.Combined()
	s.Queries = s.Queries[:2]
	return s
}

func ids(g *topo.Graph) []uint64 {
	ids := make([]uint64, len(g.Nodes))
	for i, id := range g.Switches() {
		ids[id] = uint64(100 + i)
	}
	return ids
}

func values(g *topo.Graph) []uint64 {
	var v []uint64
	for i := range g.Switches() {
		v = append(v, uint64(100+i))
	}
	return v
}

// late is a sink to which sinks are added after the engine's options have been set.
type late struct{ sinks []netsim.Sink }

func (l *late) Deliver(now unit.Time, host netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	for _, s := range l.sinks {
		s.Deliver(now, host, p, stack)
	}
}

// crowd sends packets from many hosts to few, so that queues grow.
func crowd(g *topo.Graph, packets int) []netsimtest.Send {
	hosts := g.Hosts()
	var sends []netsimtest.Send
	for i := range packets {
		for h := 1; h < len(hosts); h++ {
			sends = append(sends, netsimtest.Send{
				At: unit.Time(i)*400*unit.Nanosecond + unit.Time(h)*unit.Nanosecond, Src: hosts[h],
				Dst: hosts[(h*5)%4], Size: 1000,
			})
		}
	}
	return slices.DeleteFunc(sends, func(s netsimtest.Send) bool { return s.Src == s.Dst })
}

// Shadows compute the digests of the switches from the witnesses. So a shadow and a plan that writes digests decode the
// same paths after the same packets. They also estimate the same quantiles, which are close to the true ones.
func TestFollower(t *testing.T) {
	g := netsimtest.KAry(4)
	e := encoder(t, pathAndLatency())
	var (
		late    late
		study   *follower
		plain   *deploy.Collector
		sink    *arrivals[flowTrace]
		decoder = func(hops int) (coding.Decoder, error) { return coding.NewDecoder(e.Coding("path"), hops, values(g)) }
		memory  = query.Memory{Total: unit.MB}
	)
	n := netsimtest.New(t, g,
		netsimtest.Options{Sinks: []netsim.Sink{&late}, Taps: func(n *netsim.Network) []netsim.Tap {
			s, err := deploy.NewSwitches(n, e, deploy.Config{IDs: ids(g)})
			if err != nil {
				t.Fatal(err)
			}
			wire := followed{name: "wire", encoder: e, decoder: decoder, memory: memory}
			shadow := followed{name: "shadow", encoder: e, shadow: true, decoder: decoder, memory: memory}
			study, err = newFollower(n, ids(g), []followed{wire, shadow},
				FollowConfig{Latency: 300, Quantiles: []float64{0.5, 0.99}}, 3)
			if err != nil {
				t.Fatal(err)
			}
			if plain, err = deploy.NewCollector(n, e, memory, 3); err != nil {
				t.Fatal(err)
			}
			if sink, err = newTraces(n, ids(g), 250); err != nil {
				t.Fatal(err)
			}
			late.sinks = []netsim.Sink{study, plain, sink}
			return []netsim.Tap{s, telemetry.Witness{}}
		}})
	arrivals := netsimtest.Play(t, n, crowd(g, 300))
	n.CheckEnd(t)
	flows, _, err := study.result()
	if err != nil {
		t.Fatal(err)
	}
	packets, sum, count := 0, 0.0, 0
	for _, f := range flows {
		packets += f.Packets
		if f.Packets != 300 || f.Known[0] == 0 || f.Known[0] != f.Known[1] || f.Known[0] > 150 {
			t.Errorf("flow %x: path known after %v of %d packets, want the same of both plans",
				f.Key, f.Known, f.Packets)
		}
		half := len(f.Latency) / 2
		if half != 2*f.Hops {
			t.Fatalf("flow %x: %d estimates of a plan, want two for each of %d hops", f.Key, half, f.Hops)
		}
		for i, w := range f.Latency[:half] {
			s := f.Latency[half+i]
			s.Plan = w.Plan
			if w != s {
				t.Errorf("flow %x: wire %+v, shadow %+v", f.Key, w, s)
			}
			if w.Quantile == 0.5 && !w.Missing && w.Want > 10*unit.Nanosecond {
				sum += w.Error()
				count++
			}
		}
	}
	if packets != len(arrivals) || count < 10 || sum/float64(count) > 0.1 {
		t.Errorf("%d of %d packets; mean error of %d medians %.3f, want at least 10, below 0.1",
			packets, len(arrivals), count, sum/float64(count))
	}
	for _, name := range []string{"path", "latency"} {
		var a query.Usage
		for _, r := range study.plans[0].recorders {
			if r != nil {
				u := r.Usage(name)
				u.Packets, u.Flows, u.Evicted, u.Bytes, u.Largest = u.Packets+a.Packets, u.Flows+a.Flows,
					u.Evicted+a.Evicted, u.Bytes+a.Bytes, u.Largest+a.Largest
				a = u
			}
		}
		if b := plain.Usage(name); a != b || a.Flows != len(flows) {
			t.Errorf("%s: the study recorded %+v, a collector %+v, want all %d flows", name, a, b, len(flows))
		}
		// The limit is the space budget of a flow plus the overhead of the store.
		if u := plain.Usage(name); u.Bytes > unit.Bytes(u.Flows)*(1000+256) {
			t.Errorf("%s: %v for %d flows of at most 1000 B", name, u.Bytes, u.Flows)
		}
	}
	known, of, changes, err := plain.Traced("path", decoder)
	if err != nil || known != len(flows) || of != len(flows) || changes != 0 {
		t.Errorf("traced %d of %d with %d changes, %v; want all %d without", known, of, changes, err, len(flows))
	}
	long, wrong := plain.Refused()
	all, err := sink.all()
	traces := Traces{all}
	if got := traces.count(250); got != len(flows) || traces.count(251) != 0 || err != nil || long+wrong != 0 {
		t.Errorf("%d traces, %v; %d and %d refused", got, err, long, wrong)
	}
	for tr := range traces.All(1) {
		for _, lat := range tr.Packets {
			if len(lat) != tr.Hops || slices.Min(lat) < 0 {
				t.Fatalf("flow %x: latencies %v over %d hops", tr.Key, lat, tr.Hops)
			}
		}
	}
}

// count returns the number of flows with at least this many recorded packets.
func (t *Traces) count(packets int) (n int) {
	for range t.All(packets) {
		n++
	}
	return n
}

// Without witnesses a study cannot know the truth, and reports an error.
func TestStudyNeedsWitness(t *testing.T) {
	g := netsimtest.Chain(3)
	var late late
	var study *follower
	n := netsimtest.New(t, g,
		netsimtest.Options{Sinks: []netsim.Sink{&late}, Taps: func(n *netsim.Network) []netsim.Tap {
			var err error
			if study, err = newFollower(n, ids(g), nil, FollowConfig{}, 0); err != nil {
				t.Fatal(err)
			}
			late.sinks = []netsim.Sink{study}
			return nil
		}})
	hosts := g.Hosts()
	netsimtest.Play(t, n, []netsimtest.Send{{Src: hosts[0], Dst: hosts[1], Size: 1000}})
	if _, _, err := study.result(); err == nil || !strings.Contains(err.Error(), "Witness") {
		t.Errorf("Result: %v, want an error about the missing tap", err)
	}
}

func TestRefused(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(2), netsimtest.Options{})
	load := followed{name: "x", encoder: encoder(t, query.Combined()), shadow: true,
		memory: query.Memory{Total: unit.MB}}
	if _, err := newFollower(n.Net, nil, []followed{load}, FollowConfig{}, 0); err == nil {
		t.Error("a shadow of a plan with load is accepted")
	}
	if _, err := newTraces(n.Net, nil, 0); err == nil {
		t.Error("traces of 0 packets are accepted")
	}
}
