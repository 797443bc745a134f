package scenario

import (
	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Telemetry is what data packets carry about the network, and what it costs.
type Telemetry struct {
	// Which telemetry.
	schema.Choice
}

// Catalogue returns the telemetry systems, for package schema.
func (Telemetry) Catalogue() schema.Catalogue { return protocols.Telemetry() }

// System returns the parameters of the chosen one.
func (t Telemetry) System() telemetry.System { return t.Params.(telemetry.System) }

// Overhead returns the number of telemetry bytes on every data packet.
func (t Telemetry) Overhead() unit.Bytes { return t.System().Overhead() }
