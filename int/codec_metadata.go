package inband

import (
	"encoding/binary"
	"fmt"

	"pintlab/internal/number"
)

// Metadata holds what one hop writes. Available names the valid values. All other values are
// written as all ones, INT's code for "not available", and mean nothing after Decode. INT leaves
// the units to the device.
type Metadata struct {
	Available Instructions

	NodeID             uint32
	Ingress1, Egress1  uint16 // level-1 interfaces; 0xffff if only one of them is not available
	HopLatency         uint32
	Queue              uint8
	QueueOccupancy     uint32 // 24 bits
	IngressTime        uint64
	EgressTime         uint64
	Ingress2, Egress2  uint32 // level-2 interfaces
	TxUtilization      uint32
	Buffer             uint8
	BufferOccupancy    uint32    // 24 bits
	Reserved           [6]uint32 // values of instructions 9 to 14
	Domain             []byte    // domain-specific words; nil writes all ones
	ChecksumComplement uint32    // Source.Insert and Node.Transit write their own, not this one
}

const unavailable = 0xffffffff

// word returns word k (0 or 1) of the value for instruction bit b, 0 to 14.
func (m *Metadata) word(b, k int) uint32 {
	switch b {
	case 0:
		return m.NodeID
	case 1:
		return uint32(m.Ingress1)<<16 | uint32(m.Egress1)
	case 2:
		return m.HopLatency
	case 3:
		return uint32(m.Queue)<<24 | m.QueueOccupancy
	case 4:
		return uint32(m.IngressTime >> (32 - 32*k))
	case 5:
		return uint32(m.EgressTime >> (32 - 32*k))
	case 6:
		if k == 0 {
			return m.Ingress2
		}
		return m.Egress2
	case 7:
		return m.TxUtilization
	case 8:
		return uint32(m.Buffer)<<24 | m.BufferOccupancy
	default:
		return m.Reserved[b-9]
	}
}

// setWord sets the word that word returns.
func (m *Metadata) setWord(b, k int, w uint32) {
	switch b {
	case 0:
		m.NodeID = w
	case 1:
		m.Ingress1, m.Egress1 = uint16(w>>16), uint16(w)
	case 2:
		m.HopLatency = w
	case 3:
		m.Queue, m.QueueOccupancy = uint8(w>>24), w&0xffffff
	case 4:
		m.IngressTime |= uint64(w) << (32 - 32*k)
	case 5:
		m.EgressTime |= uint64(w) << (32 - 32*k)
	case 6:
		if k == 0 {
			m.Ingress2 = w
		} else {
			m.Egress2 = w
		}
	case 7:
		m.TxUtilization = w
	case 8:
		m.Buffer, m.BufferOccupancy = uint8(w>>24), w&0xffffff
	default:
		m.Reserved[b-9] = w
	}
}

// check reports values that their fields cannot hold, for a hop with the given
// number of domain-specific bytes.
func (m *Metadata) check(domainBytes int) error {
	if m.Available&QueueOccupancy != 0 && m.QueueOccupancy > 0xffffff {
		return fmt.Errorf("queue occupancy %d does not fit into 24 bits", m.QueueOccupancy)
	}
	if m.Available&BufferOccupancy != 0 && m.BufferOccupancy > 0xffffff {
		return fmt.Errorf("buffer occupancy %d does not fit into 24 bits", m.BufferOccupancy)
	}
	if m.Domain != nil && len(m.Domain) != domainBytes {
		return fmt.Errorf("%s of domain-specific metadata, but the hop has room for %d",
			number.Count(len(m.Domain), "byte"), domainBytes)
	}
	return nil
}

// put writes one hop to b, which it fills completely: the values of ins in order, the domain-specific words, and the
// checksum complement last.
func (m *Metadata) put(b []byte, ins Instructions) {
	for bit := range 15 {
		this := Instructions(1 << (15 - bit))
		if ins&this == 0 {
			continue
		}
		n := 1
		if this&eightByte != 0 {
			n = 2
		}
		for k := range n {
			w := uint32(unavailable)
			if m.Available&this != 0 {
				w = m.word(bit, k)
			}
			binary.BigEndian.PutUint32(b, w)
			b = b[4:]
		}
	}
	if ins&ChecksumComplement != 0 {
		w := uint32(unavailable)
		if m.Available&ChecksumComplement != 0 {
			w = m.ChecksumComplement
		}
		binary.BigEndian.PutUint32(b[len(b)-4:], w)
		b = b[:len(b)-4]
	}
	if m.Domain != nil {
		copy(b, m.Domain)
		return
	}
	for i := range b {
		b[i] = 0xff
	}
}

// Decode reads one hop, which fills b completely. b must have room for the values of ins. Domain aliases b.
func (m *Metadata) Decode(b []byte, ins Instructions) error {
	if len(b)%4 != 0 || len(b) < 4*ins.Words() {
		return fmt.Errorf("INT hop of %s, but %v needs %d", number.Count(len(b), "byte"), ins, 4*ins.Words())
	}
	*m = Metadata{}
	for bit := range 15 {
		this := Instructions(1 << (15 - bit))
		if ins&this == 0 {
			continue
		}
		w := binary.BigEndian.Uint32(b)
		m.setWord(bit, 0, w)
		ones := w == unavailable
		b = b[4:]
		if this&eightByte != 0 {
			w = binary.BigEndian.Uint32(b)
			m.setWord(bit, 1, w)
			ones = ones && w == unavailable
			b = b[4:]
		}
		if !ones {
			m.Available |= this
		}
	}
	if ins&ChecksumComplement != 0 {
		m.ChecksumComplement = binary.BigEndian.Uint32(b[len(b)-4:])
		if m.ChecksumComplement != unavailable {
			m.Available |= ChecksumComplement
		}
		b = b[:len(b)-4]
	}
	if len(b) > 0 {
		m.Domain = b
	}
	return nil
}
