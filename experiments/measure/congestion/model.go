package congestion

import (
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
)

// Residual returns the share of a server link that is left at a load (in %), when each
// packet of 1000 B of payload has 48 B of headers and the telemetry of the scheme,
// and is acknowledged by a packet of 46 B and the same telemetry, at least 60 B, on
// the way back. Servers send as much as they receive, so both directions carry
// data and ACKs.
//
// PINT §2 has the same model without ACKs: 1 − 0.70·1.072 for 108 B on 1500 B.
func Residual(load int, s study.Scheme) float64 {
	sc, err := Case{Workload: Web, Scheme: s, Load: load, Arrival: unit.Millisecond}.Entry().Spec(1).Scenario()
	if err != nil {
		panic(err) // the schemes of this package are valid
	}
	t, telemetry := sc.Transport, sc.Telemetry.Overhead()
	data := t.Payload + t.Header + telemetry
	ack := max(t.AckMin, t.AckHeader+telemetry)
	return 1 - float64(load)/100*float64(data+ack)/float64(t.Payload)
}
