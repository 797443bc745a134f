package lightguardian

import (
	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Show implements telemetry.Visible: a data packet may carry a sketchlet.
func (m *Monitor) Show(f *telemetry.Frame) error {
	if k := f.Packet; k.Kind != netsim.Data || k.Hop == 0 {
		return nil
	}
	if room := m.at.Part(f.Cargo); room[0] != 0 {
		f.Block(telemetry.BlockSketchlet, room[1:1+sumax.SketchletBytes])
	}
	return nil
}
