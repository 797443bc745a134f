package transport_test

import (
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// probing returns a transport whose probes carry 42 B of telemetry. The ACKs of data carry none.
func probing() transport.Config {
	c := cctest.RDMA()
	c.Echo, c.Probes, c.Probe = true, true, 42
	return c
}

// A window of one packet of 1048 B at 100 Gb/s: the first probe, of 90 B, leaves behind the first packet and also waits
// for it at the switch. So the probe arrives after 2·83.84 + 7.2 + 2000 ns. Its answer has 40 + 42 B and takes 2·6.56 +
// 2000 ns.
func TestAProbeFollowsItsData(t *testing.T) {
	p := &cctest.Puppet{W: 1000}
	stacks := map[bool]int{}
	p.OnAckDo = func(_ *cctest.Puppet, _ unit.Time, a *transport.Ack) bool {
		if a.Probe {
			stacks[true] += len(a.Hops)
		} else {
			stacks[false] += len(a.Hops)
		}
		return false
	}
	l := cctest.Lab{Graph: netsimtest.Star(2), Transport: probing(), Control: cctest.Puppets(p), Trace: true,
		Taps: func(*netsim.Network) []netsim.Tap { return []netsim.Tap{stampProbes{}} }}
	r := l.Run(t, cctest.Flow(0, 1, 10_000))
	var answers []transport.Ack
	for _, a := range p.Acks {
		if a.Probe {
			answers = append(answers, a)
		}
	}
	if len(answers) < 8 || stacks[true] != len(answers) || stacks[false] != 0 {
		t.Fatalf("%d answers to probes with %d records, and %d records in other ACKs", len(answers), stacks[true],
			stacks[false])
	}
	a := answers[0]
	const rtt = 167_680 + 7_200 + 2_000_000 + 13_120 + 2_000_000 // ps
	if d := a.RTT - rtt; d < -unit.Nanosecond || d > unit.Nanosecond || a.Acked != 0 || a.Seq != 1000 || a.ID != 1 {
		t.Errorf("the first answer is %+v, want a round-trip time of %v", a, unit.Time(rtt))
	}
	if x := r.Of(0); x.Packets != 10 || x.Outcome != transport.Finished {
		t.Errorf("%+v, want 10 packets: probes are not among them", x)
	}
	out := 0 // probes in the network
	for _, e := range r.Wire {
		switch k := e.Packet; {
		case k.Kind == netsim.Data && k.Payload == 0 && k.Size == 90:
			if out++; out > 1 {
				t.Fatalf("a second probe at %v", e.At)
			}
		case k.Kind == netsim.Control:
			out--
		case k.Kind == netsim.Data && k.Size != 1048, k.Kind == netsim.Ack && k.Size != 60:
			t.Errorf("%+v has telemetry", k)
		}
	}
}

// stampProbes stamps packets without payload.
type stampProbes struct{}

func (stampProbes) Dequeue(h *netsim.Hop) {
	if h.Packet.Payload == 0 {
		stamp{}.Dequeue(h)
	}
}

// A lost probe, or a lost answer, is replaced after a retransmission timeout, and the flow finishes.
func TestALostProbeIsReplaced(t *testing.T) {
	for _, kind := range []netsim.Kind{netsim.Data, netsim.Control} {
		p := &cctest.Puppet{W: 4000}
		c := probing()
		c.RTOMin, c.RTOInitial = 20*unit.Microsecond, 20*unit.Microsecond
		lost, at := false, unit.Time(0)
		l := cctest.Lab{Graph: netsimtest.Star(2), Transport: c, Control: cctest.Puppets(p),
			Drop: func(now unit.Time, k *netsim.Packet) bool {
				if lost || k.Kind != kind || k.Payload != 0 {
					return false
				}
				lost, at = true, now
				return true
			}}
		r := l.Run(t, cctest.Flow(0, 1, 400_000))
		i := slices.IndexFunc(p.Acks, func(a transport.Ack) bool { return a.Probe })
		if !lost || i < 0 || p.Acks[i].ID != 2 || p.Times[i] < at+10*unit.Microsecond {
			t.Errorf("kind %v: ACK %d is the first answer; want one to the second probe, after a timeout", kind, i)
		}
		if x := r.Of(0); x.Outcome != transport.Finished || x.Retx != 0 {
			t.Errorf("kind %v: %+v", kind, x)
		}
	}
}

// Flows of one packet send no probe. Others have the same records with any number of workers.
func TestProbesWithWorkers(t *testing.T) {
	l := cctest.Lab{Graph: netsimtest.Chain(3), Transport: probing()}
	l.Network = func(c *netsim.Config) { c.Divide = true }
	flows := []transport.Flow{cctest.Flow(0, 1, 900), cctest.Flow(0, 1, 50_000), cctest.Flow(1, 0, 30_000)}
	var first []transport.Record
	for workers := 1; workers <= 3; workers++ {
		r := l.RunParts(t, workers, flows...)
		if workers == 1 {
			first = r.Records
		}
		if !slices.Equal(r.Records, first) {
			t.Errorf("%d workers: %+v, with one %+v", workers, r.Records, first)
		}
	}
}
