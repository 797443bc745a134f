package packets

import "encoding/binary"

// IPv6 addresses are replaced by numbers, so the key of a flow has 13 bytes for both protocols. The first address of a
// trace becomes 240.0.0.0, the next 240.0.0.1, and so on up to 247.255.255.255. IPv4 reserves this range (RFC 1112 §4),
// so no host has such an IPv4 address.
const (
	firstAddress = 240 << 24
	maxAddresses = 1 << 27
)

// addresses contains the numbers of the IPv6 addresses of a trace.
type addresses map[[16]byte]uint32

// number returns the number of an address. ok is false if no number is left.
func (a *addresses) number(addr [16]byte) (n uint32, ok bool) {
	n, ok = (*a)[addr]
	if ok {
		return n, true
	}
	if len(*a) == maxAddresses {
		return 0, false
	}
	if *a == nil {
		*a = addresses{}
	}
	n = firstAddress + uint32(len(*a))
	(*a)[addr] = n
	return n, true
}

// IPv6 extension headers (IANA, "IPv6 Extension Header Types").
const (
	hopByHop           = 0
	routing            = 43
	fragmentHeader     = 44
	authentication     = 51
	noNext             = 59
	destinationOptions = 60
	mobility           = 135
	hostIdentity       = 139
	shim6              = 140
)

// parse6 reads the headers of an IPv6 packet (RFC 8200).
func (p *Packet) parse6(ip []byte, size int, known *addresses) (verdict, fragment) {
	if len(ip) < ipv6Header {
		return cut, fragment{}
	}
	p.Size = ipv6Header + int(binary.BigEndian.Uint16(ip[4:]))
	if p.Size == ipv6Header && ip[6] != noNext {
		p.Size = size // a jumbogram, or the sender left segmentation to its network card
	}
	if p.Size < ipv6Header {
		return bad, fragment{}
	}
	src, ok1 := known.number([16]byte(ip[8:]))
	dst, ok2 := known.number([16]byte(ip[24:]))
	if !ok1 || !ok2 {
		return crowded, fragment{}
	}
	binary.BigEndian.PutUint32(p.Tuple[0:], src)
	binary.BigEndian.PutUint32(p.Tuple[4:], dst)
	if len(ip) > p.Size {
		ip = ip[:p.Size] // drop the padding of the link layer
	}
	next, at := ip[6], ipv6Header
	f := fragment{}
	for {
		length := 8
		switch next {
		case hopByHop, routing, destinationOptions, mobility, hostIdentity, shim6, fragmentHeader, authentication:
		default:
			p.Tuple[12] = next
			return p.parseTransport(ip[at:], p.Size-at), f
		}
		if p.Size < at+length {
			return bad, f
		}
		if len(ip) < at+length {
			return cut, f
		}
		switch next {
		case fragmentHeader:
			offset := binary.BigEndian.Uint16(ip[at+2:])
			f.id, f.more = binary.BigEndian.Uint32(ip[at+4:]), offset&1 != 0
			if offset&^7 != 0 { // the rest is from the middle of the datagram
				p.Tuple[12] = ip[at]
				return part, f
			}
		case authentication:
			length = (int(ip[at+1]) + 2) * 4 // RFC 4302 §2.2
		default:
			length = (int(ip[at+1]) + 1) * 8
		}
		if p.Size < at+length {
			return bad, f
		}
		if len(ip) < at+length {
			return cut, f
		}
		next, at = ip[at], at+length
	}
}
