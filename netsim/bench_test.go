package netsim_test

import (
	"runtime"
	"testing"

	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// advance runs a trial for the given number of further packet-hops.
func advance(r *cctest.Trial, hops int64, step unit.Time) {
	for target := r.Counters().PacketHops + hops; r.Counters().PacketHops < target; {
		r.Engine.Run(r.Engine.Now() + step)
	}
}

// permutation returns one endless flow from each of the n hosts of a k-ary fat tree, from host h to host h + n/2 modulo
// n.
func permutation(k int) []transport.Flow {
	n := netsim.NodeID(k * k * k / 4)
	var flows []transport.Flow
	for h := range n {
		f := cctest.Flow(h, (h+n/2)%n, 1<<45)
		f.Start = unit.Time(h) * 37 * unit.Nanosecond
		flows = append(flows, f)
	}
	return flows
}

// hops runs a lab for b.N packet-hops after a warm-up. It reports packet-hops per second of real time and of processor
// time, events per packet-hop, and allocations, which should be zero.
func hops(b *testing.B, l cctest.Lab, flows ...transport.Flow) {
	r := l.Start(b, flows...)
	advance(r, 200_000, 10*unit.Microsecond)
	before := r.Counters()
	b.ReportAllocs()
	cpu, ok := cpuTime()
	b.ResetTimer()
	advance(r, int64(b.N), unit.Microsecond)
	b.StopTimer()
	after := r.Counters()
	n := float64(after.PacketHops - before.PacketHops)
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mhops/s")
	if now, _ := cpuTime(); ok && now > cpu {
		b.ReportMetric(n/(now-cpu).Seconds()/1e6, "Mhops/cpu-s")
	}
	b.ReportMetric(float64(after.Events-before.Events)/n, "events/hop")
}

// A line-rate flow over a chain of five switches measures the engine alone.
func BenchmarkChain(b *testing.B) {
	l := system("window", netsimtest.Chain(5))
	l.Control = func(*netsim.Network) transport.Factory { return cctest.Fixed(160_000, unit.Tbps) }
	hops(b, l, cctest.Flow(0, 1, 1<<45))
}

// A permutation of 128 hosts, where flows share links.
func BenchmarkPermutation(b *testing.B) {
	for _, name := range []string{"hpcc-int", "hpcc-pint", "newreno"} {
		b.Run(name, func(b *testing.B) {
			hops(b, system(name, netsimtest.KAry(8)), permutation(8)...)
		})
	}
}

// A 16:1 incast fills a single queue.
func BenchmarkIncast(b *testing.B) {
	for _, name := range []string{"hpcc-int", "newreno"} {
		b.Run(name, func(b *testing.B) {
			var flows []transport.Flow
			for h := range netsim.NodeID(16) {
				flows = append(flows, cctest.Flow(h, 16, 1<<45))
			}
			hops(b, system(name, netsimtest.Star(17)), flows...)
		})
	}
}

// The memory of an active flow includes its packets in flight after 20 µs. It is the memory of 8000 flows from 16 hosts
// minus the memory of 16 flows, divided by the 7984 flows of difference.
func BenchmarkFlowMemory(b *testing.B) {
	for _, name := range []string{"hpcc-int", "hpcc-pint", "newreno"} {
		b.Run(name, func(b *testing.B) {
			const few, many = 16, 8000
			held := func(n int) uint64 {
				l := system(name, netsimtest.Star(32))
				var flows []transport.Flow
				for i := range n {
					flows = append(flows, cctest.Flow(netsim.NodeID(i%16), netsim.NodeID(16+i/16%16), 1<<40))
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				r := l.Start(b, flows...)
				r.Engine.Run(20 * unit.Microsecond)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(r)
				return after.HeapAlloc - before.HeapAlloc
			}
			for b.Loop() {
				b.ReportMetric(float64(held(many)-held(few))/(many-few), "B/flow")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A run in steady state allocates nothing, with any feedback. Flows share the links of a fat tree, and the slabs have
// grown to the number of packets in flight.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("needs go test without -tags invariants, whose checks allocate")
	}
	for _, name := range []string{"hpcc-int", "hpcc-int-wire", "hpcc-rate", "hpcc-pint", "hpcc-pint16",
		"newreno", "window"} {
		r := system(name, netsimtest.KAry(4)).Start(t, permutation(4)...)
		advance(r, 300_000, 10*unit.Microsecond)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		from := r.Counters().PacketHops
		advance(r, 200_000, 10*unit.Microsecond)
		runtime.ReadMemStats(&after)
		n := r.Counters().PacketHops - from
		// Other goroutines of the test binary may allocate, but less than once in a thousand packet-hops.
		if got := after.Mallocs - before.Mallocs; got > uint64(n)/1000 {
			t.Errorf("%s: %d allocations in %d packet-hops", name, got, n)
		}
		if per := testing.AllocsPerRun(5, func() { r.Engine.Run(r.Engine.Now() + 20*unit.Microsecond) }); per != 0 {
			t.Errorf("%s: %v allocations in 20 us", name, per)
		}
	}
}
