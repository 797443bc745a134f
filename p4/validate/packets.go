package validate

import "encoding/binary"

// packet is a packet of the PINT programs; p4/src/include/packet.p4 has the layout.
type packet struct {
	SwitchID, Ingress, Egress, Queue, Size uint32
	ID                                     uint64
	Hop                                    uint8 // number of switches that the packet passed before this one
	Digest                                 uint16
}

const (
	ethernetBytes = 14
	observedBytes = 20
	pintBytes     = 11
	packetBytes   = ethernetBytes + observedBytes + pintBytes
	etherTypePINT = 0x88b5
)

// append writes the packet in wire order.
func (p *packet) append(b []byte) []byte {
	b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
	b = p.appendObserved(b)
	b = binary.BigEndian.AppendUint64(b, p.ID)
	b = append(b, p.Hop)
	return binary.BigEndian.AppendUint16(b, p.Digest)
}

// appendObserved writes the values that the switch observes, after the EtherType of the programs.
func (p *packet) appendObserved(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, etherTypePINT)
	for _, v := range []uint32{p.SwitchID, p.Ingress, p.Egress, p.Queue, p.Size} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}
