package approx

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Utilization returns the code for HPCC's U: code a in 0..255 means Base^a/512. A load below 1/512
// gets code 0, which decodes to 1/512. With the PINT paper's ε = 0.025, (1+ε)² = 1.050625, the
// largest value is 575.
//
// The published simulator uses base 1.05 and UnbiasedValue, and rounds U up to a multiple of 1/512
// before it encodes. To match it, change Base and Rounding of the result.
func Utilization() Config {
	return Config{Base: Base(0.025), Min: 1.0 / 512, Codes: 256, Rounding: UnbiasedLog}
}

// Link updates the utilisation U of one egress link. B is the link rate, and T is the horizon,
// HPCC's base RTT. A Link contains only constants; the caller stores U.
//
//	U = (T-τ)/T·U + qlen·τ/(B·T²) + byte/(B·T)          (PINT §4.3, example 3)
//
// U is 1 if the link is always busy and the queue is always empty. A standing queue of B·T bytes,
// the bandwidth-delay product, adds 1.
type Link struct {
	t       unit.Time
	perT    float64 // 1/T, per picosecond
	perBT   float64 // 1/(B·T), per byte
	perBTxT float64 // 1/(B·T²), per byte and picosecond
}

// NewLink computes the constants of a link. Rate and horizon must be positive.
func NewLink(rate unit.Rate, horizon unit.Time) (Link, error) {
	if rate <= 0 {
		return Link{}, fmt.Errorf("approx: utilisation of a link: rate %v, want more than 0bps", rate)
	}
	if horizon <= 0 || horizon == unit.Never {
		return Link{}, fmt.Errorf("approx: utilisation of a link: T = %v, want a positive time", horizon)
	}
	bt := rate.BytesPerSecond() * horizon.Seconds()
	return Link{
		t:       horizon,
		perT:    1 / float64(horizon),
		perBT:   1 / bt,
		perBTxT: 1 / bt / float64(horizon),
	}, nil
}

// Horizon returns T.
func (l *Link) Horizon() unit.Time { return l.t }

// Update returns U after one more packet left the link. tau is the time since the previous packet
// of any kind left. In the first two terms, a time longer than T counts as T. So pass T or
// unit.Never (and u = 0) for the first packet. qlen is the remaining queue, and size is the size of
// the packet on the wire. No argument may be negative.
func (l *Link) Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
	tau = min(tau, l.t)
	keep := float64(u * float64(float64(l.t-tau)*l.perT))
	queue := float64(float64(float64(qlen)*float64(tau)) * l.perBTxT)
	return float64(keep+queue) + float64(float64(size)*l.perBT)
}
