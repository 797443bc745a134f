package chamelemon

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// onStars makes a monitor of a network with two switches and no packets. It returns the monitor and its tick function.
func onStars(t rapid.TB, p Params) (*Monitor, func(unit.Time)) {
	t.Helper()
	g, err := schema.Default[topo.Dumbbell]().Build()
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Watch(&telemetry.Place{Site: telemetry.Site{Graph: g}})
	if err != nil {
		t.Fatal(err)
	}
	return w.System.(*Monitor), w.Tick
}

// Flows have random sizes and losses, and epochs of both states occur. Whenever all parts are decoded and no flow is
// omitted, the losses are exact. Packets take up to an epoch. In half of the cases all of 900 flows lose packets, which
// makes almost 20 epochs ill, so fewer than 20 of all cases together have a probability below 1e-10.
func TestLossesAreExact(t *testing.T) {
	states := map[bool]int{}
	decoded := 0
	rapid.Check(t, func(t *rapid.T) {
		p := Default()
		p.Buckets, p.Truth = 8*rapid.IntRange(8, 32).Draw(t, "eighth"), true
		p.Key = rapid.SampledFrom([]string{"five-tuple", "32-bit"}).Draw(t, "key")
		m, tick := onStars(t, p)
		hosts := m.at.Graph.Switches()
		type carried struct {
			mark byte
			flow uint64
		}
		var late []carried
		var flows, lossy int
		for n := range 40 {
			if n%20 == 0 {
				flows, lossy = rapid.IntRange(0, 900).Draw(t, "flows"), rapid.IntRange(1, 20).Draw(t, "lossy")
				if rapid.Bool().Draw(t, "many") {
					flows, lossy = 900, 1
				}
			}
			before := late
			late = nil
			for i := range flows {
				flow := m.short(uint64(i+1) * 0x9e37_79b9_7f4a_7c15)
				for packet := range 1 + i%30 {
					mark := m.encode(&m.edges[hosts[i%2]], flow)
					switch {
					case i%lossy == 0 && packet%3 == 0:
					case packet%5 == 0:
						late = append(late, carried{mark, flow})
					default:
						m.leave(&m.edges[hosts[1-i%2]], mark, flow)
					}
				}
			}
			for _, x := range before {
				m.leave(&m.edges[hosts[1]], x.mark, x.flow)
			}
			copied := (n + 1) & 1 // copy of the previous epoch, whose packets have all arrived
			s, truth := m.settings[copied], m.truth(copied)
			v, found := m.decode(copied, &s)
			tick(unit.Time(n+1) * p.Epoch)
			if n == 0 {
				continue
			}
			states[s.ill]++
			if v.failed != [parts]bool{} || s.ill && s.share < 1 {
				continue
			}
			decoded++
			got := map[uint64]int64{}
			for _, x := range found {
				got[x.flow] += x.packets
			}
			if !maps.Equal(got, truth) {
				t.Fatalf("epoch %d, %+v: %d flows %v, want %d %v", n-1, s, len(got), got, len(truth), truth)
			}
		}
	})
	if states[true] < 20 || states[false] < 20 || decoded < 20 {
		t.Errorf("%d healthy and %d ill epochs, %d decoded", states[false], states[true], decoded)
	}
}

// Packets and new epochs allocate nothing.
func TestSteadyState(t *testing.T) {
	m, _ := onStars(t, Default())
	e := &m.edges[m.at.Graph.Switches()[0]]
	if n := testing.AllocsPerRun(10, func() {
		for i := range uint64(1000) {
			m.leave(e, m.encode(e, i*7919), i*7919)
		}
		m.arrange(e.copies[0], &m.settings[0])
	}); n > 0 {
		t.Errorf("%v allocations in an epoch", n)
	}
}
