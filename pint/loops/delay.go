package loops

import "fmt"

// Delay is the distribution of the hop at which a loop is reported.
type Delay struct {
	Prefix, Loop int       // switches before the loop, and in it
	At           []float64 // At[n]: probability that hop n reports; At[0] = 0
}

// Delay returns the distribution of the hop (from 1) at which a packet is reported. The packet
// passes prefix switches and then cycles through a loop of the given length, up to hop limit, where
// the TTL ends it.
//
// The result is exact except for coincidences of hashes, which cause an earlier report with
// probability below limit·2^-b. The state of the computation is the hop that wrote the digest. If
// the switch at hop i wrote the digest one round earlier, at hop i−loop, the digest matches and
// freezes, and the report follows T rounds later. Any other digest is overwritten with probability
// 1/i.
func (c Config) Delay(prefix, loop, limit int) (Delay, error) {
	if err := c.validate(); err != nil {
		return Delay{}, err
	}
	if prefix < 0 || loop < 1 || limit < prefix+loop || limit > 1<<16 {
		return Delay{}, fmt.Errorf("loops: delay with %d hops before a loop of %d, limit %d: want prefix >= 0, "+
			"loop >= 1, prefix + loop <= limit <= 65536", prefix, loop, limit)
	}
	d := Delay{Prefix: prefix, Loop: loop, At: make([]float64, limit+1)}
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
				d.At[report] += writer[j]
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

// Within returns the probability that the packet is reported at hop n or earlier.
func (d Delay) Within(n int) float64 {
	sum := 0.0
	for i := 1; i <= min(n, len(d.At)-1); i++ {
		sum += d.At[i]
	}
	return sum
}
