package approx

import "pintlab/netsim/unit"

// PowerCode returns the code for PowerTCP's Γ: code a in 0..255 means 1.033^a/16. Γ = 1 is a fully
// used link with an empty queue. PowerTCP divides its window by Γ, and windows are between one
// packet and the bandwidth-delay product. So values below 1/16 or above 246 give the same window as
// the first or last code.
func PowerCode() Config {
	return Config{Base: 1.033, Min: 1.0 / 16, Codes: 256, Rounding: UnbiasedLog}
}

// Power updates PowerTCP's Γ of one egress link (NSDI 2022, Algorithm 1). Γ is current times
// voltage, divided by the power of a full link without a queue. B is the link rate, and T is the
// horizon, which PowerTCP calls τ. A Power contains only constants; the caller stores Γ.
//
//	Γ = (T-τ)/T·Γ + (qlen + B·T)·arrived/(B·T)²
//
// arrived/τ is the current q̇ + µ, qlen + B·T is the voltage, and τ/T is the weight of an interval.
type Power struct {
	link Link
	bt   float64
}

// NewPower computes the constants of a link. Rate and horizon must be positive.
func NewPower(rate unit.Rate, horizon unit.Time) (Power, error) {
	link, err := NewLink(rate, horizon)
	return Power{link, float64(rate.BytesPerSecond() * horizon.Seconds())}, err
}

// Update returns Γ after one more packet left the link. tau is the time since the previous packet
// left; longer times than T count as T (pass unit.Never and p = 0 for the first packet). qlen is
// the remaining queue in bytes. arrived is the number of bytes that arrived within tau, including
// this packet if it also arrived within tau. No argument may be negative.
func (l *Power) Update(p float64, tau unit.Time, qlen, arrived unit.Bytes) float64 {
	keep := float64(p * float64(float64(l.link.t-min(tau, l.link.t))*l.link.perT))
	voltage := float64((float64(qlen) + l.bt) * l.link.perBT)
	return keep + float64(float64(float64(arrived)*l.link.perBT)*voltage)
}

// ExactPower is the arithmetic of a switch port for Γ in float64.
type ExactPower struct {
	Power
	Code *Multiplicative
}

// NewExactPower returns the arithmetic of a port with this link rate, horizon T and code.
func NewExactPower(rate unit.Rate, horizon unit.Time, code *Multiplicative) (*ExactPower, error) {
	power, err := NewPower(rate, horizon)
	if err != nil {
		return nil, err
	}
	return &ExactPower{Power: power, Code: code}, nil
}

// Encode returns the code of p.
func (e *ExactPower) Encode(p float64, word uint64) uint32 { return e.Code.Encode(p, word) }
