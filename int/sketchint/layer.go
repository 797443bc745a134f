package sketchint

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// countBytes is the size of the hop count in the INT layer of a packet. The layer stands between
// the transport header and the payload (§III): a 16-bit hop count, and for each hop a record, in
// network byte order, oldest hop first.
const countBytes = 2

// layout is the number of bytes of a record.
type layout int

// A plain record is a 16-bit switch ID and a 32-bit latency in nanoseconds (§VII-A). A counting record also has 32 bits
// with the number of packets that the switch has dropped since it started.
const (
	plain    layout = 6
	counting layout = 10
)

// bytes returns the size of the layer with the given number of hops.
func (y layout) bytes(hops int) int { return countBytes + int(y)*hops }

// layer is an INT layer in a buffer with room for more hops.
type layer struct {
	data   []byte
	layout layout
}

// begin writes the empty layer that the first switch inserts.
func (l layer) begin() { binary.BigEndian.PutUint16(l.data, 0) }

func (l layer) hops() int { return int(binary.BigEndian.Uint16(l.data)) }

// push adds the record of a switch. If there is no room, it adds nothing and returns false.
func (l layer) push(id uint16, latency, drops uint32) bool {
	n := l.hops()
	from, to := l.layout.bytes(n), l.layout.bytes(n+1)
	if to > len(l.data) {
		return false
	}
	b := l.data[from:to]
	binary.BigEndian.PutUint16(b, id)
	binary.BigEndian.PutUint32(b[2:], latency)
	if l.layout == counting {
		binary.BigEndian.PutUint32(b[plain:], drops)
	}
	binary.BigEndian.PutUint16(l.data, uint16(n+1))
	return true
}

func (l layer) record(i int) (id uint16, latency uint32) {
	b := l.data[l.layout.bytes(i):]
	return binary.BigEndian.Uint16(b), binary.BigEndian.Uint32(b[2:])
}

// drops returns the number of packets that the switch of a counting record has dropped.
func (l layer) drops(i int) uint32 {
	return binary.BigEndian.Uint32(l.data[l.layout.bytes(i)+int(plain):])
}

// Show implements telemetry.Visible. A data packet carries the INT layer up to its agent. A frame of an agent
// holds its number, the agent, the offset of its content in the shipment, and, until the analyzer closes the
// period, the content.
func (m *monitor) Show(f *telemetry.Frame) error {
	k := f.Packet
	if k.Kind == netsim.Mirrored {
		from := int(k.Seq) * m.load()
		f.Port = telemetry.PortSketchINT
		f.Report = binary.BigEndian.AppendUint32(nil, k.ID)
		f.Report = binary.BigEndian.AppendUint32(f.Report, uint32(k.ReportSource()))
		f.Report = binary.BigEndian.AppendUint32(f.Report, uint32(from))
		if s := m.shipmentOf(k); s != nil {
			f.Report = append(f.Report, s.bytes[from:min(from+m.load(), len(s.bytes))]...)
		}
		return nil
	}
	_, to := m.at.Net.PortEnds(f.Sight.Port)
	if k.Kind != netsim.Data || k.Hop == 0 || m.atSwitches && m.host[to] {
		return nil
	}
	l := m.layer(f.Cargo)
	l.data = slices.Clone(l.data[:l.layout.bytes(l.hops())])
	for i := range l.hops() { // replace switch IDs by node numbers, as captures have them
		id, _ := l.record(i)
		node := m.switches[id]
		if node > math.MaxUint16 {
			return fmt.Errorf("run.capture: switch %d: want numbers below 65536, because the INT of SketchINT "+
				"stores the switch in 16 bits", node)
		}
		binary.BigEndian.PutUint16(l.data[l.layout.bytes(i):], uint16(node))
	}
	kind := telemetry.BlockSketchINT
	if l.layout == counting {
		kind = telemetry.BlockSketchINTDrops
	}
	f.Block(kind, l.data)
	return nil
}
