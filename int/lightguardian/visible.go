package lightguardian

import (
	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Show implements telemetry.Visible: a data packet may carry a sketchlet, and a datagram of a host has sketchlets and nothing
// else, unless its content is gone from the host's outbox, so that the analyzer cannot read it either.
func (m *Monitor) Show(f *telemetry.Frame) error {
	k := f.Packet
	if k.Kind == netsim.Mirrored {
		f.Report, _ = m.hosts[m.hostNumbers[k.ReportSource()]].content(k.ID)
		f.Port = telemetry.PortSketchlets
		return nil
	}
	if k.Kind != netsim.Data || k.Hop == 0 {
		return nil
	}
	if room := m.at.Part(f.Cargo); room[0] != 0 {
		f.Block(telemetry.BlockSketchlet, room[1:1+sumax.SketchletBytes])
	}
	return nil
}
