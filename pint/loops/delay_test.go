package loops

import (
	"fmt"

	"pintlab/internal/lists"
)

// delay is the distribution of the hop at which a loop is reported: delay[n] is the probability that hop n reports, and
// delay[0] = 0.
type delay []float64

// delay returns the distribution of the hop (from 1) at which a packet is reported. The packet
// passes prefix switches and then cycles through a loop of the given length, up to hop limit, where
// the TTL ends it.
//
// The result is exact except for coincidences of hashes, which cause an earlier report with
// probability below limit·2^-b. The state of the computation is the hop that wrote the digest. If
// the switch at hop i wrote the digest one round earlier, at hop i−loop, the digest matches and
// freezes, and the report follows T rounds later. Any other digest is overwritten with probability
// 1/i.
func (c Config) delay(prefix, loop, limit int) (delay, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if prefix < 0 || loop < 1 || limit < prefix+loop || limit > 1<<16 {
		return nil, fmt.Errorf("loops: delay with %d hops before a loop of %d, limit %d: want prefix >= 0, "+
			"loop >= 1, prefix + loop <= limit <= 65536", prefix, loop, limit)
	}
	d := make(delay, limit+1)
	// writer[j] is the probability that hop j wrote the digest and no switch has matched it yet.
	// before is the probability that the digest was written before the loop; such a digest never
	// matches.
	writer := make([]float64, limit+1)
	before := 1.0
	for i := 1; i <= limit; i++ {
		if i <= prefix {
			continue // the writer is before the loop
		}
		if j := i - loop; j > prefix {
			if report := i + c.Threshold*loop; report <= limit {
				d[report] += writer[j]
			}
			writer[j] = 0
		}
		write := 1 / float64(i)
		sum := before * write
		before -= before * write
		for j := max(prefix+1, i-loop+1); j < i; j++ {
			sum += float64(writer[j] * write)
			writer[j] -= float64(writer[j] * write)
		}
		writer[i] = sum
	}
	return d, nil
}

// reported returns the probability that the packet is reported before its TTL ends.
func (d delay) reported() float64 {
	return lists.Sum(d, func(p float64) float64 { return p })
}

// quantile returns the first hop by which a share q of the packets is reported. It returns false if
// a smaller share is reported up to the limit.
func (d delay) quantile(q float64) (int, bool) {
	sum := 0.0
	for n, p := range d {
		if sum += p; sum >= q && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// packetsUntil returns the expected number of packets that enter the loop until one is reported
// before its TTL ends: the detection time of a flow, in packets.
func (d delay) packetsUntil() float64 { return 1 / d.reported() }
