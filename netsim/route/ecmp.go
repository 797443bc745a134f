package route

import (
	"encoding/binary"
	"fmt"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
)

// FiveTuple identifies a flow in the network by its hosts and ports. The protocol is the same for all flows. Flows with
// equal tuples take the same path.
type FiveTuple struct {
	Src, Dst         topo.NodeID
	SrcPort, DstPort uint16
}

// Reverse returns the tuple of packets in the other direction, such as ACKs.
func (k FiveTuple) Reverse() FiveTuple {
	return FiveTuple{Src: k.Dst, Dst: k.Src, SrcPort: k.DstPort, DstPort: k.SrcPort}
}

// TupleBytes is the size of a FiveTuple that Put writes.
const TupleBytes = 12

// Put writes the tuple to the beginning of b.
func (k FiveTuple) Put(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(k.Src))
	binary.LittleEndian.PutUint32(b[4:], uint32(k.Dst))
	binary.LittleEndian.PutUint16(b[8:], k.SrcPort)
	binary.LittleEndian.PutUint16(b[10:], k.DstPort)
}

// ReadFiveTuple returns the tuple that Put has written.
func ReadFiveTuple(b []byte) FiveTuple {
	return FiveTuple{
		Src: topo.NodeID(binary.LittleEndian.Uint32(b)), Dst: topo.NodeID(binary.LittleEndian.Uint32(b[4:])),
		SrcPort: binary.LittleEndian.Uint16(b[8:]), DstPort: binary.LittleEndian.Uint16(b[10:]),
	}
}

// HostIP returns the address of a host in the published HPCC simulators: 11.x.y.1, where x and y
// hold the number of the host. The simulators have room for 65536 nodes. Addresses are distinct for
// numbers below 16 million.
func HostIP(id topo.NodeID) uint32 { return 0x0b000001 + uint32(id)<<8 }

// ECMP is the hash that chooses among equal-cost candidates.
type ECMP uint8

const (
	// Mix is a seeded 64-bit hash with a salt for each node.
	Mix ECMP = iota
	// Murmur is the hash of the published HPCC and PINT simulators: MurmurHash3 (x86, 32 bit) of 12
	// bytes, seeded with the number of the node. The bytes are the source address, the destination
	// address and the ports (source port in the low half), each little-endian. Options.Seed has no
	// effect on it.
	Murmur
)

var ecmpNames = []string{Mix: "mix", Murmur: "murmur"}

func (e ECMP) String() string { return enumName(ecmpNames, int(e)) }

// MarshalText writes the name.
func (e ECMP) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads "mix" or "murmur".
func (e *ECMP) UnmarshalText(b []byte) error {
	i, err := enumParse(ecmpNames, "ECMP hash", string(b))
	if err == nil {
		*e = ECMP(i)
	}
	return err
}

// CandidateOrder is the order of the candidates at a node. Together with the hash it decides the
// path of a flow.
type CandidateOrder uint8

const (
	// Ascending sorts by the numbers of the neighbours.
	Ascending CandidateOrder = iota
	// Descending is the order of the published HPCC and PINT simulators: the order in which a
	// breadth-first search from the destination reaches the neighbours, if it visits the neighbours
	// of each node by falling numbers. So the candidates of a node have falling numbers, unless
	// they are in several layers, as on a path around a broken link.
	Descending
)

var orderNames = []string{Ascending: "ascending", Descending: "descending"}

func (o CandidateOrder) String() string { return enumName(orderNames, int(o)) }

// MarshalText writes the name.
func (o CandidateOrder) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads "ascending" or "descending".
func (o *CandidateOrder) UnmarshalText(b []byte) error {
	i, err := enumParse(orderNames, "candidate order", string(b))
	if err == nil {
		*o = CandidateOrder(i)
	}
	return err
}

func enumName(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func enumParse(names []string, what, s string) (int, error) {
	for i, n := range names {
		if n == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %q, want %s or %s", what, s, names[0], names[1])
}

// salts returns a hash salt for each node, so that the choices of successive nodes are independent.
func salts(seed uint64, nodes int) []uint64 {
	base := hash.Combine(hash.String("route/ecmp"), seed)
	s := make([]uint64, nodes)
	for i := range s {
		s[i] = hash.Combine(base, uint64(i))
	}
	return s
}

// index returns which of n candidates a flow takes at a node; n must be positive.
func (t *Table) index(at topo.NodeID, tuple FiveTuple, n int) int {
	h := t.hashOf(at, tuple)
	if n&(n-1) == 0 { // avoids a division, which takes as long as the rest of the function
		return int(h & uint64(n-1))
	}
	return int(h % uint64(n))
}

// hashOf returns the hash of a flow at a node.
func (t *Table) hashOf(at topo.NodeID, f FiveTuple) uint64 {
	src, dst := HostIP(f.Src), HostIP(f.Dst)
	if t.hash == Murmur {
		ports := uint32(f.SrcPort) | uint32(f.DstPort)<<16
		return uint64(hash.Murmur3(uint32(at), src, dst, ports))
	}
	h := hash.Combine(t.salt[at], uint64(src)<<32|uint64(dst))
	return hash.Combine(h, uint64(f.SrcPort)<<16|uint64(f.DstPort))
}
