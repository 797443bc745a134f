package deploy

import (
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/latency"
	"pintlab/pint/query"
)

// truth keeps the latencies of the packets of each flow at each of its hops.
type truth struct {
	net *netsim.Network
	of  map[query.FiveTuple][]latencies
}

type latencies []unit.Time

func (x *truth) Dequeue(h *netsim.Hop) {
	flow := query.Connection(x.net.FlowKey(h.Packet.Flow))
	for len(x.of[flow]) <= int(h.Number) {
		x.of[flow] = append(x.of[flow], nil)
	}
	x.of[flow][h.Number] = append(x.of[flow][h.Number], h.Now-h.Packet.At)
}

// steady returns packets of senders that take turns. The latencies at a hop are then nearly the same: 0 at the first
// hop of a flow, and the same wait at the link that they share.
func steady(g *topo.Graph, packets int) []netsimtest.Send {
	hosts := g.Hosts()
	var sends []netsimtest.Send
	for i := range packets {
		for h := 1; h < 6; h++ {
			sends = append(sends, netsimtest.Send{
				At:  unit.Time(i)*500*unit.Nanosecond + unit.Time(h)*unit.Nanosecond,
				Src: hosts[h], Dst: hosts[0], Size: 1000,
			})
		}
	}
	return sends
}

// The bounds of a percentile contain the percentile of the true latencies in a share of at least 1 - delta of the hops,
// in queues that grow beyond the largest code (crowd) and with latencies that are nearly the same (steady). Without the
// width of a code, the bounds of steady latencies would exclude most percentiles.
func TestBoundsContainTheTruth(t *testing.T) {
	const delta = 0.1
	for _, tt := range []struct {
		name     string
		rounding approx.Rounding
		high     unit.Time
		sends    func(*topo.Graph, int) []netsimtest.Send
	}{
		{"crowd", approx.Nearest, 100 * unit.Nanosecond, crowd},
		{"crowd", approx.UnbiasedLog, 100 * unit.Nanosecond, crowd},
		{"steady", approx.Nearest, 60 * unit.Microsecond, steady},
		{"steady", approx.UnbiasedValue, 60 * unit.Microsecond, steady},
	} {
		s := pathAndLatency()
		s.Queries[1].Rounding, s.Queries[1].Low, s.Queries[1].High = tt.rounding, 1e3, float64(tt.high)
		e, g := encoder(t, s), netsimtest.KAry(4)
		x := &truth{of: map[query.FiveTuple][]latencies{}}
		var c *Collector
		sink := sinkFunc(func(now unit.Time, host netsim.NodeID, p *netsim.Packet, s []netsim.PortSample) {
			c.Deliver(now, host, p, s)
		})
		n := netsimtest.New(t, g, netsimtest.Options{Sinks: []netsim.Sink{sink},
			Taps: func(n *netsim.Network) []netsim.Tap {
				switches, err := NewSwitches(n, e, Config{IDs: ids(g), Load: load(n)})
				if err != nil {
					t.Fatal(err)
				}
				x.net = n
				return []netsim.Tap{switches, x}
			}})
		var err error
		if c, err = NewCollector(n.Net, e, query.Memory{Total: unit.MiB}, 1); err != nil {
			t.Fatal(err)
		}
		netsimtest.Play(t, n, tt.sends(g, 600))
		bounds, held, open := 0, 0, 0
		for inference, id := range c.flows(e.Plan().Queries[1].Name) {
			for hop := 1; hop <= int(id.Hops); hop++ {
				all := slices.Sorted(slices.Values(x.of[id.Flow][hop-1]))
				for _, phi := range []float64{0.2, 0.5, 0.8} {
					got, err := inference.Quantile(e.Plan().Queries[1].Name, id, hop, phi, delta)
					if err != nil {
						t.Fatal(err)
					}
					want := float64(all[latency.Rank(phi, uint64(len(all)))-1])
					if bounds++; got.Low <= want && want <= got.High {
						held++
					}
					if want > float64(tt.high) && got.High > float64(tt.high) {
						open++
					}
				}
			}
		}
		t.Logf("%s, %v: %d of %d bounds hold, %d of them above the largest code", tt.name, tt.rounding, held, bounds,
			open)
		if bounds < 50 || float64(held) < (1-delta)*float64(bounds) || tt.name == "crowd" && open == 0 {
			t.Errorf("%s, %v: %d of %d bounds hold, %d of them above the largest code", tt.name, tt.rounding, held,
				bounds, open)
		}
	}
}

type sinkFunc func(unit.Time, netsim.NodeID, *netsim.Packet, []netsim.PortSample)

func (f sinkFunc) Deliver(now unit.Time, host netsim.NodeID, p *netsim.Packet, s []netsim.PortSample) {
	f(now, host, p, s)
}
