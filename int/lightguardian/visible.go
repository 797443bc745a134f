package lightguardian

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Show implements telemetry.Visible. A data packet may carry a sketchlet. A datagram contains only sketchlets.
// It is shown as empty if a newer datagram has overwritten its content in the host's outbox. Then the analyzer
// cannot read the content either.
func (m *Monitor) Show(f *telemetry.Frame) (err error) {
	k := f.Packet
	if k.Kind == netsim.Mirrored {
		content, _ := m.hosts[m.hostNumbers[k.ReportSource()]].content(k.ID)
		f.Report, err = m.named(content)
		f.Port = telemetry.PortSketchlets
		return err
	}
	if k.Kind != netsim.Data || k.Hop == 0 {
		return nil
	}
	if room := m.at.Part(f.Cargo); room[0] != 0 {
		b, err := m.named(room[1 : 1+sumax.SketchletBytes])
		if err != nil {
			return err
		}
		f.Block(telemetry.BlockSketchlet, b)
	}
	return nil
}

// named returns a copy of sketchlets in which the device is a node number instead of a number among the switches.
func (m *Monitor) named(list []byte) ([]byte, error) {
	list = slices.Clone(list)
	for b := range slices.Chunk(list, sumax.SketchletBytes) {
		node := m.layout.nodes[binary.BigEndian.Uint16(b)]
		if node > math.MaxUint16 {
			return nil, fmt.Errorf("run.capture: switch %d: want numbers below 65536, because a sketchlet stores "+
				"the switch in 16 bits", node)
		}
		binary.BigEndian.PutUint16(b, uint16(node))
	}
	return list, nil
}
