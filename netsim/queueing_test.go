package netsim_test

import (
	"math"
	"testing"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// An M/D/1 queue: eight hosts send packets of 1000 B with Poisson arrivals into a port of 10 Gb/s, which takes S = 800
// ns for each. The links of the hosts are so fast (10 Tb/s) that packets do not delay each other there. The
// Pollaczek-Khinchine formula gives the mean wait ρS/(2(1-ρ)). Successive waits are correlated, so the confidence
// interval comes from the means of 50 batches. With 49 degrees of freedom |t| > 4.5 has probability 4e-5 per load.
func TestMeanWaitOfAnMD1Queue(t *testing.T) {
	const (
		hosts   = 8
		packets = 100_000
		warm    = 5_000
		batches = 50
		service = 800 * unit.Nanosecond
	)
	for _, rho := range []float64{0.3, 0.6, 0.8} {
		r := hash.Stream(42, "netsim/md1", math.Float64bits(rho))
		links := make([]unit.Rate, hosts+1)
		for i := range links {
			links[i] = 10 * unit.Tbps
		}
		links[hosts] = 10 * unit.Gbps
		var waits []float64
		n := netsimtest.New(t, rates(links...), netsimtest.Options{Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) { waits = append(waits, float64(h.Now-h.Packet.At)) })}
		}})
		sends := make([]netsimtest.Send, packets)
		at := 0.0
		for i := range sends {
			at += r.ExpFloat64() * float64(service) / rho
			sends[i] = netsimtest.Send{At: unit.Time(at), Src: netsim.NodeID(r.IntN(hosts)), Dst: hosts, Size: 1000}
		}
		netsimtest.Play(t, n, sends)
		n.CheckEnd(t)
		if len(waits) != packets {
			t.Fatalf("%d of %d packets seen", len(waits), packets)
		}
		waits = waits[warm:]
		size := len(waits) / batches
		var means []float64
		for b := range batches {
			sum := 0.0
			for _, w := range waits[b*size : (b+1)*size] {
				sum += w
			}
			means = append(means, sum/float64(size))
		}
		mean, variance := 0.0, 0.0
		for _, m := range means {
			mean += m / batches
		}
		for _, m := range means {
			variance += (m - mean) * (m - mean) / (batches - 1)
		}
		want := rho * float64(service) / (2 * (1 - rho))
		if e := math.Sqrt(variance / batches); math.Abs(mean-want) > 4.5*e {
			t.Errorf("load %v: mean wait %.1f ns ± %.1f, want %.1f", rho, mean/1000, e/1000, want/1000)
		}
	}
}
