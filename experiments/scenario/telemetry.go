package scenario

import (
	"pintlab/experiments/protocols"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Telemetry is the information about the network that data packets carry, and its overhead.
type Telemetry struct {
	// Telemetry system.
	schema.Choice
}

// Catalogue returns the telemetry systems, for package schema.
func (Telemetry) Catalogue() schema.Catalogue { return protocols.Telemetry() }

// System returns the parameters of the chosen telemetry system.
func (t Telemetry) System() telemetry.System { return t.Params.(telemetry.System) }

// Overhead returns the number of telemetry bytes on every data packet.
func (t Telemetry) Overhead() unit.Bytes { return t.System().Overhead() }
