package packets

import "encoding/binary"

// maxFragmented is the number of fragmented datagrams whose ports are remembered.
const maxFragmented = 1 << 14

// datagram identifies an IPv4 datagram: addresses, protocol and identification.
type datagram [11]byte

// fragments remembers the ports of the newest datagrams whose first fragment has been seen, because the
// other fragments carry no ports.
type fragments struct {
	ports map[datagram][4]byte
	order []datagram // ring of datagrams; once it is full, the oldest is at next
	next  int
}

func (f *fragments) key(p *Packet, ip []byte) (d datagram) {
	copy(d[:8], p.Tuple[:8])
	d[8] = p.Tuple[12]
	copy(d[9:], ip[4:6])
	return d
}

// first stores the ports of a packet if it is the first of several fragments.
func (f *fragments) first(p *Packet, ip []byte) {
	const more = 0x2000
	if binary.BigEndian.Uint16(ip[6:])&more == 0 {
		return
	}
	if f.ports == nil {
		f.ports = map[datagram][4]byte{}
	}
	d := f.key(p, ip)
	if _, again := f.ports[d]; !again {
		if len(f.order) < maxFragmented {
			f.order = append(f.order, d)
		} else {
			delete(f.ports, f.order[f.next])
			f.order[f.next] = d
			f.next = (f.next + 1) % maxFragmented
		}
	}
	f.ports[d] = [4]byte(p.Tuple[8:12])
}

// join copies the ports of the first fragment to a later one. ok is false if the first has not been seen.
func (f *fragments) join(p *Packet, ip []byte) (ok bool) {
	ports, ok := f.ports[f.key(p, ip)]
	if ok {
		copy(p.Tuple[8:12], ports[:])
	}
	return ok
}
