package pint

import (
	"iter"
	"math"

	"pintlab/int/sketch/spacesaving"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/latency"
)

// FrequentExperiment tests Theorem 2 on streams of latencies. The question is which codes make up a share of at least
// Theta of the latencies of a hop. A sink answers it from one sampled code per packet, with a Space-Saving summary for
// each hop. There is a point for each width, number of packets and number of counters.
type FrequentExperiment struct {
	Bits      []int
	Packets   []int // ascending
	Counters  []int // per hop
	Theta     float64
	Delta     float64 // probability with which Theorem 2 may fail
	Low, High unit.Time
	Seeds     int // number of times that each flow is sampled, with other hashes
	Seed      uint64
}

// FrequentPoint is a mean over flows, hops and seeds.
type FrequentPoint struct {
	Bits, Packets, Counters int

	Count   int     // number of hops of flows
	Missing int     // hops without a sample in any packet; they are not in Count
	Error   float64 // mean of the largest error of the share of a code
	// Frequent is the number of codes with a share of at least Theta. Found is the number of these codes whose estimate
	// reaches Theta − ε/2 (Theorem 2).
	Frequent, Found int
	// Broken is the number of hops for which the theorem fails: a code with a share of at least Theta is missing, or a
	// code with a share below Theta − ε is reported. Theorem 2 allows a share Delta of the hops.
	Broken int
}

// Run samples every flow that has at least the largest number of packets. Traces may be read only once. So one pass
// over them covers all settings and seeds, and this pass is one work of a study.
func (e FrequentExperiment) Run(traces iter.Seq[LatencyTrace]) ([]FrequentPoint, error) {
	var points []FrequentPoint
	for _, b := range e.Bits {
		for _, m := range e.Counters {
			for _, z := range e.Packets {
				points = append(points, FrequentPoint{Bits: b, Packets: z, Counters: m})
			}
		}
	}
	longest := e.Packets[len(e.Packets)-1]
	for tr := range traces {
		ids, lat, err := read(tr, longest)
		if err != nil {
			return nil, err
		}
		if len(ids) < longest {
			continue
		}
		next := points
		for _, b := range e.Bits {
			code, err := approx.NewLatency(e.Low, e.High, b, approx.Nearest)
			if err != nil {
				return nil, err
			}
			codes := make([][]uint16, tr.Hops) // by hop, of every packet
			for h := range codes {
				for _, v := range lat[h] {
					codes[h] = append(codes[h], uint16(code.Encode(v, 0)))
				}
			}
			for _, m := range e.Counters {
				for seed := range uint64(e.Seeds) {
					if err := e.flow(next[:len(e.Packets)], m, hash.Combine(tr.Key, seed), seed, ids,
						codes); err != nil {
						return nil, err
					}
				}
				next = next[len(e.Packets):]
			}
		}
	}
	for i := range points {
		points[i].Error /= float64(max(points[i].Count, 1))
	}
	return points, nil
}

// flow samples one flow once. It adds the result to the points of a width and a number of counters.
func (e FrequentExperiment) flow(
	points []FrequentPoint, counters int, key, seed uint64, ids []uint64, codes [][]uint16,
) error {
	family := global.Fast(hash.Combine(hash.Combine(hash.String("pint/latency/frequent"), e.Seed), seed))
	act, hops := family.Function(global.Act, 0), len(codes)
	sinks := make([]*spacesaving.Summary, hops)
	for h := range sinks {
		var err error
		if sinks[h], err = spacesaving.New(counters, hash.Combine(key, uint64(h))); err != nil {
			return err
		}
	}
	at := 0
	for i := range points {
		p := &points[i]
		for ; at < p.Packets; at++ {
			h := act.Writer(act.Key(ids[at]), hops) - 1
			sinks[h].Add(uint64(codes[h][at]))
		}
		g, err := latency.Theorem2(p.Packets, hops, p.Bits, counters, e.Delta)
		if err != nil {
			return err
		}
		for h, s := range sinks {
			p.add(s, codes[h][:p.Packets], e.Theta, g.Total())
		}
	}
	return nil
}

// add compares the summary of one hop with its stream. half is ε/2.
func (p *FrequentPoint) add(s *spacesaving.Summary, stream []uint16, theta, half float64) {
	if s.N() == 0 {
		p.Missing++
		return
	}
	truth, estimate := make([]float64, 1<<p.Bits), make([]float64, 1<<p.Bits)
	for _, c := range stream {
		truth[c]++
	}
	for c := range truth {
		truth[c] /= float64(len(stream))
	}
	for _, x := range s.AtLeast(1, nil) {
		estimate[x.Key] = float64(x.Count) / float64(s.N())
	}
	const rounding = 1e-9 // rounding error of sums of shares
	worst, broken := 0.0, false
	for c := range truth {
		worst = math.Max(worst, math.Abs(estimate[c]-truth[c]))
		reported := estimate[c] >= theta-half-rounding
		if truth[c] > 0 && truth[c] >= theta-rounding { // a code without a packet is never frequent
			p.Frequent++
			if reported {
				p.Found++
			} else {
				broken = true
			}
		}
		broken = broken || reported && truth[c] < theta-2*half-rounding
	}
	p.Count++
	p.Error += worst
	if broken {
		p.Broken++
	}
}
