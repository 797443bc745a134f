package transport

import "pintlab/netsim/unit"

// RTT estimates the round-trip time and the retransmission timeout, RFC 6298.
type RTT struct {
	Smoothed  unit.Time // SRTT, Never before the first sample
	variation unit.Time // RTTVAR
	RTO       unit.Time
}

// Sampled reports whether there was a sample.
func (r *RTT) Sampled() bool { return r.Smoothed != unit.Never }

// newRTT returns an estimate without a sample.
func newRTT(c *Config) RTT { return RTT{Smoothed: unit.Never, RTO: c.RTOInitial} }

// take implements RFC 6298 §2.2 for the first sample and §2.3, with alpha 1/8 and beta
// 1/4, for the others.
func (r *RTT) take(sample unit.Time, c *Config) {
	if !r.Sampled() {
		r.Smoothed, r.variation = sample, sample/2
	} else {
		d := r.Smoothed - sample
		if d < 0 {
			d = -d
		}
		r.variation += (d - r.variation) / 4
		r.Smoothed += (sample - r.Smoothed) / 8
	}
	// The timeout exceeds SRTT by at least the granularity of the time stamps.
	r.RTO = min(max(r.Smoothed+max(unit.Nanosecond, 4*r.variation), c.RTOMin), c.RTOMax)
}

// backOff implements RFC 6298 §5.5.
func (r *RTT) backOff(c *Config) { r.RTO = min(2*r.RTO, c.RTOMax) }
