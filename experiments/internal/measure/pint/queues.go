package pint

import (
	"iter"
	"math/rand/v2"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// Queues generates flows through a chain of independent queues, which bursts fill. Time is divided into slots; a slot
// is the transmission time of a packet. In each slot, a burst arrives with a fixed probability, and one packet leaves.
// With probability 1/j, for j up to MaxBurst, a burst has j packets or more. This is a discrete-time queue with general
// batches, close to M/G/1. Its mean wait is known (Lindley's recursion): see MeanWait. All numbers are whole.
type Queues struct {
	Hops int `flag:"hops" default:"5" range:">=1 <=64" use:"queues {N} on a path, of queues"`
	// of the slots
	Load     float64   `flag:"load" default:"0.6" range:">=0 <1" use:"{share} of the time that a queue is busy, of queues"`
	MaxBurst int       // packets, at least 1
	Slot     unit.Time // transmission time of a packet, which is also the latency of an empty hop
	Gap      int       // slots between packets of the flow, at least 1
	Length   int       // packets per flow
	Flows    int       `flag:"flows" default:"40" range:">=1 <=200000" bytes:"10000" use:"flows {N}, of queues"`
	Seed     uint64
}

// burstMean is E[burst] = Σ_j P[burst >= j] = H(MaxBurst), the harmonic number.
func (s Queues) burstMean() float64 { return harmonic(s.MaxBurst) }

// queue is the backlog of one hop.
type queue struct {
	r       *rand.Rand
	busy    uint64 // a burst arrives if 63 random bits are below this number
	most    uint64 // MaxBurst
	backlog int64
}

func (q *queue) step() {
	if q.r.Uint64()>>1 < q.busy {
		// For u uniform in 1 … 2^32, ⌊2^32/u⌋ is j or more with probability 1/j, up to an error of 2^-32.
		q.backlog += int64(min(1<<32/(1+q.r.Uint64()>>32), q.most))
	}
	q.backlog = max(0, q.backlog-1)
}

// traces generates the flows, one after the other. At the start of each flow, the queues are almost in equilibrium,
// because they were empty 64·MaxBurst slots earlier.
func (s Queues) traces() iter.Seq[LatencyTrace] {
	return func(yield func(LatencyTrace) bool) {
		for f := range uint64(s.Flows) {
			if !yield(LatencyTrace{Key: f, Hops: s.Hops, Packets: s.packets(f)}) {
				return
			}
		}
	}
}

func (s Queues) packets(flow uint64) iter.Seq2[uint64, []unit.Time] {
	return func(yield func(uint64, []unit.Time) bool) {
		queues := make([]queue, s.Hops)
		for h := range queues {
			queues[h] = queue{
				r:    hash.Stream(s.Seed, "latency/synthetic", flow, uint64(h)),
				busy: uint64(s.Load / s.burstMean() * (1 << 63)),
				most: uint64(s.MaxBurst),
			}
			for range 64 * s.MaxBurst {
				queues[h].step()
			}
		}
		lat := make([]unit.Time, s.Hops)
		for i := range s.Length {
			for h := range queues {
				for range s.Gap {
					queues[h].step()
				}
				lat[h] = unit.Time(queues[h].backlog+1) * s.Slot
			}
			if !yield(flow<<32|uint64(i), lat) {
				return
			}
		}
	}
}
