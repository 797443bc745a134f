package pint

import (
	"iter"
	"math/rand/v2"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// Queues makes flows through a chain of independent queues fed by bursts: time runs
// in slots of one packet's transmission; in each slot a burst arrives with a fixed
// probability, of j packets or more with probability 1/j up to MaxBurst; one packet
// leaves. It is a discrete-time queue with general batches, close to M/G/1, whose mean
// wait is known (Lindley's recursion): see MeanWait. It uses whole numbers throughout.
type Queues struct {
	Hops int `flag:"hops" default:"5" range:">=1 <=64" use:"queues {N} on a path, of queues"`
	// of the slots
	Load     float64   `flag:"load" default:"0.6" range:">=0 <1" use:"{share} of the time that a queue is busy, of queues"`
	MaxBurst int       // packets, at least 1
	Slot     unit.Time // transmission time of a packet, also what an empty hop takes
	Gap      int       // slots between packets of the flow, at least 1
	Length   int       // packets per flow
	Flows    int       `flag:"flows" default:"40" range:">=1 <=200000" bytes:"10000" use:"flows {N}, of queues"`
	Seed     uint64
}

// burstMean is E[burst] = Σ_j P[burst >= j] = H(MaxBurst), the harmonic number.
func (s Queues) burstMean() float64 {
	sum := 0.0
	for j := s.MaxBurst; j >= 1; j-- {
		sum += 1 / float64(j)
	}
	return sum
}

// queue is one hop's backlog.
type queue struct {
	r       *rand.Rand
	busy    uint64 // a burst comes if 63 random bits are below
	most    uint64 // MaxBurst
	backlog int64
}

func (q *queue) step() {
	if q.r.Uint64()>>1 < q.busy {
		// ⌊2^32/u⌋ for u uniform in 1 … 2^32 is j or more with probability 1/j, to 2^-32.
		q.backlog += int64(min(1<<32/(1+q.r.Uint64()>>32), q.most))
	}
	q.backlog = max(0, q.backlog-1)
}

// traces makes the flows, one after the other. Each starts with queues in equilibrium,
// up to what 64 slots per burst leave of an empty start.
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
