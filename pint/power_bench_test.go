package pint_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/transport/cctest"
)

// BenchmarkTaps measures the cost per packet and hop of PINT for U, of PINT for Γ, and of a network without PINT.
func BenchmarkTaps(b *testing.B) {
	u, err := approx.New(approx.Utilization())
	if err != nil {
		b.Fatal(err)
	}
	p, err := approx.New(approx.PowerCode())
	if err != nil {
		b.Fatal(err)
	}
	load, err := approx.NewExact(100*unit.Gbps, 13*unit.Microsecond, u)
	if err != nil {
		b.Fatal(err)
	}
	power, err := approx.NewExactPower(100*unit.Gbps, 13*unit.Microsecond, p)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		tap  func(ports int) netsim.Tap
	}{
		{"none", nil},
		{"utilization", func(n int) netsim.Tap {
			return pint.NewUtilization(n, func(netsim.PortID) pint.Arithmetic { return load },
				pint.UtilizationOptions{Mask: 255})
		}},
		{"power", func(n int) netsim.Tap {
			return pint.NewPower(n, func(netsim.PortID) pint.Arithmetic { return power },
				pint.PowerOptions{Mask: 255, Drain: 1625 * unit.Nanosecond})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l := cctest.Lab{Graph: netsimtest.Chain(3), Transport: cctest.RDMA()}
			if bench.tap != nil {
				l.Taps = func(n *netsim.Network) []netsim.Tap { return []netsim.Tap{bench.tap(n.Ports())} }
			}
			b.ReportAllocs()
			hops := int64(0)
			for b.Loop() {
				r := l.Run(b, cctest.Flow(0, 1, 10*unit.MB))
				hops += r.Counters().PacketHops
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(hops), "ns/hop")
		})
	}
}
