package transport

import "pintlab/netsim/unit"

// rtt estimates the round-trip time and the retransmission timeout, RFC 6298.
type rtt struct {
	smoothed  unit.Time // SRTT, Never before the first sample
	variation unit.Time // RTTVAR
	rto       unit.Time
}

// sampled reports whether there has been a sample.
func (r *rtt) sampled() bool { return r.smoothed != unit.Never }

// newRTT returns an estimate without a sample.
func newRTT(c *Config) rtt { return rtt{smoothed: unit.Never, rto: c.RTOInitial} }

// take implements RFC 6298 §2.2 for the first sample and §2.3, with alpha 1/8 and beta
// 1/4, for the others.
func (r *rtt) take(sample unit.Time, c *Config) {
	if !r.sampled() {
		r.smoothed, r.variation = sample, sample/2
	} else {
		d := r.smoothed - sample
		if d < 0 {
			d = -d
		}
		r.variation += (d - r.variation) / 4
		r.smoothed += (sample - r.smoothed) / 8
	}
	// The timeout exceeds SRTT by at least the granularity of the time stamps.
	r.rto = min(max(r.smoothed+max(unit.Nanosecond, 4*r.variation), c.RTOMin), c.RTOMax)
}

// backOff implements RFC 6298 §5.5.
func (r *rtt) backOff(c *Config) { r.rto = min(2*r.rto, c.RTOMax) }
