package packets

import "encoding/binary"

// maxFragmented is the number of fragmented datagrams whose ports are remembered.
const maxFragmented = 1 << 14

// fragment identifies the datagram to which a packet belongs if it is a fragment.
type fragment struct {
	id       uint32 // identification
	protocol uint8  // protocol of the datagram, because IPv4 identifications are unique only per protocol; 0 with IPv6
	more     bool   // others follow
}

// datagram identifies an IP datagram: addresses, protocol and identification.
type datagram [13]byte

// fragments remembers the ports and protocols of the newest datagrams whose first fragment has been seen,
// because the other fragments do not carry them.
type fragments struct {
	ports map[datagram][5]byte
	order []datagram // ring of datagrams; once it is full, the oldest is at next
	next  int
}

func (f *fragments) key(p *Packet, x fragment) (d datagram) {
	copy(d[:8], p.Tuple[:8])
	d[8] = x.protocol
	binary.BigEndian.PutUint32(d[9:], x.id)
	return d
}

// first stores the ports of a packet if it is the first of several fragments.
func (f *fragments) first(p *Packet, x fragment) {
	if !x.more {
		return
	}
	if f.ports == nil {
		f.ports = map[datagram][5]byte{}
	}
	d := f.key(p, x)
	if _, again := f.ports[d]; !again {
		if len(f.order) < maxFragmented {
			f.order = append(f.order, d)
		} else {
			delete(f.ports, f.order[f.next])
			f.order[f.next] = d
			f.next = (f.next + 1) % maxFragmented
		}
	}
	f.ports[d] = [5]byte(p.Tuple[8:])
}

// join copies the ports and the protocol of the first fragment to a later fragment. ok is false if the first fragment
// has not been seen.
func (f *fragments) join(p *Packet, x fragment) (ok bool) {
	ports, ok := f.ports[f.key(p, x)]
	if ok {
		copy(p.Tuple[8:], ports[:])
	}
	return ok
}
