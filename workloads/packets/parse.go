package packets

import (
	"encoding/binary"
	"fmt"

	"github.com/gopacket/gopacket/layers"
)

// Link types that gopacket does not name (https://www.tcpdump.org/linktypes.html).
const (
	linkRawBSD     layers.LinkType = 12 // DLT_RAW of most systems
	linkRawOpenBSD layers.LinkType = 14
)

// Ether types.
const (
	etherIPv4  = 0x0800
	etherIPv6  = 0x86dd
	etherVLAN  = 0x8100
	etherQinQ  = 0x88a8
	etherQinQ2 = 0x9100
	etherMPLS  = 0x8847
	etherCSIG  = 0x9900 // the compact CSIG tag of 2 bytes
	etherWide  = 0x9901 // the wide CSIG tag of 6 bytes
	etherPPPoE = 0x8864
	pppIPv4    = 0x0021
	pppIPv6    = 0x0057
)

// checkLink returns an error if Network does not support the link type.
func checkLink(link layers.LinkType) error {
	switch link {
	case layers.LinkTypeEthernet, layers.LinkTypeRaw, linkRawBSD, linkRawOpenBSD, layers.LinkTypeIPv4,
		layers.LinkTypeIPv6, layers.LinkTypeNull, layers.LinkTypeLoop, layers.LinkTypePPP,
		layers.LinkTypePPP_HDLC, layers.LinkTypeC_HDLC, layers.LinkTypeLinuxSLL, layers.LinkTypeLinuxSLL2:
		return nil
	}
	return fmt.Errorf("link type %d (%v): want Ethernet, raw IP, BSD loopback, PPP, Cisco HDLC or Linux cooked",
		int(link), link)
}

// Network returns a captured packet from its IP header on. isIP is false if the link layer declares
// another protocol.
func Network(link layers.LinkType, data []byte) (ip []byte, isIP bool, err error) {
	if err := checkLink(link); err != nil {
		return nil, false, err
	}
	switch link {
	case layers.LinkTypeEthernet:
		ip, isIP = afterEtherType(data, 12)
	case layers.LinkTypeC_HDLC:
		ip, isIP = afterEtherType(data, 2)
	case layers.LinkTypeLinuxSLL:
		ip, isIP = afterEtherType(data, 14)
	case layers.LinkTypeLinuxSLL2:
		if len(data) < 20 {
			return nil, true, nil
		}
		ip, isIP = afterTags(binary.BigEndian.Uint16(data), data[20:])
	case layers.LinkTypePPP, layers.LinkTypePPP_HDLC:
		if len(data) >= 2 && data[0] == 0xff && data[1] == 0x03 {
			data = data[2:]
		}
		ip, isIP = afterPPP(data)
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		if len(data) < 4 {
			return nil, true, nil
		}
		ip, isIP = data[4:], true // parse checks the version in the IP header
	default:
		ip, isIP = data, true
	}
	return ip, isIP, nil
}

// afterEtherType returns the data after the ether type at an offset and after the tags that follow it.
func afterEtherType(data []byte, at int) (ip []byte, isIP bool) {
	if len(data) < at+2 {
		return nil, true
	}
	return afterTags(binary.BigEndian.Uint16(data[at:]), data[at+2:])
}

// afterTags returns the data after the tags. data begins after an ether type with the value t.
func afterTags(t uint16, data []byte) (ip []byte, isIP bool) {
	for {
		at := 0 // offset of the next EtherType
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
					return data, true // parse checks the version in the IP header
				}
			}
		case etherPPPoE:
			if len(data) < 6 {
				return nil, true
			}
			return afterPPP(data[6:])
		default:
			return data, t == etherIPv4 || t == etherIPv6
		}
		if len(data) < at+2 {
			return nil, true
		}
		t, data = binary.BigEndian.Uint16(data[at:]), data[at+2:]
	}
}

// afterPPP returns the data after a PPP protocol field, which has one byte if that byte is odd (RFC 1661,
// §2).
func afterPPP(data []byte) (ip []byte, isIP bool) {
	switch {
	case len(data) >= 1 && data[0]&1 != 0:
		return data[1:], data[0] == pppIPv4 || data[0] == pppIPv6
	case len(data) >= 2:
		t := binary.BigEndian.Uint16(data)
		return data[2:], t == pppIPv4 || t == pppIPv6
	}
	return nil, true
}

// verdict is the result of parsing a packet.
type verdict int

const (
	whole   verdict = iota
	part            // a fragment without ports, because it is not the first
	foreign         // not IP
	cut             // the capture cuts a header
	bad             // contradictory header fields
	crowded         // more IPv6 addresses than there are numbers
)

// Smallest header sizes in bytes.
const (
	ipv4Header = 20
	ipv6Header = 40
	tcpHeader  = 20
	udpHeader  = 8
)

// parse reads the headers of an IP packet. ip is the captured part and size the number of bytes on the
// wire.
func (p *Packet) parse(ip []byte, isIP bool, size int, known *addresses) (verdict, fragment) {
	switch {
	case !isIP:
		return foreign, fragment{}
	case len(ip) == 0:
		return cut, fragment{}
	case ip[0]>>4 == 4:
		return p.parse4(ip, size)
	case ip[0]>>4 == 6:
		return p.parse6(ip, size, known)
	}
	return foreign, fragment{}
}

// parse4 reads the headers of an IPv4 packet.
func (p *Packet) parse4(ip []byte, size int) (verdict, fragment) {
	if len(ip) < ipv4Header {
		return cut, fragment{}
	}
	header := int(ip[0]&15) * 4
	p.Size = int(binary.BigEndian.Uint16(ip[2:]))
	if p.Size == 0 {
		p.Size = size // the sender left segmentation to its network card
	}
	if header < ipv4Header || p.Size < header {
		return bad, fragment{}
	}
	if len(ip) > p.Size {
		ip = ip[:p.Size] // drop the padding of the link layer
	}
	copy(p.Tuple[:8], ip[12:20])
	p.Tuple[12] = ip[9]
	if len(ip) < header {
		return cut, fragment{}
	}
	const more = 0x2000
	flags := binary.BigEndian.Uint16(ip[6:])
	f := fragment{id: uint32(binary.BigEndian.Uint16(ip[4:])), protocol: ip[9], more: flags&more != 0}
	if flags&0x1fff != 0 && hasPorts(p.Tuple.Protocol()) {
		return part, f
	}
	return p.parseTransport(ip[header:], p.Size-header), f
}

func hasPorts(protocol uint8) bool {
	switch protocol {
	case TCP, UDP, DCCP, SCTP, UDPLite:
		return true
	}
	return false
}

// parseTransport reads the header after the IP header. b is the captured part and size the number of bytes on the wire.
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
			return whole // the capture cuts the field that shows where the payload begins
		}
		p.Flags = Flags(b[13])
		header, least = int(b[12]>>4)*4, tcpHeader
	case UDP:
	default:
		return whole
	}
	if header < least || header > size {
		return whole // the ports are valid although the header length is not
	}
	p.Payload = size - header
	if len(b) > header {
		p.Data = b[header:]
	}
	return whole
}
