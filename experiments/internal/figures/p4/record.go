package p4

import (
	"context"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/p4/validate"
)

// horizon is T of HPCC in the run, which its switches use for U.
const horizon = 13 * unit.Microsecond

// run is the simulation: a fat tree of 16 hosts under Hadoop traffic and an incast, HPCC
// over PINT.
const run = `
topology: {kind: fattree, k: 4}
workload:
  - {kind: poisson, sizes: hadoop, load: 0.5, duration: 300us}
  - {kind: incast, senders: 8, size: 200KB}
cc: {kind: hpcc, t: 13us, w_ai: 80B}
telemetry: {kind: pint}
`

// Ports runs a small simulation and keeps what left the ports of its switches,
// so that the arithmetic of a switch can be compared with float64 on traffic that HPCC
// makes, and not only on packets made up for the purpose.
//
// What it gives (seed 1, tables of 2^8 entries, against U in float64): as appendix B has it
// U is 35 % too small on the mean, 61 % at the 99th percentile; as the difference of package
// p4/fixedpoint it errs by 0.12 % on the mean, 0.6 % at the 99th percentile, and by 41 % on
// the worst packet, where U is little and decays.
func Ports(ctx context.Context, seed uint64) (*validate.Recording, error) {
	sc, err := scenario.Parse([]byte(run), "recorded run")
	if err != nil {
		return nil, err
	}
	sc.Seed = seed
	var ports []validate.PortTrace
	_, err = sim.Run(ctx, sc, sim.Options{Tap: func(s *sim.Simulation) (netsim.Tap, error) {
		ports = make([]validate.PortTrace, s.Net.Ports())
		for i := range ports {
			ports[i].Rate = s.Net.PortRate(netsim.PortID(i))
		}
		return tap(ports), nil
	}})
	if err != nil {
		return nil, fmt.Errorf("recorded run: %w", err)
	}
	rec := &validate.Recording{Horizon: horizon}
	for _, p := range ports {
		if len(p.Packets) > 0 {
			rec.Ports = append(rec.Ports, p)
		}
	}
	return rec, nil
}

// tap records what leaves the ports. It implements netsim.Tap.
type tap []validate.PortTrace

// Dequeue keeps a packet.
func (t tap) Dequeue(h *netsim.Hop) {
	p := &t[h.Port]
	p.Packets = append(p.Packets, validate.Departure{At: h.Now, Queue: h.Queue, Size: unit.Bytes(h.Packet.Size)})
}
