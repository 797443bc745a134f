package packets

import (
	"encoding/binary"
	"fmt"

	"github.com/gopacket/gopacket/layers"
)

// Link types that have several numbers or none in gopacket (https://www.tcpdump.org/linktypes.html).
const (
	linkRawBSD     layers.LinkType = 12 // DLT_RAW of most systems
	linkRawOpenBSD layers.LinkType = 14
)

// Ether types.
const (
	etherIPv4  = 0x0800
	etherVLAN  = 0x8100
	etherQinQ  = 0x88a8
	etherQinQ2 = 0x9100
	etherMPLS  = 0x8847
	etherCSIG  = 0x9900 // the compact tag, with 2 bytes
	etherWide  = 0x9901 // the wide tag, with 6 bytes
	etherPPPoE = 0x8864
	pppIPv4    = 0x0021
)

// checkLink reports whether Network knows the link type.
func checkLink(link layers.LinkType) error {
	switch link {
	case layers.LinkTypeEthernet, layers.LinkTypeRaw, linkRawBSD, linkRawOpenBSD, layers.LinkTypeIPv4, layers.LinkTypeIPv6,
		layers.LinkTypeNull, layers.LinkTypeLoop, layers.LinkTypePPP, layers.LinkTypePPP_HDLC, layers.LinkTypeC_HDLC,
		layers.LinkTypeLinuxSLL, layers.LinkTypeLinuxSLL2:
		return nil
	}
	return fmt.Errorf("link type %d (%v): want Ethernet, raw IP, BSD loopback, PPP, Cisco HDLC or Linux cooked", int(link), link)
}

// Network returns the part of a captured packet from the IP header on. isIPv4 false means that
// the link layer says that it is something else.
func Network(link layers.LinkType, data []byte) (ip []byte, isIPv4 bool, err error) {
	if err := checkLink(link); err != nil {
		return nil, false, err
	}
	switch link {
	case layers.LinkTypeEthernet:
		ip, isIPv4 = afterEtherType(data, 12)
	case layers.LinkTypeC_HDLC:
		ip, isIPv4 = afterEtherType(data, 2)
	case layers.LinkTypeLinuxSLL:
		ip, isIPv4 = afterEtherType(data, 14)
	case layers.LinkTypeLinuxSLL2:
		if len(data) < 20 {
			return nil, true, nil
		}
		return data[20:], binary.BigEndian.Uint16(data) == etherIPv4, nil
	case layers.LinkTypePPP, layers.LinkTypePPP_HDLC:
		if len(data) >= 2 && data[0] == 0xff && data[1] == 0x03 {
			data = data[2:]
		}
		ip, isIPv4 = afterPPP(data)
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		if len(data) < 4 {
			return nil, true, nil
		}
		ip, isIPv4 = data[4:], true // the version in the IP header decides
	default:
		ip, isIPv4 = data, true
	}
	return ip, isIPv4, nil
}

// afterEtherType returns what follows the ether type at an offset, and the tags behind it.
func afterEtherType(data []byte, at int) (ip []byte, isIPv4 bool) {
	for {
		if len(data) < at+2 {
			return nil, true
		}
		t := binary.BigEndian.Uint16(data[at:])
		data = data[at+2:]
		switch t {
		case etherVLAN, etherQinQ, etherQinQ2, etherCSIG:
			at = 2
		case etherWide:
			at = 6
		case etherMPLS:
			for {
				if len(data) < 4 {
					return nil, true
				}
				bottom := data[2]&1 != 0
				data = data[4:]
				if bottom {
					return data, true // the version in the IP header decides
				}
			}
		case etherPPPoE:
			if len(data) < 6 {
				return nil, true
			}
			return afterPPP(data[6:])
		default:
			return data, t == etherIPv4
		}
	}
}

// afterPPP returns what follows a PPP protocol field, which is compressed to one byte if that
// is odd (RFC 1661, §2).
func afterPPP(data []byte) (ip []byte, isIPv4 bool) {
	switch {
	case len(data) >= 1 && data[0]&1 != 0:
		return data[1:], data[0] == pppIPv4
	case len(data) >= 2:
		return data[2:], binary.BigEndian.Uint16(data) == pppIPv4
	}
	return nil, true
}

// verdict classifies a packet.
type verdict int

const (
	whole   verdict = iota
	part            // a fragment other than the first: the ports are in that
	foreign         // not IPv4
	cut             // the capture ends before what is needed
	bad             // a header contradicts itself
)

// The least header sizes.
const (
	ipv4Header = 20
	tcpHeader  = 20
	udpHeader  = 8
)

// parse reads the headers of an IPv4 packet, of which ip is what was captured and size
// the number of bytes on the wire.
func (p *Packet) parse(ip []byte, isIPv4 bool, size int) verdict {
	if !isIPv4 {
		return foreign
	}
	if len(ip) == 0 {
		return cut
	}
	if ip[0]>>4 != 4 {
		return foreign
	}
	if len(ip) < ipv4Header {
		return cut
	}
	header := int(ip[0]&15) * 4
	p.Size = int(binary.BigEndian.Uint16(ip[2:]))
	if p.Size == 0 {
		p.Size = size // segmentation was left to the network card
	}
	if header < ipv4Header || p.Size < header {
		return bad
	}
	if len(ip) > p.Size {
		ip = ip[:p.Size] // padding of the link
	}
	copy(p.Tuple[:8], ip[12:20])
	p.Tuple[12] = ip[9]
	if len(ip) < header {
		return cut
	}
	if binary.BigEndian.Uint16(ip[6:])&0x1fff != 0 && hasPorts(p.Tuple.Protocol()) {
		return part
	}
	return p.parseTransport(ip[header:], p.Size-header)
}

func hasPorts(protocol uint8) bool {
	switch protocol {
	case TCP, UDP, DCCP, SCTP, UDPLite:
		return true
	}
	return false
}

// parseTransport reads the header behind IP, of which b is what was captured and size the
// number of bytes on the wire.
func (p *Packet) parseTransport(b []byte, size int) verdict {
	if !hasPorts(p.Tuple.Protocol()) {
		return whole
	}
	if size < 4 {
		return bad
	}
	if len(b) < 4 {
		return cut
	}
	copy(p.Tuple[8:12], b)
	header, least := udpHeader, udpHeader
	switch p.Tuple.Protocol() {
	case TCP:
		if len(b) >= 12 {
			p.Seq, p.Ack = binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
		}
		if len(b) < 14 {
			return whole // where the payload begins is not in the capture
		}
		p.Flags = Flags(b[13])
		header, least = int(b[12]>>4)*4, tcpHeader
	case UDP:
	default:
		return whole
	}
	if header < least || header > size {
		return whole // where the payload begins is not known, but the ports are
	}
	p.Payload = size - header
	if len(b) > header {
		p.Data = b[header:]
	}
	return whole
}
