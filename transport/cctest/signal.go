package cctest

import (
	"fmt"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// RoundTripFeedback returns telemetry whose digest is a round-trip time in the given unit. A digest
// of 0 means that there is none.
func RoundTripFeedback(of unit.Time) telemetry.Feedback {
	return telemetry.Feedback{Digest: func(q telemetry.Quantity) (*telemetry.Digest, error) {
		if q != telemetry.RoundTrip {
			return nil, fmt.Errorf("no %s", q)
		}
		return &telemetry.Digest{Code: roundTrip(of), Mask: 1<<16 - 1}, nil
	}}
}

// roundTrip is the unit of a digest.
type roundTrip unit.Time

func (r roundTrip) Decode(n uint32) float64 { return float64(unit.Time(n) * unit.Time(r)) }
