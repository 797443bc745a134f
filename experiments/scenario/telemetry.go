package scenario

import (
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Telemetry is the information about the network that data packets carry, and its overhead.
type Telemetry struct {
	// Telemetry system.
	schema.Choice
}

// System returns the parameters of the chosen telemetry system.
func (t Telemetry) System() telemetry.System { return t.Params.(telemetry.System) }

// Overhead returns the number of telemetry bytes on every packet that carries telemetry.
func (t Telemetry) Overhead() unit.Bytes { return t.System().Overhead() }

// Overhead returns the number of telemetry bytes on every data packet when the packet leaves its source. It returns 0
// if probes carry the telemetry.
func (s *Scenario) Overhead() unit.Bytes {
	if s.CC.Control().Needs().Probes {
		return 0
	}
	return s.Telemetry.Overhead()
}
